/* SPDX-License-Identifier: MIT */
/*
 * A layer of the OpenCL loader (OPENCL_LAYERS) that adds up what a process spends in calls that compile, on
 * any driver. At the process's end it adds a line, "CALLS SECONDS", to the file that COMPAT_BUILD_TIMES
 * names. Calls of several threads at the same time all count.
 */
#include <CL/cl_layer.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default"))) CL_API_ENTRY

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static atomic_ullong calls, nanoseconds;

static unsigned long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
}

static void count(unsigned long long since)
{
    atomic_fetch_add(&calls, 1);
    atomic_fetch_add(&nanoseconds, now() - since);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint ndevices, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data)
{
    const unsigned long long since = now();
    const cl_int error = next->clBuildProgram(program, ndevices, devices, options, notify, data);
    count(since);
    return error;
}

static cl_int CL_API_CALL compile(cl_program program, cl_uint ndevices, const cl_device_id *devices,
                                  const char *options, cl_uint nheaders, const cl_program *headers,
                                  const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *data)
{
    const unsigned long long since = now();
    const cl_int error =
        next->clCompileProgram(program, ndevices, devices, options, nheaders, headers, names, notify, data);
    count(since);
    return error;
}

static cl_program CL_API_CALL link_programs(cl_context context, cl_uint ndevices, const cl_device_id *devices,
                                            const char *options, cl_uint nprograms,
                                            const cl_program *programs,
                                            void(CL_CALLBACK *notify)(cl_program, void *), void *data,
                                            cl_int *error)
{
    const unsigned long long since = now();
    cl_program linked =
        next->clLinkProgram(context, ndevices, devices, options, nprograms, programs, notify, data, error);
    count(since);
    return linked;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error)
{
    const unsigned long long since = now();
    cl_kernel kernel = next->clCreateKernel(program, name, error);
    count(since);
    return kernel;
}

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : "build times";
    const size_t needed = name == CL_LAYER_API_VERSION ? sizeof(version) : sizeof("build times");

    if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                        cl_uint *entries_ret, const struct _cl_icd_dispatch **layer)
{
    if (!target || !entries_ret || !layer || entries < sizeof(table) / sizeof(table.clGetPlatformIDs))
        return CL_INVALID_VALUE;
    next = target;
    table.clBuildProgram = build;
    table.clCompileProgram = compile;
    table.clLinkProgram = link_programs;
    table.clCreateKernel = create_kernel;
    *layer = &table;
    *entries_ret = sizeof(table) / sizeof(table.clGetPlatformIDs);
    return CL_SUCCESS;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("COMPAT_BUILD_TIMES");
    char line[64];

    if (!path || !atomic_load(&calls))
        return;
    const int length = snprintf(line, sizeof(line), "%llu %.6f\n", atomic_load(&calls),
                                (double)atomic_load(&nanoseconds) / 1e9);
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) != length)
        perror(path);
    close(file);
}

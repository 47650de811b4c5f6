/* SPDX-License-Identifier: MIT */
/*
 * Choice of the device, context and queue, build of the program, names of errors. Between options.c and
 * common.c.
 */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64, PLATFORM_NOT_FOUND = -1001 };

#define NAME(code)                                                                                           \
    {                                                                                                        \
        code, #code                                                                                          \
    }

static const struct {
    cl_int code;
    const char *name;
} error_names[] = {
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_IMAGE_FORMAT_MISMATCH),
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE),
    NAME(CL_LINKER_NOT_AVAILABLE),
    NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE_TYPE),
    NAME(CL_INVALID_PLATFORM),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_QUEUE_PROPERTIES),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY),
    {PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"},
};

void cl_check(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    for (size_t i = 0; i < sizeof(error_names) / sizeof(error_names[0]); i++) {
        if (error_names[i].code == error)
            fail(STATUS_OPENCL, "%s: %s", call, error_names[i].name);
    }
    fail(STATUS_OPENCL, "%s: unknown error %d", call, error);
}

/* The platform's devices of the wanted kind; returns their number. */
static unsigned platform_devices(const struct run *run, cl_platform_id platform, cl_device_id *devices)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU,
                                           CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR};
    cl_uint count = 0;
    cl_int error =
        clGetDeviceIDs(platform, types[run->options[OPT_DEVICE_TYPE].value], MAX_DEVICES, devices, &count);
    if (error == CL_DEVICE_NOT_FOUND)
        return 0;
    cl_check(error, "clGetDeviceIDs");
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

/* The platforms that the options allow; returns their number. */
static unsigned wanted_platforms(const struct run *run, cl_platform_id *platforms)
{
    cl_uint count = 0;
    cl_check(clGetPlatformIDs(MAX_PLATFORMS, platforms, &count), "clGetPlatformIDs");
    if (count > MAX_PLATFORMS)
        count = MAX_PLATFORMS;
    size_t wanted = run->options[OPT_PLATFORM].value;
    if (wanted == ANY)
        return count;
    if (wanted >= count)
        fail(STATUS_USAGE, "%s: --platform %zu: accepted are numbers below %u, the number of platforms here",
             run->example->name, wanted, count);
    platforms[0] = platforms[wanted];
    return 1;
}

unsigned device_list(const struct run *run, cl_device_id *devices, unsigned most)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    unsigned platform_count = wanted_platforms(run, platforms), listed = 0;
    for (unsigned i = 0; i < platform_count; i++) {
        cl_device_id here[MAX_DEVICES];
        unsigned count = platform_devices(run, platforms[i], here);
        for (unsigned k = 0; k < count && listed < most; k++)
            devices[listed++] = here[k];
    }
    return listed;
}

cl_device_id device_named(const struct run *run, const char *platform, size_t length, unsigned number)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    unsigned platform_count = wanted_platforms(run, platforms);
    for (unsigned i = 0; i < platform_count; i++) {
        char name[256] = "";
        cl_device_id here[MAX_DEVICES];
        cl_check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL),
                 "clGetPlatformInfo(CL_PLATFORM_NAME)");
        if (strlen(name) != length || memcmp(name, platform, length) != 0)
            continue;
        unsigned count = platform_devices(run, platforms[i], here);
        if (number < count)
            return here[number];
        number -= count;
    }
    return NULL;
}

static void choose_device(struct run *run)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    unsigned count = wanted_platforms(run, platforms);
    size_t index = run->options[OPT_DEVICE].value;
    for (unsigned i = 0; i < count; i++) {
        cl_device_id devices[MAX_DEVICES];
        unsigned here = platform_devices(run, platforms[i], devices);
        if (here > 0 && (index == ANY || index < here)) { /* perhaps the next platform has more */
            run->device = devices[index == ANY ? 0 : index];
            return;
        }
    }
    if (index != ANY)
        fail(STATUS_USAGE, "%s: --device %zu: no platform looked at has that many devices of the wanted kind",
             run->example->name, index);
    cl_check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
}

void device_open(struct run *run)
{
    if (!run->device)
        choose_device(run);
    if (run->options[OPT_VERBOSE].value) {
        char name[256] = "";
        cl_check(clGetDeviceInfo(run->device, CL_DEVICE_NAME, sizeof(name), name, NULL),
                 "clGetDeviceInfo(CL_DEVICE_NAME)");
        fprintf(stderr, "%s: device %s\n", run->example->name, name);
    }
    cl_int error;
    run->context = clCreateContext(NULL, 1, &run->device, NULL, NULL, &error);
    cl_check(error, "clCreateContext");
    run->queue = clCreateCommandQueue(run->context, run->device, 0, &error);
    cl_check(error, "clCreateCommandQueue");
}

static void print_build_log(const struct run *run)
{
    size_t bytes = 0;
    if (clGetProgramBuildInfo(run->program, run->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
        return;
    char *log = calloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(run->program, run->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) ==
                   CL_SUCCESS)
        fprintf(stderr, "%s\n", log);
    free(log);
}

static bool rounds_exactly(cl_device_id device)
{
    cl_device_fp_config config = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL);
    return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

void program_build(struct run *run)
{
    const struct example *example = run->example;
    const char *given = example->build_options ? example->build_options : "";
    char options[256];
    struct timespec start, end;
    cl_int error;
    snprintf(options, sizeof(options), "%s%s", given,
             example->rounds_exactly && rounds_exactly(run->device)
                 ? " -cl-fp32-correctly-rounded-divide-sqrt"
                 : "");
    run->program =
        clCreateProgramWithSource(run->context, 1, (const char *[]){run->example->source}, NULL, &error);
    cl_check(error, "clCreateProgramWithSource");
    clock_gettime(CLOCK_MONOTONIC, &start);
    error = clBuildProgram(run->program, 1, &run->device, options, NULL, NULL);
    if (error != CL_SUCCESS)
        print_build_log(run);
    cl_check(error, "clBuildProgram");
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (run->options[OPT_VERBOSE].value)
        fprintf(stderr, "%s: build %.3f ms\n", run->example->name,
                (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6);
}

/* SPDX-License-Identifier: MIT */
/*
 * Launches on the first OpenCL device the loader shows: PoCL alone, which shows whether the interpreter is
 * right, or coexec, which shows whether split launches are.
 */
#include "generator.h"

#include <CL/cl.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

bool gen_device_open(void)
{
    cl_platform_id platform;
    cl_int code;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        return false;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        return false;
    }
    queue = clCreateCommandQueue(context, device, 0, &code);
    return code == CL_SUCCESS;
}

void gen_device_close(void)
{
    if (program) {
        clReleaseProgram(program);
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

bool gen_device_build(const char *source, const char *options)
{
    static char log[1 << 20];
    cl_int code;

    if (program) {
        clReleaseProgram(program);
    }
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS) {
        return false;
    }
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        printf("# build: %d\n%.1900s\n", code, log);
    }
    return code == CL_SUCCESS;
}

/* Buffers, one an object, and sub-buffers where arguments point into them. */
struct memory {
    cl_mem object[GEN_PARAMS], part[GEN_PARAMS];
};

static cl_int set_args(cl_kernel kernel, const struct gen_kernel *k, const struct gen_launch *l,
                       struct memory *m)
{
    cl_int code = CL_SUCCESS;

    for (unsigned i = 0; i < l->nobject && code == CL_SUCCESS; i++) {
        m->object[i] =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, l->bytes[i], l->data[i], &code);
    }
    for (unsigned i = 0; i < k->nparam && code == CL_SUCCESS; i++) {
        const struct cx_access_arg *a = &l->args[i];
        if (k->param[i].kind == P_VALUE) {
            code = clSetKernelArg(kernel, i, gen_elem[k->param[i].el].size, l->value[i]);
        } else if (k->param[i].kind == P_LOCAL) {
            code = clSetKernelArg(kernel, i, a->size, NULL);
        } else if (!a->object) {
            code = clSetKernelArg(kernel, i, sizeof(cl_mem), NULL);
        } else if (a->base) {
            cl_buffer_region region = {a->base, a->bytes};
            m->part[i] = clCreateSubBuffer(m->object[a->object - 1], CL_MEM_READ_WRITE,
                                           CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
            code = code == CL_SUCCESS ? clSetKernelArg(kernel, i, sizeof(cl_mem), &m->part[i]) : code;
        } else {
            code = clSetKernelArg(kernel, i, sizeof(cl_mem), &m->object[a->object - 1]);
        }
    }
    return code;
}

static cl_int launch(cl_kernel kernel, const struct gen_launch *l)
{
    size_t offset[3], global[3], local[3];

    for (unsigned d = 0; d < 3; d++) {
        offset[d] = l->geometry.offset[d];
        global[d] = l->geometry.global[d];
        local[d] = l->geometry.local[d];
    }
    return clEnqueueNDRangeKernel(queue, kernel, l->geometry.work_dim, offset, global, local, 0, NULL, NULL);
}

static cl_int compare(const struct gen_launch *l, const struct gen_record *rec, const struct memory *m,
                      char *why, size_t size)
{
    static unsigned char data[GEN_MAX_BYTES * 4];

    for (unsigned i = 0; i < l->nobject; i++) {
        cl_int code = clEnqueueReadBuffer(queue, m->object[i], CL_TRUE, 0, l->bytes[i], data, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            return code;
        }
        for (size_t b = 0; b < l->bytes[i]; b++) {
            if (data[b] != rec->result[i][b]) {
                snprintf(why, size, "object %u byte %zu is %u, not %u (before: %u)", i, b, data[b],
                         rec->result[i][b], l->data[i][b]);
                return CL_SUCCESS;
            }
        }
    }
    return CL_SUCCESS;
}

bool gen_device_check(const struct gen_kernel *k, const struct gen_launch *l, const struct gen_record *rec,
                      char *why, size_t size)
{
    struct memory m = {{NULL}, {NULL}};
    char name[20];
    cl_kernel kernel;
    cl_int code;

    why[0] = 0;
    snprintf(name, sizeof(name), "k%u", k->index);
    kernel = clCreateKernel(program, name, &code);
    if (code == CL_SUCCESS) {
        code = set_args(kernel, k, l, &m);
        code = code == CL_SUCCESS ? launch(kernel, l) : code;
        code = code == CL_SUCCESS ? compare(l, rec, &m, why, size) : code;
        clReleaseKernel(kernel);
    }
    for (unsigned i = 0; i < GEN_PARAMS; i++) {
        if (m.part[i]) {
            clReleaseMemObject(m.part[i]);
        }
        if (m.object[i]) {
            clReleaseMemObject(m.object[i]);
        }
    }
    if (code != CL_SUCCESS) {
        snprintf(why, size, "OpenCL error %d", code);
    }
    return !why[0];
}

/* SPDX-License-Identifier: MIT */
/* One use of OpenCL. See use.h. */
#include "use.h"

#include <dlfcn.h>
#include <sys/wait.h>

struct cl_calls cl;

const char source[] = "#ifndef THREAD\n#define THREAD 0\n#endif\nconstant int thread_number = THREAD;\n"
                      "kernel void work(global uint *out, int rounds)\n"
                      "{ uint x = out[get_global_id(0)];\n"
                      "  for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;\n"
                      "  out[get_global_id(0)] = x; }\n";

void load(void)
{
    cl.library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(cl.library != NULL);
#define FIND(name) *(void **)&cl.name = dlsym(cl.library, #name);
    CALLS(FIND)
}

cl_uint after(int rounds)
{
    cl_uint x = 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

void find(struct use *use)
{
    OK(cl.clGetPlatformIDs(1, &use->platform, NULL));
    OK(cl.clGetDeviceIDs(use->platform, CL_DEVICE_TYPE_ALL, 1, &use->device, NULL));
}

void fill(const struct use *use, cl_command_queue queue, cl_mem mem)
{
    cl_uint ones[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        ones[i] = 1;
    OK(cl.clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof ones, ones, 0, NULL, NULL));
    (void)use;
}

void open_built(struct use *use, const char *options)
{
    const char *text = source;
    cl_int error;
    find(use);
    use->context = cl.clCreateContext(NULL, 1, &use->device, NULL, NULL, &error);
    OK(error);
    use->queue = cl.clCreateCommandQueue(use->context, use->device, 0, &error);
    OK(error);
    use->program = cl.clCreateProgramWithSource(use->context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(use->program, 1, &use->device, options, NULL, NULL));
    use->kernel = cl.clCreateKernel(use->program, "work", &error);
    OK(error);
    use->mem = cl.clCreateBuffer(use->context, 0, ITEMS * sizeof(cl_uint), NULL, &error);
    OK(error);
    fill(use, use->queue, use->mem);
}

void open_device(struct use *use)
{
    open_built(use, "");
}

void launch(const struct use *use, int rounds, const cl_event *wait, cl_event *event)
{
    const size_t items = ITEMS, group = GROUP;
    OK(cl.clSetKernelArg(use->kernel, 0, sizeof use->mem, &use->mem));
    OK(cl.clSetKernelArg(use->kernel, 1, sizeof rounds, &rounds));
    OK(cl.clEnqueueNDRangeKernel(use->queue, use->kernel, 1, NULL, &items, &group, wait ? 1 : 0, wait,
                                 event));
}

void expect(const struct use *use, cl_uint want)
{
    cl_uint got[ITEMS];
    OK(cl.clEnqueueReadBuffer(use->queue, use->mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK(got[i] == want);
}

void close_device(struct use *use)
{
    OK(cl.clReleaseMemObject(use->mem));
    OK(cl.clReleaseKernel(use->kernel));
    OK(cl.clReleaseProgram(use->program));
    OK(cl.clReleaseCommandQueue(use->queue));
    OK(cl.clReleaseContext(use->context));
}

void use_once(void)
{
    struct use use;
    open_device(&use);
    launch(&use, 100, NULL, NULL);
    expect(&use, after(100));
    close_device(&use);
}

void in_flight(struct use *use)
{
    open_device(use);
    launch(use, 1, NULL, NULL);
    OK(cl.clFinish(use->queue));
    for (int i = 0; i < 4; i++)
        launch(use, LONG, NULL, NULL);
    OK(cl.clFlush(use->queue));
}

void wait_child(pid_t child)
{
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* SPDX-License-Identifier: MIT */
/* Cases: forks before, between and after uses of OpenCL. */
#include "cases.h"
#include "use.h"

#include <stdlib.h>
#include <sys/wait.h>

int case_fork_before(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    use_once();
    if (child)
        wait_child(child);
    return 0;
}

int case_fork_child_only(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            use_once();
            exit(0);
        }
        wait_child(child);
    }
    return 0;
}

/* The parent only looked; what the child's work comes to is the driver's matter, but it ends. */
int case_fork_after_query(void)
{
    struct use use;
    find(&use);
    pid_t child = fork();
    if (child == 0) {
        cl_int error = CL_SUCCESS;
        cl_context context = cl.clCreateContext(NULL, 1, &use.device, NULL, NULL, &error);
        if (context)
            cl.clReleaseContext(context);
        exit(0);
    }
    wait_child(child);
    use_once();
    return 0;
}

/* The child of a process that used OpenCL gets errors or right answers, ends, and spoils nothing. */
int case_fork_after_use(void)
{
    struct use use;
    cl_event gate;
    cl_int error;
    in_flight(&use);
    gate = cl.clCreateUserEvent(use.context, &error);
    OK(error);
    for (int way = 0; way < 3; way++) {
        pid_t child = fork();
        if (child == 0) {
            char name[64];
            cl_platform_id platform = NULL;
            cl_device_id device = NULL;
            if (way == 0)
                _exit(0);
            if (way == 2) {
                cl_uint one = 0;
                cl_int waited = cl.clFinish(use.queue);
                cl_int read =
                    cl.clEnqueueReadBuffer(use.queue, use.mem, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL);
                cl.clEnqueueWriteBuffer(use.queue, use.mem, CL_FALSE, 0, sizeof one, &one, 0, NULL, NULL);
                CHECK(waited != CL_SUCCESS || read != CL_SUCCESS || one == after(1 + 4 * LONG));
                if (cl.clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS)
                    cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
                cl.clGetDeviceInfo(use.device, CL_DEVICE_NAME, sizeof name, name, NULL);
                cl_context context = cl.clCreateContext(NULL, 1, &use.device, NULL, NULL, &error);
                if (context)
                    cl.clReleaseContext(context);
                cl.clSetUserEventStatus(gate, CL_COMPLETE);
                cl.clWaitForEvents(1, &gate);
                cl.clReleaseEvent(gate);
                cl.clReleaseMemObject(use.mem);
                cl.clReleaseKernel(use.kernel);
                cl.clReleaseProgram(use.program);
                cl.clReleaseCommandQueue(use.queue);
                cl.clReleaseContext(use.context);
            }
            exit(0);
        }
        wait_child(child);
    }
    OK(cl.clSetUserEventStatus(gate, CL_COMPLETE));
    OK(cl.clReleaseEvent(gate));
    expect(&use, after(1 + 4 * LONG));
    close_device(&use);
    return 0;
}

int case_fork_and_exec(void)
{
    struct use use;
    in_flight(&use);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "cases", "fork_before", (char *)NULL);
        _exit(2);
    }
    wait_child(child);
    CHECK(system("exit 0") == 0);
    expect(&use, after(1 + 4 * LONG));
    close_device(&use);
    return 0;
}

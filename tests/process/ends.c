/* SPDX-License-Identifier: MIT */
/* Cases: the end of the process, or of the library, with work in flight. */
#include "cases.h"
#include "use.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

int case_return_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    return 0;
}

int case_exit_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    exit(0);
}

int case_exit_at_once(void)
{
    static struct use use;
    in_flight(&use);
    _exit(0);
}

int case_quick_exit_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    quick_exit(0);
}

/* Some of it waits for an event that nobody will ever set. */
int case_exit_behind_event(void)
{
    static struct use use;
    cl_int error;
    in_flight(&use);
    cl_event gate = cl.clCreateUserEvent(use.context, &error);
    launch(&use, LONG, &gate, NULL);
    launch(&use, LONG, NULL, NULL);
    OK(cl.clFlush(use.queue));
    return 0;
}

/* Everything is released with work in flight, then the end. */
int case_exit_released(void)
{
    struct use use;
    in_flight(&use);
    close_device(&use);
    return 0;
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program, (void)data;
}

int case_exit_while_building(void)
{
    static struct use use;
    const char *text = source;
    cl_int error;
    char options[64];
    open_device(&use);
    snprintf(options, sizeof options, "-DFRESH=%d", (int)getpid()); /* nothing cached of it */
    cl_program program = cl.clCreateProgramWithSource(use.context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(program, 1, &use.device, options, built, NULL));
    return 0;
}

/* The driver compiles the kernel, of which nothing is cached, in the launch. */
int case_exit_while_compiling(void)
{
    static struct use use;
    const char *text = source;
    cl_int error;
    char options[64];
    open_device(&use);
    snprintf(options, sizeof options, "-DFRESH_LAUNCH=%d", (int)getpid());
    cl_program program = cl.clCreateProgramWithSource(use.context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(program, 1, &use.device, options, NULL, NULL));
    use.kernel = cl.clCreateKernel(program, "work", &error);
    OK(error);
    const int rounds = 1;
    OK(cl.clSetKernelArg(use.kernel, 0, sizeof use.mem, &use.mem));
    OK(cl.clSetKernelArg(use.kernel, 1, sizeof rounds, &rounds));
    for (size_t items = ITEMS, group = 1; group <= GROUP; group *= 2) /* once for each size of a work-group */
        OK(cl.clEnqueueNDRangeKernel(use.queue, use.kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(cl.clFlush(use.queue));
    return 0;
}

static void *keep_launching(void *data)
{
    for (;;) {
        launch(data, 1000, NULL, NULL);
        OK(cl.clFinish(((struct use *)data)->queue));
    }
    return NULL;
}

int case_exit_beside_thread(void)
{
    static struct use use;
    pthread_t thread;
    open_device(&use);
    CHECK(pthread_create(&thread, NULL, keep_launching, &use) == 0);
    usleep(20000);
    exit(0);
}

static void CL_CALLBACK end_it(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    exit(0);
}

int case_exit_from_callback(void)
{
    static struct use use;
    cl_event event;
    open_device(&use);
    launch(&use, 1000, NULL, &event);
    OK(cl.clSetEventCallback(event, CL_COMPLETE, end_it, NULL));
    OK(cl.clFlush(use.queue));
    for (;;)
        pause();
}

static void *exit_there(void *data)
{
    (void)data;
    exit(0);
}

int case_exit_from_thread(void)
{
    static struct use use;
    pthread_t thread;
    in_flight(&use);
    CHECK(pthread_create(&thread, NULL, exit_there, NULL) == 0);
    pthread_join(thread, NULL);
    return 1;
}

/* ---- the library goes and comes ---- */

int case_reload(void)
{
    for (int i = 0; i < 8; i++) {
        if (i)
            load();
        use_once();
        CHECK(dlclose(cl.library) == 0);
    }
    return 0;
}

int case_close_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    CHECK(dlclose(cl.library) == 0);
    return 0;
}

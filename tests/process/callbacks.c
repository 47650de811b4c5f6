/* SPDX-License-Identifier: MIT */
/* Cases: calls from callbacks; signals. */
#include "cases.h"
#include "use.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static struct {
    struct use use;
    cl_event gate;
    atomic_int done;
} shared;

static void CL_CALLBACK second_step(cl_event event, cl_int status, void *data)
{
    (void)data;
    CHECK(status == CL_COMPLETE);
    OK(cl.clReleaseEvent(event));
    atomic_store(&shared.done, 1);
}

/* Enqueues, asks to be called again, completes a user event and drops what it was called for. */
static void CL_CALLBACK first_step(cl_event event, cl_int status, void *data)
{
    cl_event next;
    (void)data;
    CHECK(status == CL_COMPLETE);
    launch(&shared.use, 10, NULL, &next);
    OK(cl.clSetEventCallback(next, CL_COMPLETE, second_step, NULL));
    OK(cl.clFlush(shared.use.queue));
    OK(cl.clSetUserEventStatus(shared.gate, CL_COMPLETE));
    OK(cl.clReleaseEvent(event));
}

int case_from_callbacks(void)
{
    cl_event event;
    cl_int error;
    open_device(&shared.use);
    for (int i = 0; i < 10; i++) {
        fill(&shared.use, shared.use.queue, shared.use.mem);
        atomic_store(&shared.done, 0);
        shared.gate = cl.clCreateUserEvent(shared.use.context, &error);
        OK(error);
        launch(&shared.use, 5, NULL, &event);
        OK(cl.clSetEventCallback(event, CL_COMPLETE, first_step, NULL));
        OK(cl.clFlush(shared.use.queue));
        OK(cl.clWaitForEvents(1, &shared.gate));
        while (!atomic_load(&shared.done))
            usleep(100);
        expect(&shared.use, after(15));
        OK(cl.clReleaseEvent(shared.gate));
    }
    close_device(&shared.use);
    return 0;
}

/* The callback drops the last references to everything. */
static void CL_CALLBACK drop_all(cl_event event, cl_int status, void *data)
{
    (void)data;
    CHECK(status == CL_COMPLETE);
    OK(cl.clReleaseEvent(event));
    close_device(&shared.use);
    atomic_store(&shared.done, 1);
}

int case_released_in_callback(void)
{
    cl_event event;
    for (int i = 0; i < 3; i++) {
        atomic_store(&shared.done, 0);
        open_device(&shared.use);
        launch(&shared.use, 1000, NULL, &event);
        OK(cl.clSetEventCallback(event, CL_COMPLETE, drop_all, NULL));
        OK(cl.clFlush(shared.use.queue));
        while (!atomic_load(&shared.done))
            usleep(100);
    }
    use_once();
    return 0;
}

/* ---- signals ---- */

static pthread_t main_thread;
static atomic_int ticks, elsewhere;

static void on_tick(int signal)
{
    (void)signal;
    atomic_fetch_add(&ticks, 1);
    if (!pthread_equal(pthread_self(), main_thread))
        atomic_fetch_add(&elsewhere, 1);
}

/* A timer interrupts the program's own thread in everything it does; nothing fails for it. */
int case_signals(void)
{
    struct sigaction action = {.sa_handler = on_tick}; /* no SA_RESTART */
    struct itimerval timer = {{0, 2000}, {0, 2000}};
    struct use use;
    main_thread = pthread_self();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    open_device(&use);
    for (int i = 0; i < 30; i++) {
        fill(&use, use.queue, use.mem);
        launch(&use, 3000, NULL, NULL);
        expect(&use, after(3000));
    }
    close_device(&use);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK(atomic_load(&ticks) > 0);
    return 0;
}

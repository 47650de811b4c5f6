/* SPDX-License-Identifier: MIT */
/*
 * Ends of lives: many threads on one context, queues, events and contexts released while work is under way.
 */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "cl_events.h"

/* What a thread of the next test works on, and how often a call of it failed. */
struct worker {
    pthread_t thread;
    cl_command_queue queue;
    cl_kernel put, add;
    cl_mem mem, shared;
    int number, failed, got;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    size_t items = ITEMS;
    for (int i = 0; i < 60; i++) {
        cl_kernel kernel = i % 10 ? w->add : w->put;
        w->failed += clSetKernelArg(kernel, 1, sizeof(int), &i) != CL_SUCCESS;
        w->failed +=
            clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) != CL_SUCCESS;
        w->failed += clEnqueueCopyBuffer(w->queue, w->mem, w->shared, 0, (size_t)w->number * 4, 4, 0, NULL,
                                         NULL) != CL_SUCCESS;
        if (i % 7 == 0) /* objects come and go meanwhile */
            w->failed += clReleaseMemObject(clCreateBuffer(cl.context, 0, 4096, NULL, NULL)) != CL_SUCCESS;
        if (i % 13 == 0)
            w->failed += clFinish(w->queue) != CL_SUCCESS;
    }
    w->failed += clEnqueueReadBuffer(w->queue, w->mem, CL_TRUE, 0, 4, &w->got, 0, NULL, NULL) != CL_SUCCESS;
    return NULL;
}

/* Threads with queues of their own on one context, and one buffer of which each writes its own part. */
START_TEST(many_threads)
{
    enum { THREADS = 6 };
    struct worker workers[THREADS];
    int shared[THREADS], want = 50;
    cl_mem mem = cl_buffer(0, sizeof(shared), NULL);
    for (int i = 51; i < 60; i++)
        want = want * 3 + i;
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (struct worker){.number = t, .shared = mem};
        workers[t].queue = cl_queue(0);
        workers[t].mem = cl_buffer(0, ITEMS * 4, NULL);
        workers[t].put = cl_kernel_of(text, "put");
        workers[t].add = cl_kernel_of(text, "add");
        set_args(workers[t].put, workers[t].mem, 0);
        set_args(workers[t].add, workers[t].mem, 0);
    }
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(workers[t].thread, NULL);
    cl_read(mem, shared, sizeof(shared));
    for (int t = 0; t < THREADS; t++) {
        ck_assert_int_eq(workers[t].failed, 0);
        ck_assert_int_eq(workers[t].got, want);
        ck_assert_int_eq(shared[t], want);
        cl_ok(clReleaseMemObject(workers[t].mem));
        cl_ok(clReleaseKernel(workers[t].put));
        cl_ok(clReleaseKernel(workers[t].add));
        cl_ok(clReleaseCommandQueue(workers[t].queue));
    }
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* A queue released with work in it: the work is done all the same. */
START_TEST(queue_released_with_work)
{
    cl_command_queue other = cl_queue(0);
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event event = launch(other, put, mem, 12, 0, NULL);
    cl_ok(clReleaseCommandQueue(other));
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_int_eq(first_of(mem), 12);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* One variable holds the event waited for and takes the new one, as many programs have it. PoCL 3.1 aborts.
 */
START_TEST(event_replaces_the_one_waited_for)
{
    if (!cl_is_coexec())
        return;
    cl_kernel add = cl_kernel_of(text, "add");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_int one = 1, want = 1;
    cl_event event = NULL;
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, &one, sizeof(one), 0, ITEMS * 4, 0, NULL, &event));
    for (int i = 0; i < 4; i++) {
        size_t items = ITEMS;
        cl_event before = event;
        set_args(add, mem, i);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, add, 1, NULL, &items, NULL, 1, &event, &event));
        ck_assert_ptr_ne(event, before);
        cl_ok(clReleaseEvent(before));
        want = want * 3 + i;
    }
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_int_eq(first_of(mem), want);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

static void CL_CALLBACK raise_flag(cl_context context, void *flag)
{
    atomic_store((atomic_bool *)flag, true);
}

/* Everything is released while a command waits for a user event: once that comes, the command runs by itself
 * and the context goes. */
START_TEST(all_released_before_the_gate_opens)
{
    static atomic_bool gone;
    int value = 7;
    cl_int error;
    if (!cl_is_coexec()) /* PoCL 3.1 has no such callback */
        return;
    cl_context context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    cl_ok(error);
    cl_ok(clSetContextDestructorCallback(context, raise_flag, &gone));
    cl_command_queue queue = clCreateCommandQueue(context, cl.device, 0, &error);
    cl_ok(error);
    cl_mem mem = clCreateBuffer(context, 0, ITEMS * 4, NULL, &error);
    cl_ok(error);
    cl_event gate = clCreateUserEvent(context, &error);
    cl_ok(error);
    cl_ok(clEnqueueFillBuffer(queue, mem, &value, sizeof(value), 0, ITEMS * 4, 1, &gate, NULL));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseContext(context));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
    while (!atomic_load(&gone)) /* the test's time limit ends it */
        usleep(1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_events");
    TCase *tcase = cl_case(suite, "life");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, many_threads);
    tcase_add_test(tcase, queue_released_with_work);
    tcase_add_test(tcase, event_replaces_the_one_waited_for);
    tcase_add_test(tcase, all_released_before_the_gate_opens);
    return tap_run(suite);
}

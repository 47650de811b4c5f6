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

/* What an event's callback learned of an event that the program had released. */
struct learned {
    cl_int codes[4];
    cl_ulong end;
    atomic_bool told;
};

static void CL_CALLBACK learn(cl_event event, cl_int status, void *data)
{
    struct learned *learned = data;
    cl_int asked = 1;
    learned->codes[0] = status;
    learned->codes[1] =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(learned->end), &learned->end, NULL);
    learned->codes[2] = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(asked), &asked, NULL);
    clRetainEvent(event);
    learned->codes[3] = clReleaseEvent(event);
    atomic_store(&learned->told, true);
}

static void await(atomic_bool *flag)
{
    while (!atomic_load(flag)) /* the test's time limit ends it */
        usleep(1000);
}

/* A program may release an event at once and leave the rest to its callback. */
START_TEST(callback_of_released_event)
{
    const int value = 7;
    cl_int error;
    struct learned learned = {.codes = {1, 1, 1, 1}};
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event event, gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    if (!cl_user_events_work())
        return;
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, &value, sizeof(value), 0, ITEMS * 4, 1, &gate, &event));
    cl_ok(clSetEventCallback(event, CL_COMPLETE, learn, &learned));
    cl_ok(clReleaseEvent(event));
    cl_ok(clFlush(cl.queue));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
    await(&learned.told);
    for (int i = 0; i < 4; i++)
        cl_ok(learned.codes[i]);
    ck_assert_uint_ne(learned.end, 0);
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* What the program released, but other objects hold, is asked for by these, used and retained. */
START_TEST(objects_held_by_others)
{
    const char *source = text;
    const cl_buffer_region region = {0, 64};
    cl_int error, got = 0, value = 9;
    size_t size = 0;
    cl_context context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error), held_context = NULL;
    cl_ok(error);
    cl_command_queue queue = clCreateCommandQueue(context, cl.device, 0, &error);
    cl_ok(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error), held_program = NULL;
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "put", &error);
    cl_ok(error);
    cl_mem mem = clCreateBuffer(context, 0, 128, NULL, &error), held_mem = NULL;
    cl_ok(error);
    cl_mem window = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseContext(context));

    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(held_context), &held_context, NULL));
    cl_ok(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(held_program), &held_program, NULL));
    cl_ok(clGetMemObjectInfo(window, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(held_mem), &held_mem, NULL));
    cl_ok(clGetProgramInfo(held_program, CL_PROGRAM_SOURCE, 0, NULL, &size));
    ck_assert_uint_eq(size, strlen(text) + 1);
    cl_ok(clEnqueueWriteBuffer(queue, held_mem, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, window, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL));
    ck_assert_int_eq(got, value);
    mem = clCreateBuffer(held_context, 0, 64, NULL, &error);
    cl_ok(error);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clRetainContext(held_context)); /* as wrappers for other languages do */
    cl_ok(clRetainMemObject(held_mem));
    cl_ok(clReleaseMemObject(window));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clGetMemObjectInfo(held_mem, CL_MEM_SIZE, sizeof(size), &size, NULL));
    ck_assert_uint_eq(size, 128);
    cl_ok(clReleaseMemObject(held_mem));
    cl_ok(clReleaseContext(held_context));
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
    tcase_add_test(tcase, callback_of_released_event);
    tcase_add_test(tcase, objects_held_by_others);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Queues and events: order, wait lists, markers, barriers, user events that come late or fail, profiling, and
 * the cases in which a layer can deadlock although no queue does. Where PoCL 3.1 itself fails, cl_fixture.h
 * says.
 */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "cl_events.h"

START_TEST(in_order_queue)
{
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_kernel put = cl_kernel_of(text, "put"), add = cl_kernel_of(text, "add");
    int want = 1;
    cl_ok(clReleaseEvent(launch(cl.queue, put, mem, 1, 0, NULL)));
    for (int i = 0; i < 12; i++) {
        cl_ok(clReleaseEvent(launch(cl.queue, add, mem, i, 0, NULL)));
        want = want * 3 + i;
    }
    ck_assert_int_eq(first_of(mem), want);
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* On an out-of-order queue only wait lists, barriers and markers order commands. */
START_TEST(out_of_order_queue)
{
    if (!cl_out_of_order_works())
        return;
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel put = cl_kernel_of(text, "put"), add = cl_kernel_of(text, "add");
    cl_mem mems[4];
    cl_event last[4], all;
    for (int m = 0; m < 4; m++) {
        mems[m] = cl_buffer(0, ITEMS * 4, NULL);
        last[m] = launch(queue, put, mems[m], m, 0, NULL);
    }
    for (int i = 0; i < 5; i++) {
        for (int m = 0; m < 4; m++) {
            cl_event next = launch(queue, add, mems[m], i, 1, &last[m]);
            cl_ok(clReleaseEvent(last[m]));
            last[m] = next;
        }
    }
    cl_ok(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    for (int m = 0; m < 4; m++) {
        cl_ok(clReleaseEvent(last[m]));
        last[m] = launch(queue, add, mems[m], 100, 0, NULL); /* ordered by the barrier alone */
    }
    cl_ok(clEnqueueMarkerWithWaitList(queue, 4, last, &all));
    cl_ok(clFlush(queue));
    cl_ok(clWaitForEvents(1, &all));
    for (int m = 0; m < 4; m++) {
        int want = m;
        for (int i = 0; i < 5; i++)
            want = want * 3 + i;
        ck_assert_int_eq(status_of(last[m]), CL_COMPLETE);
        ck_assert_int_eq(first_of(mems[m]), want * 3 + 100);
        cl_ok(clReleaseEvent(last[m]));
        cl_ok(clReleaseMemObject(mems[m]));
    }
    cl_ok(clReleaseEvent(all));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

/* Two queues handing one buffer back and forth through wait lists. */
START_TEST(wait_lists_across_queues)
{
    cl_command_queue queues[2] = {cl.queue, cl_queue(0)};
    cl_kernel put = cl_kernel_of(text, "put"), add = cl_kernel_of(text, "add");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event last = launch(queues[0], put, mem, 2, 0, NULL);
    int want = 2;
    for (int i = 1; i <= 10; i++) {
        cl_ok(clFlush(queues[(i + 1) % 2]));
        cl_event next = launch(queues[i % 2], add, mem, i, 1, &last);
        cl_ok(clReleaseEvent(last));
        last = next;
        want = want * 3 + i;
    }
    cl_ok(clFlush(queues[0]));
    cl_ok(clWaitForEvents(1, &last));
    ck_assert_int_eq(first_of(mem), want);
    cl_ok(clReleaseEvent(last));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseCommandQueue(queues[1]));
}
END_TEST

START_TEST(markers_and_barriers)
{
    cl_event event;
    cl_command_type type;
    cl_command_queue queue = cl_queue(0);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_MARKER);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(status_of(event), CL_COMPLETE);
    cl_ok(clReleaseEvent(event));
    cl_ok(clEnqueueBarrierWithWaitList(queue, 0, NULL, &event));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_BARRIER);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 1, &event, NULL));
    cl_ok(clReleaseEvent(event));
    cl_ok(clEnqueueMarker(cl.queue, &event)); /* the old forms */
    cl_ok(clEnqueueBarrier(cl.queue));
    if (cl_is_coexec()) /* PoCL 3.1 ends the process */
        cl_ok(clEnqueueWaitForEvents(cl.queue, 1, &event));
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseEvent(event));
    cl_expect(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_expect(clEnqueueBarrierWithWaitList(cl.queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

START_TEST(event_info)
{
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event event = launch(cl.queue, put, mem, 3, 0, NULL), gate = gate_new();
    cl_command_queue queue;
    cl_context context;
    cl_command_type type;
    cl_uint before, refs;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
    ck_assert_ptr_eq(queue, cl.queue);
    cl_ok(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(context), &context, NULL));
    ck_assert_ptr_eq(context, cl.context);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_NDRANGE_KERNEL);
    cl_ok(clFinish(cl.queue));
    cl_ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(before), &before, NULL));
    ck_assert(before == 1 || !cl_is_coexec()); /* PoCL counts its own references too */
    cl_ok(clRetainEvent(event));
    cl_ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    ck_assert_uint_eq(refs, before + 1);
    cl_ok(clReleaseEvent(event));
    cl_expect(clGetEventInfo(event, 0x1, sizeof(refs), &refs, NULL), CL_INVALID_VALUE);
    cl_ok(clGetEventInfo(gate, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
    ck_assert_ptr_null(queue);
    cl_ok(clGetEventInfo(gate, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_USER);
    ck_assert_int_eq(status_of(gate), CL_SUBMITTED);
    cl_expect(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
    cl_expect(clSetUserEventStatus(gate, CL_RUNNING), CL_INVALID_VALUE);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_expect(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    cl_expect(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    cl_expect(clRetainEvent(NULL), CL_INVALID_EVENT);
    cl_expect(clReleaseEvent(NULL), CL_INVALID_EVENT);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

static void check_times(cl_event event)
{
    cl_ok(clWaitForEvents(1, &event));
    cl_ulong queued = cl_time_of(event, CL_PROFILING_COMMAND_QUEUED);
    cl_ulong submit = cl_time_of(event, CL_PROFILING_COMMAND_SUBMIT);
    cl_ulong start = cl_time_of(event, CL_PROFILING_COMMAND_START),
             end = cl_time_of(event, CL_PROFILING_COMMAND_END);
    ck_assert_uint_gt(queued, 0);
    ck_assert_uint_le(queued, submit);
    ck_assert_uint_le(submit, start);
    ck_assert_uint_le(start, end);
    cl_ok(clReleaseEvent(event));
}

START_TEST(profiling)
{
    static int host[ITEMS];
    cl_int error;
    cl_ulong time;
    cl_event event, gate = gate_new();
    cl_kernel slow = cl_kernel_of(text, "slow");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(host), host);
    event = launch(cl.queue, slow, mem, 20000, 0, NULL);
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_gt(cl_time_of(event, CL_PROFILING_COMMAND_END),
                      cl_time_of(event, CL_PROFILING_COMMAND_START));
    check_times(event);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, sizeof(host), host, 0, NULL, &event));
    check_times(event);
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, sizeof(host), host, 0, NULL, &event));
    check_times(event);
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, host, 4, 0, sizeof(host), 0, NULL, &event));
    check_times(event);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &event));
    check_times(event);
    void *map = clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, &event, &error);
    cl_ok(error);
    check_times(event);
    cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, map, 0, NULL, &event));
    check_times(event);
    cl_command_queue plain = cl_queue(0); /* no profiling here */
    event = launch(plain, slow, mem, 1, 0, NULL);
    cl_ok(clFinish(plain));
    cl_expect(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL),
              CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_expect(clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL),
              CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseCommandQueue(plain));
    cl_ok(clReleaseKernel(slow));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

START_TEST(user_event_completed_late)
{
    cl_kernel put = cl_kernel_of(text, "put"), add = cl_kernel_of(text, "add");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event gate = gate_new(), first, second;
    if (!cl_user_events_work())
        return;
    first = launch(cl.queue, put, mem, 5, 1, &gate);
    second = launch(cl.queue, add, mem, 1, 0, NULL);
    cl_ok(clFlush(cl.queue));
    usleep(20000);
    ck_assert_int_gt(status_of(first), CL_RUNNING);
    ck_assert_int_gt(status_of(second), CL_RUNNING);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(status_of(second), CL_COMPLETE);
    ck_assert_int_eq(first_of(mem), 16);
    cl_ok(clReleaseEvent(first));
    cl_ok(clReleaseEvent(second));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* A user event that fails: what waits for it gets a negative status, and nothing hangs. */
START_TEST(user_event_fails)
{
    if (!cl_user_events_fail())
        return;
    cl_command_queue other = cl_queue(0);
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event gate = gate_new(), first = launch(other, put, mem, 5, 1, &gate), second, marker;
    second = launch(cl.queue, put, mem, 6, 1, &first); /* through another queue */
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 1, &second, &marker));
    cl_ok(clFlush(other));
    cl_ok(clFlush(cl.queue));
    cl_ok(clSetUserEventStatus(gate, -77));
    cl_expect(clWaitForEvents(1, &first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_expect(clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_int_eq(status_of(gate), -77);
    ck_assert_int_lt(status_of(first), 0);
    ck_assert_int_lt(status_of(second), 0);
    ck_assert_int_lt(status_of(marker), 0);
    cl_ok(clReleaseEvent(first));
    cl_ok(clReleaseEvent(second));
    cl_ok(clReleaseEvent(marker));
    cl_ok(clReleaseEvent(gate));
    cl_command_queue fresh = cl_queue(0); /* a failed command does not spoil the context */
    cl_ok(clReleaseEvent(launch(fresh, put, mem, 8, 0, NULL)));
    cl_ok(clFinish(fresh));
    ck_assert_int_eq(first_of(mem), 8);
    cl_ok(clReleaseCommandQueue(fresh));
    cl_ok(clReleaseCommandQueue(other));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* Queue A hangs on a user event; queue B, with work on the same and on other buffers, must still finish. */
START_TEST(one_queue_hangs_another_finishes)
{
    static int host[ITEMS], got[ITEMS];
    cl_command_queue other = cl_queue(0);
    cl_kernel put = cl_kernel_of(text, "put"), add = cl_kernel_of(text, "add");
    cl_mem held = cl_buffer(0, ITEMS * 4, NULL),
           free_one = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(host), host);
    cl_event gate = gate_new(), late;
    if (!cl_user_events_work())
        return;
    cl_ok(clEnqueueReadBuffer(other, held, CL_FALSE, 0, sizeof(got), got, 1, &gate, NULL));
    late = launch(other, add, free_one, 1, 0, NULL); /* behind the gate too */
    cl_ok(clFlush(other));
    for (int i = 0; i < 5; i++) {
        cl_ok(clReleaseEvent(launch(cl.queue, put, free_one, i, 0, NULL)));
        cl_ok(clFinish(cl.queue));
        ck_assert_int_eq(first_of(free_one), i);
    }
    cl_ok(clReleaseEvent(
        launch(cl.queue, put, held, 9, 0, NULL))); /* the buffer that the other queue waits to read */
    cl_ok(clFinish(cl.queue));
    ck_assert_int_gt(status_of(late), CL_RUNNING);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(other));
    ck_assert_int_eq(got[0], 9);
    ck_assert_int_eq(first_of(free_one), 4 * 3 + 1);
    cl_ok(clReleaseEvent(late));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(held));
    cl_ok(clReleaseMemObject(free_one));
    cl_ok(clReleaseCommandQueue(other));
}
END_TEST

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *data)
{
    clSetUserEventStatus(data, status < 0 ? status : CL_COMPLETE);
}

/* The callback of a command on one queue completes the user event that another queue waits for. */
START_TEST(user_event_completed_from_callback)
{
    cl_command_queue other = cl_queue(0);
    cl_kernel put = cl_kernel_of(text, "put"), slow = cl_kernel_of(text, "slow");
    cl_mem mems[2] = {cl_buffer(0, ITEMS * 4, NULL), cl_buffer(0, ITEMS * 4, NULL)};
    if (!cl_user_events_work())
        return;
    for (int round = 0; round < 10; round++) {
        cl_event gate = gate_new(), waiting = launch(other, put, mems[0], round, 1, &gate);
        cl_ok(clFlush(other));
        cl_event opener = launch(cl.queue, slow, mems[1], 1000, 0, NULL);
        cl_ok(clSetEventCallback(opener, CL_COMPLETE, open_gate, gate));
        cl_ok(clFlush(cl.queue));
        cl_ok(clWaitForEvents(1, &waiting));
        ck_assert_int_eq(first_of(mems[0]), round);
        cl_ok(clReleaseEvent(waiting));
        cl_ok(clReleaseEvent(opener));
        cl_ok(clReleaseEvent(gate));
    }
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(slow));
    cl_ok(clReleaseMemObject(mems[0]));
    cl_ok(clReleaseMemObject(mems[1]));
    cl_ok(clReleaseCommandQueue(other));
}
END_TEST

/* A blocking read behind a gate that another thread opens. */
static void *open_later(void *gate)
{
    usleep(30000);
    return clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS ? gate : NULL;
}

START_TEST(blocking_call_behind_user_event)
{
    static int host[ITEMS], got[ITEMS];
    pthread_t thread;
    void *opened;
    cl_event gate = gate_new();
    if (!cl_user_events_work())
        return;
    host[3] = 44;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(host), host);
    ck_assert_int_eq(pthread_create(&thread, NULL, open_later, gate), 0);
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, sizeof(got), got, 1, &gate, NULL));
    ck_assert_int_eq(got[3], 44);
    pthread_join(thread, &opened);
    ck_assert_ptr_nonnull(opened);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* Enqueues from within a callback are allowed (waiting there is not). */
static struct {
    cl_kernel kernel;
    cl_command_queue queue;
    atomic_int left;
    atomic_int failed;
    pthread_mutex_t lock;
    pthread_cond_t done;
} chain = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK chain_step(cl_event event, cl_int status, void *data)
{
    size_t items = ITEMS;
    cl_event next = NULL;
    bool more = status == CL_COMPLETE && atomic_fetch_sub(&chain.left, 1) > 1;
    if (more) {
        cl_int code =
            clEnqueueNDRangeKernel(chain.queue, chain.kernel, 1, NULL, &items, NULL, 0, NULL, &next);
        if (code == CL_SUCCESS)
            code = clSetEventCallback(next, CL_COMPLETE, chain_step, NULL);
        if (code == CL_SUCCESS)
            code = clFlush(chain.queue);
        if (code == CL_SUCCESS)
            code = clReleaseEvent(next);
        more = code == CL_SUCCESS;
        atomic_fetch_add(&chain.failed, !more);
    }
    if (!more) {
        pthread_mutex_lock(&chain.lock);
        atomic_store(&chain.left, 0);
        pthread_cond_broadcast(&chain.done);
        pthread_mutex_unlock(&chain.lock);
    }
}

START_TEST(enqueue_from_callback)
{
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    chain.queue = cl.queue;
    chain.kernel = cl_kernel_of(text, "add");
    atomic_store(&chain.left, 6);
    set_args(chain.kernel, mem, 1);
    cl_event first = launch(cl.queue, put, mem, 0, 0, NULL);
    cl_ok(clSetEventCallback(first, CL_COMPLETE, chain_step, NULL));
    cl_ok(clFlush(cl.queue));
    pthread_mutex_lock(&chain.lock);
    while (atomic_load(&chain.left) > 0)
        pthread_cond_wait(&chain.done, &chain.lock);
    pthread_mutex_unlock(&chain.lock);
    ck_assert_int_eq(atomic_load(&chain.failed), 0);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(first_of(mem), 121); /* 5 steps of 3 x + 1 */
    cl_ok(clReleaseEvent(first));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(chain.kernel));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_events");
    TCase *tcase = cl_case(suite, "events");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, in_order_queue);
    tcase_add_test(tcase, out_of_order_queue);
    tcase_add_test(tcase, wait_lists_across_queues);
    tcase_add_test(tcase, markers_and_barriers);
    tcase_add_test(tcase, event_info);
    tcase_add_test(tcase, profiling);
    tcase_add_test(tcase, user_event_completed_late);
    tcase_add_test(tcase, user_event_fails);
    tcase_add_test(tcase, one_queue_hangs_another_finishes);
    tcase_add_test(tcase, user_event_completed_from_callback);
    tcase_add_test(tcase, blocking_call_behind_user_event);
    tcase_add_test(tcase, enqueue_from_callback);
    return tap_run(suite);
}

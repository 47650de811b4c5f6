/* SPDX-License-Identifier: MIT */
/*
 * Event callbacks: each status once, in order, and when it is so.
 */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "cl_events.h"

/* What callbacks saw. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int calls[4];     /* by status asked for: COMPLETE, RUNNING, SUBMITTED */
    cl_int status[4]; /* what they were given */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK on_status(cl_event event, cl_int status, void *data)
{
    int asked = *(int *)data;
    pthread_mutex_lock(&seen.lock);
    seen.calls[asked]++;
    seen.status[asked] = status;
    pthread_cond_broadcast(&seen.changed);
    pthread_mutex_unlock(&seen.lock);
}

static void forget_calls(void)
{
    memset(seen.calls, 0, sizeof(seen.calls));
    memset(seen.status, 0, sizeof(seen.status));
}

static void wait_calls(int asked, int calls)
{
    pthread_mutex_lock(&seen.lock);
    while (seen.calls[asked] < calls)
        pthread_cond_wait(&seen.changed, &seen.lock);
    pthread_mutex_unlock(&seen.lock);
}

START_TEST(callbacks)
{
    static int asked[3] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED};
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event gate = gate_new(), event;
    bool gated = cl_user_events_work();
    forget_calls();
    event = launch(cl.queue, put, mem, 1, gated, gated ? &gate : NULL);
    for (int i = 0; i < 3; i++)
        cl_ok(clSetEventCallback(event, asked[i], on_status, &asked[i]));
    cl_ok(clSetEventCallback(event, CL_COMPLETE, on_status, &asked[0])); /* twice is fine */
    cl_ok(clFlush(cl.queue));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 3; i++)
        wait_calls(asked[i], asked[i] == CL_COMPLETE ? 2 : 1);
    cl_ok(clFinish(cl.queue));
    cl_ok(
        clSetEventCallback(event, CL_COMPLETE, on_status, &asked[0])); /* already complete: called at once */
    wait_calls(CL_COMPLETE, 3);
    ck_assert_int_eq(seen.status[CL_COMPLETE], CL_COMPLETE);
    ck_assert_int_eq(seen.calls[CL_RUNNING], 1);
    cl_expect(clSetEventCallback(event, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clSetEventCallback(event, 7, on_status, &asked[0]), CL_INVALID_VALUE);
    cl_expect(clSetEventCallback(NULL, CL_COMPLETE, on_status, &asked[0]), CL_INVALID_EVENT);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    cl_ulong *end = data;
    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(*end), end, NULL) != CL_SUCCESS)
        *end = 0;
    on_status(event, status, &(int){CL_COMPLETE});
}

/* A command that has no work of its own: in its callback it has the times that it keeps. */
START_TEST(times_within_callbacks)
{
    const struct timespec pause = {0, 300000};
    for (int i = 0; i < 300 && cl_is_coexec(); i++) {
        cl_event gate = gate_new(), event;
        cl_ulong within = 0, after = 0;
        forget_calls();
        cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 1, &gate, &event));
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_end, &within));
        cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        wait_calls(CL_COMPLETE, 1);
        nanosleep(&pause, NULL);
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(after), &after, NULL));
        ck_assert_uint_eq(within, after);
        cl_ok(clReleaseEvent(event));
        cl_ok(clReleaseEvent(gate));
    }
}
END_TEST

/* Statuses in the order in which callbacks were told of them, and the first command's at that time. */
static struct {
    pthread_mutex_t lock;
    int n;
    int asked[16];
    cl_int status[16];
    cl_event before;
    cl_int before_status[16];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CL_CALLBACK on_heard(cl_event event, cl_int status, void *data)
{
    pthread_mutex_lock(&heard.lock);
    if (heard.n < 16) {
        heard.asked[heard.n] = *(int *)data;
        heard.status[heard.n] = status;
        heard.before_status[heard.n++] = status_of(heard.before);
    }
    pthread_mutex_unlock(&heard.lock);
    on_status(event, status, data);
}

/* Told when it is so: in order, a status at a time, and not only once the command is over. */
START_TEST(callbacks_of_every_status)
{
    static int asked[3] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED};
    enum { ROUNDS = 400000000 }; /* about a second */
    const size_t one = 1;
    cl_kernel slow = cl_kernel_of(text, "slow");
    cl_mem mems[2] = {cl_buffer(0, ITEMS * 4, NULL), cl_buffer(0, ITEMS * 4, NULL)};
    cl_event events[2];
    if (!cl_is_coexec())
        return;
    forget_calls();
    set_args(slow, mems[0], 1);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, slow, 1, NULL, &one, &one, 0, NULL, NULL)); /* compiled now */
    set_args(slow, mems[1], 1);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, slow, 1, NULL, &one, &one, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    for (int i = 0; i < 2; i++) {
        set_args(slow, mems[i], ROUNDS);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, slow, 1, NULL, &one, &one, 0, NULL, &events[i]));
    }
    heard.n = 0;
    heard.before = events[0];
    for (int i = 0; i < 3; i++)
        cl_ok(clSetEventCallback(events[1], asked[i], on_heard, &asked[i]));
    cl_ok(clFlush(cl.queue));
    wait_calls(CL_SUBMITTED, 1);
    ck_assert_int_ne(status_of(events[1]), CL_COMPLETE);
    wait_calls(CL_RUNNING, 1);
    ck_assert_int_ne(status_of(events[1]), CL_COMPLETE);
    wait_calls(CL_COMPLETE, 1);
    pthread_mutex_lock(&heard.lock);
    ck_assert_int_eq(heard.n, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(heard.asked[i], asked[2 - i]);
        ck_assert_int_eq(heard.status[i], asked[2 - i]);
    }
    ck_assert_int_ne(heard.before_status[0], CL_COMPLETE); /* submitted while the one before it runs */
    ck_assert_int_eq(heard.before_status[1], CL_COMPLETE); /* running only after it */
    pthread_mutex_unlock(&heard.lock);
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseEvent(events[0]));
    cl_ok(clReleaseEvent(events[1]));
    cl_ok(clReleaseKernel(slow));
    cl_ok(clReleaseMemObject(mems[0]));
    cl_ok(clReleaseMemObject(mems[1]));
}
END_TEST

/* A command behind a user event has only been queued; set late, a callback hears of what is past already. */
START_TEST(callbacks_behind_a_user_event)
{
    static int asked[3] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED};
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event gate = gate_new(), event;
    if (!cl_is_coexec())
        return;
    forget_calls();
    cl_ok(
        clSetEventCallback(gate, CL_SUBMITTED, on_status, &asked[2])); /* a user event begins as submitted */
    wait_calls(CL_SUBMITTED, 1);
    ck_assert_int_eq(seen.status[CL_SUBMITTED], CL_SUBMITTED);
    forget_calls();
    event = launch(cl.queue, put, mem, 1, 1, &gate);
    for (int i = 0; i < 3; i++)
        cl_ok(clSetEventCallback(event, asked[i], on_status, &asked[i]));
    cl_ok(clFlush(cl.queue));
    usleep(20000);
    ck_assert_int_eq(seen.calls[CL_SUBMITTED] + seen.calls[CL_RUNNING] + seen.calls[CL_COMPLETE], 0);
    cl_ok(clSetUserEventStatus(gate, -7));
    for (int i = 0; i < 3; i++) {
        wait_calls(asked[i], 1);
        ck_assert_int_lt(seen.status[asked[i]], 0);
    }
    cl_ok(clSetEventCallback(event, CL_SUBMITTED, on_status, &asked[2]));
    wait_calls(CL_SUBMITTED, 2);
    ck_assert_int_lt(seen.status[CL_SUBMITTED], 0);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

START_TEST(user_event_callbacks)
{
    static int asked = CL_COMPLETE;
    cl_event gate = gate_new();
    forget_calls();
    cl_ok(clSetEventCallback(gate, CL_COMPLETE, on_status, &asked));
    usleep(2000);
    ck_assert_int_eq(seen.calls[CL_COMPLETE], 0);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_calls(CL_COMPLETE, 1);
    cl_ok(clWaitForEvents(1, &gate));
    cl_ok(clReleaseEvent(gate));
}
END_TEST

/* What came of the callbacks of one of many events. */
static struct outstanding {
    int calls;
    bool wrong; /* twice, out of order or with another status */
} outstanding[3000];
enum { OUTSTANDING = sizeof(outstanding) / sizeof(outstanding[0]) };
static cl_int outstanding_failure; /* what all are told in place of their status; 0: none */

static void hear_outstanding(struct outstanding *of, cl_int asked, cl_int status)
{
    pthread_mutex_lock(&seen.lock);
    of->wrong |= of->calls != CL_SUBMITTED - asked;
    of->wrong |= outstanding_failure ? status >= 0 : status != asked;
    of->calls++;
    seen.calls[asked]++;
    pthread_cond_broadcast(&seen.changed);
    pthread_mutex_unlock(&seen.lock);
}

static void CL_CALLBACK on_submitted(cl_event event, cl_int status, void *data)
{
    (void)event;
    hear_outstanding(data, CL_SUBMITTED, status);
}

static void CL_CALLBACK on_running(cl_event event, cl_int status, void *data)
{
    (void)event;
    hear_outstanding(data, CL_RUNNING, status);
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    hear_outstanding(data, CL_COMPLETE, status);
}

static void watch_outstanding(cl_event event, struct outstanding *of)
{
    cl_ok(clSetEventCallback(event, CL_SUBMITTED, on_submitted, of));
    cl_ok(clSetEventCallback(event, CL_RUNNING, on_running, of));
    cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, of));
}

enum shape { PLAIN, BEHIND_ONE, CHAIN };

/* One of OUTSTANDING commands: launches, and now and then one that has no work of its own. */
static cl_event outstanding_command(cl_command_queue queue, cl_kernel kernel, cl_mem mem, int i,
                                    const cl_event *wait)
{
    cl_event event;
    if (i % 8 < 6)
        return launch(queue, kernel, mem, i, wait ? 1 : 0, wait);
    if (i % 8 == 6)
        cl_ok(clEnqueueMarkerWithWaitList(queue, wait ? 1 : 0, wait, &event));
    else
        cl_ok(clEnqueueBarrierWithWaitList(queue, wait ? 1 : 0, wait, &event));
    return event;
}

/* All of them with callbacks of every status, while a gate holds them if the shape has one. */
static void many_outstanding(cl_command_queue queue, enum shape shape, cl_int end)
{
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    cl_event gate = gate_new(), before = gate;

    forget_calls();
    memset(outstanding, 0, sizeof(outstanding));
    outstanding_failure = end;
    cl_ok(clRetainEvent(before));
    for (int i = 0; i < OUTSTANDING; i++) {
        const cl_event *wait = shape == BEHIND_ONE ? &gate : shape == CHAIN ? &before : NULL;
        cl_event event = outstanding_command(queue, put, mem, i, wait);
        watch_outstanding(event, &outstanding[i]);
        cl_ok(clReleaseEvent(before));
        before = event;
    }
    cl_ok(clReleaseEvent(before));
    cl_ok(clFlush(queue));
    if (shape != PLAIN)
        ck_assert_int_eq(seen.calls[CL_SUBMITTED] + seen.calls[CL_RUNNING] + seen.calls[CL_COMPLETE], 0);
    cl_ok(clSetUserEventStatus(gate, end));
    for (cl_int asked = CL_COMPLETE; asked <= CL_SUBMITTED; asked++)
        wait_calls(asked, OUTSTANDING);
    (void)clFinish(queue); /* tells of the failure that was asked for */
    for (int i = 0; i < OUTSTANDING; i++) {
        ck_assert_int_eq(outstanding[i].calls, 3);
        ck_assert(!outstanding[i].wrong);
    }
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(put));
}

/* However many are outstanding, and whatever they wait for, each hears of each status once and in order. */
START_TEST(callbacks_of_many_outstanding)
{
    cl_command_queue any = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (cl_is_coexec()) {
        many_outstanding(cl.queue, PLAIN, CL_COMPLETE);
        many_outstanding(any, PLAIN, CL_COMPLETE);
        many_outstanding(cl.queue, BEHIND_ONE, CL_COMPLETE);
        many_outstanding(any, BEHIND_ONE, CL_COMPLETE);
        many_outstanding(any, CHAIN, CL_COMPLETE);
        many_outstanding(any, BEHIND_ONE, -7);
        many_outstanding(any, CHAIN, -7);
    }
    cl_ok(clReleaseCommandQueue(any));
}
END_TEST

/* User events that end in another order than they were watched in, some of them failed; some never do. */
START_TEST(callbacks_of_many_user_events)
{
    static cl_event gates[OUTSTANDING];
    if (!cl_is_coexec())
        return;
    for (int failed = 0; failed < 2; failed++) {
        forget_calls();
        memset(outstanding, 0, sizeof(outstanding));
        outstanding_failure = 0;
        for (int i = 0; i < OUTSTANDING; i++) {
            gates[i] = gate_new();
            watch_outstanding(gates[i], &outstanding[i]);
        }
        wait_calls(CL_SUBMITTED, OUTSTANDING);
        pthread_mutex_lock(&seen.lock);
        outstanding_failure = failed ? -7 : 0;
        pthread_mutex_unlock(&seen.lock);
        for (int i = 1; i < OUTSTANDING; i++)
            cl_ok(clSetUserEventStatus(gates[i * 7 % OUTSTANDING], failed ? -7 : CL_COMPLETE));
        wait_calls(CL_COMPLETE, OUTSTANDING - 1);
        for (int i = 0; i < OUTSTANDING; i++) {
            ck_assert_int_eq(outstanding[i].calls, i ? 3 : 1);
            ck_assert(!outstanding[i].wrong);
            cl_ok(clReleaseEvent(gates[i]));
        }
    }
}
END_TEST

/* A function between commands that waits for a callback. */
static struct {
    atomic_bool called, over, waited;
} native;

static void CL_CALLBACK on_called(cl_event event, cl_int status, void *data)
{
    atomic_store(&native.called, true);
}

static void CL_CALLBACK wait_for_call(void *data)
{
    enum { MOST = 20000 }; /* rather than for ever */
    int i = 0;
    for (; i < MOST && !atomic_load(&native.called); i++)
        usleep(1000);
    atomic_store(&native.waited, i < MOST);
    atomic_store(&native.over, true);
}

/* A device's next command waits for the function, which waits for the callback of the one before. */
START_TEST(callbacks_for_a_native_kernel)
{
    cl_device_exec_capabilities can;
    cl_event events[2];
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can, NULL));
    if (!(can & CL_EXEC_NATIVE_KERNEL) || !cl_is_coexec())
        return;
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL), other = cl_buffer(0, ITEMS * 4, NULL);
    cl_command_queue queue = cl_queue(0);
    void *args[1] = {NULL};
    const void *place = args;
    memset(&native, 0, sizeof(native));
    cl_ok(clReleaseEvent(launch(cl.queue, put, mem, 1, 0, NULL))); /* from now on its order is that below */
    cl_ok(clFinish(cl.queue));
    events[0] = launch(cl.queue, put, mem, 1, 0, NULL);
    cl_ok(clEnqueueNativeKernel(queue, wait_for_call, args, sizeof(args), 1, &other, &place, 0, NULL, NULL));
    events[1] = launch(queue, put, other, 1, 0, NULL);
    cl_ok(clFlush(queue));
    usleep(20000); /* the device's thread may be waiting by now, or not: both must do */
    cl_ok(clSetEventCallback(events[0], CL_COMPLETE, on_called, NULL));
    cl_ok(clFlush(cl.queue));
    while (!atomic_load(&native.over))
        usleep(1000);
    ck_assert(atomic_load(&native.waited));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(events[0]));
    cl_ok(clReleaseEvent(events[1]));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

static void CL_CALLBACK on_end_slowly(cl_event event, cl_int status, void *data)
{
    usleep(20000);
    atomic_store((atomic_int *)data, 1);
}

/* Whoever has waited finds the callbacks called of what is over by then. */
START_TEST(callbacks_before_waits_return)
{
    enum { WAIT_FOR_EVENT, FINISH, READ, OF_USER_EVENT, WAYS };
    cl_uint result;
    if (!cl_is_coexec())
        return;
    cl_kernel put = cl_kernel_of(text, "put");
    cl_mem mem = cl_buffer(0, ITEMS * 4, NULL);
    for (int i = 0; i < 3 * WAYS; i++) {
        const int way = i % WAYS;
        atomic_int called = 0;
        cl_event gate = gate_new(), event = launch(cl.queue, put, mem, 1, way == OF_USER_EVENT,
                                                   way == OF_USER_EVENT ? &gate : NULL);
        cl_ok(clSetEventCallback(way == OF_USER_EVENT ? gate : event, CL_COMPLETE, on_end_slowly, &called));
        cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        if (way == WAIT_FOR_EVENT)
            cl_ok(clWaitForEvents(1, &event));
        else if (way == READ)
            cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 4, &result, 0, NULL, NULL));
        else
            cl_ok(clFinish(cl.queue));
        ck_assert_msg(atomic_load(&called), "wait %d of kind %d returned before the callback was called", i,
                      way);
        cl_ok(clReleaseEvent(event));
        cl_ok(clReleaseEvent(gate));
    }
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

static void CL_CALLBACK wait_for_lock(cl_event event, cl_int status, void *data)
{
    pthread_mutex_lock(&seen.lock);
    pthread_mutex_unlock(&seen.lock);
    atomic_store((atomic_int *)data, 1);
}

/* A callback that waits for what the program holds while it waits stops nobody. */
START_TEST(callback_waits_for_waiter)
{
    atomic_int called = 0;
    if (!cl_is_coexec())
        return;
    cl_event gate = gate_new();
    cl_ok(clSetEventCallback(gate, CL_COMPLETE, wait_for_lock, &called));
    pthread_mutex_lock(&seen.lock);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &gate));
    cl_ok(clFinish(cl.queue));
    ck_assert(!atomic_load(&called));
    pthread_mutex_unlock(&seen.lock);
    while (!atomic_load(&called))
        usleep(1000);
    cl_ok(clReleaseEvent(gate));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_callbacks");
    TCase *tcase = cl_case(suite, "callbacks");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, callbacks);
    tcase_add_test(tcase, times_within_callbacks);
    tcase_add_test(tcase, callbacks_of_every_status);
    tcase_add_test(tcase, callbacks_behind_a_user_event);
    tcase_add_test(tcase, user_event_callbacks);
    tcase_add_test(tcase, callbacks_of_many_outstanding);
    tcase_add_test(tcase, callbacks_of_many_user_events);
    tcase_add_test(tcase, callbacks_for_a_native_kernel);
    tcase_add_test(tcase, callbacks_before_waits_return);
    tcase_add_test(tcase, callback_waits_for_waiter);
    return tap_run(suite);
}

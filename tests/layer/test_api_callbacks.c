/* SPDX-License-Identifier: MIT */
/*
 * Event callbacks: each status once, in order, and when it is so.
 */
#include "cl_fixture.h"
#include <pthread.h>
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

int main(void)
{
    Suite *suite = suite_create("api_callbacks");
    TCase *tcase = cl_case(suite, "callbacks");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, callbacks);
    tcase_add_test(tcase, callbacks_of_every_status);
    tcase_add_test(tcase, callbacks_behind_a_user_event);
    tcase_add_test(tcase, user_event_callbacks);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * lock.c, built with checks: what violates the order of locks is told, with both names; what does not is not.
 */
#include "capture.h"
#include "layer/base/lock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct cx_lock outer = CX_LOCK_INIT(CX_RANK_CONTEXT), middle = CX_LOCK_INIT(CX_RANK_WORKER),
                      inner = CX_LOCK_INIT(CX_RANK_EXIT_GUARD);
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool signalled;

static void clean(void)
{
    clean_environment();
    unsetenv("LOCK_ABORT");
    capture_start();
}

/* Takes the second lock while it holds the first one. */
static void take(struct cx_lock *first, struct cx_lock *second)
{
    cx_lock(first);
    cx_lock(second);
    cx_unlock(second);
    cx_unlock(first);
}

static void assert_reported(const char *first, const char *second)
{
    const char *text = capture_end();
    ck_assert_msg(strstr(text, first) && strstr(text, second), "%s", text);
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}

START_TEST(right_order)
{
    take(&outer, &middle);
    take(&outer, &inner);
    take(&middle, &inner);
    cx_lock(&outer);
    take(&middle, &inner);
    cx_unlock(&outer);
    ck_assert_str_eq(capture_end(), "");
}
END_TEST

START_TEST(wrong_order)
{
    take(&inner, &middle);
    take(&inner, &middle); /* the pair is known */
    assert_reported("\"worker\" is taken", "\"exit guard\" is held");
    capture_start();
    take(&inner, &outer);
    assert_reported("\"context\" is taken", "\"exit guard\" is held");
}
END_TEST

START_TEST(behind_a_right_one)
{
    cx_lock(&outer);
    take(&inner, &middle);
    cx_unlock(&outer);
    assert_reported("\"worker\" is taken", "\"exit guard\" is held");
}
END_TEST

START_TEST(same_rank)
{
    struct cx_lock other;
    cx_lock_init(&other, CX_RANK_WORKER);
    take(&middle, &other);
    assert_reported("\"worker\" is taken", "\"worker\" is held");
    cx_lock_finish(&other);
}
END_TEST

START_TEST(no_rank)
{
    static struct cx_lock zero;
    cx_lock(&zero);
    cx_unlock(&zero);
    assert_reported("has no rank", "");
}
END_TEST

START_TEST(any_order_of_unlocks)
{
    cx_lock(&outer);
    cx_lock(&middle);
    cx_lock(&inner);
    cx_unlock(&outer);
    cx_unlock(&inner);
    cx_lock(&inner);
    cx_unlock(&middle);
    cx_unlock(&inner);
    take(&outer, &middle);
    ck_assert_str_eq(capture_end(), "");
}
END_TEST

START_TEST(recursive)
{
    struct cx_lock again;
    cx_lock_init_recursive(&again, CX_RANK_WORKER);
    take(&again, &again);
    take(&outer, &again);
    ck_assert_str_eq(capture_end(), "");
    capture_start();
    take(&again, &outer);
    assert_reported("\"context\" is taken", "\"worker\" is held");
    cx_lock_finish(&again);
}
END_TEST

/* It gives up: any order will do. What it took counts. */
START_TEST(before_a_time)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    cx_lock(&inner);
    ck_assert(cx_lock_before(&middle, &end));
    cx_unlock(&inner);
    ck_assert_str_eq(capture_end(), "");
    capture_start();
    cx_lock(&outer);
    cx_unlock(&outer);
    cx_unlock(&middle);
    assert_reported("\"context\" is taken", "\"worker\" is held");
}
END_TEST

static void *signal_it(void *unused)
{
    (void)unused;
    take(&outer, &middle); /* free, as the other waits; that holds nothing here */
    cx_lock(&middle);
    signalled = true;
    pthread_cond_signal(&condition);
    cx_unlock(&middle);
    return NULL;
}

START_TEST(wait)
{
    pthread_t thread;
    const struct timespec past = {0};
    cx_lock(&middle);
    ck_assert_int_eq(pthread_create(&thread, NULL, signal_it, NULL), 0);
    while (!signalled)
        cx_lock_wait(&condition, &middle);
    ck_assert(!cx_lock_wait_until(&condition, &middle, &past));
    cx_lock(&inner);
    cx_unlock(&inner);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_str_eq(capture_end(), "");
    capture_start();
    cx_lock(&outer); /* middle is held after the wait, too */
    cx_unlock(&outer);
    cx_unlock(&middle);
    assert_reported("\"context\" is taken", "\"worker\" is held");
    capture_start();
    cx_lock(&outer);
    cx_unlock(&outer);
    ck_assert_str_eq(capture_end(), "");
}
END_TEST

START_TEST(wait_with_another)
{
    const struct timespec past = {0};
    cx_lock(&outer);
    cx_lock(&middle);
    ck_assert(!cx_lock_wait_until(&condition, &middle, &past));
    cx_unlock(&middle);
    cx_unlock(&outer);
    assert_reported("wait with \"worker\"", "\"context\" is held");
}
END_TEST

START_TEST(callback)
{
    cx_lock_none_held("clSetEventCallback");
    take(&outer, &inner);
    cx_lock_none_held("clSetEventCallback");
    ck_assert_str_eq(capture_end(), "");
    capture_start();
    cx_lock(&middle);
    cx_lock_none_held("clSetEventCallback");
    cx_unlock(&middle);
    assert_reported("\"worker\" is held", "(clSetEventCallback)");
}
END_TEST

/* As our tests run. */
START_TEST(ends_the_process)
{
    setenv("LOCK_ABORT", "1", 1);
    take(&inner, &outer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock");
    TCase *tcase = tcase_create("lock");
    tcase_add_checked_fixture(tcase, clean, NULL);
    tcase_add_test(tcase, right_order);
    tcase_add_test(tcase, wrong_order);
    tcase_add_test(tcase, behind_a_right_one);
    tcase_add_test(tcase, same_rank);
    tcase_add_test(tcase, no_rank);
    tcase_add_test(tcase, any_order_of_unlocks);
    tcase_add_test(tcase, recursive);
    tcase_add_test(tcase, before_a_time);
    tcase_add_test(tcase, wait);
    tcase_add_test(tcase, wait_with_another);
    tcase_add_test(tcase, callback);
    tcase_add_test_raise_signal(tcase, ends_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

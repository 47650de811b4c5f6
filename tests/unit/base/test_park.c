/* SPDX-License-Identifier: MIT */
/*
 * exit_park.c: threads stay until what they ask about says that they are needed, whenever that changes.
 */
#include "tap.h"
#include "layer/base/exit_park.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 2000 };

static atomic_bool needed;
static atomic_uint asked;

static bool stays(const void *data)
{
    const atomic_bool *needs = data;
    atomic_fetch_add(&asked, 1);
    return !atomic_load(needs);
}

static void *park(void *unused)
{
    (void)unused;
    cx_exit_park(stays, &needed, 0);
    return NULL;
}

static void *park_long(void *ms)
{
    cx_exit_park(stays, &needed, *(const unsigned *)ms);
    return NULL;
}

START_TEST(needed_already)
{
    atomic_store(&needed, true);
    cx_exit_park(stays, &needed, 0);
    ck_assert_uint_eq(atomic_load(&asked), 1);
}
END_TEST

/* The change comes before, while or after a thread parks. */
START_TEST(none_is_forgotten)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        atomic_store(&needed, false);
        for (unsigned i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&thread[i], NULL, park, NULL), 0);
        for (unsigned i = 0; i < round % 50; i++)
            sched_yield();
        atomic_store(&needed, true);
        cx_exit_unpark();
        for (unsigned i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
    }
}
END_TEST

START_TEST(not_yet_needed)
{
    pthread_t thread;
    atomic_store(&needed, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, park, NULL), 0);
    while (atomic_load(&asked) < 1)
        sched_yield();
    for (unsigned before = atomic_load(&asked); atomic_load(&asked) < before + 3; sched_yield())
        cx_exit_unpark();
    ck_assert_int_ne(pthread_tryjoin_np(thread, NULL), 0);
    atomic_store(&needed, true);
    cx_exit_unpark();
    pthread_join(thread, NULL);
}
END_TEST

/* With a time it returns though nothing is needed, and sooner where something is. */
START_TEST(until_a_time)
{
    static const unsigned long_ms = 3600000;
    pthread_t thread;
    atomic_store(&needed, false);
    cx_exit_park(stays, &needed, 1);
    ck_assert_uint_ge(atomic_load(&asked), 1);
    atomic_store(&asked, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, park_long, (void *)&long_ms), 0);
    while (atomic_load(&asked) < 1)
        sched_yield();
    atomic_store(&needed, true);
    cx_exit_unpark();
    pthread_join(thread, NULL);
}
END_TEST

/* A child has no parked threads, and its lock is free. */
START_TEST(in_a_child)
{
    pthread_t thread;
    int status;
    ck_assert_int_eq(pthread_create(&thread, NULL, park, NULL), 0);
    while (atomic_load(&asked) < 1)
        sched_yield();
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        cx_exit_unpark();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    atomic_store(&needed, true);
    cx_exit_unpark();
    pthread_join(thread, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("park");
    TCase *cases = tcase_create("park");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, needed_already);
    tcase_add_test(cases, none_is_forgotten);
    tcase_add_test(cases, not_yet_needed);
    tcase_add_test(cases, until_a_time);
    tcase_add_test(cases, in_a_child);
    suite_add_tcase(suite, cases);
    return tap_run(suite);
}

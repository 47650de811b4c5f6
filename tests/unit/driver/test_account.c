/* SPDX-License-Identifier: MIT */
/*
 * Accounts of what splits may lose, one for each device that contexts begin on: contexts that come one after
 * another, and several at once, share one; a forked process has its own.
 */
#include "capture.h"
#include "layer/driver/account.h"
#include "layer/driver/device.h"

#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cx_real_device first = {.index = 0}, other = {.index = 1}, far = {.index = 1000};

/* A trial that may lose a millisecond. */
static const struct cx_stake trial = {0.001, 0.002, 0.002, 0.0006, 0};

static bool is(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

START_TEST(contexts_share_it)
{
    struct cx_budget_record earner = {0}, record = {0};
    double reserved;
    clean_environment();
    struct cx_account *account = cx_account_of(&first);
    cx_account_ran(account, &earner, 0.1);
    ck_assert(earner.since > 0);
    struct cx_account *next = cx_account_of(&first); /* another context's */
    ck_assert(is(cx_account_left(next), 0.002));
    ck_assert_int_eq(cx_account_decide(next, &record, &trial, &reserved), CX_STAKE_TRIAL);
    ck_assert(is(reserved, 0.001));
    cx_account_settle(next, &record, reserved, 0.001, 0.002, true, false, false);
    ck_assert(is(cx_account_left(account), 0.001));
    ck_assert(is(cx_account_left(cx_account_of(&other)), 0));
    ck_assert(is(cx_account_left(cx_account_of(&far)), 0));
}
END_TEST

/* What a device's first use lost, or a package that only measured one, is charged, but tells nothing of later
 * splits; what a first use gained does. */
START_TEST(first_uses_and_probes_tell_nothing)
{
    struct cx_budget_record record = {0};
    double reserved;
    clean_environment();
    struct cx_account *account = cx_account_of(&first);
    cx_account_ran(account, NULL, 1);
    for (unsigned probes = 0; probes < 2; probes++) {
        ck_assert_int_eq(cx_account_decide(account, &record, &trial, &reserved), CX_STAKE_TRIAL);
        cx_account_settle(account, &record, reserved, 0.001, 0.0015, true, !probes, probes);
        ck_assert(record.splits == 0 && record.gains == 0 && record.lost <= 0 && record.ratio <= 0);
        ck_assert(is(cx_account_left(account), 0.02 - 0.0005 * (probes + 1)));
    }
    cx_account_settle(account, &record, 0, 0.001, 0.0009, true, false, true);
    ck_assert_uint_eq(record.splits, 0);
    cx_account_settle(account, &record, 0, 0.001, 0.0005, true, true, false);
    ck_assert_uint_eq(record.splits, 1);
}
END_TEST

/* A move that lost is charged, and the kernel's next one waits but for what a first use took; one that gained
 * costs nothing. */
START_TEST(moves_are_charged)
{
    struct cx_budget_record record = {0};
    double reserved;
    clean_environment();
    struct cx_account *account = cx_account_of(&first);
    cx_account_ran(account, NULL, 1);
    ck_assert(is(cx_account_moved(account, &record, 0, 0.002, 0.001, false), 0));
    ck_assert(is(cx_account_left(account), 0.02));
    ck_assert_int_eq(cx_account_decide(account, &record, &trial, &reserved), CX_STAKE_TRIAL);
    ck_assert(is(cx_account_moved(account, &record, reserved, 0.001, 0.006, true), 0.005));
    ck_assert(is(cx_account_left(account), 0.015));
    ck_assert_int_eq(cx_account_decide(account, &record, &trial, &reserved), CX_STAKE_TRIAL);
    ck_assert(is(cx_account_moved(account, &record, reserved, 0.001, 0.006, false), 0.005));
    ck_assert_int_eq(cx_account_decide(account, &record, &trial, &reserved), CX_STAKE_WAITS);
}
END_TEST

START_TEST(debts_stay)
{
    struct cx_budget_record record = {0};
    double reserved;
    clean_environment();
    struct cx_account *account = cx_account_of(&first);
    cx_account_ran(account, NULL, 0.1);
    ck_assert(!cx_account_risked(account));
    cx_account_delayed(account, 0.0017);
    cx_account_delayed(account, -1);
    ck_assert(is(cx_account_left(account), 0.0003));
    ck_assert_int_eq(cx_account_decide(cx_account_of(&first), &record, &trial, &reserved), CX_STAKE_TOO_DEAR);
    cx_account_ran(account, NULL, 0.05);
    ck_assert_int_eq(cx_account_decide(cx_account_of(&first), &record, &trial, &reserved), CX_STAKE_TRIAL);
    ck_assert(cx_account_risked(account));
    cx_account_returned(account, 0.0002); /* 0.0013 less what the trial may lose */
    ck_assert(is(cx_account_left(account), 0.0001));
}
END_TEST

START_TEST(nobody_has_one)
{
    clean_environment();
    cx_account_ran(NULL, NULL, 1);
    cx_account_delayed(NULL, 1);
    cx_account_opened(NULL, &other, 1);
}
END_TEST

static void *earn(void *data)
{
    struct cx_account *account = cx_account_of(&first);
    for (unsigned i = 0; i < 10000; i++) {
        cx_account_ran(account, NULL, 0.001);
        cx_account_delayed(account, 0.00001);
    }
    return data;
}

START_TEST(many_earn_at_once)
{
    pthread_t threads[4];
    clean_environment();
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, earn, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert(fabs(cx_account_left(cx_account_of(&first)) - (40 * 0.02 - 0.4)) < 1e-6);
}
END_TEST

START_TEST(a_child_begins_anew)
{
    int status = 1;
    clean_environment();
    cx_account_ran(cx_account_of(&first), NULL, 1);
    const pid_t child = fork();
    if (child == 0)
        _exit(!is(cx_account_left(cx_account_of(&first)), 0));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(is(cx_account_left(cx_account_of(&first)), 0.02));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("account");
    TCase *tcase = tcase_create("account");
    tcase_add_test(tcase, contexts_share_it);
    tcase_add_test(tcase, first_uses_and_probes_tell_nothing);
    tcase_add_test(tcase, moves_are_charged);
    tcase_add_test(tcase, debts_stay);
    tcase_add_test(tcase, nobody_has_one);
    tcase_add_test(tcase, many_earn_at_once);
    tcase_add_test(tcase, a_child_begins_anew);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

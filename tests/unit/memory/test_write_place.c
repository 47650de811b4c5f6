/* SPDX-License-Identifier: MIT */
/*
 * Where new contents go, for each kind of the launch that read the last ones: two made-up devices with memory
 * of their own, both open, unless a test says otherwise.
 */
#include "layer/driver/account.h"
#include "layer/driver/device.h"
#include "layer/memory/buffer.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"
#include "tap.h"

#include <math.h>

enum { MEMBERS = 2, HOST = CX_PLACE_HOST };

static struct cx_real_device device[MEMBERS];
static struct cx_worker worker[MEMBERS + 1];
static struct cx_context context;
static struct cx_mem mem, other;
static struct cx_storage storage[2];
static cl_mem none[MEMBERS];

static void set_up(void)
{
    memset(worker, 0, sizeof(worker));
    context = (struct cx_context){.nmembers = MEMBERS, .workers = worker};
    for (unsigned m = 0; m < MEMBERS; m++) {
        device[m] = (struct cx_real_device){.type = CL_DEVICE_TYPE_GPU, .limits.max_alloc = 1 << 20};
        worker[m].context = &context;
        worker[m].index = m;
        worker[m].device = &device[m];
        atomic_store(&worker[m].place, m + 1);
        atomic_store(&worker[m].state, CX_WORKER_OPEN);
    }
    storage[0] = storage[1] = (struct cx_storage){0};
    mem = (struct cx_mem){
        .context = &context, .root = &mem, .storage = &storage[0], .size = 1 << 10, .real = none};
    other = (struct cx_mem){
        .context = &context, .root = &other, .storage = &storage[1], .size = 1 << 10, .real = none};
}

/* The program writes, and a launch of that kind reads. Gives where it was written. */
static unsigned round_of(struct cx_mem *root, unsigned place, enum cx_use_kind kind)
{
    const unsigned written = cx_write_place_of(root);
    ck_assert_uint_eq(cx_write_place_of(root), written); /* a second write before it is read */
    cx_write_place_used(root, place, kind, 0);
    cx_write_place_used(root, 2, CX_USE_WHOLE, 0); /* later readers count for nothing */
    return written;
}

static unsigned there_of(unsigned rounds, enum cx_use_kind kind)
{
    unsigned there = 0;
    for (unsigned i = 0; i < rounds; i++)
        there += round_of(&mem, 1, kind) == 1;
    return there;
}

START_TEST(one_open_device_takes_all)
{
    atomic_store(&worker[1].state, CX_WORKER_CLOSED);
    ck_assert_uint_eq(round_of(&mem, HOST, CX_USE_OPEN), 1);
    ck_assert_uint_eq(round_of(&mem, 1, CX_USE_HERE), 1);
    atomic_store(&worker[1].state, CX_WORKER_OPEN);
    ck_assert_uint_eq(cx_write_place_of(&mem), HOST); /* its readers may be split now: once that is tried */
    cx_write_place_used(&mem, 1, CX_USE_HERE, 0);
    cx_write_place_used(&mem, 1, CX_USE_HERE, 0);
    ck_assert_uint_eq(cx_write_place_of(&mem), 1);
}
END_TEST

START_TEST(contents_for_one_launch_are_tried_more_often)
{
    unsigned there = 0;
    (void)cx_write_place_of(&mem);
    for (int i = 0; i < 12; i++) {
        cx_write_place_used(&mem, 1, CX_USE_HERE, 0);
        there += cx_write_place_of(&mem) == 1;
    }
    ck_assert_uint_eq(there, 12 - 8);
}
END_TEST

START_TEST(split_launches_find_it_in_the_host_copy)
{
    for (int i = 0; i < 40; i++)
        ck_assert_uint_eq(round_of(&mem, HOST, CX_USE_OPEN), HOST);
}
END_TEST

START_TEST(whole_ones_on_their_device)
{
    ck_assert_uint_eq(round_of(&mem, 2, CX_USE_WHOLE), HOST); /* nothing is known yet */
    for (int i = 0; i < 40; i++)
        ck_assert_uint_eq(round_of(&mem, 2, CX_USE_WHOLE), 2);
}
END_TEST

START_TEST(those_that_might_be_split_are_tried)
{
    const unsigned here = there_of(160, CX_USE_HERE);
    ck_assert_uint_ge(here, 140);
    ck_assert_uint_le(here, 155);
}
END_TEST

/* A round whose launch may lose so much with data from the host copy. */
static unsigned dear_round(double risk)
{
    const unsigned written = cx_write_place_of(&mem);
    cx_write_place_used(&mem, 1, CX_USE_DEAR, written == HOST ? risk : 0);
    return written;
}

START_TEST(risks_are_tried_once_the_account_holds_them)
{
    unsigned there = 0;
    context.account = cx_account_of(&device[0]);
    ck_assert_ptr_nonnull(context.account);
    ck_assert_uint_eq(dear_round(0.01), HOST); /* nothing is known yet */
    for (unsigned i = 0; i < 160; i++)
        there += dear_round(0.01) == 1;
    ck_assert_uint_ge(there, 140);
    ck_assert_uint_le(there, 155);
    cx_account_ran(context.account, NULL, 0.6); /* 12 ms may be lost now */
    ck_assert_uint_eq(dear_round(0.02), HOST);
    ck_assert_uint_eq(dear_round(0.02), 1); /* it may lose more than was thought */
    cx_account_ran(context.account, NULL, 0.6);
    ck_assert_uint_eq(dear_round(0.02), HOST);
    cx_write_place_used(&mem, 1, CX_USE_DEAR, INFINITY);
    cx_account_ran(context.account, NULL, 60);
    ck_assert_uint_eq(dear_round(INFINITY), HOST); /* what stood against it was something else */
    ck_assert_uint_eq(dear_round(INFINITY), 1);
}
END_TEST

START_TEST(a_trial_tells_a_risk_anew)
{
    context.account = cx_account_of(&device[0]);
    (void)dear_round(1e9);
    ck_assert_uint_eq(dear_round(1e9), 1);
    ck_assert_uint_eq(cx_write_place_of(&mem), 1);
    cx_write_place_used(&mem, HOST, CX_USE_TRIAL, 0);
    cx_write_place_used(&mem, 1, CX_USE_DEAR, 0);
    ck_assert_uint_eq(cx_write_place_of(&mem), HOST);
}
END_TEST

START_TEST(a_trial_tells_nothing)
{
    (void)there_of(3, CX_USE_HERE);
    ck_assert_uint_eq(cx_write_place_of(&mem), 1);
    cx_write_place_used(&mem, HOST, CX_USE_TRIAL, 0);
    cx_write_place_used(&mem, 1, CX_USE_HERE, 0); /* so this one is the reader */
    cx_write_place_used(&mem, 1, CX_USE_HERE, 0);
    ck_assert_uint_eq(cx_write_place_of(&mem), 1);
}
END_TEST

START_TEST(what_no_launch_used_goes_by_the_last_launch)
{
    ck_assert_uint_eq(cx_write_place_of(&other), HOST);
    other.storage->use = (struct cx_use){0};
    (void)round_of(&mem, 2, CX_USE_WHOLE);
    ck_assert_uint_eq(cx_write_place_of(&other), 2);
    other.storage->use = (struct cx_use){0};
    (void)round_of(&mem, HOST, CX_USE_OPEN);
    context.memory.use.at = HOST;
    ck_assert_uint_eq(cx_write_place_of(&other), HOST);
}
END_TEST

START_TEST(devices_that_cannot_take_it)
{
    (void)round_of(&mem, 1, CX_USE_WHOLE);
    mem.size = 2 << 20;
    ck_assert_uint_eq(cx_write_place_of(&mem), HOST);
    mem.size = 1 << 10;
    ck_assert_uint_eq(round_of(&mem, 1, CX_USE_WHOLE), HOST); /* as the write before */
    ck_assert_uint_eq(cx_write_place_of(&mem), 1);
    atomic_store(&worker[0].left_out, true); /* meanwhile */
    ck_assert_uint_eq(cx_write_place_of(&mem), HOST);
    atomic_store(&worker[0].left_out, false);
    cx_write_place_used(&mem, 1, CX_USE_WHOLE, 0);
    device[0].type = CL_DEVICE_TYPE_CPU;
    ck_assert_uint_eq(cx_write_place_of(&mem), HOST);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write_place");
    TCase *tcase = tcase_create("write_place");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, one_open_device_takes_all);
    tcase_add_test(tcase, contents_for_one_launch_are_tried_more_often);
    tcase_add_test(tcase, split_launches_find_it_in_the_host_copy);
    tcase_add_test(tcase, whole_ones_on_their_device);
    tcase_add_test(tcase, those_that_might_be_split_are_tried);
    tcase_add_test(tcase, risks_are_tried_once_the_account_holds_them);
    tcase_add_test(tcase, a_trial_tells_a_risk_anew);
    tcase_add_test(tcase, a_trial_tells_nothing);
    tcase_add_test(tcase, what_no_launch_used_goes_by_the_last_launch);
    tcase_add_test(tcase, devices_that_cannot_take_it);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

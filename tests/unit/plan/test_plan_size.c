/* SPDX-License-Identifier: MIT */
/*
 * What launches are expected to take, on a context made by hand.
 */
#include "capture.h"
#include "layer/timeline/context.h"
#include "layer/program/kernel.h"
#include "layer/plan/slices.h"
#include "layer/plan/judging_price.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/program/program.h"
#include "layer/program/kernel_bind.h"

enum { MEMBERS = 4 };

static struct {
    struct cx_worker workers[MEMBERS];
    struct cx_speed_record records[MEMBERS];
    struct cx_context context;
    struct cx_kernel_history history;
    struct cx_function function;
    struct cx_kernel kernel;
    struct cx_launch launch;
} t;

static void setup(void)
{
    static const unsigned kinds[MEMBERS] = {1, 2, 1, 3};
    clean_environment();
    memset(&t, 0, sizeof(t));
    for (unsigned m = 0; m < MEMBERS; m++)
        t.workers[m].kind = kinds[m];
    t.context.workers = t.workers;
    t.context.nmembers = MEMBERS;
    t.history.records = t.records;
    t.function.history = &t.history;
    t.kernel.function = &t.function;
    t.launch.request.kernel = &t.kernel;
    t.launch.base.context = &t.context;
    t.launch.request.geometry.work_dim = 1;
    t.launch.request.geometry.global[0] = 64 * 600;
    t.launch.request.geometry.local[0] = 64;
}

static void measured(unsigned member, double groups_per_second)
{
    t.records[member] = (struct cx_speed_record){0};
    cx_speed_record_update(&t.records[member], (uint64_t)groups_per_second, 1, 1.0);
}

START_TEST(nothing_known)
{
    ck_assert_double_eq(cx_plan_best_speed(&t.launch), 0);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 0);
    t.function.history = NULL;
    ck_assert_double_eq(cx_plan_expected(&t.launch), 0);
}
END_TEST

/* The fastest of all kinds. */
START_TEST(kinds)
{
    measured(1, 300);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
    measured(3, 200);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
    measured(0, 600);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 1);
}
END_TEST

/* A launch that does not fill a device takes as long there as one that does. */
START_TEST(fewer_groups_than_fill)
{
    struct cx_real_device wide = {.type = CL_DEVICE_TYPE_GPU, .compute_units = 100},
                          cpu = {.type = CL_DEVICE_TYPE_CPU, .compute_units = 4};
    const uint64_t fill = cx_plan_fill(&wide, &t.launch.request.geometry);
    t.workers[0].device = &wide;
    t.workers[1].device = &cpu;
    ck_assert_double_eq(cx_plan_measured_on(&t.launch, 0), 0);
    t.launch.request.geometry.global[0] = 64;
    cx_speed_record_update(&t.records[0], 1, fill, 1e-3); /* as it is learned */
    cx_speed_record_update(&t.records[1], 1, 4, 20e-6);
    ck_assert_double_eq_tol(cx_plan_measured_on(&t.launch, 0), 1e-3, 1e-9);
    ck_assert_double_eq_tol(cx_plan_measured_on(&t.launch, 1), 20e-6, 1e-9);
    t.launch.request.geometry.global[0] = 64 * 2 * fill;
    ck_assert_double_eq_tol(cx_plan_measured_on(&t.launch, 0), 2e-3, 1e-9);
}
END_TEST

/* A wide device is not faster at what does not fill it, however fast it is at more; nor is a nominal speed
 * that of a kernel which was measured. */
START_TEST(wide_is_not_fast)
{
    struct cx_real_device wide = {.type = CL_DEVICE_TYPE_GPU, .compute_units = 100, .nominal_gflops = 1000},
                          narrow = {.type = CL_DEVICE_TYPE_GPU, .compute_units = 1, .nominal_gflops = 50};
    struct cx_access_geometry *geometry = &t.launch.request.geometry;
    t.workers[0].device = &wide;
    t.workers[1].device = &narrow;
    geometry->global[0] = 64;
    ck_assert_double_gt(cx_plan_speed_on(&t.launch, 0), cx_plan_speed_on(&t.launch, 1));
    cx_speed_record_update(&t.records[0], 1, cx_plan_fill(&wide, geometry), 16e-6);
    cx_speed_record_update(&t.records[1], 1, cx_plan_fill(&narrow, geometry), 8e-6);
    ck_assert_double_eq_tol(cx_plan_speed_on(&t.launch, 0), 1000, 1e-9);
    ck_assert_double_eq_tol(cx_plan_speed_on(&t.launch, 1), 2000, 1e-9);
    geometry->global[0] = 64 * 16000;
    ck_assert_double_gt(cx_plan_speed_on(&t.launch, 0), cx_plan_speed_on(&t.launch, 1));
    geometry->local[0] = 0; /* how many groups it has is not known */
    ck_assert_double_gt(cx_plan_speed_on(&t.launch, 0), cx_plan_speed_on(&t.launch, 1));
}
END_TEST

/* Two of one kind share a launch whose first work-groups cost a fifth: one alone needs both parts' times. */
START_TEST(cheap_and_dear_parts)
{
    measured(0, 500);
    measured(2, 100);
    ck_assert_double_eq(cx_plan_best_speed(&t.launch), 300);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
}
END_TEST

/* A launch of as many microseconds as that is judged where a split could save more than judging takes. */
static bool judged(double expected, double judging, uint64_t hash)
{
    for (unsigned m = 0; m < MEMBERS; m++)
        for (unsigned n = 0; n < 4; n++)
            cx_speed_record_update(&t.records[m], 600, 1, expected * 1e-6);
    t.history.verdicts.seconds = judging * 1e-6;
    return cx_judging_pays(&t.launch, &t.history, hash) == CX_JUDGING_PAYS;
}

START_TEST(judging_pays)
{
    ck_assert_int_eq(cx_judging_pays(&t.launch, &t.history, 1),
                     CX_JUDGING_PAYS); /* nothing is known of its time */
    ck_assert(judged(1000, 100, 1));
    ck_assert(judged(200, 100, 2)); /* four devices save 150 of them, a split and judging cost 140 */
}
END_TEST

START_TEST(judging_does_not_pay)
{
    ck_assert(!judged(180, 200, 1)); /* of these 95 could be saved */
    ck_assert(!judged(180, 200, 2));
    ck_assert(!judged(180, 200, 1));
    ck_assert(judged(180, 200, 1)); /* it came again and again */
    (void)judged(180, 1000, 1);
    const double believed = t.history.verdicts.seconds;
    ck_assert_int_eq(cx_judging_pays(&t.launch, &t.history, 2), CX_JUDGING_TOO_SHORT);
    ck_assert_double_lt(t.history.verdicts.seconds, believed);
    for (uint64_t hash = 3; hash < 100; hash++)
        ck_assert(!judged(180, 200, hash));
    ck_assert(!judged(180, 200, 2)); /* too many have come since */
    for (unsigned n = 0; n < 100; n++)
        ck_assert(!judged(40, 200, 3)); /* nothing could be saved */
}
END_TEST

/* Launches of a millisecond, each with other arguments, that judging takes 40 us for and that all stay whole:
 * as a part of what they take, what judging them does. */
static double judged_in_vain(unsigned launches)
{
    double judging = 0;
    for (unsigned n = 0; n < launches; n++) {
        if (!judged(1000, 40, n))
            continue;
        cx_judging_took(&t.history, 40e-6);
        t.history.verdicts.judged = true;
        t.launch.decision.reason = CX_WHY_NOT_BUILT;
        t.launch.decision.longest = 0.125;
        cx_judging_decided(&t.launch, CX_PLAN_WHOLE);
        judging += 40e-6;
    }
    return judging / (launches * 1e-3);
}

START_TEST(judging_in_vain_takes_little)
{
    ck_assert_double_gt(judged_in_vain(8), 0.02); /* a split may be close */
    (void)judged_in_vain(100);
    ck_assert_double_lt(judged_in_vain(10000), 0.01);
    ck_assert_double_gt(judged_in_vain(10000), 0.005); /* it goes on */
    t.launch.decision.reason = CX_WHY_NONE;
    t.launch.decision.longest = -1;
    cx_judging_repeat(&t.launch, &t.history); /* those between have the last one's decision */
    ck_assert_int_eq(t.launch.decision.reason, CX_WHY_NOT_BUILT);
    ck_assert_double_eq(t.launch.decision.longest, 0.125);
    /* one that was held until something came is judged, and a split ends it */
    t.launch.deferral.planned_before = true;
    ck_assert(judged(1000, 40, 1));
    t.launch.deferral.planned_before = false;
    t.history.verdicts.judged = true;
    cx_judging_decided(&t.launch, CX_PLAN_SPLIT);
    ck_assert(judged(1000, 40, 2));
}
END_TEST

START_TEST(held_ones_are_not_judged_in_vain)
{
    ck_assert(judged(1000, 40, 1));
    for (unsigned n = 0; n < 100; n++) {
        t.history.verdicts.judged = true;
        cx_judging_decided(&t.launch, CX_PLAN_WAIT);
    }
    ck_assert(judged(1000, 40, 2));
}
END_TEST

/* What a launch took with uploads that it waited for stands until one is measured, and is no part of that. */
START_TEST(lengths_with_moves_make_room)
{
    cx_plan_length_at_most(&t.launch, 0, 90e-6);
    ck_assert_double_eq(cx_plan_length(&t.launch), 90e-6);
    cx_plan_length_tell(&t.launch, 0, 4e-6, false);
    ck_assert_double_eq(cx_plan_length(&t.launch), 4e-6);
    cx_plan_length_at_most(&t.launch, 0, 90e-6);
    ck_assert_double_eq(cx_plan_length(&t.launch), 4e-6);
    cx_plan_length_tell(&t.launch, 0, 2e-6, false);
    ck_assert_double_eq(cx_plan_length(&t.launch), 3e-6);
}
END_TEST

/* Packages on two H100: 66 ms of gaussian, whose groups are even, 247 of Mandelbrot, 1,620 of nbody. */
START_TEST(slices)
{
    ck_assert_uint_eq(cx_slices_best(0.066, 1.2e-3, cx_slice_end_beside(2e-3, 2.1e-3), true, 8), 8);
    ck_assert_uint_eq(cx_slices_best(0.066, 1.2e-3, cx_slice_end_beside(0, 2.1e-3), true, 8), 8);
    ck_assert_uint_eq(cx_slices_best(0.247, 1.5e-3, cx_slice_end_beside(13e-3, 3.5e-3), true, 8), 1);
    ck_assert_uint_eq(cx_slices_best(1.62, 0.6e-3, cx_slice_end_beside(0.324, 0.418), true, 8), 1);
    ck_assert_uint_eq(cx_slices_best(0.066, 1.2e-3, cx_slice_end_beside(2e-3, 2.1e-3), true, 3), 3);
    /* one queue: a quarter of a filling is lost at each end */
    ck_assert_uint_eq(cx_slices_best(0.066, 10e-3, cx_slice_end(0.066, 500, 33000), false, 8), 4);
    ck_assert_uint_eq(cx_slices_best(0.066, 0, 0, true, 8), 1);
}
END_TEST

/* Groups of 256 work-items on an H100 of four multiprocessors: eight each by their warps; six beside 32 KB of
 * local memory, be that the kernel's or an argument's, and where registers let groups of 512 run at most:
 * two. */
START_TEST(resident)
{
    static struct cx_real_device device;
    static struct cx_program program;
    _Atomic(cl_kernel) check[MEMBERS] = {NULL, (cl_kernel)&device, NULL, NULL};
    size_t limit[MEMBERS] = {0, 256, 0, 0};
    cl_ulong local[MEMBERS] = {0};
    struct cx_args *args = calloc(1, sizeof(*args) + sizeof(args->arg[0]));
    ck_assert_ptr_nonnull(args);
    args->count = 1;
    device = (struct cx_real_device){.compute_units = 4, .limits.max_group_size = 1024};
    t.workers[1].device = &device;
    t.function.check = check;
    t.function.group_limit = limit;
    t.function.local_bytes = local;
    program.context = &t.context;
    t.kernel.program = &program;
    t.kernel.members = cx_kernel_members_create(MEMBERS);
    t.launch.request.args = args;
    t.launch.request.geometry.local[0] = 256;
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 0);
    ck_assert(cx_multiprocessor_find(9, 0, &device.multiprocessor));
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 4 * 8);
    local[1] = 32768;
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 4 * 6);
    local[1] = 0;
    args->arg[0] = (struct cx_arg){.kind = CX_ARGS_LOCAL, .size = 32768};
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 4 * 6);
    args->arg[0].size = 0;
    limit[1] = 512;
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 4 * 2);
    t.function.required[0] = 256; /* which bounds it, too */
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 4 * 8);
    check[1] = NULL;
    ck_assert_uint_eq(cx_plan_resident(&t.launch, 1), 0);
    free(t.kernel.members);
    free(args);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan size");
    TCase *tcase = tcase_create("expected");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, nothing_known);
    tcase_add_test(tcase, kinds);
    tcase_add_test(tcase, fewer_groups_than_fill);
    tcase_add_test(tcase, wide_is_not_fast);
    tcase_add_test(tcase, cheap_and_dear_parts);
    tcase_add_test(tcase, lengths_with_moves_make_room);
    tcase_add_test(tcase, judging_pays);
    tcase_add_test(tcase, judging_does_not_pay);
    tcase_add_test(tcase, judging_in_vain_takes_little);
    tcase_add_test(tcase, held_ones_are_not_judged_in_vain);
    tcase_add_test(tcase, slices);
    tcase_add_test(tcase, resident);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

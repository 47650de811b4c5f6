/* SPDX-License-Identifier: MIT */
/*
 * Occupancy against figures that NVIDIA printed, and against ones computed by hand from the equations.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/occupancy.h"

static struct cx_multiprocessor of(unsigned major, unsigned minor)
{
    struct cx_multiprocessor multiprocessor;
    ck_assert(cx_multiprocessor_find(major, minor, &multiprocessor));
    return multiprocessor;
}

/* CUDA C++ Best Practices Guide, "Calculating Occupancy": with 37 registers on 7.0, twelve groups of 128 are
 * 75 %, and four of 320 are 63 %. */
START_TEST(as_printed)
{
    const struct cx_multiprocessor volta = of(7, 0);
    ck_assert_uint_eq(cx_occupancy_groups(&volta, 128, 37, 0), 12);
    ck_assert_double_eq_tol(cx_occupancy(&volta, 128, 12), 0.75, 1e-9);
    ck_assert_uint_eq(cx_occupancy_groups(&volta, 320, 37, 0), 4);
    ck_assert_double_eq_tol(cx_occupancy(&volta, 320, 4), 0.625, 1e-9);
    /* the same page: all warps fit with up to 32 registers */
    ck_assert_uint_eq(cx_occupancy_groups(&volta, 1024, 32, 0), 2);
    ck_assert_uint_eq(cx_occupancy_groups(&volta, 1024, 33, 0), 1);
}
END_TEST

/* The Sigmoid paper's K20m, local sizes of its Table 1: 16 groups of 64 or 128, 8 of 256 at most; 13
 * multiprocessors. */
START_TEST(of_the_papers_gpu)
{
    const struct cx_multiprocessor kepler = of(3, 5);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 64, 32, 0), 16);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 128, 32, 0), 16);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 256, 32, 0), 8);
    /* 48 registers: 1536 a warp, 42 warps fit, 40 are given: five groups of eight */
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 256, 48, 0), 5);
    /* 9000 bytes become 9216, of which 49152 holds five */
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 64, 32, 9000), 5);
}
END_TEST

/* Newer ones keep 1 KB of local memory for themselves in each group. */
START_TEST(of_newer_ones)
{
    const struct cx_multiprocessor hopper = of(9, 0), ada = of(8, 9);
    ck_assert_uint_eq(cx_occupancy_groups(&hopper, 256, 0, 0), 8);
    ck_assert_uint_eq(cx_occupancy_groups(&hopper, 32, 0, 0), 32);
    ck_assert_uint_eq(cx_occupancy_groups(&hopper, 256, 64, 0), 4);
    ck_assert_uint_eq(cx_occupancy_groups(&hopper, 256, 0, 32768), 6); /* 233472 / 33792 */
    ck_assert_uint_eq(cx_occupancy_groups(&ada, 256, 0, 0), 6);
    ck_assert_uint_eq(cx_occupancy_groups(&ada, 64, 0, 0), 24);
}
END_TEST

START_TEST(of_nonsense)
{
    struct cx_multiprocessor kepler = of(3, 5);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 0, 32, 0), 0);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 4096, 32, 0), 0);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 64, 256, 0), 0);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 64, 32, UINT64_MAX), 0);
    ck_assert_uint_eq(cx_occupancy_groups(&kepler, 1024, 255, 0), 0); /* 8192 a warp: eight warps fit */
    ck_assert(!cx_multiprocessor_find(2, 0, &kepler));
}
END_TEST

Suite *cx_test_occupancy(void)
{
    Suite *suite = suite_create("occupancy");
    TCase *tcase = tcase_create("by hand");
    tcase_add_test(tcase, as_printed);
    tcase_add_test(tcase, of_the_papers_gpu);
    tcase_add_test(tcase, of_newer_ones);
    tcase_add_test(tcase, of_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}

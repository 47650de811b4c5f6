/* SPDX-License-Identifier: MIT */
/*
 * The summary's estimate of what splits gained.
 */
#include "capture.h"
#include "layer/report/gain.h"

static const uint64_t ms = 1000 * 1000;

/* 300 groups split over 10 and 5 a ms, in 20 ms; 100 whole in 10. */
START_TEST(by_the_fastest_device)
{
    const struct cx_gain_device gpus[] = {{200, 20 * ms, 100, 10 * ms, 0}, {100, 20 * ms, 0, 0, 0}};
    ck_assert_double_eq_tol(cx_gain_alone_ns(gpus, 2, 30 * ms, 20 * ms) / (double)ms, 40, 1e-9);
    ck_assert_double_eq_tol(cx_gain_alone_ns(gpus, 0, 30 * ms, 20 * ms) / (double)ms, 30, 1e-9);
}
END_TEST

/* Each has half of the speed that the first had alone: nothing is gained. With GPUs, what was measured last
 * counts. */
START_TEST(of_cpu_devices_that_compete)
{
    struct cx_gain_device devices[] = {{100, 20 * ms, 100, 10 * ms, 2}, {100, 20 * ms, 0, 0, 1}};
    ck_assert_double_eq_tol(cx_gain_alone_ns(devices, 2, 30 * ms, 20 * ms) / (double)ms, 30, 1e-9);
    devices[1].cpu_units = 0; /* a GPU beside the CPU */
    ck_assert_double_eq_tol(cx_gain_alone_ns(devices, 2, 30 * ms, 20 * ms) / (double)ms, 50, 1e-9);
    devices[1].cpu_units = 1;
    devices[0].whole_ns = 40 * ms; /* slower alone, as in a first launch: that does not count */
    ck_assert_double_eq_tol(cx_gain_alone_ns(devices, 2, 60 * ms, 20 * ms) / (double)ms, 80, 1e-9);
}
END_TEST

START_TEST(doubts_are_said)
{
    char text[64];
    cx_gain_doubts(text, sizeof text, 2, 2, 3.5);
    ck_assert_str_eq(text, "");
    cx_gain_doubts(text, sizeof text, 3, 2, 3.5);
    ck_assert_str_eq(text, "; devices share cores");
    cx_gain_doubts(text, sizeof text, 0, 2, 9);
    ck_assert_str_eq(text, "; the machine is busy");
    cx_gain_doubts(text, sizeof text, 4, 2, 9);
    ck_assert_str_eq(text, "; devices share cores; the machine is busy");
    ck_assert_uint_ge(cx_gain_cores(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gain");
    TCase *tcase = tcase_create("estimate");
    tcase_add_test(tcase, by_the_fastest_device);
    tcase_add_test(tcase, of_cpu_devices_that_compete);
    tcase_add_test(tcase, doubts_are_said);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Windows of energy beside the times at which devices computed: made-up sources whose joules are set by the
 * powers that should come out again.
 */
#include "capture.h"
#include "layer/power/windows.h"

#include <math.h>
#include <string.h>

enum { SOURCES = 3 };

/* Two packages and a GPU; devices 0 and 1 are CPUs, 2 is the GPU, 5 one without a source. */
static struct cx_power_meter meter;
static struct cx_power_windows windows;
static struct cx_power_mark marks[2];

static void begin(void)
{
    memset(&meter, 0, sizeof meter);
    memset(marks, 0, sizeof marks);
    meter.sources.n = SOURCES;
    for (unsigned i = 0; i < SOURCES; i++) {
        meter.sources.source[i].part = i < 2 ? CX_POWER_PACKAGE : CX_POWER_DEVICE;
        meter.sources.source[i].step_seconds = 1e-3;
        marks[0].of[i].begun = marks[1].of[i].begun = true;
    }
    cx_power_windows_init(&windows, &meter.sources);
    cx_power_windows_device(&windows, 0, true, CX_POWER_SOURCES);
    cx_power_windows_device(&windows, 1, true, CX_POWER_SOURCES);
    cx_power_windows_device(&windows, 2, false, 2);
    cx_power_windows_device(&windows, 5, false, CX_POWER_SOURCES);
    cx_power_windows_open(&windows, 0);
}

/* Two seconds of these joules. */
static void close_window(unsigned number, const double *joules)
{
    for (unsigned i = 0; i < SOURCES; i++) {
        marks[0].of[i].at = 2 * number;
        marks[1].of[i].at = 2 * number + 2;
        marks[1].of[i].joules = joules[i];
    }
    cx_power_windows_close(&windows, &meter, 2 * number + 2, &marks[0], &marks[1]);
    cx_power_windows_open(&windows, 2 * number + 2);
}

/* Packages of 30 and 20 W; a core's device 40 W, the other 60 W more; the GPU 100 W and 400 W more. */
static void run(unsigned count, bool late)
{
    for (unsigned w = 0; w < count; w++) {
        const double at = 2 * w, one = 0.1 * (w % 7), other = 0.3 * (w % 4), gpu = 0.5 * (w % 3);
        const double joules[] = {60 + 40 * one + 60 * other, 40, 200 + 400 * gpu};
        if (late)
            close_window(w, joules);
        cx_power_windows_busy(&windows, 0, "kernel", at, at + one);
        cx_power_windows_busy(&windows, 1, "kernel", at + 0.5, at + 0.5 + other);
        cx_power_windows_busy(&windows, 2, "kernel", at, at + 0.6 * gpu);
        cx_power_windows_busy(&windows, 2, "kernel", at + 0.4 * gpu, at + gpu); /* packages overlap */
        if (!late)
            close_window(w, joules);
    }
}

static void check_powers(const struct cx_power_model *model)
{
    ck_assert_double_eq_tol(model->fixed[CX_POWER_GROUP_CPU].watts, 50, 1e-6);
    ck_assert_double_eq_tol(model->dynamic[0].watts, 40, 1e-6);
    ck_assert_double_eq_tol(model->dynamic[1].watts, 60, 1e-6);
    ck_assert_double_eq_tol(model->fixed[2].watts, 100, 1e-6);
    ck_assert_double_eq_tol(model->dynamic[2].watts, 400, 1e-6);
    ck_assert(isinf(model->dynamic[5].error) && isinf(model->dynamic[3].error));
    for (unsigned d = 0; d < 3; d++)
        ck_assert(cx_power_model_tells(model, d < 2 ? CX_POWER_GROUP_CPU : 2, d));
    ck_assert(cx_power_model_tells_idle(model, 2) && !cx_power_model_tells(model, 2, 5));
}

START_TEST(powers_of_groups)
{
    struct cx_power_model model;
    run(24, false);
    cx_power_windows_solve(&windows, true, &model);
    check_powers(&model);
}
END_TEST

/* Times that come when the window is over already; more windows than are kept. */
START_TEST(late_times)
{
    struct cx_power_model model;
    run(3 * CX_POWER_FIT_WINDOWS, true);
    cx_power_windows_solve(&windows, true, &model);
    check_powers(&model);
}
END_TEST

/* A device computes for ten seconds, of which nobody tells before its end: these windows do not count yet. */
START_TEST(windows_that_may_have_been_busy)
{
    struct cx_power_model model;
    run(24, false);
    for (unsigned w = 24; w < 29; w++)
        close_window(w, (const double[]){60, 40, 200 + 800});
    cx_power_windows_solve(&windows, false, &model);
    check_powers(&model);
    cx_power_windows_solve(&windows, true, &model);
    ck_assert_double_gt(fabs(model.fixed[2].watts - 100), 1);
    cx_power_windows_busy(&windows, 2, "kernel", 48, 58);
    cx_power_windows_solve(&windows, false, &model);
    check_powers(&model);
}
END_TEST

/* Without a figure of one package the CPU's windows say nothing; the GPU's do. */
START_TEST(a_source_is_lost)
{
    struct cx_power_model model;
    marks[1].of[1].lost = true;
    run(24, false);
    cx_power_windows_solve(&windows, true, &model);
    ck_assert(isinf(model.fixed[CX_POWER_GROUP_CPU].error));
    ck_assert(!cx_power_model_tells(&model, CX_POWER_GROUP_CPU, 0));
    ck_assert_double_eq_tol(model.dynamic[2].watts, 400, 1e-6);
}
END_TEST

/* The GPU computes nearly all of the time. Its samples while it does not tell the idle power: 100 W, but of
 * those within two steps after computing, which are of 500 W. */
static void run_hardly_idle(unsigned count)
{
    meter.sources.source[2].step_seconds = 0.1;
    begin();
    for (unsigned i = 0; i < SOURCES; i++)
        meter.track[i].watts = 100;
    for (unsigned s = 0; s < 10; s++)
        cx_power_windows_sample(&windows, &meter, 0.05 * s);
    for (unsigned w = 0; w < count; w++) {
        const double joules[] = {60, 40, 200 + 400 * (w ? 1.98 : 1.5)};
        meter.track[2].watts = 500;
        for (unsigned s = 10; s < 40; s++)
            cx_power_windows_sample(&windows, &meter, 2 * w + 0.05 * s);
        cx_power_windows_busy(&windows, 2, "kernel", 2 * w + (w ? 0 : 0.5), 2 * w + (w ? 1.98 : 2));
        close_window(w, joules);
    }
}

START_TEST(hardly_ever_idle)
{
    struct cx_power_model model;
    begin();
    run_hardly_idle(20);
    cx_power_windows_solve(&windows, false, &model);
    ck_assert_double_eq_tol(model.fixed[2].watts, 100, 3);
    ck_assert_double_eq_tol(model.dynamic[2].watts, 400, 10);
    ck_assert_double_lt(model.fixed[2].error, 5);
    ck_assert_double_gt(model.computed[2], 0.95);
    ck_assert(cx_power_model_tells(&model, 2, 2));
}
END_TEST

/* A GPU that gets its context late consumes 70 W before and 100 W after: the windows before do not count. */
START_TEST(opened_late)
{
    struct cx_power_model model;
    for (unsigned w = 0; w < 10; w++) {
        for (unsigned i = 0; i < SOURCES; i++)
            meter.track[i].watts = 70;
        for (unsigned s = 0; s < 40; s++)
            cx_power_windows_sample(&windows, &meter, 2 * w + 0.05 * s);
        close_window(w, (const double[]){60, 40, 140});
    }
    cx_power_windows_solve(&windows, true, &model);
    ck_assert_double_eq_tol(model.fixed[2].watts, 70, 1e-3); /* it has none yet */
    meter.track[2].watts = 100;
    ck_assert(cx_power_windows_opened(&windows, 2, 20));
    ck_assert(!cx_power_windows_opened(&windows, 2, 40));
    for (unsigned w = 10; w < 20; w++) {
        const double busy = 0.1 * (w % 7);
        cx_power_windows_busy(&windows, 2, "kernel", 2 * w, 2 * w + busy);
        close_window(w, (const double[]){60, 40, 200 + 400 * busy});
    }
    cx_power_windows_solve(&windows, true, &model);
    ck_assert_double_eq_tol(model.fixed[2].watts, 100, 1e-3);
    ck_assert_double_eq_tol(model.dynamic[2].watts, 400, 1e-3);
}
END_TEST

/* ... and where none was, what former processes knew. */
START_TEST(former_processes_knew)
{
    struct cx_power_model model;
    cx_power_windows_guess(&windows, 2, 100, 0);
    for (unsigned w = 0; w < 20; w++) {
        cx_power_windows_busy(&windows, 2, "kernel", 2 * w, 2 * w + 2);
        close_window(w, (const double[]){60, 40, 1000});
    }
    cx_power_windows_solve(&windows, true, &model);
    ck_assert_double_eq_tol(model.fixed[2].watts, 100, 1e-3);
    ck_assert_double_eq_tol(model.fixed[2].error, 5, 1e-3);
    ck_assert_double_eq_tol(model.dynamic[2].watts, 400, 1e-3);
    ck_assert_double_eq_tol(model.computed[2], 1, 1e-9);
    ck_assert(isnan(model.computed[3]));
}
END_TEST

/* Two kernels of 500 and 200 W more, each in windows of its own and together: each has its power. */
START_TEST(kernels_differ)
{
    struct cx_power_model model;
    const char *const names[] = {"dear", "cheap"};
    for (unsigned w = 0; w < 30; w++) {
        const double dear = w % 3 == 0 ? 1.5 : w % 3 == 1 ? 0 : 0.5, cheap = w % 3 == 0 ? 0 : 1;
        cx_power_windows_busy(&windows, 2, names[0], 2 * w, 2 * w + dear);
        cx_power_windows_busy(&windows, 2, names[1], 2 * w + dear, 2 * w + dear + cheap);
        close_window(w, (const double[]){60, 40, 200 + 500 * dear + 200 * cheap});
    }
    cx_power_windows_solve(&windows, true, &model);
    ck_assert_double_eq_tol(model.fixed[2].watts, 100, 1);
    ck_assert_double_eq_tol(model.dynamic[2].watts, (20 * 500 + 20 * 200) / 40., 1); /* seconds of each */
    for (unsigned k = 0; k < 2; k++) {
        const unsigned number = cx_power_kernel_number(windows.kernel, names[k]);
        ck_assert_uint_eq(number, k);
        ck_assert_double_eq_tol(model.of_kernel[2][number].watts, k ? 200 : 500, 1);
    }
    ck_assert_uint_eq(cx_power_kernel_number(windows.kernel, "another"), CX_POWER_KERNELS - 1);
    ck_assert_double_eq_tol(model.of_kernel[2][5].watts, model.dynamic[2].watts, 1e-9);
}
END_TEST

/* Always one after the other for as long: both have what they have together. And more kernels than numbers.
 */
START_TEST(kernels_that_are_not_told_apart)
{
    struct cx_power_model model;
    static const char names[40];
    for (unsigned w = 0; w < 40; w++) {
        const double each = 0.1 * (1 + w % 7);
        cx_power_windows_busy(&windows, 2, w < 20 ? &names[0] : &names[w], 2 * w, 2 * w + each);
        cx_power_windows_busy(&windows, 2, w < 20 ? &names[1] : &names[w], 2 * w + each, 2 * w + 2 * each);
        close_window(w, (const double[]){60, 40, 200 + 400 * 2 * each});
    }
    cx_power_windows_solve(&windows, true, &model);
    for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
        ck_assert_double_eq_tol(model.of_kernel[2][k].watts, 400, 1);
}
END_TEST

/* More CPU devices than can be told apart. */
START_TEST(too_many_of_a_group)
{
    struct cx_power_model model;
    for (unsigned d = 10; d < 10 + CX_POWER_FIT_DEVICES; d++)
        cx_power_windows_device(&windows, d, true, CX_POWER_SOURCES);
    cx_power_windows_device(&windows, CX_POWER_DEVICES, true, CX_POWER_SOURCES);
    cx_power_windows_busy(&windows, CX_POWER_DEVICES, "kernel", 0, 1);
    run(24, false);
    cx_power_windows_solve(&windows, true, &model);
    ck_assert(isinf(model.fixed[CX_POWER_GROUP_CPU].error) && isinf(model.dynamic[0].error));
    ck_assert_double_eq_tol(model.dynamic[2].watts, 400, 1e-6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("windows");
    TCase *tcase = tcase_create("windows");
    tcase_add_checked_fixture(tcase, begin, NULL);
    tcase_add_test(tcase, powers_of_groups);
    tcase_add_test(tcase, late_times);
    tcase_add_test(tcase, windows_that_may_have_been_busy);
    tcase_add_test(tcase, a_source_is_lost);
    tcase_add_test(tcase, hardly_ever_idle);
    tcase_add_test(tcase, opened_late);
    tcase_add_test(tcase, former_processes_knew);
    tcase_add_test(tcase, kernels_differ);
    tcase_add_test(tcase, kernels_that_are_not_told_apart);
    tcase_add_test(tcase, too_many_of_a_group);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

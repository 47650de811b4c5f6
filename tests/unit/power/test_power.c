/* SPDX-License-Identifier: MIT */
/*
 * Power sources on made-up trees of /sys and a made-up libnvidia-ml, with a clock that the test moves: what
 * is found, what is told of it, and with which error.
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/power/meter.h"
#include "tests/driver/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double now; /* seconds */

static double test_clock(void)
{
    return now;
}

static void test_wait(double seconds)
{
    now += seconds;
}

/* ---- made-up trees ---- */

static void begin(void)
{
    clean_environment();
    cl_folder_make("power");
    mkdir(cl_folder_path("powercap"), 0755);
    mkdir(cl_folder_path("hwmon"), 0755);
    set_environment("COEXEC_POWERCAP", cl_folder_path("powercap"), "COEXEC_HWMON", cl_folder_path("hwmon"),
                    "COEXEC_LIBNVML", "/nonexistent/libnvidia-ml.so", NULL);
}

static void end(void)
{
    cl_folder_remove();
}

static void write_file(const char *name, const char *format, ...)
{
    va_list arguments;
    FILE *file = fopen(cl_folder_path(name), "w");
    ck_assert_ptr_nonnull(file);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_domain(const char *folder, const char *name, double microjoules, double range)
{
    char path[128];
    snprintf(path, sizeof path, "powercap/%s", folder);
    mkdir(cl_folder_path(path), 0755);
    snprintf(path, sizeof path, "powercap/%s/name", folder);
    write_file(path, "%s\n", name);
    snprintf(path, sizeof path, "powercap/%s/energy_uj", folder);
    write_file(path, "%.0f\n", microjoules);
    snprintf(path, sizeof path, "powercap/%s/max_energy_range_uj", folder);
    write_file(path, "%.0f\n", range);
}

static void make_hwmon(unsigned number, const char *driver, const char *pci, const char *file, double value)
{
    char path[64], device[128], target[256];
    snprintf(path, sizeof path, "hwmon/hwmon%u", number);
    mkdir(cl_folder_path(path), 0755);
    mkdir(cl_folder_path(pci), 0755);
    snprintf(device, sizeof device, "%s/device", path);
    snprintf(target, sizeof target, "%s", cl_folder_path(pci));
    ck_assert_int_eq(symlink(target, cl_folder_path(device)), 0);
    snprintf(device, sizeof device, "%s/name", path);
    write_file(device, "%s\n", driver);
    snprintf(device, sizeof device, "%s/%s", path, file);
    write_file(device, "%.0f\n", value);
}

static struct cx_power_meter *make_meter(void)
{
    struct cx_power_meter *meter = cx_power_meter_create(test_clock);
    ck_assert_ptr_nonnull(meter);
    return meter;
}

static const char energy[] = "powercap/intel-rapl:0/energy_uj";

/* ---- RAPL ---- */

START_TEST(packages_alone_are_found)
{
    make_domain("intel-rapl:0", "package-0", 1e6, 262e9);
    make_domain("intel-rapl:0:0", "core", 1e6, 262e9);
    make_domain("intel-rapl:0:1", "dram", 1e6, 262e9);
    make_domain("intel-rapl:1", "package-1", 1e6, 262e9);
    make_domain("intel-rapl:2", "psys", 1e6, 262e9);
    make_domain("intel-rapl-mmio:0", "package-0", 1e6, 262e9);
    make_domain("intel-rapl:10", "package-10", 1e6, 262e9);
    struct cx_power_meter *meter = make_meter();
    ck_assert_uint_eq(meter->sources.n, 3);
    ck_assert_uint_eq(meter->sources.nnotes, 0);
    ck_assert_str_eq(meter->sources.source[0].name, "package-0");
    ck_assert_str_eq(meter->sources.source[1].name, "package-1");
    ck_assert_str_eq(meter->sources.source[2].name, "package-10");
    ck_assert(meter->sources.source[0].part == CX_POWER_PACKAGE);
    ck_assert_ptr_null(cx_power_source_of(&meter->sources, "", NULL));
    cx_power_meter_destroy(meter);
}
END_TEST

/* 80 W for two seconds, across the counter's end; right to a step of a millisecond. */
START_TEST(counters_wrap)
{
    const double range = 65532610987.0;
    struct cx_power_mark from, to;
    make_domain("intel-rapl:0", "package-0", range - 100e6, range);
    struct cx_power_meter *meter = make_meter();
    cx_power_meter_mark(meter, &from);
    for (int i = 1; i <= 40; i++) {
        now = 0.05 * i;
        write_file(energy, "%.0f\n", fmod(range - 100e6 + 80e6 * now, range));
        cx_power_meter_sample(meter);
    }
    cx_power_meter_mark(meter, &to);
    const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    ck_assert_int_eq(figure.lack, CX_POWER_KNOWN);
    ck_assert_double_eq_tol(figure.joules, 160, 1e-3);
    ck_assert_double_eq_tol(figure.watts, 80, 1e-3);
    ck_assert_double_eq_tol(figure.error, 0.08, 1e-3);
    ck_assert_double_eq_tol(meter->track[0].watts, 80, 1e-3);
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(short_windows_have_no_figure)
{
    struct cx_power_mark from, to;
    make_domain("intel-rapl:0", "package-0", 1e6, 262e9);
    struct cx_power_meter *meter = make_meter();
    cx_power_meter_mark(meter, &from);
    now = 9e-3;
    write_file(energy, "%.0f\n", 2e6);
    cx_power_meter_mark(meter, &to);
    struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    ck_assert_int_eq(figure.lack, CX_POWER_TOO_SHORT);
    ck_assert_double_eq(figure.joules, 0);
    ck_assert_str_eq(cx_power_lack_text(figure.lack), "too short for a figure");
    now = 11e-3;
    cx_power_meter_mark(meter, &to);
    figure = cx_power_meter_between(meter, &from, &to, 0);
    ck_assert_int_eq(figure.lack, CX_POWER_KNOWN);
    ck_assert_double_eq_tol(figure.joules, 1, 1e-9);
    cx_power_meter_destroy(meter);
}
END_TEST

/* The driver is removed while the program runs: no figure, and no reading of it again. */
START_TEST(files_vanish)
{
    struct cx_power_mark from, to;
    make_domain("intel-rapl:0", "package-0", 1e6, 262e9);
    make_hwmon(3, "amdgpu", "0000:03:00.0", "power1_average", 30e6);
    struct cx_power_meter *meter = make_meter();
    cx_power_meter_mark(meter, &from);
    now = 1;
    unlink(cl_folder_path(energy));
    unlink(cl_folder_path("hwmon/hwmon3/power1_average"));
    cx_power_meter_sample(meter);
    now = 20;
    write_file(energy, "%.0f\n", 5e6);
    cx_power_meter_mark(meter, &to);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_int_eq(cx_power_meter_between(meter, &from, &to, i).lack, CX_POWER_LOST);
    cx_power_meter_destroy(meter);
}
END_TEST

/* A counter that goes back where it has no end was made anew. */
START_TEST(counters_that_begin_anew)
{
    struct cx_power_mark from, to;
    make_domain("intel-rapl:0", "package-0", 9e6, 0);
    struct cx_power_meter *meter = make_meter();
    cx_power_meter_mark(meter, &from);
    now = 1;
    write_file(energy, "%.0f\n", 1e6);
    cx_power_meter_mark(meter, &to);
    ck_assert_int_eq(cx_power_meter_between(meter, &from, &to, 0).lack, CX_POWER_LOST);
    cx_power_meter_destroy(meter);
}
END_TEST

/* As users find it since Linux 5.10: said once for all packages, with the remedy. */
START_TEST(what_only_root_reads)
{
    make_domain("intel-rapl:0", "package-0", 1e6, 262e9);
    make_domain("intel-rapl:1", "package-1", 1e6, 262e9);
    chmod(cl_folder_path(energy), 0);
    chmod(cl_folder_path("powercap/intel-rapl:1/energy_uj"), 0);
    chmod(cl_folder_path(""), 0755);
    const uid_t before = geteuid();
    if (before == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    struct cx_power_meter *meter = make_meter();
    if (before == 0)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_uint_eq(meter->sources.n, 0);
    ck_assert_uint_eq(meter->sources.nnotes, 1);
    ck_assert_ptr_nonnull(strstr(meter->sources.note[0], "Permission denied"));
    ck_assert_ptr_nonnull(strstr(meter->sources.note[0], "chmod a+r /sys/class/powercap/*/energy_uj"));
    cx_power_meter_destroy(meter);
}
END_TEST

/* Every file there, and none of them sense. */
START_TEST(nonsense_in_files)
{
    static const char *const texts[] = {"", "-5\n", "nan\n", "inf\n", "12 apples\n", "\n"};
    make_domain("intel-rapl:0", "package-0", 1e6, 262e9);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(energy, "%s", texts[i]);
        struct cx_power_meter *meter = make_meter();
        ck_assert_uint_eq(meter->sources.n, 0);
        ck_assert_uint_eq(meter->sources.nnotes, 1);
        cx_power_meter_destroy(meter);
    }
}
END_TEST

/* ---- hwmon ---- */

START_TEST(gpus_of_hwmon)
{
    make_hwmon(0, "coretemp", "platform", "temp1_input", 40e3);
    make_hwmon(1, "i915", "0000:00:02.0", "energy1_input", 1e6);
    make_hwmon(2, "amdgpu", "0000:03:00.0", "power1_average", 30e6);
    make_hwmon(10, "xe", "0000:0a:00.0", "energy2_input", 1e6);
    make_hwmon(11, "amdgpu", "0000:0b:00.0", "temp1_input", 40e3);
    struct cx_power_meter *meter = make_meter();
    ck_assert_uint_eq(meter->sources.n, 3);
    const struct cx_power_source *amd = cx_power_source_of(&meter->sources, "0000:03:00.0", NULL),
                                 *xe = cx_power_source_of(&meter->sources, "0000:0A:00.0", NULL);
    ck_assert_ptr_eq(amd, &meter->sources.source[1]);
    ck_assert_ptr_eq(xe, &meter->sources.source[2]);
    ck_assert(amd->gauges && !amd->counts && xe->counts && !xe->gauges);
    ck_assert_str_eq(amd->name, "amdgpu 0000:03:00.0");
    ck_assert_ptr_null(cx_power_source_of(&meter->sources, "0000:04:00.0", NULL));
    cx_power_meter_destroy(meter);
}
END_TEST

/* 30 W for 10 s, then 200 W for 20 s, sampled every 100 ms. */
START_TEST(powers_are_integrated)
{
    struct cx_power_mark from, to;
    make_hwmon(2, "amdgpu", "0000:03:00.0", "power1_average", 30e6);
    struct cx_power_meter *meter = make_meter();
    cx_power_meter_mark(meter, &from);
    for (int i = 1; i <= 300; i++) {
        now = 0.1 * i;
        if (i == 101)
            write_file("hwmon/hwmon2/power1_average", "%.0f\n", 200e6);
        cx_power_meter_sample(meter);
    }
    cx_power_meter_mark(meter, &to);
    const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    ck_assert_int_eq(figure.lack, CX_POWER_KNOWN);
    ck_assert_double_eq_tol(figure.joules, 30 * 10 + 200 * 20, 10);
    ck_assert_double_eq_tol(figure.error, 200 + 85, 1); /* a second at an end; the change within a second */
    cx_power_meter_destroy(meter);
}
END_TEST

/* ---- NVML ---- */

static struct fake_nvml *fake;

/* With these powers, as FAKE_NVML_POWER has them. */
static struct cx_power_meter *make_nvml(const char *powers)
{
    set_environment("COEXEC_LIBNVML", FAKE_NVML, "FAKE_NVML_POWER", powers, NULL);
    void *library = dlopen(FAKE_NVML, RTLD_NOW);
    ck_assert_ptr_nonnull(library);
    fake = dlsym(library, "fake_nvml");
    ck_assert_ptr_nonnull(fake);
    fake->clock = test_clock;
    fake->wait = test_wait;
    struct cx_power_meter *meter = make_meter();
    fake->counter_calls = 0;
    return meter;
}

/* Samples every 45 ms until then. */
static void sample_until(struct cx_power_meter *meter, double until)
{
    while (now + 0.045 < until) {
        now += 0.045;
        cx_power_meter_sample(meter);
    }
    now = until;
}

/* Two calls of the counter, however many samples; the figure is within its error, whatever the window. */
START_TEST(counters_of_gpus_are_read_at_the_ends)
{
    struct cx_power_mark from, to;
    struct cx_power_meter *meter = make_nvml("0.7:694,3.7:126");
    ck_assert_uint_eq(meter->sources.n, 1);
    ck_assert_str_eq(meter->sources.source[0].name, "Fake H100 0");
    now = 0.53;
    cx_power_meter_mark(meter, &from);
    const double began = now;
    sample_until(meter, 5.03);
    ck_assert_double_eq_tol(meter->track[0].watts, 126, 1);
    ck_assert_double_eq_tol(meter->track[0].most, 694, 1);
    cx_power_meter_mark(meter, &to);
    ck_assert_uint_eq(fake->counter_calls, 2);
    const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    const double truth = 122 * (0.7 - began) + 694 * 3 + 126 * (now - 3.7);
    ck_assert_int_eq(figure.lack, CX_POWER_KNOWN);
    ck_assert_double_eq_tol(figure.joules, truth, 0.02 * truth);
    ck_assert_double_le(fabs(figure.joules - truth), figure.error);
    ck_assert_double_eq_tol(figure.error, 694 * 0.104, 1);
    cx_power_meter_destroy(meter);
}
END_TEST

/* Windows of any length at any moment: never wrong by more than is told, none below a second. */
START_TEST(errors_are_bounds)
{
    struct cx_power_meter *meter = make_nvml("0.7:694,1.9:300,2.6:694,3.7:126,5:694,5.1:122,6:694,9:122");
    for (int round = 0; round < 100; round++) {
        struct cx_power_mark from, to;
        double begin, length = 0.5 + 0.04 * round;
        now = 0.037 * round;
        /* counters go on by themselves: one from before is no window's */
        memset(meter->track, 0, sizeof meter->track);
        cx_power_meter_mark(meter, &from);
        begin = now;
        sample_until(meter, begin + length);
        cx_power_meter_mark(meter, &to);
        const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
        ck_assert_int_eq(figure.lack, length < 0.99 ? CX_POWER_TOO_SHORT : CX_POWER_KNOWN);
        static const double at[] = {0, 0.7, 1.9, 2.6, 3.7, 5, 5.1, 6, 9, 99},
                            watts[] = {122, 694, 300, 694, 126, 694, 122, 694, 122};
        double truth = 0;
        for (int i = 0; i < 9; i++)
            truth += watts[i] * fmax(0, fmin(now, at[i + 1]) - fmax(begin, at[i]));
        if (figure.lack == CX_POWER_KNOWN)
            ck_assert_msg(fabs(figure.joules - truth) <= figure.error + 1e-3, "%g J, not %g, with error %g",
                          figure.joules, truth, figure.error);
    }
    cx_power_meter_destroy(meter);
}
END_TEST

/* GPUs without a counter: the instantaneous power is integrated; without that the mean, for long windows. */
START_TEST(gpus_without_a_counter)
{
    struct cx_power_mark from, to;
    set_environment("FAKE_NVML_NO_COUNTER", "1", NULL);
    struct cx_power_meter *meter = make_nvml("0.7:694,3.7:126");
    cx_power_meter_mark(meter, &from);
    sample_until(meter, 5);
    cx_power_meter_mark(meter, &to);
    const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    const double truth = 122 * 0.7 + 694 * 3 + 126 * 1.3;
    ck_assert_int_eq(figure.lack, CX_POWER_KNOWN);
    ck_assert_double_le(fabs(figure.joules - truth), figure.error);
    ck_assert_double_eq_tol(figure.joules, truth, 0.05 * truth);
    ck_assert_uint_eq(fake->counter_calls, 0);
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(gpus_that_tell_a_mean_only)
{
    struct cx_power_mark from, to;
    set_environment("FAKE_NVML_NO_COUNTER", "1", "FAKE_NVML_NO_FIELD", "1", NULL);
    struct cx_power_meter *meter = make_nvml("0.7:694,13.7:126");
    cx_power_meter_mark(meter, &from);
    sample_until(meter, 5);
    cx_power_meter_mark(meter, &to);
    ck_assert_int_eq(cx_power_meter_between(meter, &from, &to, 0).lack, CX_POWER_TOO_SHORT);
    sample_until(meter, 15);
    cx_power_meter_mark(meter, &to);
    const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, 0);
    ck_assert_double_le(fabs(figure.joules - (122 * 0.7 + 694 * 13 + 126 * 1.3)), figure.error);
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(gpus_are_matched)
{
    const uint8_t uuid[] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                            0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x02};
    set_environment("FAKE_NVML_DEVICES", "4", NULL);
    struct cx_power_meter *meter = make_nvml("");
    ck_assert_uint_eq(meter->sources.n, 4);
    ck_assert_ptr_eq(cx_power_source_of(&meter->sources, NULL, uuid), &meter->sources.source[2]);
    ck_assert_ptr_eq(cx_power_source_of(&meter->sources, "0000:04:00.0", NULL), &meter->sources.source[3]);
    ck_assert_ptr_null(cx_power_source_of(&meter->sources, "0000:05:00.0", NULL));
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(a_gpu_is_lost)
{
    struct cx_power_mark from, to;
    set_environment("FAKE_NVML_LOST", "2", NULL);
    struct cx_power_meter *meter = make_nvml("");
    cx_power_meter_mark(meter, &from);
    sample_until(meter, 3);
    cx_power_meter_mark(meter, &to);
    ck_assert_int_eq(cx_power_meter_between(meter, &from, &to, 0).lack, CX_POWER_LOST);
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(a_library_that_does_not_start)
{
    set_environment("FAKE_NVML_INIT", "9", NULL);
    struct cx_power_meter *meter = make_nvml("");
    ck_assert_uint_eq(meter->sources.n, 0);
    ck_assert_uint_eq(meter->sources.nnotes, 1);
    ck_assert_ptr_nonnull(strstr(meter->sources.note[0], "cannot be initialised: error 9"));
    cx_power_meter_destroy(meter);
}
END_TEST

START_TEST(a_machine_with_nothing)
{
    struct cx_power_mark from;
    set_environment("COEXEC_POWERCAP", "/nonexistent", "COEXEC_HWMON", "/nonexistent", NULL);
    struct cx_power_meter *meter = make_meter();
    ck_assert_uint_eq(meter->sources.n + meter->sources.nnotes, 0);
    cx_power_meter_sample(meter);
    cx_power_meter_mark(meter, &from);
    cx_power_meter_destroy(meter);
    cx_power_meter_destroy(NULL);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, begin, end);
    suite_add_tcase(suite, tcase);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("power");
    TCase *tcase = add_case(suite, "rapl");
    tcase_add_test(tcase, packages_alone_are_found);
    tcase_add_test(tcase, counters_wrap);
    tcase_add_test(tcase, short_windows_have_no_figure);
    tcase_add_test(tcase, files_vanish);
    tcase_add_test(tcase, counters_that_begin_anew);
    tcase_add_test(tcase, what_only_root_reads);
    tcase_add_test(tcase, nonsense_in_files);
    tcase = add_case(suite, "hwmon");
    tcase_add_test(tcase, gpus_of_hwmon);
    tcase_add_test(tcase, powers_are_integrated);
    tcase_add_test(tcase, a_machine_with_nothing);
    tcase = add_case(suite, "nvml");
    tcase_add_test(tcase, counters_of_gpus_are_read_at_the_ends);
    tcase_add_test(tcase, errors_are_bounds);
    tcase_add_test(tcase, gpus_without_a_counter);
    tcase_add_test(tcase, gpus_that_tell_a_mean_only);
    tcase_add_test(tcase, gpus_are_matched);
    tcase_add_test(tcase, a_gpu_is_lost);
    tcase_add_test(tcase, a_library_that_does_not_start);
    return tap_run(suite);
}

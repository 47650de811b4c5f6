/* SPDX-License-Identifier: MIT */
/*
 * What a process learned is where the next one begins, on two stub devices: its first launch is shared by the
 * speeds that were measured before, whatever the devices say of themselves; and one that is not what it was
 * misleads for one launch. Processes follow each other in a cache of the case's own. What is asked is who did
 * how much, not how long that took.
 */
#include "begin_fixture.h"
#include "cl_fixture.h"
#include "cl_folder.h"
#include "file.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Launches of a process that learns. */
enum { FORMER = 30 };

/* Of the process under way, for its parent, too. */
static struct about {
    const char *speeds; /* of both devices, work-groups a microsecond */
    double ratio;       /* ... of the first to the second */
    unsigned launches;
    bool prepares; /* something else between making the kernel and the first launch */
    double worst;  /* of the last launch: the time of the device that had most to do, of the ideal's */
    bool shared;
} *about;

static void set_up(void)
{
    about = mmap(NULL, sizeof(*about), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(about, MAP_FAILED);
    begin_keep_analysis();
}

static void tear_down(void)
{
    cl_folder_remove();
    munmap(about, sizeof(*about));
}

/* Something else between making kernels and the first launch. The first kernel may be made before the base
 * has been read. */
static void prepare(void)
{
    usleep(100000);
    cl_ok(clReleaseKernel(cl_kernel_in(begin.program, begin.name)));
    for (unsigned ms = 0; ms < 20000 && !begin_is_open(1); ms++)
        usleep(1000);
    usleep(200000); /* what follows the opening's first call */
}

/* Launches, and asks who did how much of the last one. */
static void run(void)
{
    unsigned kernels;
    begin_open(about->speeds);
    if (about->prepares)
        prepare();
    begin_launch_each(about->launches - 1, N);
    const double before[] = {(double)begin_did(0, &kernels), (double)begin_did(1, &kernels)};
    begin_launch_each(1, N);
    const double first = (double)begin_did(0, &kernels) - before[0],
                 second = (double)begin_did(1, &kernels) - before[1];
    const double twice = fmax(first + second - N, 0); /* by one, of what the other still held */
    const double longest =
        fmin(fmax((first - twice) / about->ratio, second), fmax(first / about->ratio, second - twice));
    about->worst = longest / (N / (about->ratio + 1));
    about->shared = second > 0;
    begin_end(N);
}

/* A process of so many launches; gives `worst` of the last one. */
static double worst_of(const char *speeds, double ratio, unsigned launches)
{
    about->speeds = speeds;
    about->ratio = ratio;
    about->launches = launches;
    begin_in_a_process(run);
    return about->worst;
}

/* The others are opened before there is a launch. What a machine that is busy adds to the launches of the
 * former process counts the less, the longer they are: where the first launch of the second process is not
 * shared as it should be, it is asked of longer ones, in a cache of their own. */
static void expect_second_process(double ratio)
{
    double worst = 0;
    char speeds[64];
    for (double speed = 0.06; speed > 0.003 && (worst > 1.05 || !about->shared); speed /= 4) {
        cl_folder_remove();
        begin_keep_analysis();
        snprintf(speeds, sizeof(speeds), "%g,%g", speed, speed / ratio);
        about->prepares = false;
        worst_of(speeds, ratio, FORMER);
        about->prepares = true;
        worst = worst_of(speeds, ratio, 1);
    }
    ck_assert_msg(about->shared && worst <= 1.05, "%s: %g", speeds, worst);
}

START_TEST(first_launch_is_shared)
{
    expect_second_process(1);
}
END_TEST

/* They say that they are equally fast. */
START_TEST(unlike_ones_share_by_speed)
{
    setenv("STUB_NAMES", "one,other", 1);
    expect_second_process(4);
}
END_TEST

/* What was four times as fast as the other is now a fourth as fast. Shares as before would take four times
 * the ideal's time, and the first device alone five times: the second launch is better than that. */
START_TEST(misleads_once)
{
    setenv("STUB_NAMES", "one,other", 1);
    worst_of("0.02,0.005", 4, FORMER);
    about->prepares = true;
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    const double worst = worst_of("0.02,0.08", 0.25, 2);
    ck_assert_msg(worst <= 3, "%g", worst);
}
END_TEST

/* The other one of two that are alike was disturbed all the time of the former process, which says nothing.
 */
START_TEST(like_ones_share_alike)
{
    worst_of("0.02,0.0025", 8, FORMER);
    about->prepares = true;
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    const double worst = worst_of("0.02,0.02", 1, 1);
    ck_assert_msg(about->shared && worst <= 1.3, "%g", worst);
}
END_TEST

/* What the last line of the log with "whole ... ms" says; -1: there is none. */
static double last_whole(void)
{
    char *log = file_read(cl_folder_path("plan"), NULL);
    double whole = -1;
    for (const char *at = log; at && (at = strstr(at, "stub_settle: whole ")); at++)
        whole = strtod(at + strlen("stub_settle: whole "), NULL);
    free(log);
    return whole;
}

static bool is_corrected(int unused)
{
    (void)unused;
    unlink(cl_folder_path("plan"));
    worst_of("8,8", 1, 1);
    const double before = last_whole();
    unlink(cl_folder_path("plan"));
    worst_of("8,8", 1, 8); /* a split is settled once the slower device is done, too */
    const double after = last_whole();
    printf("# %g ms, %g ms\n", before, after);
    return before > 40 && after > 0 && after < before / 2;
}

/* Launches that take a hundredth of what they did are known to once one was split. */
START_TEST(lengths_are_corrected_by_splits)
{
    worst_of("0.08,0.08", 1, FORMER);
    about->prepares = true;
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    setenv("COEXEC_LOG", "plan:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("plan"), 1);
    ck_assert(cl_in_some_try(is_corrected, 0));
}
END_TEST

static bool has_files(void)
{
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s/knowledge/new.*", cl_folder_path("cache"));
    const bool any = glob(pattern, 0, NULL, &found) == 0;
    if (any)
        globfree(&found);
    return any;
}

START_TEST(nothing_is_kept_where_it_is_not_wanted)
{
    setenv("COEXEC_KNOWLEDGE", "0", 1);
    worst_of("0.08,0.08", 1, FORMER);
    ck_assert(!has_files());
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    worst_of("0.08,0.08", 1, FORMER);
    ck_assert(!has_files());
    setenv("COEXEC_KNOWLEDGE", "auto", 1);
    setenv("COEXEC_REPRODUCIBLE", "1", 1);
    worst_of("0.08,0.08", 1, FORMER);
    ck_assert(!has_files());
    unsetenv("COEXEC_REPRODUCIBLE");
    worst_of("0.08,0.08", 1, FORMER);
    ck_assert(has_files());
}
END_TEST

/* Neither names nor texts: of the kernel's name only, which people are shown. */
START_TEST(texts_are_not_kept)
{
    worst_of("0.08,0.08", 1, FORMER);
    ck_assert(has_files());
    char command[256];
    snprintf(command, sizeof(command), "! grep -rqE 'get_global_id|__kernel|%s' '%s/knowledge'", STUB_KERNELS,
             cl_folder_path("cache"));
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("knowledge");
    TCase *tcase = tcase_create("knowledge");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, first_launch_is_shared);
    tcase_add_test(tcase, unlike_ones_share_by_speed);
    tcase_add_test(tcase, misleads_once);
    tcase_add_test(tcase, like_ones_share_alike);
    tcase_add_test(tcase, lengths_are_corrected_by_splits);
    tcase_add_test(tcase, nothing_is_kept_where_it_is_not_wanted);
    tcase_add_test(tcase, texts_are_not_kept);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

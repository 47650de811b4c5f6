/* SPDX-License-Identifier: MIT */
/*
 * What a process learned is where the next one begins, on two stub devices: its first launch is shared by the
 * speeds that were measured before, whatever the devices say of themselves; and one that is not what it was
 * misleads for some launches at most. Processes follow each other in a cache of the case's own. What is asked
 * is what the later one knew and who did how much, not how long that took; and, as a busy machine may keep a
 * device from doing its part, of some try among several.
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

enum {
    LEARNED = 10,      /* launches that both shared, of a process that learns */
    LEARNED_IN = 1000, /* ... in so many launches at most */
    GAINED = 25,       /* the same beside a device that is ten times as fast */
    GAINED_IN = 150,
    CORRECTED_IN = 60, /* launches in which what misleads is found out, at most */
};

/* Of the process under way, for its parent, too. */
static struct about {
    const char *speeds;   /* of both devices, work-groups a microsecond */
    double ratio;         /* ... of the first to the second */
    bool prepares;        /* something else between making the kernel and the first launch */
    double worst;         /* of a launch: the time of the device that had most to do, of the ideal's */
    double first, second; /* work-items of a launch that each did */
    bool corrected;       /* the second one did more of a launch than the first */
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
    for (unsigned ms = 0; ms < 20000 && cl_lines_with(cl_folder_path("plan"), ": built for ") < 1; ms++)
        usleep(1000);
    usleep(200000); /* what follows the second build */
}

static void begin_process(void)
{
    begin_open(about->speeds);
    if (about->prepares)
        prepare();
}

/* Launches, and asks who did how much. */
static void launch_once(void)
{
    unsigned kernels;
    const double before[] = {(double)begin_did(0, &kernels), (double)begin_did(1, &kernels)};
    begin_launch_each(1, N);
    const double first = (double)begin_did(0, &kernels) - before[0],
                 second = (double)begin_did(1, &kernels) - before[1];
    const double twice = fmax(first + second - N, 0); /* by one, of what the other still held */
    const double longest =
        fmin(fmax((first - twice) / about->ratio, second), fmax(first / about->ratio, second - twice));
    about->worst = longest / (N / (about->ratio + 1));
    about->first = first;
    about->second = second;
}

static void launch_first(void)
{
    begin_process();
    launch_once();
    begin_end(N);
}

static void launch_until_learned(void)
{
    begin_process();
    for (unsigned i = 0, shared = 0; i < LEARNED_IN && shared < LEARNED; i++) {
        launch_once();
        shared += about->second > 0;
    }
    begin_end(N);
}

/* A tenth is all that splits could save: many save as much as opening a device may cost. */
static void launch_until_gained(void)
{
    begin_process();
    for (unsigned i = 0, shared = 0; i < GAINED_IN && shared < GAINED; i++) {
        launch_once();
        shared += about->second > N / 20.;
    }
    begin_end(N);
}

static void launch_until_corrected(void)
{
    begin_process();
    for (unsigned i = 0; i < CORRECTED_IN && !about->corrected; i++) {
        launch_once();
        about->corrected = about->second > about->first;
    }
    begin_end(N);
}

static void in_a_process(void (*act)(void), const char *speeds, double ratio)
{
    about->speeds = speeds;
    about->ratio = ratio;
    unlink(cl_folder_path("plan"));
    begin_in_a_process(act);
}

/* What processes learn, in a cache of its own. */
static void learn(const char *speeds, double ratio)
{
    cl_folder_remove();
    begin_keep_analysis();
    about->prepares = false;
    unsetenv("COEXEC_KNOWLEDGE");
    in_a_process(launch_until_learned, speeds, ratio);
    about->prepares = true;
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    setenv("COEXEC_LOG", "plan:debug,program:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("plan"), 1);
}

/* What the last line of the log with these words says behind them; -1: there is none. */
static double last_number(const char *words)
{
    char *log = file_read(cl_folder_path("plan"), NULL);
    double number = -1;
    for (const char *at = log; at && (at = strstr(at, words)); at += strlen(words))
        number = strtod(at + strlen(words), NULL);
    free(log);
    return number;
}

/* The ratio of the first device's speed to the second's that the last process knew; not above 0: none. */
static double known_ratio(void)
{
    return last_number("known: member 0 does ") / last_number("known: member 1 does ");
}

/* A first launch is shared by known speeds of that ratio. */
static bool first_is_shared(const char *learned, double learned_ratio, const char *speeds, double ratio)
{
    learn(learned, learned_ratio);
    in_a_process(launch_first, speeds, ratio);
    printf("# speeds of %g to 1 are known; the first launch took %g of the ideal\n", known_ratio(),
           about->worst);
    return known_ratio() > ratio / 2 && known_ratio() < ratio * 2 && about->second > 0 && about->worst <= 1.3;
}

static bool like_ones(int unused)
{
    (void)unused;
    return first_is_shared("0.02,0.02", 1, "0.02,0.02", 1);
}

START_TEST(first_launch_is_shared)
{
    ck_assert(cl_in_some_try(like_ones, 0));
}
END_TEST

static bool unlike_ones(int unused)
{
    (void)unused;
    return first_is_shared("0.02,0.005", 4, "0.02,0.005", 4);
}

/* They say that they are equally fast. */
START_TEST(unlike_ones_share_by_speed)
{
    setenv("STUB_NAMES", "one,other", 1);
    ck_assert(cl_in_some_try(unlike_ones, 0));
}
END_TEST

static bool is_found_out(int unused)
{
    (void)unused;
    learn("0.02,0.005", 4);
    about->corrected = false;
    in_a_process(launch_until_corrected, "0.02,0.08", 0.25);
    return known_ratio() > 1 && about->corrected;
}

/* What was four times as fast as the other is now a fourth as fast. */
START_TEST(misleads_for_some_launches)
{
    setenv("STUB_NAMES", "one,other", 1);
    ck_assert(cl_in_some_try(is_found_out, 0));
}
END_TEST

static bool disturbed_ones(int unused)
{
    (void)unused;
    return first_is_shared("0.02,0.008", 2.5, "0.02,0.02", 1) && known_ratio() == 1;
}

/* The other one of two that are alike was disturbed all the time of the former process, which says nothing.
 */
START_TEST(like_ones_share_alike)
{
    ck_assert(cl_in_some_try(disturbed_ones, 0));
}
END_TEST

static void launch_once_only(void)
{
    begin_process();
    begin_launch_each(1, N);
    begin_end(N);
}

static void launch_until_split(void)
{
    unsigned kernels;
    begin_process();
    for (unsigned i = 0; i < CORRECTED_IN && begin_did(1, &kernels) == 0; i++)
        begin_launch_each(1, N);
    begin_launch_each(8, N); /* a split is settled once the slower device is done, too */
    begin_end(N);
}

static bool is_corrected(int unused)
{
    (void)unused;
    learn("0.02,0.02", 1);
    in_a_process(launch_once_only, "8,8", 1);
    const double before = last_number("stub_settle: whole ");
    unlink(cl_folder_path("timeline"));
    in_a_process(launch_until_split, "8,8", 1);
    const double after = last_number("stub_settle: whole ");
    printf("# %g ms, %g ms\n", before, after);
    return before > 40 && after > 0 && after < before / 2;
}

/* Launches that take a hundredth of what they did are known to once one was split. */
START_TEST(lengths_are_corrected_by_splits)
{
    ck_assert(cl_in_some_try(is_corrected, 0));
}
END_TEST

/* The first launch that both share. */
static void launch_until_shared(void)
{
    begin_process();
    about->second = 0;
    for (unsigned i = 0; i < CORRECTED_IN && about->second == 0; i++)
        launch_once();
    begin_end(N);
}

static bool static_shares(int unused)
{
    (void)unused;
    unsetenv("COEXEC_ALGO");
    learn("0.02,0.005", 4);
    setenv("COEXEC_ALGO", "static", 1);
    in_a_process(launch_until_shared, "0.02,0.005", 4);
    const double shares = about->first / about->second;
    printf("# speeds of %g to 1 are known, and shares of %g to 1 given\n", known_ratio(), shares);
    return known_ratio() > 2 && shares > known_ratio() / 1.1 && shares < known_ratio() * 1.1;
}

/* By the speeds that another balancer measured. */
/* A CPU in place, by its driver a tenth as fast as the GPU beside it, and so it is. */
static bool slow_one_takes_part(int unused)
{
    (void)unused;
    cl_folder_remove();
    begin_keep_analysis();
    about->prepares = false;
    in_a_process(launch_until_gained, "0.02,0.002", 10);
    in_a_process(launch_first, "0.02,0.002", 10);
    printf("# the CPU did %g of the first launch\n", about->second / N);
    return about->second > 0;
}

/* Nothing waits for it: the launch begins on the GPU, and what is left of it is shared once the CPU is open
 * and its program built. */
START_TEST(slow_one_takes_part_at_once)
{
    setenv("STUB_TYPE", "gpu,cpu", 1);
    setenv("STUB_NAMES", "one,other", 1);
    setenv("STUB_UNITS", "10,8", 1);
    setenv("STUB_IN_PLACE", "0,1", 1);
    set_variable("queues", "one");
    ck_assert(cl_in_some_try(slow_one_takes_part, 0));
}
END_TEST

START_TEST(static_shares_by_speed)
{
    setenv("STUB_NAMES", "one,other", 1);
    ck_assert(cl_in_some_try(static_shares, 0));
}
END_TEST

/* What the second process begins with: launches that told whether they are regular, and devices of which
 * throughputs are known. */
static bool knows(const char *algo, bool launches, unsigned devices)
{
    setenv("COEXEC_ALGO", algo, 1);
    learn("0.02,0.02", 1);
    in_a_process(launch_first, "0.02,0.02", 1);
    printf("# %s: %g launches, %g devices\n", algo, last_number("policies start from "),
           last_number("throughputs of "));
    return (last_number("policies start from ") > 0) == launches && last_number("throughputs of ") == devices;
}

static bool sigmoid_knows(int unused)
{
    (void)unused;
    return knows("sigmoid", true, 0);
}

START_TEST(sigmoid_knows_whether_it_is_regular)
{
    ck_assert(cl_in_some_try(sigmoid_knows, 0));
}
END_TEST

static bool logfit_knows(int unused)
{
    (void)unused;
    return knows("logfit", false, 2);
}

START_TEST(logfit_knows_its_samples)
{
    ck_assert(cl_in_some_try(logfit_knows, 0));
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
    in_a_process(launch_until_learned, "0.08,0.08", 1);
    ck_assert(!has_files());
    setenv("COEXEC_KNOWLEDGE", "read", 1);
    in_a_process(launch_until_learned, "0.08,0.08", 1);
    ck_assert(!has_files());
    setenv("COEXEC_KNOWLEDGE", "auto", 1);
    setenv("COEXEC_REPRODUCIBLE", "1", 1);
    in_a_process(launch_until_learned, "0.08,0.08", 1);
    ck_assert(!has_files());
    unsetenv("COEXEC_REPRODUCIBLE");
    in_a_process(launch_until_learned, "0.08,0.08", 1);
    ck_assert(has_files());
}
END_TEST

/* Neither names nor texts: of the kernel's name only, which people are shown. */
START_TEST(texts_are_not_kept)
{
    in_a_process(launch_until_learned, "0.08,0.08", 1);
    ck_assert(has_files());
    char command[256];
    snprintf(command, sizeof(command), "! grep -rqE 'get_global_id|__kernel|%s' '%s/knowledge'", STUB_KERNELS,
             cl_folder_path("cache"));
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A launch of 0.4 s that a second device could halve, which takes as long to open. A busy machine may have it
 * last longer. */
static bool stays_closed(int unused)
{
    (void)unused;
    cl_folder_remove();
    begin_keep_analysis();
    about->prepares = false;
    setenv("STUB_HANG", "clCreateContext:2:400", 1);
    in_a_process(launch_until_shared, "0.01,0.01", 1);
    unlink(cl_folder_path("log"));
    in_a_process(launch_first, "0.01,0.01", 1);
    return !begin_is_open(1);
}

START_TEST(slow_opening_is_known)
{
    ck_assert(cl_in_some_try(stays_closed, 0));
}
END_TEST

enum { FEW = 15, MORE = 30, MANY = 120 };
static unsigned to_launch;

static void launch_some(void)
{
    begin_process();
    usleep(300000); /* the base is read beside the program */
    begin_launch_each(to_launch, N);
    begin_end(N);
}

/* So many launches of 20 ms, of which each could have been halved; whether the second device was opened. */
static bool opens_in(unsigned launches)
{
    unlink(cl_folder_path("log"));
    to_launch = launches;
    in_a_process(launch_some, "0.2,0.2", 1);
    return begin_is_open(1);
}

/* A second device would be opened for MORE of them, if former processes had not ended after FEW. */
static bool opens_later(int unused)
{
    (void)unused;
    cl_folder_remove();
    begin_keep_analysis();
    about->prepares = false;
    return !opens_in(FEW) && !opens_in(MORE) && opens_in(MANY);
}

START_TEST(short_processes_are_known)
{
    ck_assert(cl_in_some_try(opens_later, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("knowledge");
    TCase *tcase = tcase_create("knowledge");
    tcase_set_timeout(tcase, 400);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, first_launch_is_shared);
    tcase_add_test(tcase, unlike_ones_share_by_speed);
    tcase_add_test(tcase, misleads_for_some_launches);
    tcase_add_test(tcase, like_ones_share_alike);
    tcase_add_test(tcase, lengths_are_corrected_by_splits);
    tcase_add_test(tcase, slow_one_takes_part_at_once);
    tcase_add_test(tcase, static_shares_by_speed);
    tcase_add_test(tcase, sigmoid_knows_whether_it_is_regular);
    tcase_add_test(tcase, logfit_knows_its_samples);
    tcase_add_test(tcase, nothing_is_kept_where_it_is_not_wanted);
    tcase_add_test(tcase, texts_are_not_kept);
    tcase_add_test(tcase, slow_opening_is_known);
    tcase_add_test(tcase, short_processes_are_known);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

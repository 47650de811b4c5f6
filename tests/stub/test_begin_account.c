/* SPDX-License-Identifier: MIT */
/*
 * What the summary tells of the account of a program that begins on one of two stub GPUs: what the first
 * device earned, what splits, builds and opening the second took of it.
 */
#include "begin_fixture.h"
#include "cl_fixture.h"
#include "cl_folder.h"
#include "file.h"

/* A process of its own does it and ends; gives what its summary says. */
static const char *summary_of(void (*act)(void))
{
    static char *text;
    begin_keep_analysis();
    setenv("COEXEC_SUMMARY", "full", 1);
    setenv("COEXEC_SUMMARY_FILE", cl_folder_path("summary"), 1);
    begin_in_a_process(act);
    free(text);
    text = file_read(cl_folder_path("summary"), NULL);
    ck_assert_ptr_nonnull(text);
    cl_folder_remove();
    return text;
}

/* The number behind these words, or -1. */
static double number_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at ? strtod(at + strlen(words), NULL) : -1;
}

static void run_long_ones(void)
{
    begin_open("0.2");
    begin_launch_until_shared(N);
    begin_launch_each(40, N);
    begin_end(N);
}

/* The summary tells what the first device earned, what splits took of it and gained, and what was opened. */
START_TEST(summary_shows_the_account)
{
    const char *text = summary_of(run_long_ones);
    const double busy = number_behind(text, "account of device 0: busy "),
                 may = number_behind(text, "splits may lose "), lost = number_behind(text, "of that, lost "),
                 left = number_behind(text, "), left "), gained = number_behind(text, "; gained ");
    ck_assert_msg(busy >= 100 && may > 0, "%s", text); /* 60 launches of 20 ms, some shared */
    ck_assert_msg(may <= 0.0201 * busy && may >= 0.0199 * busy, "%s", text);
    ck_assert_msg(lost >= 0 && left >= 0 && gained > 0, "%s", text);
    ck_assert_msg(lost > may || (left <= may - lost + 0.002 && left >= may - lost - 0.002), "%s", text);
    ck_assert_msg(number_behind(text, "opened beside it: device 1 after ") > 0, "%s", text);
}
END_TEST

/* The program builds something while a build for the second device keeps its driver busy. */
static void run_building(size_t items)
{
    cl_program second;
    unsigned i = 0;
    setenv("STUB_HANG", "clBuildProgram:2:2000,clBuildProgram:3:200", 1);
    begin_open("0.2");
    for (; i < 500 && cl_lines_with(cl_folder_path("log"), "clBuildProgram") < 2; i++) {
        begin_launch(items);
        cl_ok(clFinish(cl.queue));
    }
    ck_assert_uint_lt(i, 500);
    second = cl_build_file(STUB_KERNELS);
    cl_ok(clReleaseProgram(second));
}

static void run_beside_a_build(void)
{
    run_building(N);
    begin_end(N);
}

/* What that may have taken is lost; the build of 0.2 s began within the two seconds that ours takes. */
START_TEST(builds_are_charged)
{
    const char *text = summary_of(run_beside_a_build);
    const double builds = number_behind(text, ", builds ");
    ck_assert_msg(builds >= 100, "%s", text);
    ck_assert_msg(number_behind(text, "of that, lost ") >= builds, "%s", text);
}
END_TEST

enum { SHORT = N / 4 }; /* too short for the second device's first use to be made good at once */

static void run_behind_a_build(void)
{
    unsigned kernels, i = 0;
    run_building(SHORT);
    for (; i < 700 && begin_did(1, &kernels) == 0; i++)
        begin_launch_each(1, SHORT);
    ck_assert_uint_lt(i, 700);
    begin_end(SHORT);
}

/* What was charged once does not keep launches whole for 50 times as long, where splits of them gain. */
START_TEST(charges_delay_no_gain)
{
    const char *text = summary_of(run_behind_a_build);
    const double lost = number_behind(text, "of that, lost "), may = number_behind(text, "splits may lose ");
    ck_assert_msg(lost >= 100 && may < lost, "%s", text); /* so the account was empty all the time */
    ck_assert_msg(number_behind(text, " (1 trials ") >= 0, "%s", text);
}
END_TEST

static void run_in_two_contexts(void)
{
    for (unsigned c = 0; c < 2; c++) {
        begin_open("0.2");
        begin_launch_each(8, N);
        begin_end(N);
    }
}

/* Both earn for one account. */
START_TEST(contexts_share_the_account)
{
    const char *text = summary_of(run_in_two_contexts), *first = strstr(text, "account of ");
    ck_assert_msg(first && !strstr(first + 1, "account of "), "%s", text);
    const double busy = number_behind(text, "account of device 0: busy "), /* the kernel's are both's */
        all = number_behind(strstr(text, "device 0  twin"), "busy ");
    ck_assert_msg(all > 0 && busy > 0.7 * all, "%s", text);
}
END_TEST

static void run_short_ones(void)
{
    begin_open("10");
    begin_launch(4096);
    begin_end(4096);
}

START_TEST(summary_shows_that_nothing_was_opened)
{
    const char *text = summary_of(run_short_ones);
    ck_assert_msg(number_behind(text, "splits may lose ") == 0, "%s", text);
    ck_assert_msg(strstr(text, "opened beside it: nothing\n") != NULL, "%s", text);
}
END_TEST

/* Where nothing is bounded, or there is nobody to share with, there is no account. */
START_TEST(summary_without_an_account)
{
    setenv(_i ? "STUB_DEVICES" : "COEXEC_BUDGET", "1", 1);
    const char *text = summary_of(run_short_ones);
    ck_assert_msg(strstr(text, "kernel stub_settle: 1 launches") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "account") == NULL, "%s", text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("begin_account");
    TCase *tcase = tcase_create("begin_account");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, summary_shows_the_account);
    tcase_add_test(tcase, builds_are_charged);
    tcase_add_test(tcase, charges_delay_no_gain);
    tcase_add_test(tcase, contexts_share_the_account);
    tcase_add_test(tcase, summary_shows_that_nothing_was_opened);
    tcase_add_loop_test(tcase, summary_without_an_account, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

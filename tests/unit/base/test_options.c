/* SPDX-License-Identifier: MIT */
/*
 * options.c and log.c: defaults, what each type accepts, the one line for a bad value, origins, the log's
 * levels. Every test runs in its own process, so each sees the environment read anew.
 */
#include "capture.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "scheduler/algo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cx_option_row *row_of(const char *name)
{
    const struct cx_option_row *rows;
    size_t count = cx_options_rows(&rows);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    ck_abort_msg("no option %s", name);
    return NULL;
}

START_TEST(defaults)
{
    const struct cx_option_row *rows;
    capture_start();
    const struct cx_options *options = cx_options_get();
    size_t count = cx_options_rows(&rows);
    ck_assert_str_eq(capture_end(), "");
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(rows[i].value, rows[i].fallback);
        ck_assert_str_eq(rows[i].origin, "default");
        ck_assert_int_eq(strncmp(rows[i].name, "COEXEC_", 7) == 0, strcmp(rows[i].class, "debug") != 0);
        ck_assert_uint_gt(strlen(rows[i].help), 0);
    }
    ck_assert_str_eq(options->algo->all.policy->name, "auto");
    ck_assert_str_eq(cx_options_algo_text(), "auto");
    ck_assert_str_eq(cx_options_old_names(), "");
    ck_assert_str_eq(options->vendors, "");
    ck_assert_str_eq(options->zero_copy, "1");
    ck_assert(!options->summary);
    ck_assert(fabs(options->algo->all.params.sigmoid_p - 0.05) < 1e-12);
}
END_TEST

START_TEST(good_values)
{
    set_environment("COEXEC_ALGO", "static;a=sigmoid:p=1", "COEXEC_FISSION", "3", "COEXEC_DEBUG",
                    "zero_copy=0,powers=1:2.5:.5,min_package=0:4", "COEXEC_VENDORS", "/a:/b",
                    "COEXEC_SUMMARY", "", "COEXEC_PINNED_MAX", "1.5G", NULL);
    capture_start();
    const struct cx_options *options = cx_options_get();
    ck_assert_str_eq(capture_end(), "");
    ck_assert_str_eq(cx_options_algo("b")->policy->name, "static");
    ck_assert_str_eq(cx_options_algo("a")->policy->name, "sigmoid");
    ck_assert(fabs(cx_options_algo("a")->params.sigmoid_p - 1) < 1e-12);
    ck_assert_str_eq(cx_options_algo_text(), "static;a=sigmoid:p=1");
    ck_assert_uint_eq(options->fission.cores, 3);
    ck_assert_str_eq(options->zero_copy, "0");
    ck_assert_uint_eq(options->pinned_max, UINT64_C(3) << 29);
    ck_assert_str_eq(options->powers, "1:2.5:.5");
    ck_assert_str_eq(options->vendors, "/a:/b");
    ck_assert_str_eq(row_of("COEXEC_ALGO")->origin, "environment");
    ck_assert_str_eq(row_of("COEXEC_SUMMARY")->origin, "default"); /* empty counts as not set */
}
END_TEST

#define BALANCERS "single, static, dynamic, hguided, adaptive, sigmoid, logfit, concord, hdss, marrow, auto"

static const struct {
    const char *name, *value, *line;
} bad[] = {
    {"COEXEC_ALGO", "foo", "no balancer 'foo'; accepted: " BALANCERS "; using auto"},
    {"COEXEC_ALGO", "static;k=stat", "no balancer 'stat'; accepted: " BALANCERS "; using auto"},
    {"COEXEC_ALGO", "sigmoid:p=2", "sigmoid:p=2; accepted: a number from 0 to 1; using auto"},
    {"COEXEC_SUMMARY", "yes", "not known; accepted: 0, 1, full; using 0"},
    {"COEXEC_FISSION", "-1",
     "neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"},
    {"COEXEC_FISSION", "1x",
     "neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"},
    {"COEXEC_FISSION", "99999999999999999999",
     "neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"},
    {"COEXEC_FISSION", "l0",
     "neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"},
    {"COEXEC_FISSION", "L2",
     "neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"},
    {"link", "0", "out of range; accepted: number above 0; using 10"},
    {"link", "nan", "not a number; accepted: number above 0; using 10"},
    {"link", "1e999", "not a number; accepted: number above 0; using 10"},
    {"COEXEC_BUDGET", "1.01", "out of range; accepted: number from 0 to 1; using 0.02"},
    {"powers", "1:0",
     "not a list of such numbers; accepted: positive numbers, one a used device, separated by :; using none"},
    {"min_package", "1::2",
     "not a list of such numbers; accepted: work-groups, one number for all or one a used device, separated "
     "by :; "
     "using 0"},
    {"zero_copy", "1:2",
     "not a list of such numbers; accepted: 0 or 1, one for all or one a device, separated by :; using 1"},
    {"powers", "1:-2",
     "not a list of such numbers; accepted: positive numbers, one a used device, separated by :; using "
     "none"},
};

/* Sizes in all their forms; `of` is the part of the machine's memory, or 0. */
static const struct {
    const char *text;
    uint64_t bytes;
    double of;
} sizes[] = {
    {"0", 0, 0},
    {"123456789012", 123456789012, 0},
    {"4K", 4096, 0},
    {"3M", 3 << 20, 0},
    {"2T", (uint64_t)2 << 40, 0},
    {"0.5G", 1 << 29, 0},
    {"25%", 0, 0.25},
    {"100%", 0, 1},
    {"12.5%", 0, 0.125},
    {"0.5", 0, 0.5},
    {"1.0", 0, 1},
    {"", 0, 0.25},
};

START_TEST(size_values)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const uint64_t want = sizes[_i].of > 0 ? (uint64_t)(sizes[_i].of * memory) : sizes[_i].bytes;
    set_environment("COEXEC_PINNED_MAX", sizes[_i].text, NULL);
    capture_start();
    ck_assert_uint_eq(cx_options_get()->pinned_max, want);
    ck_assert_str_eq(capture_end(), "");
}
END_TEST

static const char *const no_sizes[] = {"-1",  "1.5",  "101%", "4k", "4KB",
                                       "1e3", "0x10", "M",    "%",  "nan%",
                                       "inf", " 1",   "1 M",  ".",  "99999999999999999999"};

START_TEST(no_size_values)
{
    char start[128];
    set_environment("COEXEC_PINNED_MAX", no_sizes[_i], NULL);
    snprintf(start, sizeof(start), "coexec: COEXEC_PINNED_MAX=%s: no such size; accepted: bytes, with K, M,",
             no_sizes[_i]);
    capture_start();
    cx_options_get();
    ck_assert_int_eq(strncmp(capture_end(), start, strlen(start)), 0);
    ck_assert_str_eq(row_of("COEXEC_PINNED_MAX")->value, "25%");
}
END_TEST

START_TEST(bad_values)
{
    char line[512];
    set_environment(bad[_i].name, bad[_i].value, NULL);
    const bool is_debug = bad[_i].name[0] != 'C';
    snprintf(line, sizeof line, "coexec: %s%s=%s: %s\n", is_debug ? "COEXEC_DEBUG=" : "", bad[_i].name,
             bad[_i].value, bad[_i].line);
    capture_start();
    const struct cx_options *options = cx_options_get();
    ck_assert_ptr_eq(cx_options_get(), options);
    ck_assert_str_eq(capture_end(), line);
    ck_assert_str_eq(options->algo->text, "auto");
    ck_assert_str_eq(options->powers, "");
    ck_assert_uint_eq(options->fission.by, CX_CUT_CORES);
    ck_assert_uint_eq(options->fission.cores, 0);
    ck_assert(fabs(options->link - 10) < 1e-12 && fabs(options->budget - 0.02) < 1e-12);
    const struct cx_option_row *row = row_of(bad[_i].name);
    ck_assert_str_eq(row->value, row->fallback);
    ck_assert_str_eq(row->origin, "default (bad value in the environment)");
}
END_TEST

/* What COEXEC_ALGO's row says of balancers: the policies of scheduler/registry.c, in its order. */
START_TEST(algo_is_the_registry)
{
    char words[512] = "balancers: ";
    const struct cx_policy *policy;
    for (unsigned i = 0; (policy = cx_policy_get(i)); i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? ", " : "", policy->name);
    ck_assert_ptr_nonnull(strstr(row_of("COEXEC_ALGO")->accepted, words));
}
END_TEST

#define JOINED(enumerator, word) "|" word
#define WORDS_OF(field, name)                                                                                \
    {                                                                                                        \
        name, "" CX_WORDS_##field(JOINED)                                                                    \
    }
static const struct {
    const char *name, *words;
} words[] = {WORDS_OF(device_type, "device_type"),
             WORDS_OF(identity, "COEXEC_IDENTITY"),
             WORDS_OF(limits, "limits"),
             WORDS_OF(units, "units"),
             WORDS_OF(peer, "peer"),
             WORDS_OF(remote_access, "remote_access"),
             WORDS_OF(queues, "queues"),
             WORDS_OF(device_copy, "device_copy"),
             WORDS_OF(split, "COEXEC_SPLIT"),
             WORDS_OF(summary, "COEXEC_SUMMARY"),
             WORDS_OF(knowledge, "COEXEC_KNOWLEDGE"),
             WORDS_OF(objective, "COEXEC_OBJECTIVE"),
             WORDS_OF(build, "build")};

/* The words of option_words.h are those that the rows of options.def tell of, for every row of words. */
START_TEST(words_are_the_accepted)
{
    const struct cx_option_row *rows;
    size_t count = cx_options_rows(&rows), of_words = 0;
    for (size_t i = 0; i < count; i++)
        of_words += strcmp(rows[i].type, "WORD") == 0;
    ck_assert_uint_eq(of_words, sizeof words / sizeof *words);
    for (size_t i = 0; i < of_words; i++)
        ck_assert_str_eq(row_of(words[i].name)->accepted, words[i].words + 1);
}
END_TEST

START_TEST(word_values)
{
    set_environment("COEXEC_SPLIT", "always", "peer", "0", "queues", "all", "units", "su", "limits",
                    "common|fastest", NULL);
    capture_start();
    const struct cx_options *options = cx_options_get();
    ck_assert_str_eq(
        capture_end(),
        "coexec: COEXEC_DEBUG=units=su: not known; accepted: fastest, sum; using fastest\n"
        "coexec: COEXEC_DEBUG=limits=common|fastest: not known; accepted: fastest, common; using fastest\n");
    ck_assert_int_eq(options->split, CX_OPTION_SPLIT_ALWAYS);
    ck_assert_int_eq(options->peer, CX_OPTION_PEER_NEVER);
    ck_assert_int_eq(options->queues, CX_OPTION_QUEUES_ALL);
    ck_assert_int_eq(options->units, CX_OPTION_UNITS_FASTEST);
    ck_assert_int_eq(options->limits, CX_OPTION_LIMITS_FASTEST);
    ck_assert_int_eq(options->build, CX_OPTION_BUILD_LAZY);
}
END_TEST

/* The names that the balancers' parameters had: they hold where COEXEC_ALGO says nothing, and one line of the
 * log tells what they are now. */
START_TEST(old_parameters)
{
    set_environment("COEXEC_ALGO", "hdss:k=5;a=hguided", "COEXEC_HGUIDED_K", "7", "COEXEC_HDSS_K", "4",
                    "COEXEC_LOGFIT_THRESHOLD", "0.5", "COEXEC_SIGMOID_P", "1.01", NULL);
    capture_start();
    const struct cx_balancer_params *params = &cx_options_algo("b")->params;
    ck_assert_str_eq(capture_end(),
                     "coexec: COEXEC_SIGMOID_P=1.01: not good; accepted: a number from 0 to 1; using 0.05\n");
    ck_assert(fabs(cx_options_algo("a")->params.hguided_k - 7) < 1e-12);
    ck_assert(fabs(params->hdss_k - 5) < 1e-12 && fabs(params->sigmoid_p - 0.05) < 1e-12);
    ck_assert(fabs(params->hdss_threshold - 0.5) < 1e-12 && fabs(params->logfit_threshold - 0.5) < 1e-12);
    capture_start();
    cx_debug(CX_TOPIC_API, "not this");
    cx_warn(CX_TOPIC_API, "this");
    ck_assert_str_eq(capture_end(), "coexec: warn: options: old names, which the next release ignores: "
                                    "COEXEC_HGUIDED_K is now COEXEC_ALGO=hguided:k=7, "
                                    "COEXEC_SIGMOID_P is now COEXEC_ALGO=sigmoid:p=1.01, "
                                    "COEXEC_LOGFIT_THRESHOLD is now COEXEC_ALGO=logfit:threshold=0.5, "
                                    "COEXEC_LOGFIT_THRESHOLD is now COEXEC_ALGO=hdss:threshold=0.5, "
                                    "COEXEC_HDSS_K is now COEXEC_ALGO=hdss:k=4\n"
                                    "coexec: warn: api: this\n");
}
END_TEST

#define DEBUG_NAMES                                                                                          \
    "accepted: NAME=VALUE,... with device_type, place, limits, units, zero_copy, staging, link, peer, "      \
    "peer_from, remote_access, queues, "                                                                     \
    "device_copy, "                                                                                          \
    "overlap, powers, watts, rest_watts, min_package, reexecute, build, check_after, "                       \
    "analysis, analysis_wait, analysis_limit, live; "                                                        \
    "ignored\n"

START_TEST(debug_values)
{
    set_environment("COEXEC_DEBUG", "peer=1,zero_copy=1:0,peer=0,analysis_wait=7,staging=3,staging=,link=0.5",
                    NULL);
    capture_start();
    const struct cx_options *options = cx_options_get();
    ck_assert_str_eq(capture_end(), "");
    ck_assert_int_eq(options->peer, CX_OPTION_PEER_NEVER); /* the last one counts */
    ck_assert_str_eq(options->zero_copy, "1:0");
    ck_assert_uint_eq(options->analysis_wait, 7);
    ck_assert_uint_eq(options->staging, 8192); /* its default */
    ck_assert(fabs(options->link - 0.5) < 1e-12);
    ck_assert_str_eq(row_of("zero_copy")->value, "1:0");
    ck_assert_str_eq(row_of("zero_copy")->origin, "environment");
    ck_assert_str_eq(row_of("queues")->origin, "default");
    ck_assert_str_eq(cx_options_old_names(), "");
}
END_TEST

/* What is wrong costs a line and nothing else: what stands beside it counts. */
static const struct {
    const char *text, *lines;
} bad_debug[] = {
    {"reexecute=0,,peer=0", "coexec: COEXEC_DEBUG=: an empty part; " DEBUG_NAMES},
    {",reexecute=0", "coexec: COEXEC_DEBUG=: an empty part; " DEBUG_NAMES},
    {"reexecute=0,", "coexec: COEXEC_DEBUG=: an empty part; " DEBUG_NAMES},
    {"reexecute=0,peer", "coexec: COEXEC_DEBUG=peer: no value; " DEBUG_NAMES},
    {"reexecute=0,=1", "coexec: COEXEC_DEBUG==1: no such name; " DEBUG_NAMES},
    {"reexecute=0,pee=1", "coexec: COEXEC_DEBUG=pee=1: no such name; " DEBUG_NAMES},
    {"reexecute=0,peers=1", "coexec: COEXEC_DEBUG=peers=1: no such name; " DEBUG_NAMES},
    {"REEXECUTE=1,reexecute=0", "coexec: COEXEC_DEBUG=REEXECUTE=1: no such name; " DEBUG_NAMES},
    {"reexecute=0,split=never", "coexec: COEXEC_DEBUG=split=never: no such name; " DEBUG_NAMES},
    {"reexecute=0,debug=1", "coexec: COEXEC_DEBUG=debug=1: no such name; " DEBUG_NAMES},
    {"reexecute=0,COEXEC_PEER=1", "coexec: COEXEC_DEBUG=COEXEC_PEER=1: no such name; " DEBUG_NAMES},
    {"peer=2,reexecute=0", "coexec: COEXEC_DEBUG=peer=2: not known; accepted: auto, 0, 1; using auto\n"},
    {"reexecute=0,peer=0=1", "coexec: COEXEC_DEBUG=peer=0=1: not known; accepted: auto, 0, 1; using auto\n"},
    {"reexecute=0,link=-1",
     "coexec: COEXEC_DEBUG=link=-1: out of range; accepted: number above 0; using 10\n"},
    {"peer=0,peer=2,reexecute=0",
     "coexec: COEXEC_DEBUG=peer=2: not known; accepted: auto, 0, 1; using auto\n"},
    {"reexecute=0,zero_copy=1:", NULL},
    {"reexecute=0,zero_copy=:", NULL},
    {"reexecute=0,staging=99999999999999999999", NULL},
};

START_TEST(bad_debug_values)
{
    set_environment("COEXEC_DEBUG", bad_debug[_i].text, NULL);
    capture_start();
    const struct cx_options *options = cx_options_get();
    const char *told = capture_end();
    if (bad_debug[_i].lines)
        ck_assert_str_eq(told, bad_debug[_i].lines);
    ck_assert_ptr_nonnull(strchr(told, '\n'));
    ck_assert_ptr_null(strchr(strchr(told, '\n') + 1, '\n')); /* one line */
    ck_assert(!options->reexecute);
    ck_assert_int_eq(options->peer,
                     strstr(bad_debug[_i].text, ",peer=0") && !strstr(bad_debug[_i].text, "0=1")
                         ? CX_OPTION_PEER_NEVER
                         : CX_OPTION_PEER_AUTO);
    ck_assert_str_eq(options->zero_copy, "1");
    ck_assert_uint_eq(options->staging, 8192);
}
END_TEST

/* Every debug name was a variable. It counts where COEXEC_DEBUG says nothing, and one line tells what it is
 * now. */
START_TEST(old_variables)
{
    set_environment("COEXEC_ZERO_COPY", "1,0", "COEXEC_PEER", "1", "COEXEC_LINK", "", "COEXEC_DEBUG",
                    "peer=0", NULL);
    capture_start();
    const struct cx_options *options = cx_options_get();
    ck_assert_str_eq(capture_end(), "");
    ck_assert_str_eq(options->zero_copy, "1:0");
    ck_assert_int_eq(options->peer, CX_OPTION_PEER_NEVER);
    capture_start();
    cx_warn(CX_TOPIC_API, "this");
    cx_warn(CX_TOPIC_API, "that");
    const char *told = capture_end();
    ck_assert_ptr_nonnull(strstr(told, "COEXEC_ZERO_COPY is now COEXEC_DEBUG=zero_copy=1:0"));
    ck_assert_ptr_nonnull(strstr(told, "COEXEC_PEER is now COEXEC_DEBUG=peer=1"));
    ck_assert_ptr_null(strstr(told, "COEXEC_LINK")); /* empty counts as not set */
    ck_assert_ptr_eq(strstr(told, "coexec: warn: options: old names, which the next release ignores: "),
                     told);
    ck_assert_ptr_null(strstr(strchr(told, '\n'), "old names"));
}
END_TEST

/* Of those that have a debug name today; others never were variables. */
START_TEST(every_old_variable)
{
    static const char *const never[] = {"live", "watts", "rest_watts", "check_after"};
    static const char *const names[] = {
        "COEXEC_ZERO_COPY",   "COEXEC_STAGING",  "COEXEC_LINK",          "COEXEC_PEER",
        "COEXEC_PEER_FROM",   "COEXEC_ONE_HOME", "COEXEC_QUEUES",        "COEXEC_DEVICE_COPY",
        "COEXEC_OVERLAP",     "COEXEC_POWERS",   "COEXEC_MIN_PACKAGE",   "COEXEC_RESCUE",
        "COEXEC_BUILD",       "COEXEC_ANALYSIS", "COEXEC_ANALYSIS_WAIT", "COEXEC_ANALYSIS_LIMIT",
        "COEXEC_DEVICE_TYPE", "COEXEC_PLACE",    "COEXEC_LIMITS",        "COEXEC_UNITS"};
    static const char *const values[] = {"0",   "1", "1",   "1", "1", "1", "one", "kernel", "0",      "1,2",
                                         "3,4", "0", "all", "0", "1", "1", "gpu", "1",      "common", "sum"};
    const struct cx_option_row *rows;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        set_environment(names[i], values[i], NULL);
    capture_start();
    const size_t count = cx_options_rows(&rows);
    ck_assert_str_eq(capture_end(), "");
    for (size_t i = 0; i < count; i++) {
        bool was = strcmp(rows[i].class, "debug") == 0;
        for (size_t k = 0; k < sizeof never / sizeof *never; k++)
            was &= strcmp(rows[i].name, never[k]) != 0;
        if (was)
            ck_assert_str_eq(rows[i].origin, "environment");
    }
}
END_TEST

START_TEST(unknown_names)
{
    set_environment("COEXEC_ALGOO", "static", NULL);
    capture_start();
    cx_options_get();
    ck_assert_str_eq(capture_end(),
                     "coexec: COEXEC_ALGOO: no such option; `coexec info` lists them; ignored\n");
}
END_TEST

START_TEST(number_lists)
{
    double numbers[2] = {0, 0};
    ck_assert_uint_eq(cx_options_numbers("", numbers, 2), 0);
    ck_assert_uint_eq(cx_options_numbers("7", numbers, 2), 1);
    ck_assert(fabs(numbers[0] - 7) < 1e-12);
    ck_assert_uint_eq(cx_options_numbers("1:0.5:3", numbers, 2), 3);
    ck_assert(fabs(numbers[1] - 0.5) < 1e-12);
}
END_TEST

START_TEST(rejected_later)
{
    set_environment("COEXEC_DEVICES", "9", NULL);
    cx_options_get();
    capture_start();
    ck_assert_str_eq(cx_options_reject("COEXEC_DEVICES", "'9' names no device", "0 (a), all"), "all");
    ck_assert_str_eq(capture_end(),
                     "coexec: COEXEC_DEVICES=9: '9' names no device; accepted: 0 (a), all; using all\n");
    ck_assert_str_eq(row_of("COEXEC_DEVICES")->value, "all");
    ck_assert_str_eq(row_of("COEXEC_DEVICES")->origin, "default (bad value in the environment)");
}
END_TEST

static const struct {
    const char *chosen, *base, *home, *expected;
} caches[] = {
    {"", "/x", "/h", "/x/coexec"},
    {"", "", "/h", "/h/.cache/coexec"},
    {"", "relative", "/h", "/h/.cache/coexec"},
    {"/mine", "/x", "/h", "/mine"},
    {"-", "/x", "/h", NULL},
    {"", "", "", NULL},
};

START_TEST(cache_folder)
{
    set_environment("COEXEC_CACHE_DIR", caches[_i].chosen, "XDG_CACHE_HOME", caches[_i].base, "HOME",
                    caches[_i].home, NULL);
    const char *folder = cx_options_cache_dir();
    if (caches[_i].expected)
        ck_assert_str_eq(folder, caches[_i].expected);
    else
        ck_assert_ptr_null(folder);
}
END_TEST

START_TEST(loader_variables)
{
    ck_assert_str_eq(cx_options_loader_vendors(), "");
    ck_assert_str_eq(cx_options_loader_filenames(), "");
}
END_TEST

START_TEST(log_levels)
{
    set_environment("COEXEC_LOG", "info,api:debug,data:error", NULL);
    capture_start();
    ck_assert(cx_log_on(CX_LEVEL_INFO, CX_TOPIC_PLAN));
    ck_assert(!cx_log_on(CX_LEVEL_DEBUG, CX_TOPIC_PLAN));
    ck_assert(cx_log_on(CX_LEVEL_DEBUG, CX_TOPIC_API));
    ck_assert(!cx_log_on(CX_LEVEL_WARN, CX_TOPIC_DATA));
    cx_warn(CX_TOPIC_PLAN, "launch %d", 7);
    cx_debug(CX_TOPIC_PLAN, "not this");
    for (int i = 0; i < 3; i++)
        cx_log_once(CX_LEVEL_WARN, CX_TOPIC_WORKER, "once\n");
    ck_assert_int_eq(cx_fail("clFinish", CL_INVALID_COMMAND_QUEUE, "not a queue"), CL_INVALID_COMMAND_QUEUE);
    ck_assert_str_eq(capture_end(), "coexec: warn: plan: launch 7\ncoexec: warn: worker: once\n"
                                    "coexec: debug: api: clFinish: CL_INVALID_COMMAND_QUEUE: not a queue\n");
}
END_TEST

START_TEST(log_default_and_bad)
{
    set_environment("COEXEC_LOG", "api:loud", NULL);
    capture_start();
    ck_assert(cx_log_on(CX_LEVEL_WARN, CX_TOPIC_API));
    ck_assert(!cx_log_on(CX_LEVEL_INFO, CX_TOPIC_API));
    const char *text = capture_end();
    ck_assert_ptr_nonnull(strstr(text, "coexec: COEXEC_LOG=api:loud: not known; accepted: error, warn,"));
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
}
END_TEST

START_TEST(log_into_file)
{
    char path[] = "/tmp/coexec-log-XXXXXX", line[64] = "";
    ck_assert_int_ge(mkstemp(path), 0);
    set_environment("COEXEC_LOG_FILE", path, NULL);
    capture_start();
    cx_error(CX_TOPIC_DATA, "gone");
    ck_assert_str_eq(capture_end(), "");
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    remove(path);
    ck_assert_str_eq(line, "coexec: error: data: gone\n");
}
END_TEST

START_TEST(code_names)
{
    ck_assert_str_eq(cx_cl_name(CL_INVALID_VALUE), "CL_INVALID_VALUE");
    ck_assert_str_eq(cx_cl_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    ck_assert_str_eq(cx_cl_name(-4711), "unknown error");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *tcase = tcase_create("environment");
    tcase_add_checked_fixture(tcase, clean_environment, NULL);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, good_values);
    tcase_add_loop_test(tcase, bad_values, 0, sizeof bad / sizeof *bad);
    tcase_add_loop_test(tcase, size_values, 0, sizeof sizes / sizeof *sizes);
    tcase_add_loop_test(tcase, no_size_values, 0, sizeof no_sizes / sizeof *no_sizes);
    tcase_add_test(tcase, algo_is_the_registry);
    tcase_add_test(tcase, words_are_the_accepted);
    tcase_add_test(tcase, word_values);
    tcase_add_test(tcase, old_parameters);
    tcase_add_test(tcase, debug_values);
    tcase_add_loop_test(tcase, bad_debug_values, 0, sizeof bad_debug / sizeof *bad_debug);
    tcase_add_test(tcase, old_variables);
    tcase_add_test(tcase, every_old_variable);
    tcase_add_test(tcase, unknown_names);
    tcase_add_test(tcase, number_lists);
    tcase_add_test(tcase, rejected_later);
    tcase_add_loop_test(tcase, cache_folder, 0, sizeof caches / sizeof *caches);
    tcase_add_test(tcase, loader_variables);
    tcase_add_test(tcase, log_levels);
    tcase_add_test(tcase, log_default_and_bad);
    tcase_add_test(tcase, log_into_file);
    tcase_add_test(tcase, code_names);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

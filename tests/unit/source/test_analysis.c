/* SPDX-License-Identifier: MIT */
/*
 * macro_identity.c, analyser.c and analysis.c without drivers and without LLVM: devices are made up, and
 * the analyser is a shell script that counts its runs and gives summaries written here.
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/source/analysis.h"
#include "layer/source/macro_identity.h"
#include "layer/source/binary_summaries.h"
#include "made_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct cx_real_platform platform = {.name = (char[]){"made up"}, .vendor = (char[]){"nobody"}};
static struct cx_real_device devices[3];
static const struct cx_device_list members = {.device = {&devices[0], &devices[1], &devices[2]}, .n = 3};

static struct made_compiler compilers[3];

static void write_file(const char *name, const void *data, size_t size, mode_t mode)
{
    FILE *file = fopen(cl_folder_path(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(cl_folder_path(name), mode), 0);
}

/* A summary of one kernel that does nothing. */
static void write_blob(const char *name, const char *kernel)
{
    struct cx_summary_kernel one = {.name = kernel};
    struct cx_summary summary = {.nkernel = 1, .kernel = &one};
    void *data = NULL;
    size_t size = 0;

    ck_assert_int_eq(cx_summary_serialise(&summary, &data, &size), CX_SUMMARY_OK);
    write_file(name, data, size, 0600);
    free(data);
}

/* The script finds its words as: ... --extensions LIST ... --told FILE --text FILE -o BLOB SOURCE -- OPTIONS.
 */
static void use_script(const char *body)
{
    char script[1024];
    int length = snprintf(script, sizeof(script),
                          "#!/bin/sh\n"
                          "here=%s\n"
                          "while [ $# -gt 0 ]; do case $1 in\n"
                          "--extensions) extensions=$2; shift;;\n"
                          "--told) told=$2; shift;;\n"
                          "--text) text=$2; shift;;\n"
                          "-o) blob=$2; source=$3; options=$5; shift 4;;\n"
                          "esac; shift; done\n"
                          "echo run >>$here/runs\n"
                          "%s\n",
                          cl_folder_path(""), body);
    write_file("analyser", script, (size_t)length, 0700);
    set_environment("COEXEC_ANALYSER", cl_folder_path("analyser"), NULL);
}

static unsigned runs(void)
{
    struct stat info;
    return stat(cl_folder_path("runs"), &info) ? 0 : (unsigned)(info.st_size / 4);
}

static void setup(void)
{
    static const char *const extensions[] = {"cl_khr_fp64 cl_khr_icd", "cl_khr_fp64 cl_khr_icd",
                                             "cl_khr_icd"};

    clean_environment();
    cl_folder_make("analysis");
    for (unsigned m = 0; m < 3; m++) {
        devices[m] = (struct cx_real_device){.platform = &platform,
                                             .cl = &made_compiler_no_dispatch,
                                             .extensions = (char *)(uintptr_t)extensions[m],
                                             .version_number = 300,
                                             .little_endian = CL_TRUE};
    }
    write_blob("one", "one");
    write_blob("two", "two");
    set_environment("COEXEC_CACHE_DIR", cl_folder_path("cache"), NULL);
}

static const char plain_source[] = "__kernel void one(__global int *a) { a[get_global_id(0)] = 1; }";
static const char telling_source[] =
    "#ifdef cl_khr_fp64\n#endif\n__kernel void one(__global int *a) { a[0] = 1; }";

static struct cx_analysis *start(const char *source, const char *options)
{
    struct cx_no_summary why = {0};
    struct cx_analysis *analysis = cx_analysis_start(&members, 1, source, options, 0, &why);
    ck_assert_msg(analysis != NULL, "%s", cx_no_summary_text(&why));
    return analysis;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

START_TEST(one_run_for_all)
{
    struct cx_no_summary why = {0};
    use_script("[ \"$extensions\" = 'cl_khr_fp64 cl_khr_icd' ] && [ \"$options\" = '-DN=2 -w' ] &&\n"
               "grep -q get_global_id $source && sleep 0.3 && cp $here/one $blob");
    struct cx_analysis *analysis = start(plain_source, "-DN=2 -w");
    ck_assert_int_eq(cx_analysis_state(analysis, 0), CX_ANALYSIS_PENDING);
    ck_assert_ptr_null(cx_analysis_summary(analysis, 0, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_RUNNING);
    ck_assert(!cx_analysis_wait(analysis, 1));
    ck_assert(cx_analysis_wait(analysis, 20000));
    for (unsigned m = 0; m < 3; m++) {
        const struct cx_summary *summary = cx_analysis_summary(analysis, m, &why);
        ck_assert_msg(summary != NULL, "%s", cx_no_summary_text(&why));
        ck_assert_ptr_nonnull(cx_summary_find(summary, "one"));
        ck_assert(cx_analysis_same(analysis, 0, m, NULL));
    }
    ck_assert_uint_eq(runs(), 1);
    cx_analysis_release(&analysis);
    ck_assert_ptr_null(analysis);

    /* from disk: there at once */
    analysis = start(plain_source, "-DN=2 -w");
    ck_assert_int_eq(cx_analysis_state(analysis, 2), CX_ANALYSIS_READY);
    cx_analysis_release(&analysis);
    ck_assert_uint_eq(runs(), 1);
}
END_TEST

/* What the key must tell apart. Which files the last text includes cannot be told: it is not even analysed.
 */
START_TEST(disk)
{
    static const char *const sources[] = {plain_source,         plain_source,         telling_source,
                                          "#include \"x.h\"\n", "#include \"x.h\"\n", "#include X\n"};
    static const char *const options[] = {"", "-w", "", "", "", ""};
    static const unsigned expected[] = {1, 2, 4, 6, 6, 6};

    use_script("cp $here/one $blob; [ -z \"$text\" ] || echo int >$text");
    for (unsigned i = 0; i < 6; i++) {
        struct cx_analysis *analysis = start(sources[i], options[i]);
        ck_assert(cx_analysis_wait(analysis, 20000));
        ck_assert((cx_analysis_state(analysis, 0) == CX_ANALYSIS_READY) == (i < 5));
        cx_analysis_release(&analysis);
        ck_assert_uint_eq(runs(), expected[i]);
    }
    use_script("# another analyser\ncp $here/one $blob");
    struct cx_analysis *analysis = start(plain_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    cx_analysis_release(&analysis);
    ck_assert_uint_eq(runs(), 7);
}
END_TEST

/* Analyses the text, which includes x.h, in a process of its own; whether there is a summary. */
static bool included_in_a_process(void)
{
    char options[512];
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct cx_no_summary why = {0};
        snprintf(options, sizeof(options), "-I%s", cl_folder_path(""));
        struct cx_analysis *analysis = cx_analysis_start(
            &members, 1, "#include \"y.h\"\n__kernel void one(__global int *a) { a[0] = 1; }", options, 0,
            &why);
        _exit(!analysis || !cx_analysis_wait(analysis, 20000) ||
              cx_analysis_state(analysis, 0) != CX_ANALYSIS_READY);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void write_included(const char *text)
{
    write_file("x.h", text, strlen(text), 0600);
}

/* A text with included files is analysed once for what these say, in however many processes. */
START_TEST(included_files)
{
    /* what x.h, which y.h includes, says; NULL: it is gone */
    static const char *const texts[] = {"int a;", "int b;", "int a;", NULL, "int b;"};
    static const unsigned expected[] = {1, 2, 2, 3, 3};

    devices[2].extensions = devices[0].extensions;
    use_script("cp $here/one $blob; echo int >$text");
    write_file("y.h", "#include <x.h>", 14, 0600);
    for (unsigned i = 0; i < 5; i++) {
        if (texts[i])
            write_included(texts[i]);
        else
            unlink(cl_folder_path("x.h"));
        for (unsigned process = 0; process < 2; process++)
            ck_assert(included_in_a_process());
        ck_assert_uint_eq(runs(), expected[i]);
    }
    /* it changes while it is analysed: nobody knows what of */
    use_script("cp $here/one $blob; echo int >$text; echo 'int d;' >$here/x.h");
    write_included("int c;");
    ck_assert(!included_in_a_process());
    ck_assert_uint_eq(runs(), 4);
    write_included("int c;");
    ck_assert(!included_in_a_process());
    ck_assert_uint_eq(runs(), 5);
}
END_TEST

START_TEST(runs_by_identity)
{
    use_script("case $extensions in *fp64*) cp $here/one $blob;; *) cp $here/two $blob;; esac\n"
               "echo int >$text");
    struct cx_analysis *analysis = start(telling_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert_uint_eq(runs(), 2);
    ck_assert_ptr_nonnull(cx_summary_find(cx_analysis_summary(analysis, 1, NULL), "one"));
    ck_assert_ptr_nonnull(cx_summary_find(cx_analysis_summary(analysis, 2, NULL), "two"));
    ck_assert(cx_analysis_same(analysis, 0, 1, NULL));
    ck_assert(!cx_analysis_same(analysis, 1, 2, NULL));
    cx_analysis_release(&analysis);

    use_script("cp $here/two $blob; echo int >$text # the same for all");
    analysis = start(telling_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert(cx_analysis_same(analysis, 1, 2, NULL));
    cx_analysis_release(&analysis);

    use_script("cp $here/two $blob; echo int $extensions >$text # does the same in another way");
    analysis = start(telling_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert(!cx_analysis_same(analysis, 1, 2, NULL));
    cx_analysis_release(&analysis);
}
END_TEST

static void expect_report(const struct cx_no_summary *why, const char *first, const char *second)
{
    ck_assert_int_eq(why->reason, CX_NO_SUMMARY_REPORTED);
    ck_assert_msg(strstr(why->report, first) && strstr(why->report, second), "%s", why->report);
}

static void expect_failure(const char *script, const char *cause)
{
    struct cx_no_summary why = {0};
    use_script(script);
    struct cx_analysis *analysis = start(plain_source, script);
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert_ptr_null(cx_analysis_summary(analysis, 0, &why));
    expect_report(&why, cause, cause);
    ck_assert_ptr_null(strstr(why.report, "/tmp/"));
    cx_analysis_release(&analysis);
}

START_TEST(failures)
{
    expect_failure("echo 'line 3: unknown type' >&2; exit 1", "line 3: unknown type");
    expect_failure("echo \"coexec-analyse: $source:3:14: error: unknown 'x'\" >&2; exit 1",
                   "unknown 'x' (line 3)");
    expect_failure("echo \"coexec-analyse: ${source%/*}/told.h:3:2: error: x may be\" >&2; exit 1",
                   "x may be");
    expect_failure("echo 'coexec-analyse: ./a.h:3:2: error: x' >&2; exit 1", "./a.h:3:2: error: x");
    expect_failure("exit 1", "analyser failed");
    expect_failure("kill -11 $$", "analyser failed");
    expect_failure("exit 0 # no file", "cannot be read");
    expect_failure("head -c 300 /dev/urandom >$blob", "cannot be read");
    expect_failure("head -c 20 $here/one >$blob", "cannot be read");
}
END_TEST

START_TEST(time_limit)
{
    set_environment("analysis_limit", "60", NULL); /* by the clock it may take many times that */
    expect_failure("sleep 100", "time limit");
}
END_TEST

START_TEST(no_analyser)
{
    struct cx_no_summary why = {0};

    set_environment("COEXEC_ANALYSER", "/no/such/analyser", NULL);
    capture_start();
    ck_assert_ptr_null(cx_analysis_start(&members, 1, plain_source, "", 0, &why));
    ck_assert_ptr_null(cx_analysis_start(&members, 1, plain_source, "", 0, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_NO_ANALYSER);
    ck_assert_ptr_nonnull(strstr(capture_end(), "/no/such/analyser"));
}
END_TEST

START_TEST(switched_off)
{
    struct cx_no_summary why = {0};

    set_environment("analysis", "0", NULL);
    ck_assert_ptr_null(cx_analysis_start(&members, 1, plain_source, "", 0, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_OFF);
}
END_TEST

/* Releasing while the helper runs neither waits nor leaves it or its files behind. */
START_TEST(released_early)
{
    double begin = now();

    use_script("echo $$ >$here/pid; echo ${blob%/*} >$here/place; sleep 100");
    struct cx_analysis *analysis = start(plain_source, "");
    for (unsigned i = 0; i < 500 && access(cl_folder_path("place"), R_OK); i++)
        usleep(10000);
    usleep(50000);
    cx_analysis_release(&analysis);
    ck_assert_double_lt(now() - begin, 6);
    char command[1024];
    snprintf(command, sizeof(command), "sleep 0.5; ! kill -0 $(cat %s) 2>/dev/null && [ ! -e $(cat %s) ]",
             cl_folder_path("pid"), cl_folder_path("place"));
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A result that comes after the program's binary was saved, and the program released. */
START_TEST(kept_for_a_binary)
{
    static const unsigned char binary[] = {1, 0, 2};
    char key[CX_DISK_CACHE_KEY_SIZE], other[CX_DISK_CACHE_KEY_SIZE];
    struct cx_analysis_blob blob = {NULL};
    struct cx_no_summary why = {0};

    use_script("sleep 0.3; echo text >$text; cp $here/one $blob");
    cx_binary_summaries_key(key, "device", binary, sizeof(binary));
    cx_binary_summaries_key(other, "device", binary, 1);
    ck_assert_str_ne(key, other);
    cx_binary_summaries_key(other, "other", binary, sizeof(binary));
    ck_assert_str_ne(key, other);
    ck_assert_ptr_null(cx_binary_summaries_load(key).data);
    struct cx_analysis *analysis = start("#include \"x.h\"\n", "");
    cx_analysis_keep(analysis, 0, key);
    cx_analysis_keep(analysis, 1, key);
    cx_analysis_release(&analysis);
    for (unsigned i = 0; i < 2000 && !blob.data; i++) {
        usleep(10000);
        blob = cx_binary_summaries_load(key);
    }
    ck_assert_ptr_nonnull(blob.data);
    ck_assert_ptr_null(cx_binary_summaries_load(other).data);

    struct cx_analysis_blob blobs[] = {blob, blob, {NULL}};
    analysis = cx_analysis_restore(&members, blobs, &why);
    ck_assert_msg(analysis != NULL, "%s", cx_no_summary_text(&why));
    ck_assert(cx_analysis_same(analysis, 0, 1, NULL));
    ck_assert(!cx_analysis_same(analysis, 0, 2, NULL));
    ck_assert_ptr_nonnull(cx_summary_find(cx_analysis_summary(analysis, 1, NULL), "one"));
    cx_analysis_release(&analysis);
    free((void *)(uintptr_t)blob.data);
}
END_TEST

/* One that is there already is kept at once, one that failed is not. */
START_TEST(kept_at_once)
{
    use_script("echo text >$text; [ \"$options\" ] || cp $here/one $blob");
    for (unsigned i = 0; i < 2; i++) {
        struct cx_analysis *analysis = start("#include \"x.h\"\n", i ? "-DFAIL" : "");
        ck_assert(cx_analysis_wait(analysis, 20000));
        cx_analysis_keep(analysis, 1, i ? "00" : "01");
        cx_analysis_release(&analysis);
    }
    struct cx_analysis_blob blob = cx_binary_summaries_load("01");
    ck_assert_ptr_nonnull(blob.data);
    ck_assert_ptr_null(cx_binary_summaries_load("00").data);
    free((void *)(uintptr_t)blob.data);
}
END_TEST

/* ---- asking devices ---- */

/* Two devices of one name and one of another, all of one identity. */
static void use_compilers(void)
{
    static const char *const names[] = {"like", "like", "other"};

    for (unsigned m = 0; m < 3; m++) {
        compilers[m].macros[0][0] = "__V__";
        compilers[m].macros[0][1] = "(12 + 0x1fU)";
        compilers[m].macros[2][0] = "min";
        compilers[m].macros[2][1] = "_cl_min";
        devices[m].cl = &made_compiler_dispatch;
        devices[m].id = (cl_device_id)&compilers[m];
        devices[m].name = (char *)(uintptr_t)names[m];
        devices[m].extensions = (char *)(uintptr_t) "";
    }
    compilers[0].macros[1][0] = compilers[1].macros[1][0] = "__OTHER__";
    compilers[2].macros[1][0] = "__GPU__";
    compilers[2].macros[1][1] = "1";
}

static const char asking_source[] = "#if defined(__GPU__) && __V__\n#endif\n";
/* Asks first; then refuses where __GPU__ was not told, and else has two results and two texts. */
#define ASKING                                                                                               \
    "if [ -z \"$told\" ]; then printf 'coexec-question 1\\n__GPU__ is in doubt\\n-w "                        \
    "-O\\n__GPU__\\n__V__\\nmin\\n' >$blob\n"                                                                \
    "cp $source $here/asked\nelse cat $told >>$here/told\n"                                                  \
    "if ! grep -q __GPU__ $told; then printf 'coexec-refusal 1\\n__GPU__ stays in doubt\\n' >$blob\n"        \
    "elif grep -q 'define __GPU__' $told; then cp $here/two $blob; echo two >$text\n"                        \
    "else cp $here/one $blob; [ -z $text ] || echo one >$text; fi; fi\n"

static unsigned builds(void)
{
    return compilers[0].builds + compilers[1].builds + compilers[2].builds;
}

static const char *file_text(const char *name)
{
    static char text[4096];
    FILE *file = fopen(cl_folder_path(name), "r");
    size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    text[size] = 0;
    if (file)
        fclose(file);
    return text;
}

static void expect_one_two(const struct cx_analysis *analysis)
{
    static const char *const names[] = {"one", "one", "two"};

    for (unsigned m = 0; m < 3; m++) {
        struct cx_no_summary why = {0};
        const struct cx_summary *summary = cx_analysis_summary(analysis, m, &why);
        ck_assert_msg(summary && cx_summary_find(summary, names[m]), "%u: %s", m, cx_no_summary_text(&why));
    }
    struct cx_no_summary why = {0};
    ck_assert(cx_analysis_same(analysis, 0, 1, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_UNKNOWN);
    ck_assert(!cx_analysis_same(analysis, 1, 2, &why));
    ck_assert_msg(why.reason == CX_NO_SUMMARY_MACROS_DIFFER, "%s", cx_no_summary_text(&why));
}

/* Members with different answers are kept apart; nothing is asked or run twice, in other processes neither.
 */
START_TEST(asked_once)
{
    use_script(ASKING);
    use_compilers();
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    expect_one_two(analysis);
    cx_analysis_release(&analysis);
    ck_assert_uint_eq(runs(), 3);
    ck_assert_uint_eq(builds(), 2);
    ck_assert_str_eq(compilers[2].options, "-w -O");

    analysis = start(asking_source, "");
    ck_assert_int_eq(cx_analysis_state(analysis, 0), CX_ANALYSIS_READY);
    expect_one_two(analysis);
    cx_analysis_release(&analysis);

    /* another program, the same question */
    analysis = start("__GPU__ __V__", "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    expect_one_two(analysis);
    cx_analysis_release(&analysis);
    ck_assert_uint_eq(runs(), 6);
    ck_assert_uint_eq(builds(), 2);
}
END_TEST

START_TEST(same_texts)
{
    use_script(ASKING "echo same >${text:-/dev/null}; [ -z $told ] || cp $here/one $blob");
    use_compilers();
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert(cx_analysis_same(analysis, 1, 2, NULL));
    cx_analysis_release(&analysis);
}
END_TEST

static void expect_why(const char *source, unsigned member, const char *first, const char *second)
{
    struct cx_no_summary why = {0};
    struct cx_analysis *analysis = start(source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert_ptr_null(cx_analysis_summary(analysis, member, &why));
    expect_report(&why, first, second);
    ck_assert(!cx_analysis_same(analysis, 0, member, &why)); /* that, not other macros, keeps it out */
    expect_report(&why, first, second);
    cx_analysis_release(&analysis);
}

/* Each device that cannot tell is left out by itself, and not asked again. */
START_TEST(cannot_tell)
{
    use_script(ASKING);
    use_compilers();
    compilers[2].error = CL_OUT_OF_RESOURCES;
    expect_why(asking_source, 2, "__GPU__ is in doubt", "other cannot tell");
    ck_assert_uint_eq(builds(), 2);
    expect_why(asking_source, 2, "__GPU__ is in doubt", "other cannot tell");
    ck_assert_uint_eq(builds(), 2);
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert_int_eq(cx_analysis_state(analysis, 0), CX_ANALYSIS_READY);
    cx_analysis_release(&analysis);
}
END_TEST

START_TEST(slow_to_tell)
{
    set_environment("analysis_limit", "100", NULL);
    use_script(ASKING);
    use_compilers();
    compilers[2].sleep_ms = 6000;
    double begin = now();
    expect_why(asking_source, 2, "__GPU__ is in doubt", "other takes too long to tell");
    ck_assert_double_lt(now() - begin, 5);
}
END_TEST

/* A busy machine: a compiler may take several times what the analyser may. */
START_TEST(busy_to_tell)
{
    set_environment("analysis_limit", "1000", NULL);
    use_script(ASKING);
    use_compilers();
    compilers[2].sleep_ms = 2500;
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    ck_assert_int_eq(cx_analysis_state(analysis, 2), CX_ANALYSIS_READY);
    cx_analysis_release(&analysis);
}
END_TEST

/* What is an answer and what is none. */
START_TEST(answers)
{
    static const char *const none[] = {"__GPU__", "other", "a(1)", "1 #", "\"open", "\\"};

    use_script(ASKING);
    use_compilers();
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        char name[16];
        snprintf(name, sizeof(name), "device %zu", i);
        devices[2].name = name;
        compilers[2].macros[1][1] = none[i];
        expect_why(asking_source, 2, "__GPU__ stays in doubt", "");
    }
    devices[2].name = (char[]){"chokes"};
    compilers[2].macros[1][1] = "1";
    compilers[2].choke = "__V__";
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    expect_one_two(analysis);
    cx_analysis_release(&analysis);
    ck_assert_ptr_nonnull(strstr(file_text("told"), "#undef __GPU__\n#define __GPU__ 1\n"));
    ck_assert_ptr_nonnull(strstr(file_text("told"), "#undef __V__\n#define __V__ (12 + 0x1fU)\n"));
    ck_assert_ptr_nonnull(strstr(file_text("told"), "#undef min\n#define min min\n"));
    devices[2].name = (char[]){"chokes on all"};
    compilers[2].choke = "kernel";
    expect_why(asking_source, 2, "__GPU__ is in doubt", "chokes on all cannot tell");
}
END_TEST

/* Files of answers that were cut or changed count as absent. */
START_TEST(damaged_answers)
{
    char command[512];

    use_script(ASKING);
    use_compilers();
    for (unsigned round = 0; round < 2; round++) {
        pid_t child = fork();
        if (child == 0) { /* which knows nothing but what is on disk */
            struct cx_analysis *analysis = start(asking_source, "");
            bool known = cx_analysis_state(analysis, 2) == CX_ANALYSIS_READY;
            ck_assert(cx_analysis_wait(analysis, 20000));
            expect_one_two(analysis);
            _exit(known ? 1 : builds() == 2 ? 2 : 3);
        }
        int status = 0;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 2);
        snprintf(command, sizeof(command), "for f in %s/*; do echo x >>$f; done", cl_folder_path("cache"));
        ck_assert_int_eq(system(command), 0);
    }
    struct cx_analysis *analysis = start(asking_source, "");
    ck_assert(cx_analysis_wait(analysis, 20000));
    cx_analysis_release(&analysis);
    analysis = start(asking_source, "");
    ck_assert_int_eq(cx_analysis_state(analysis, 2), CX_ANALYSIS_READY);
    cx_analysis_release(&analysis);
}
END_TEST

static const struct {
    const char *source, *options;
    bool matters;
} texts[] = {
    {"__kernel void k(__global float4 *a) { a[get_global_id(0)] += 1.0e-3f; }", "-DN=4 -cl-mad-enable",
     false},
    {"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void k(global double *a) { *a = M_PI; }", "",
     false},
    {"// __NV_CL_C_VERSION is not looked at\n/* nor cl_khr_fp64 */ constant char t[] = \"CL_VERSION\";", "",
     false},
    {"#ifdef TILE\n#endif\n#if TILE > 2\n#endif\nint __attribute__((unused)) x;", "-DTILE=4", false},
    {"#ifdef cl_khr_fp64\n#endif\n", "", true},
    {"int x = __OPENCL_VERSION__;", "", true},
    {"#if defined(__NV_CL_C_VERSION)\n#endif", "", true},
    {"#ifdef FP_FAST_FMAF\n#endif", "", true},
    {"#include \"other.h\"\n", "", true},
    {"# /* odd */ include \"other.h\"\n", "", true},
    {"/* including but not limited to */ int x; // is important, #include\n int y;", "", false},
    {"constant char t[] = \"#include\\\" import\";", "", false},
    {"constant char c = '\"', d = '\\''; // include\n", "", false},
    {"/* embedded \\\n import */ int x;", "", false},
    {"// a note\\\n#include \"other.h\"\n", "", false},
    {"#inc\\\nlude \"other.h\"\n", "", true},
    {"#inc\\ \r\nlude \"other.h\"\n", "", true},
    {"char t[] = \"/*\";\n#include \"other.h\"\n", "", true},
    {"char t[] = \"\\\"/*\";\n#include \"other.h\"\n", "", true},
    {"// no end */ /* of a comment\n#include \"other.h\"\n", "", true},
    {"#error don't /* begin a comment\n#include \"other.h\"\n", "", true},
    {"/\\\n/ include\nint x;", "", false},
    {"/* what?\?/\n*/ // include", "", true},
    {"#if __has_include(\"other.h\")\n#endif", "", true},
    {"int x = VERSION;", "-DVERSION=__OPENCL_VERSION__", true},
    {"int x = 'a' + _x;", "", true},
    {"char c = '\"'; int x = CL_VERSION_2_0; char d = '\"';", "", true},
    {"/* // */ int x = CL_VERSION_2_0; // */", "", true},
};

START_TEST(identity_matters)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(cx_macro_identity_matters(texts[i].source, texts[i].options) == texts[i].matters, "%s",
                      texts[i].source);
}
END_TEST

START_TEST(identities)
{
    struct cx_macro_identity a, b;

    cx_macro_identity_make(&devices[0], &a);
    cx_macro_identity_make(&devices[1], &b);
    ck_assert(cx_macro_identity_same(&a, &b));
    cx_macro_identity_make(&devices[2], &b);
    ck_assert(!cx_macro_identity_same(&a, &b));
    devices[1].version_number = 120;
    cx_macro_identity_make(&devices[1], &b);
    ck_assert(!cx_macro_identity_same(&a, &b));
    ck_assert_str_eq(b.define[0], "__OPENCL_VERSION__=120");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis");
    TCase *tests = tcase_create("analysis");

    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, cl_folder_remove);
    tcase_add_test(tests, identity_matters);
    tcase_add_test(tests, identities);
    tcase_add_test(tests, one_run_for_all);
    tcase_add_test(tests, disk);
    tcase_add_test(tests, included_files);
    tcase_add_test(tests, runs_by_identity);
    tcase_add_test(tests, failures);
    tcase_add_test(tests, time_limit);
    tcase_add_test(tests, no_analyser);
    tcase_add_test(tests, switched_off);
    tcase_add_test(tests, released_early);
    tcase_add_test(tests, kept_for_a_binary);
    tcase_add_test(tests, kept_at_once);
    tcase_add_test(tests, cannot_tell);
    tcase_add_test(tests, slow_to_tell);
    tcase_add_test(tests, busy_to_tell);
    tcase_add_test(tests, asked_once);
    tcase_add_test(tests, same_texts);
    tcase_add_test(tests, answers);
    tcase_add_test(tests, damaged_answers);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * cut_record.c: which level of cutting a program's next process runs with, against a plain walk; its text,
 * damaged, too. cut_search.c: processes of one program one after another, and those that must leave no trace.
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/knowledge/cut_record.h"
#include "layer/knowledge/cut_search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned order[] = {0, 4, 3, 2}; /* whole, numa, l3, l2 */

/* Ten launches of one kernel, each so many ms; 0: none. */
static void put(struct cx_cut_record *record, unsigned level, uint64_t ms)
{
    const struct cx_cut_kernel kernel = {.key = 7, .launches = 10, .ns = ms * 1000000};
    cx_cut_enter(record, level, &kernel, ms ? 1 : 0);
}

/* ms at order[i]; what is chosen if it may try, and if it may not. */
static const struct {
    uint64_t ms[4];
    uint64_t tries[4];
    unsigned may, may_not;
} walks[] = {
    {{0, 0, 0, 0}, {0}, 0, 0},          {{100, 0, 0, 0}, {0}, 4, 0},
    {{100, 120, 0, 0}, {0}, 0, 0}, /* the first trial lost */
    {{100, 99, 0, 0}, {0}, 0, 0},  /* gained less than measurements differ by */
    {{100, 80, 0, 0}, {0}, 3, 4},  /* gained: on to the next */
    {{100, 80, 90, 0}, {0}, 4, 4}, /* which is worse than that, though better than whole */
    {{100, 80, 60, 0}, {0}, 2, 3},      {{100, 80, 60, 50}, {0}, 2, 2}, /* the last one */
    {{100, 80, 60, 70}, {0}, 3, 3},     {{100, 0, 0, 0}, {0, 2}, 4, 0}, /* tried without figures */
    {{100, 0, 0, 0}, {0, 3}, 0, 0},                                     /* ... often enough */
    {{100, 80, 0, 0}, {0, 1, 3}, 4, 4}, {{4, 0, 0, 0}, {0}, 0, 0},      /* too short to be worth a trial */
    {{0, 50, 0, 0}, {0}, 0, 0},                                         /* there is nothing to compare with */
};

START_TEST(walk)
{
    struct cx_cut_record record = {.name = "a"};
    for (unsigned i = 0; i < 4; i++) {
        put(&record, order[i], walks[_i].ms[i]);
        record.level[order[i]].tries = walks[_i].tries[i];
    }
    ck_assert_uint_eq(cx_cut_choose(&record, order, 4, true), walks[_i].may);
    ck_assert_uint_eq(cx_cut_choose(&record, order, 4, false), walks[_i].may_not);
    ck_assert_uint_eq(cx_cut_choose(&record, order, 1, true), 0);
}
END_TEST

/* Kernels that one level alone ran tell nothing; of too many others there is no figure. */
START_TEST(common_kernels)
{
    struct cx_cut_record record = {.name = ""};
    const struct cx_cut_kernel whole[] = {{1, 10, 1000}, {2, 1, 5000}}, cut[] = {{1, 3, 500}, {9, 5, 7}},
                               other[] = {{2, 1, 500}};
    double ratio = 0;
    cx_cut_enter(&record, 0, whole, 2);
    cx_cut_enter(&record, 4, cut, 2);
    cx_cut_enter(&record, 3, other, 1);
    ck_assert(cx_cut_ratio(&record, 4, 0, &ratio));
    ck_assert(ratio > 0.499 && ratio < 0.501);
    ck_assert(!cx_cut_ratio(&record, 3, 0, &ratio)); /* a third of all */
    ck_assert(!cx_cut_ratio(&record, 2, 0, &ratio));
    ck_assert(!cx_cut_ratio(&record, 0, 2, &ratio));
}
END_TEST

/* What is new replaces what was measured before; of too many those stay that took most. */
START_TEST(entering)
{
    struct cx_cut_record record = {.name = ""};
    struct cx_cut_kernel many[100];
    for (unsigned i = 0; i < 100; i++)
        many[i] = (struct cx_cut_kernel){.key = i + 1, .launches = 1, .ns = 1000 + (i * 37) % 100};
    put(&record, 1, 10);
    put(&record, 1, 20);
    ck_assert_uint_eq(record.level[1].n, 1);
    ck_assert_uint_eq(record.level[1].kernel[0].ns, 20000000);
    cx_cut_enter(&record, 1, many, 3);
    ck_assert_uint_eq(record.level[1].n, 4); /* these, and the one before, whose key is 7 */
    cx_cut_enter(&record, 2, many, 100);
    ck_assert_uint_eq(record.level[2].n, CX_CUT_KERNELS);
    for (unsigned i = 0; i < CX_CUT_KERNELS; i++)
        ck_assert_uint_ge(record.level[2].kernel[i].ns, 1100 - CX_CUT_KERNELS);
}
END_TEST

static struct cx_cut_record *example(void)
{
    struct cx_cut_record *record = calloc(1, sizeof *record);
    ck_assert_ptr_nonnull(record);
    snprintf(record->name, sizeof record->name, "python3 a b.py");
    put(record, 0, 100);
    put(record, 3, 80);
    record->level[3].tries = 2;
    return record;
}

START_TEST(text_of_a_record)
{
    struct cx_cut_record *record = example(), read;
    size_t size;
    char *text = cx_cut_print(record, &size);
    ck_assert_ptr_nonnull(text);
    ck_assert(cx_cut_parse(text, size, &read));
    ck_assert_int_eq(memcmp(record, &read, sizeof read), 0);
    for (size_t length = 0; length < size - 1; length++) /* cut off anywhere but at its last line's end */
        ck_assert(!cx_cut_parse(text, length, &read) || read.level[4].tries == 0);
    for (size_t i = 0; i < size; i++) /* each byte in turn: no crash, and only what makes sense */
        for (unsigned byte = 0; byte < 256; byte += 5) {
            const char before = text[i];
            text[i] = (char)byte;
            if (cx_cut_parse(text, size, &read))
                (void)cx_cut_choose(&read, order, 4, true);
            text[i] = before;
        }
    free(text);
    free(record);
}
END_TEST

START_TEST(bad_text)
{
    static const char *const bad[] = {
        "",
        "coexec cut 2 a\nlevel 0 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
        "coexec cut 1 a\nlevel 0 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\n",
        "coexec cut 1 a\nlevel 0 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\nlevel 5 0\n",
        "coexec cut 1 a\nkernel 1 1 1\nlevel 0 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
        "coexec cut 1 a\nlevel 0 0\nkernel 0 1 1\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
        "coexec cut 1 a\nlevel 0 0\nkernel 1 1 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
        "coexec cut 1 a\nlevel 0 0\nkernel 1 1 1\nkernel 1 1 1\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
        "coexec cut 1 a\nlevel 0 0 x\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n",
    };
    static const struct cx_cut_record nothing;
    struct cx_cut_record read;
    ck_assert(!cx_cut_parse(bad[_i], strlen(bad[_i]), &read));
    ck_assert_int_eq(memcmp(&read, &nothing, sizeof read), 0);
}
END_TEST

/* ---- processes ---- */

static void begin(void)
{
    clean_environment();
    cl_folder_make("cut");
    set_environment("COEXEC_CACHE_DIR", cl_folder_path("."), NULL);
}

static void end(void)
{
    cl_folder_remove();
}

/* A process of the program that does ten launches of so many ms at each level, and ends by itself or is
 * killed. Gives the level that it ran with. */
static unsigned run(const uint64_t *ms, bool killed)
{
    const pid_t child = fork();
    int status;
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        double ratios[4];
        bool tries;
        const unsigned level = cx_cut_search_begin("a machine", order, 4, ratios, &tries);
        for (unsigned i = 0; i < 10; i++)
            cx_cut_search_add(99, ms[level] * 1000000);
        cx_cut_search_add(5, 1); /* once: counts for nothing */
        if (killed)
            _exit((int)level);
        exit((int)level);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return (unsigned)WEXITSTATUS(status);
}

static unsigned files(void)
{
    DIR *folder = opendir(cl_folder_path("knowledge"));
    unsigned n = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        n += strncmp(entry->d_name, CX_CUT_SEARCH_FILES, 4) == 0;
    if (folder)
        closedir(folder);
    return n;
}

START_TEST(processes_of_one_program)
{
    static const uint64_t ms[CX_CUT_LEVELS] = {100, 1, 90, 60, 80};
    static const unsigned levels[] = {0, 4, 3, 2, 3, 3};
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
        ck_assert_uint_eq(run(ms, false), levels[i]);
    ck_assert_uint_eq(files(), 1);
    set_environment("COEXEC_KNOWLEDGE", "read", NULL);
    ck_assert_uint_eq(run(ms, false), 3);
    set_environment("COEXEC_KNOWLEDGE", "0", NULL);
    ck_assert_uint_eq(run(ms, false), 0);
}
END_TEST

/* Of three that tried a level and were killed there are no figures: there is no fourth. */
START_TEST(processes_killed)
{
    static const uint64_t ms[CX_CUT_LEVELS] = {100, 100, 100, 100, 50};
    ck_assert_uint_eq(run(ms, false), 0);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(run(ms, true), 4);
    ck_assert_uint_eq(run(ms, false), 0);
}
END_TEST

START_TEST(no_trials)
{
    static const char *const options[][2] = {{"COEXEC_BUDGET", "0"},       {"COEXEC_KNOWLEDGE", "read"},
                                             {"COEXEC_VERIFY", "1"},       {"COEXEC_KNOWLEDGE", "0"},
                                             {"COEXEC_REPRODUCIBLE", "1"}, {"COEXEC_SPLIT", "never"},
                                             {"COEXEC_CACHE_DIR", "-"}};
    static const uint64_t ms[CX_CUT_LEVELS] = {100, 1, 1, 1, 1};
    ck_assert_uint_eq(run(ms, false), 0);
    set_environment(options[_i][0], options[_i][1], NULL);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_uint_eq(run(ms, false), 0);
}
END_TEST

/* Foreign and damaged files count as absent. */
START_TEST(damage)
{
    static const uint64_t ms[CX_CUT_LEVELS] = {100, 1, 90, 60, 80};
    char path[300] = "";
    ck_assert_uint_eq(run(ms, false), 0);
    ck_assert_uint_eq(run(ms, false), 4);
    DIR *folder = opendir(cl_folder_path("knowledge"));
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, CX_CUT_SEARCH_FILES, 4) == 0)
            snprintf(path, sizeof path, "knowledge/%s", entry->d_name);
    closedir(folder);
    FILE *file = fopen(cl_folder_path(path), "r+");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 60, SEEK_SET), 0);
    ck_assert_int_eq(fputc('?', file), '?');
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_eq(run(ms, false), 0);
    ck_assert_uint_eq(run(ms, false), 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cut");
    TCase *tcase = tcase_create("cut");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, walk, 0, sizeof walks / sizeof *walks);
    tcase_add_test(tcase, common_kernels);
    tcase_add_test(tcase, entering);
    tcase_add_test(tcase, text_of_a_record);
    tcase_add_loop_test(tcase, bad_text, 0, 9);
    tcase_add_test(tcase, processes_of_one_program);
    tcase_add_test(tcase, processes_killed);
    tcase_add_loop_test(tcase, no_trials, 0, 7);
    tcase_add_test(tcase, damage);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

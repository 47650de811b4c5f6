/* SPDX-License-Identifier: MIT */
/*
 * Rows of splits of launches that a program enqueues far ahead, each of which changes the same buffer in
 * place, on two made-up GPUs that are peers: 1 ms a launch, and 320 MB to be moved once.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "__kernel void advance(__global const int *x, __global int *y)\n"
                             "{ int i = get_global_id(0), l = i > 0 ? i - 1 : i; y[i] = 3 * x[l] + x[i]; }\n"
                             "__kernel void change(__global int *x)\n"
                             "{ int i = get_global_id(0); x[i] = 3 * x[i] + 1; }\n";

enum { ITEMS = 80 << 20, LOCAL = 64, BATCH = 100 };

static const char *plan_log;

struct rows {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem mems[2];
    bool in_place; /* they read what they write themselves */
    unsigned launched;
};

/* Memory of half a gigabyte and more never becomes shared: all of it goes through slots. */
static size_t items_of(const struct rows *rows)
{
    return rows->in_place ? (size_t)2 * ITEMS : ITEMS;
}

/* Launches, without waiting in between, in a queue without profiling. */
static void advance(struct rows *rows, unsigned count)
{
    const size_t items = items_of(rows), local = LOCAL;
    for (unsigned i = 0; i < count; i++) {
        const unsigned from = rows->launched++ % 2;
        if (!rows->in_place) {
            cl_set_mem(rows->kernel, 0, rows->mems[from]);
            cl_set_mem(rows->kernel, 1, rows->mems[1 - from]);
        }
        cl_ok(clEnqueueNDRangeKernel(rows->queue, rows->kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    }
    cl_ok(clFinish(rows->queue));
}

static struct rows open_rows(bool in_place)
{
    struct rows rows = {.in_place = in_place};
    cl_folder_make("rows");
    setenv("COEXEC_LOG", "error,data:info,plan:debug", 1);
    setenv("COEXEC_LOG_FILE", plan_log = strdup(cl_folder_path("plan")), 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    cl_open();
    rows.queue = cl_queue(0);
    rows.kernel = cl_kernel_of(source, in_place ? "change" : "advance");
    for (unsigned i = 0; i < 2; i++) {
        rows.mems[i] = cl_buffer(CL_MEM_READ_WRITE, items_of(&rows) * sizeof(cl_int), NULL);
    }
    cl_set_mem(rows.kernel, 0, rows.mems[0]);
    if (!in_place)
        cl_set_mem(rows.kernel, 1, rows.mems[1]);
    return rows;
}

static void close_rows(struct rows *rows)
{
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(rows->mems[i]));
    cl_ok(clReleaseKernel(rows->kernel));
    cl_ok(clReleaseCommandQueue(rows->queue));
    cl_close();
    cl_folder_remove();
}

/* Batches of so many until the log says either. False: it does not in as many launches as are enough for
 * that.
 */
static bool advance_until_either(struct rows *rows, unsigned batch, const char *says, const char *other)
{
    unsigned n = 0;
    for (; n < 8000 && !cl_lines_with(plan_log, says) && !cl_lines_with(plan_log, other); n += batch)
        advance(rows, batch);
    return n < 8000;
}

static bool advance_until(struct rows *rows, unsigned batch, const char *says)
{
    return advance_until_either(rows, batch, says, says);
}

/* The first split moves half of a buffer, at half the speed that is assumed where none was measured. What
 * may have to come back behind the next one is what would have to come back now, at the same speed. */
START_TEST(what_comes_back_counts_alike)
{
    struct rows rows = open_rows(true);
    ck_assert(advance_until(&rows, 1, "runs split"));
    const unsigned before = cl_lines_with(plan_log, "runs split");
    advance(&rows, 1);
    ck_assert_uint_eq(cl_lines_with(plan_log, "runs split"), before + 1);
    close_rows(&rows);
}
END_TEST

/* Milliseconds from the end of the last whole launch before the first split one to that one's end. */
static double split_took(void)
{
    FILE *file = fopen(cl_folder_path("timeline"), "re");
    unsigned long start, end, before = 0, over = 0, launched = 0, first, count;
    unsigned device;
    ck_assert_ptr_nonnull(file);
    while (fscanf(file, "%lu %lu d%u %*s", &start, &end, &device) == 3) {
        char what[16];
        ck_assert_int_eq(fscanf(file, "%15s %lu %lu", what, &first, &count), 3);
        const bool whole = count == ITEMS;
        if (strcmp(what, "kernel") != 0 || (whole && launched) || count < ITEMS / 4)
            continue;
        if (whole)
            before = end;
        else if (launched++ < 2)
            over = end > over ? end : over;
    }
    fclose(file);
    ck_assert(before && over > before && launched >= 2);
    return (double)(over - before) * 1e-6;
}

static double split_lost(void)
{
    char line[256];
    double lost = 0;
    FILE *file = fopen(plan_log, "re");
    ck_assert_ptr_nonnull(file);
    while (lost == 0 && fgets(line, sizeof(line), file))
        (void)sscanf(line, "coexec: info: plan: the split of advance lost %lf ms", &lost);
    fclose(file);
    return lost;
}

/* What the first split is charged for begins when the launches ahead of it are over. */
START_TEST(what_is_ahead_is_no_loss)
{
    struct rows rows = open_rows(false);
    ck_assert(advance_until(&rows, BATCH, "the split of advance lost"));
    const double took = split_took(), lost = split_lost();
    ck_assert_msg(lost <= took, "%.3f ms lost, %.3f ms taken", lost, took);
    close_rows(&rows);
}
END_TEST

/* What packages touch is worked out once, not for each launch, though parts may move a little. */
START_TEST(what_packages_touch_is_kept)
{
    struct rows rows = open_rows(false);
    ck_assert(advance_until(&rows, 10, "runs split: several devices"));
    ck_assert_uint_ge(cl_lines_with(plan_log, "worked out what work-groups"), 2);
    ck_assert_int_eq(truncate(plan_log, 0), 0);
    advance(&rows, BATCH);
    ck_assert_uint_le(cl_lines_with(plan_log, "worked out what work-groups"), BATCH);
    close_rows(&rows);
}
END_TEST

/* A row loses as copies of borders take long for a while, and all data is brought back. Splits come into
 * question again in the end, though each would have to move half of a buffer. */
START_TEST(they_are_tried_again)
{
    struct rows rows = open_rows(false);
    bool loses = advance_until(&rows, 10, "runs split: several devices"); /* else the machine is too busy */
    setenv("STUB_COPY_CALL", "2000", 1);
    loses = loses && advance_until(&rows, 10, "stay whole for now");
    unsetenv("STUB_COPY_CALL");
    advance(&rows, 10);
    ck_assert_int_eq(truncate(plan_log, 0), 0);
    ck_assert(!loses ||
              advance_until_either(&rows, 10, "a split would need its data elsewhere", "runs split"));
    close_rows(&rows);
}
END_TEST

/* Launches that all wait for one event are not planned in one go: the first runs before the last is planned.
 */
START_TEST(many_are_planned_in_turns)
{
    enum { MANY = 4000 };
    const size_t items = LOCAL, local = LOCAL;
    struct rows rows = open_rows(false);
    cl_int error;
    cl_event gate = clCreateUserEvent(cl.context, &error), first = NULL, last = NULL;
    for (unsigned i = 0; i < MANY; i++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, rows.kernel, 1, NULL, &items, &local, i == 0, i ? NULL : &gate,
                                     i == 0          ? &first
                                     : i == MANY - 1 ? &last
                                                     : NULL));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(cl.queue));
    const cl_ulong started = cl_time_of(first, CL_PROFILING_COMMAND_START),
                   planned = cl_time_of(last, CL_PROFILING_COMMAND_SUBMIT);
    ck_assert_msg(started < planned, "the first began %.3f ms after the last was planned",
                  (double)(started - planned) * 1e-6);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(first));
    cl_ok(clReleaseEvent(last));
    close_rows(&rows);
}
END_TEST

/* The most splits that were planned without one of those before them having ended. */
static unsigned most_ahead(void)
{
    char line[512];
    unsigned planned = 0, ended = 0, most = 0;
    FILE *file = fopen(plan_log, "re");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        planned += strstr(line, "advance runs split") != NULL;
        ended += strstr(line, "us split,") != NULL;
        if (planned > ended + most)
            most = planned - ended;
    }
    fclose(file);
    return most;
}

/* A program enqueues a row of splits far ahead. No more than some 30 ms of them are planned before it shows
 * how those before did. */
START_TEST(rows_are_planned_late)
{
    enum { MANY = 1000 };
    struct rows rows = open_rows(false);
    ck_assert(advance_until(&rows, 10, "runs split: several devices"));
    ck_assert_int_eq(truncate(plan_log, 0), 0);
    advance(&rows, MANY);
    const unsigned most = most_ahead();
    ck_assert_msg(most < MANY / 4, "%u splits were planned ahead", most);
    close_rows(&rows);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rows");
    TCase *tcase = tcase_create("rows");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, what_comes_back_counts_alike);
    tcase_add_test(tcase, what_is_ahead_is_no_loss);
    tcase_add_test(tcase, many_are_planned_in_turns);
    tcase_add_test(tcase, they_are_tried_again);
    tcase_add_test(tcase, what_packages_touch_is_kept);
    tcase_add_test(tcase, rows_are_planned_late);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

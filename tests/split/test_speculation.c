/* SPDX-License-Identifier: MIT */
/*
 * Launches that are split first and checked afterwards: results are those of some order of the work-groups,
 * whether the launch stands or is undone; the log tells which.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { GROUPS = 256, LOCAL = 16, ITEMS = GROUPS * LOCAL, KEYS = 4 };

static const char text[] =
    "__kernel void search(__global const int *in, __global int *sum, volatile __global int *found,\n"
    "                     __global int *place, int wanted)\n"
    "{ size_t i = get_global_id(0); sum[i] += in[i];\n"
    "  if (in[i] % 100 == 1) sum[i] *= 3;\n"
    "  if (in[i] == wanted && atomic_inc(found) == 0) *place = i; }\n"
    "__kernel void list(__global const int *in, __global int *count, __global int *list)\n"
    "{ size_t i = get_global_id(0); if (in[i] > 5000) list[atomic_inc(count)] = i; }\n"
    "__kernel void early(__global const int *in, __global int *out, __global int *stop)\n"
    "{ size_t i = get_global_id(0); if (atomic_or(stop, 0)) return;\n"
    "  out[i] = in[i]; if (in[i] > 5000) atomic_or(stop, 1); }\n"
    "__kernel void lock(__global const int *in, __global int *lock, __global int *a, __global int *b)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (in[i] > 5000 && atomic_xchg(lock, 1) == 0)\n"
    "  { a[0] += 1; b[0] += 2; atomic_xchg(lock, 0); } }\n"
    "__kernel void touch(__global const int *in, __global int *lock)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (in[i] > 5000 && atomic_xchg(lock, 1) == 0) atomic_xchg(lock, 0); }\n"
    "__kernel void same(__global const int *in, __global int *state)\n"
    "{ size_t i = get_global_id(0); if (in[i] > 5000 && atomic_cmpxchg(state + 3, 9, 7) == 7)\n"
    "    atomic_xchg(state, 5); }\n";

/* How often the log has the words, of this process. */
static unsigned said(const char *words)
{
    char name[64], line[1000];
    unsigned count = 0;
    snprintf(name, sizeof(name), "/tmp/coexec-speculation-%d.log", (int)getpid());
    FILE *log = fopen(name, "r");
    while (log && fgets(line, sizeof(line), log))
        count += strstr(line, words) != NULL;
    if (log)
        fclose(log);
    return count;
}

static void forget(void)
{
    char name[64];
    snprintf(name, sizeof(name), "/tmp/coexec-speculation-%d.log", (int)getpid());
    unlink(name);
}

/* The launches so far, each of which was split, and how many were undone. */
static void expect_said(unsigned split, unsigned undone)
{
    if (!cl_is_coexec())
        return;
    ck_assert_uint_eq(said(" runs split: "), split);
    ck_assert_uint_eq(said("runs whole after all: several devices"), undone);
    ck_assert_uint_eq(said("runs whole after all: "), undone);
}

static void run(cl_kernel kernel)
{
    const size_t items = ITEMS, local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static int in[ITEMS], out[ITEMS];

static void fill_in(void)
{
    for (int i = 0; i < ITEMS; i++)
        in[i] = i * 7919 % 1000;
}

/* Hits at these places; sums are added to once, whether the launch stands or not. */
static void search_for(const int *hits, unsigned nhits, bool undone)
{
    int found = 0, place = -1;
    static int sum[ITEMS];
    static unsigned launches, times; /* undone */
    bool known = nhits == 0;
    fill_in();
    for (unsigned h = 0; h < nhits; h++)
        in[hits[h]] = 5001;
    for (int i = 0; i < ITEMS; i++)
        sum[i] = i;
    cl_kernel kernel = cl_kernel_of(text, "search");
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in),
           to = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(sum), sum),
           count = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(found), &found),
           at = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(place), &place);
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_mem(kernel, 2, count);
    cl_set_mem(kernel, 3, at);
    cl_set_int(kernel, 4, 5001);
    run(kernel);
    cl_read(to, out, sizeof(out));
    cl_read(count, &found, sizeof(found));
    cl_read(at, &place, sizeof(place));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(out[i], (sum[i] + in[i]) * (in[i] % 100 == 1 ? 3 : 1));
    ck_assert_int_eq(found, (int)nhits);
    for (unsigned h = 0; h < nhits; h++)
        known |= place == hits[h];
    ck_assert_msg(known, "nothing was found at %d", place);
    times += undone;
    expect_said(++launches, times);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseMemObject(count));
    cl_ok(clReleaseMemObject(at));
}

START_TEST(finds_nothing)
{
    search_for(NULL, 0, false);
    forget();
}
END_TEST

START_TEST(finds_one)
{
    search_for((int[]){0}, 1, false);
    search_for((int[]){ITEMS - 1}, 1, false);
    forget();
}
END_TEST

START_TEST(finds_neighbours)
{
    search_for((int[]){ITEMS - 1, ITEMS - 2, ITEMS - LOCAL}, 3, false);
    forget();
}
END_TEST

START_TEST(finds_far_apart)
{
    search_for((int[]){1, ITEMS - 1}, 2, true);
    forget();
}
END_TEST

/* A kernel with `in` and up to three small buffers, which begin as zeros. */
static void run_small(const char *name, int values[3][8], unsigned n)
{
    cl_kernel kernel = cl_kernel_of(text, name);
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in), mem[3];
    cl_set_mem(kernel, 0, from);
    for (unsigned i = 0; i < n; i++) {
        mem[i] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values[i]), values[i]);
        cl_set_mem(kernel, 1 + i, mem[i]);
    }
    run(kernel);
    for (unsigned i = 0; i < n; i++) {
        cl_read(mem[i], values[i], sizeof(values[i]));
        cl_ok(clReleaseMemObject(mem[i]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(from));
}

START_TEST(lists_few)
{
    int values[3][8] = {{0}};
    fill_in();
    in[17] = in[18] = in[40] = 6000;
    run_small("list", values, 2);
    ck_assert_int_eq(values[0][0], 3);
    ck_assert_int_eq(values[1][0] + values[1][1] + values[1][2], 17 + 18 + 40);
    expect_said(1, 0);
    in[ITEMS - 5] = 6000;
    memset(values, 0, sizeof(values));
    run_small("list", values, 2);
    ck_assert_int_eq(values[0][0], 4);
    ck_assert_int_eq(values[1][0] + values[1][1] + values[1][2] + values[1][3], 17 + 18 + 40 + ITEMS - 5);
    expect_said(2, 1);
    forget();
}
END_TEST

/* Tried locks in three buffers. */
START_TEST(tries_locks)
{
    int values[3][8] = {{0}};
    fill_in();
    in[3] = in[ITEMS - 3] = 6000;
    run_small("lock", values, 3);
    ck_assert_int_eq(values[0][0], 0);
    ck_assert_int_ge(values[1][0], 1);
    ck_assert_int_le(values[1][0], 2);
    ck_assert_int_eq(values[2][0], 2 * values[1][0]);
    expect_said(1, 1);
    forget();
}
END_TEST

/* What is put back is as if it had not been changed, and what is stored again, too. */
START_TEST(puts_back)
{
    int values[3][8] = {{0}};
    fill_in();
    in[3] = in[ITEMS - 3] = 6000;
    run_small("touch", values, 1);
    ck_assert_int_eq(values[0][0], 0);
    expect_said(1, 0);
    values[0][0] = 5;
    values[0][3] = 7;
    run_small("same", values, 1);
    ck_assert_int_eq(values[0][0], 5);
    expect_said(2, 0);
    forget();
}
END_TEST

/* Work-groups that see the flag leave: what was stored before it was raised is there. */
START_TEST(leaves_early)
{
    int stop = 0;
    static int old[ITEMS];
    fill_in();
    for (int i = 0; i < ITEMS; i++)
        old[i] = -1;
    in[5] = 6000;
    cl_kernel kernel = cl_kernel_of(text, "early");
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in),
           to = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(old), old),
           flag = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(stop), &stop);
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_mem(kernel, 2, flag);
    run(kernel);
    cl_read(to, out, sizeof(out));
    cl_read(flag, &stop, sizeof(stop));
    ck_assert_int_eq(stop, 1);
    for (int i = 0; i < ITEMS; i++)
        ck_assert_msg(out[i] == in[i] || (out[i] == -1 && i != 5), "item %d left %d", i, out[i]);
    expect_said(1, 0);
    run(kernel); /* all leave at once */
    cl_read(to, old, sizeof(old));
    ck_assert_mem_eq(old, out, sizeof(out));
    expect_said(2, 0);
    forget();
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseMemObject(flag));
}
END_TEST

/* Parts of one buffer, of which one is only read: all of the buffer is copied. */
START_TEST(parts_of_one)
{
    enum { PART = 4096 };
    static char bytes[4 * PART];
    int value;
    fill_in();
    in[9] = in[10] = 6000;
    cl_kernel kernel = cl_kernel_of(text, "list");
    memcpy(bytes, in, sizeof(in) < PART ? sizeof(in) : PART);
    cl_mem all = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes),
           from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in), part[2];
    for (unsigned i = 0; i < 2; i++) {
        const cl_buffer_region region = {(1 + i) * PART, PART};
        cl_int code;
        part[i] = clCreateSubBuffer(all, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        cl_ok(code);
    }
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, part[0]);
    cl_set_mem(kernel, 2, part[1]);
    run(kernel);
    cl_read(part[0], &value, sizeof(value));
    ck_assert_int_eq(value, 2);
    cl_read(all, bytes, sizeof(bytes));
    ck_assert_mem_eq(bytes, in, PART);
    memcpy(&value, bytes + 2 * PART, sizeof(value));
    ck_assert_msg(value == 9 || value == 10, "%d", value);
    expect_said(1, 0);
    forget();
    cl_ok(clReleaseKernel(kernel));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(part[i]));
    cl_ok(clReleaseMemObject(all));
    cl_ok(clReleaseMemObject(from));
}
END_TEST

/* One launch behind the other, without a look between: none is fed before the one before it is decided. */
START_TEST(many_in_a_row)
{
    enum { LAUNCHES = 12 };
    static int sum[ITEMS];
    int found = 0, place = -1;
    fill_in();
    in[2] = in[ITEMS - 2] = 5001;
    memset(sum, 0, sizeof(sum));
    cl_kernel kernel = cl_kernel_of(text, "search");
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in),
           to = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(sum), sum),
           count = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(found), &found),
           at = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(place), &place);
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_mem(kernel, 2, count);
    cl_set_mem(kernel, 3, at);
    for (int k = 0; k < LAUNCHES; k++) {
        cl_set_int(kernel, 4, k % 3 ? 5001 : 77777);
        run(kernel);
    }
    cl_ok(clEnqueueReadBuffer(cl.queue, to, CL_FALSE, 0, sizeof(out), out, 0, NULL, NULL));
    cl_read(count, &found, sizeof(found));
    ck_assert_int_eq(found, 2 * (LAUNCHES - (LAUNCHES + 2) / 3));
    for (int i = 0; i < ITEMS; i++) {
        int expected = 0;
        for (int k = 0; k < LAUNCHES; k++)
            expected = (int)((unsigned)(expected + in[i]) * (in[i] % 100 == 1 ? 3u : 1u));
        ck_assert_int_eq(out[i], expected);
    }
    expect_said(LAUNCHES, LAUNCHES - (LAUNCHES + 2) / 3);
    forget();
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseMemObject(count));
    cl_ok(clReleaseMemObject(at));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("speculation");
    TCase *few = cl_case(suite, "kernels");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("COEXEC_LOG_FILE", "/tmp/coexec-speculation-%p.log", 1);
    tcase_add_test(few, finds_nothing);
    tcase_add_test(few, finds_one);
    tcase_add_test(few, finds_neighbours);
    tcase_add_test(few, finds_far_apart);
    tcase_add_test(few, lists_few);
    tcase_add_test(few, tries_locks);
    tcase_add_test(few, puts_back);
    tcase_add_test(few, leaves_early);
    tcase_add_test(few, parts_of_one);
    tcase_add_test(few, many_in_a_row);
    return tap_run(suite);
}

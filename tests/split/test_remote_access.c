/* SPDX-License-Identifier: MIT */
/*
 * Buffers that devices use by remote access: two CPU devices that pass for GPUs which reach each other's
 * memory (tests/driver's shared.c and cuda.c), whose kernels start late. Results with remote access and
 * without against a model, where it is refused, what it does where objects cannot be had, and what `auto`
 * chooses. Each test has a process of its own, and so an environment of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 8192, BYTES = N * sizeof(cl_int), ROUNDS = 4 };

static const char source[] =
    "__kernel void scatter(__global const int *in, __global const int *to, __global int *out, int k)\n"
    "{ int i = get_global_id(0); out[to[i]] = in[i] + k; }\n"
    "__kernel void bytes(__global const int *in, __global const int *to, __global uchar *out, int k)\n"
    "{ int i = get_global_id(0); out[to[i]] = (uchar)(in[i] + k); }\n"
    "__kernel void gather(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ int i = get_global_id(0); out[i] = in[at[i]] + k; }\n"
    "__kernel void update(__global const int *in, __global const int *to, __global int *out, int k)\n"
    "{ int i = get_global_id(0); out[to[i]] = out[to[i]] * 3 + in[i] + k; }\n"
    "__kernel void one(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ int i = get_global_id(0); out[i] = in[i] * 5 + at[i] + k; }\n"
    "__kernel void make(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ for (int i = get_local_id(0); i < k; i += 64) out[i] = i * 7; }\n"
    "__kernel void tally(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ int i = get_global_id(0); atomic_add(&out[at[i]], in[i] + k); }\n"
    "__kernel void both(__global const int *in, __global const int *at, __global int *out, int k,\n"
    "                   __global int *bins)\n"
    "{ int i = get_global_id(0); out[at[i]] = in[i] + k; atomic_add(&bins[at[i] % 64], in[i]); }\n"
    "__kernel void mixed(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ int i = get_global_id(0); out[at[i]] = in[i]; if (i % 64 == 0) atomic_add(&out[k], 1); }\n"
    "__kernel void sums(__global const int *in, __global const int *at, __global int *out, int k)\n"
    "{ int i = get_global_id(0), s = 0; for (int j = 0; j < k; j++) s += in[at[i * k + j]]; out[i] = s; }\n";

enum { SCATTER, OF_BYTES, GATHER, UPDATE, ONE, MAKE, TALLY, BOTH, MIXED, SUMS, KERNELS };
static const char *const names[KERNELS] = {"scatter", "bytes", "gather", "update", "one",
                                           "make",    "tally", "both",   "mixed",  "sums"};
static cl_kernel kernels[KERNELS];

static unsigned accesses(void)
{
    return cl_lines_with(cl_folder_path("log"), "uses buffers by remote access");
}

static void start(const char *algo, const char *remote_access)
{
    cl_folder_make("remote-access");
    setenv("COEXEC_ALGO", algo, 1);
    set_variable("remote_access", remote_access);
    setenv("COEXEC_LOG", "plan:info,data:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    cl_program program = cl_build(source, "");
    for (unsigned i = 0; i < KERNELS; i++) {
        cl_int error;
        kernels[i] = clCreateKernel(program, names[i], &error);
        cl_ok(error);
    }
    cl_ok(clReleaseProgram(program));
}

static void stop(void)
{
    for (unsigned i = 0; i < KERNELS; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_close();
    ck_assert(cl_unmapped("memfd:fake-cuda"));
    cl_folder_remove();
}

static void launch(unsigned kernel, cl_mem in, cl_mem at, cl_mem out, cl_int k, size_t items)
{
    const size_t local = 64;
    cl_set_mem(kernels[kernel], 0, in);
    cl_set_mem(kernels[kernel], 1, at);
    cl_set_mem(kernels[kernel], 2, out);
    cl_set_int(kernels[kernel], 3, k);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernels[kernel], 1, NULL, &items, &local, 0, NULL, NULL));
}

/* ---- right, whatever the way ---- */

/* What buffers must hold: a, b and c are ints, d bytes. */
static cl_int a[N], b[N], c[N], at[N], got[N];
static unsigned char d[BYTES], got_d[BYTES];
enum { HALF = N / 2 };

/* All places at different ones; the first half of the items reaches every other one. */
static void fill_model(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i * 11;
        b[i] = -i;
        c[i] = 0;
        at[i] = i < HALF ? i * 3085 % HALF * 2 : (i - HALF) * 3085 % HALF * 2 + 1;
    }
    memset(d, 9, sizeof(d));
}

struct buffers {
    cl_mem a, b, c, d, at;
};

static struct buffers make_buffers(void)
{
    struct buffers made = {
        cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL),
        cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL),
        cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, at)};
    cl_ok(clEnqueueWriteBuffer(cl.queue, made.a, CL_FALSE, 0, BYTES, a, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(cl.queue, made.b, CL_FALSE, 0, BYTES, b, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(cl.queue, made.c, CL_FALSE, 0, BYTES, c, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(cl.queue, made.d, CL_TRUE, 0, BYTES, d, 0, NULL, NULL));
    return made;
}

static void drop_buffers(const struct buffers *made)
{
    const cl_mem all[] = {made->a, made->b, made->c, made->d, made->at};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        cl_ok(clReleaseMemObject(all[i]));
}

/* One round, with nothing waited for: what a launch leaves in one memory is used by launches, transfers and
 * copies of all kinds, and what it uses there is overwritten by them. */
static void go_round(const struct buffers *to, int round)
{
    const cl_int five = 5, k = round;
    launch(SCATTER, to->a, to->at, to->b, k, HALF);
    launch(ONE, to->b, to->at, to->c, k, N);
    launch(OF_BYTES, to->c, to->at, to->d, k, N);
    launch(GATHER, to->c, to->at, to->a, k, N);
    launch(UPDATE, to->a, to->at, to->c, k, HALF);
    cl_ok(clEnqueueFillBuffer(cl.queue, to->c, &five, sizeof(five), BYTES / 4, BYTES / 8, 0, NULL, NULL));
    launch(GATHER, to->b, to->at, to->a, k, HALF);
    launch(MAKE, to->a, to->at, to->b, 1000, 64);
    cl_ok(clEnqueueCopyBuffer(cl.queue, to->a, to->b, 0, BYTES / 2, BYTES / 4, 0, NULL, NULL));
    for (int i = 0; i < HALF; i++)
        b[at[i]] = a[i] + k;
    for (int i = 0; i < N; i++)
        c[i] = b[i] * 5 + at[i] + k;
    for (int i = 0; i < N; i++)
        d[at[i]] = (unsigned char)(c[i] + k);
    for (int i = 0; i < N; i++)
        a[i] = c[at[i]] + k;
    for (int i = 0; i < HALF; i++)
        c[at[i]] = c[at[i]] * 3 + a[i] + k;
    for (int i = 0; i < N / 8; i++)
        c[N / 4 + i] = 5;
    for (int i = 0; i < HALF; i++)
        a[i] = b[at[i]] + k;
    for (int i = 0; i < 1000; i++)
        b[i] = i * 7;
    memcpy(b + N / 2, a, BYTES / 4);
    for (int i = 0; i < N; i++) { /* that nothing overflows */
        a[i] %= 1000;
        c[i] %= 1000;
    }
}

static void compare(const struct buffers *from)
{
    cl_read(from->b, got, BYTES);
    ck_assert_mem_eq(got, b, BYTES);
    cl_read(from->d, got_d, BYTES);
    ck_assert_mem_eq(got_d, d, BYTES);
}

static void all_rounds(void)
{
    fill_model();
    const struct buffers made = make_buffers();
    for (int round = 0; round < ROUNDS; round++) {
        go_round(&made, round);
        cl_read(made.a, got, BYTES);
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i] % 1000, a[i]);
        cl_ok(clEnqueueWriteBuffer(cl.queue, made.a, CL_FALSE, 0, BYTES, a, 0, NULL, NULL));
        cl_read(made.c, got, BYTES);
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i] % 1000, c[i]);
        cl_ok(clEnqueueWriteBuffer(cl.queue, made.c, CL_FALSE, 0, BYTES, c, 0, NULL, NULL));
        compare(&made);
    }
    cl_ok(clFinish(cl.queue));
    drop_buffers(&made);
}

static const char *const algos[] = {"static", "sigmoid", "auto"};

/* Under auto others may do again what a device that starts late holds; it is left out of launches then. */
static unsigned least(unsigned algo)
{
    return algo == 2 ? 1 : 5 * ROUNDS;
}

/* Regions directly from device to device, by slots, or through the host alone, beside it. */
static const char *const stagings[] = {"0", "1", "8192"};

START_TEST(rounds)
{
    set_variable("staging", stagings[_i / 3]);
    start(algos[_i % 3], "1");
    all_rounds();
    ck_assert_uint_ge(accesses(), least((unsigned)_i % 3));
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "cannot"), 0);
    stop();
}
END_TEST

START_TEST(rounds_without)
{
    set_variable("staging", "0");
    start(algos[_i], "0");
    all_rounds();
    ck_assert_uint_eq(accesses(), 0);
    stop();
}
END_TEST

START_TEST(rounds_verified)
{
    setenv("COEXEC_VERIFY", "1", 1);
    start(algos[_i], "1");
    all_rounds();
    ck_assert_uint_ge(accesses(), least((unsigned)_i));
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "differ"), 0);
    stop();
}
END_TEST

/* ---- where it is not ---- */

/* Buffers that atomics update, alone or beside other writes, keep to the ways of today; others of the same
 * launch do not. */
START_TEST(atomics)
{
    static cl_int bins[N];
    start(algos[_i], "1");
    fill_model();
    for (int i = 0; i < N; i++)
        bins[i] = i;
    const struct buffers made = make_buffers();
    cl_mem tallies = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, bins);
    launch(TALLY, made.a, made.at, made.c, 1, N);
    launch(MIXED, made.a, made.at, made.b, N - 1, HALF); /* one device does it all */
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(accesses(), 0);
    cl_set_mem(kernels[BOTH], 4, tallies);
    launch(BOTH, made.a, made.at, made.d, 3, N);
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(accesses(), 1);
    for (int i = 0; i < N; i++) {
        c[at[i]] += a[i] + 1;
        bins[at[i] % 64] += a[i];
    }
    for (int i = 0; i < HALF; i++)
        b[at[i]] = a[i];
    b[N - 1] += HALF / 64;
    cl_read(made.c, got, BYTES);
    ck_assert_mem_eq(got, c, BYTES);
    cl_read(made.b, got, BYTES);
    ck_assert_mem_eq(got, b, BYTES);
    cl_read(tallies, got, BYTES);
    ck_assert_mem_eq(got, bins, BYTES);
    for (int i = 0; i < N; i++)
        c[at[i]] = a[i] + 3;
    cl_read(made.d, got, BYTES);
    ck_assert_mem_eq(got, c, BYTES);
    cl_ok(clReleaseMemObject(tallies));
    drop_buffers(&made);
    stop();
}
END_TEST

/* Buffers too small to be shared, and devices that are no peers. */
START_TEST(others)
{
    static const char *const names_of[] = {"FAKE_CUDA_GRAIN", "FAKE_CUDA_APART", "peer"};
    static const char *const values[] = {"2097152", "1", "0"};
    set_variable(names_of[_i], values[_i]);
    start("static", "1");
    all_rounds();
    ck_assert_uint_eq(accesses(), 0);
    stop();
}
END_TEST

/* Through a part of a buffer it is not, and what one way left the other finds. */
START_TEST(parts)
{
    static cl_int back[HALF];
    start("static", "1");
    fill_model();
    for (int i = 0; i < HALF; i++)
        back[i] = HALF - 1 - i;
    const struct buffers made = make_buffers();
    const cl_buffer_region half = {BYTES / 2, BYTES / 2};
    cl_int error;
    cl_mem part = clCreateSubBuffer(made.b, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    cl_ok(error);
    cl_mem to = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES / 2, back);
    for (int round = 0; round < 3; round++) {
        launch(SCATTER, made.a, made.at, made.b, round, HALF);
        launch(UPDATE, made.a, to, part, round, HALF);
        for (int i = 0; i < HALF; i++)
            b[at[i]] = a[i] + round;
        for (int i = 0; i < HALF; i++)
            b[N - 1 - i] = b[N - 1 - i] * 3 + a[i] + round;
    }
    launch(GATHER, made.b, made.at, made.c, 0, N);
    cl_read(made.b, got, BYTES);
    ck_assert_uint_eq(accesses(), 4);
    ck_assert_mem_eq(got, b, BYTES);
    cl_read(made.c, got, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], b[at[i]]);
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(to));
    drop_buffers(&made);
    stop();
}
END_TEST

/* Objects over memory, its owner's or others', that cannot be had: the k-th one, or all from then on. */
START_TEST(no_objects)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "cuMemExportToShareableHandle:%d%s:999", _i / 2 + 1, _i % 2 ? "+" : "");
    setenv("FAKE_CUDA_FAIL", rule, 1);
    start(algos[_i % 3], "1");
    all_rounds();
    ck_assert_uint_le(cl_lines_with(cl_folder_path("log"), "it works on copies"), 2);
    stop();
}
END_TEST

/* A driver that runs no kernel on such objects: copies from then on, and nobody is left out for it. */
START_TEST(no_visits)
{
    setenv("SHARED_FAIL", "visit", 1);
    start(algos[_i], "1");
    all_rounds();
    ck_assert_uint_ge(accesses(), 1);
    ck_assert_uint_le(accesses(), 2); /* each device on the other's once */
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "runs no kernel on the memory"), accesses());
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "is left out"), 0);
    stop();
}
END_TEST

/* ---- what auto chooses ---- */

enum { LARGE = 16 << 20 }; /* ints */

/* Launches so far with remote access, and that are over. */
static unsigned accesses_by_now(void)
{
    cl_ok(clFinish(cl.queue));
    return accesses();
}

/* A launch that puts most of what it writes together on the host does so once; a small one goes on. */
START_TEST(auto_writes)
{
    enum { MANY = 1 << 20 };
    start("static", "auto");
    cl_int *to = malloc(MANY * sizeof(cl_int)), *now = malloc(MANY * sizeof(cl_int));
    for (cl_uint i = 0; i < MANY; i++)
        to[i] = (cl_int)(i * 2654435761u % MANY);
    cl_mem in = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, MANY * sizeof(cl_int), to),
           out = cl_buffer(CL_MEM_READ_WRITE, MANY * sizeof(cl_int), NULL);
    for (unsigned round = 0; round < 3; round++) {
        launch(SCATTER, in, in, out, (cl_int)round, MANY);
        ck_assert_uint_eq(accesses_by_now(), round);
        cl_read(out, now, MANY * sizeof(cl_int));
        for (int i = 0; i < MANY; i++)
            ck_assert_int_eq(now[to[i]], to[i] + (cl_int)round);
    }
    cl_ok(clReleaseMemObject(in));
    cl_ok(clReleaseMemObject(out));
    free(to);
    free(now);
    fill_model();
    const struct buffers made = make_buffers();
    for (unsigned round = 0; round < 3; round++)
        launch(SCATTER, made.a, made.at, made.b, (cl_int)round, HALF);
    ck_assert_uint_eq(accesses_by_now(), 2);
    drop_buffers(&made);
    stop();
}
END_TEST

/* Rounds in which both devices read `items` times `each` places of a large table, which one makes anew in the
 * first `changing` of them. Gives how many launches visit it. */
static unsigned look_up(unsigned kernel, size_t items, int each, int rounds_of, int changing)
{
    const size_t list = items * (size_t)each;
    unsigned before = 0;
    fill_model();
    cl_int *places = malloc(list * sizeof(cl_int)), *now = malloc(items * sizeof(cl_int));
    for (size_t i = 0; i < list; i++)
        places[i] = (cl_int)(i * 2654435761u % LARGE);
    cl_mem from = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list * sizeof(cl_int), places),
           to = cl_buffer(CL_MEM_READ_WRITE, items * sizeof(cl_int), NULL),
           table = cl_buffer(CL_MEM_READ_WRITE, LARGE * sizeof(cl_int), NULL);
    const cl_int zero = 0;
    cl_ok(
        clEnqueueFillBuffer(cl.queue, table, &zero, sizeof(zero), 0, LARGE * sizeof(cl_int), 0, NULL, NULL));
    for (int round = 0; round < rounds_of; round++) {
        if (round < changing)
            launch(MAKE, from, from, table, LARGE, 64);
        launch(kernel, table, from, to, kernel == SUMS ? each : round, items);
    }
    before = accesses_by_now();
    cl_read(to, now, items * sizeof(cl_int));
    for (size_t i = 0; i < items; i++) {
        cl_uint want = kernel == SUMS ? 0 : (cl_uint)rounds_of - 1;
        for (size_t j = 0; j < (size_t)each; j++)
            want += (cl_uint)places[i * (size_t)each + j] * 7;
        ck_assert_uint_eq((cl_uint)now[i], want);
    }
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseMemObject(table));
    free(places);
    free(now);
    return before;
}

/* A few places of a table that changes each time: all launches visit it, once objects pay. */
START_TEST(auto_reads)
{
    start("static", "auto");
    ck_assert_uint_ge(look_up(GATHER, N, 1, 6, 6), 3);
    stop();
}
END_TEST

/* ... that does not change any more: copies, when those would have cost less. */
START_TEST(auto_reuse)
{
    start("static", "auto");
    const unsigned visits = look_up(GATHER, 1 << 18, 1, 32, 4);
    ck_assert_uint_ge(visits, 6);
    ck_assert_uint_le(visits, 20);
    stop();
}
END_TEST

/* Many places, as the list is as long as the table: copies. */
START_TEST(auto_many)
{
    start("static", "auto");
    ck_assert_uint_eq(look_up(SUMS, 1 << 18, 16, 3, 3), 0);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("remote_access");
    TCase *tcase = tcase_create("remote_access");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, rounds, 0, 9);
    tcase_add_loop_test(tcase, rounds_without, 0, 3);
    tcase_add_loop_test(tcase, rounds_verified, 0, 3);
    tcase_add_loop_test(tcase, atomics, 0, 3);
    tcase_add_loop_test(tcase, others, 0, 3);
    tcase_add_test(tcase, parts);
    tcase_add_loop_test(tcase, no_objects, 0, 24);
    tcase_add_loop_test(tcase, no_visits, 0, 2);
    tcase_add_test(tcase, auto_writes);
    tcase_add_test(tcase, auto_reads);
    tcase_add_test(tcase, auto_reuse);
    tcase_add_test(tcase, auto_many);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

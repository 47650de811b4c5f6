/* SPDX-License-Identifier: MIT */
/*
 * The order of copies through slots (transport_bounce.c): devices that need each other's borders give theirs
 * before they wait for what they get. The devices are those of test_peer.c.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * sizeof(cl_int) };

static const char source[] =
    "__kernel void count(__global int *out, int k) { int i = get_global_id(0); out[i] = k + 3 * i; }\n"
    /* two arrays in one buffer */
    "__kernel void blur(__global const int *in, __global int *out, int n)\n"
    "{ int i = get_global_id(0), l = i > 0 ? i - 1 : i, r = i + 1 < n ? i + 1 : i;\n"
    "  out[i] = in[l] + in[r]; out[n + i] = in[n + l] - in[n + r]; }\n"
    "__kernel void gather(__global const int *in, __global const int *at, __global int *out)\n"
    "{ out[get_global_id(0)] = in[at[get_global_id(0)]]; }\n"
    "__kernel void march(__global const int *in, __global int *out, int rounds)\n"
    "{ int i = get_global_id(0), n = get_global_size(0), v = in[i > 0 ? i - 1 : i] + in[i + 1 < n ? i + 1 : "
    "i];\n"
    "  for (int r = 0; r < rounds; r++) v = v * 5 + (v >> 3);\n"
    "  out[i] = v; }\n";

static int got[N];

/* Two steps on both devices, each of which needs the other's borders of both arrays. */
static void blur(cl_kernel count, cl_kernel kernel)
{
    const size_t all = N, items = N / 2, local = 64;
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_set_mem(count, 0, a);
    cl_set_int(count, 1, 7);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, count, 1, NULL, &all, &local, 0, NULL, NULL));
    for (unsigned i = 0; i < 2; i++) {
        cl_set_mem(kernel, 0, i % 2 ? b : a);
        cl_set_mem(kernel, 1, i % 2 ? a : b);
        cl_set_int(kernel, 2, N / 2);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    }
    cl_read(a, got, BYTES);
    for (int i = 2; i < N / 2 - 2; i++)
        ck_assert(got[i] == 4 * (7 + 3 * i) && got[N / 2 + i] == 0);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}

/* Of the devices' buffers in the log of copies, how many were given bytes before they gave theirs, and how
 * many both gave and got some. Slots do either, through an object for each device. */
static unsigned got_first(const char *log, unsigned *both)
{
    struct {
        char from[32], to[32];
    } line[64];
    unsigned n = 0, count = 0;
    FILE *file = fopen(log, "re");
    ck_assert_ptr_nonnull(file);
    while (n < 64 && fscanf(file, "copy %*u x %*u from %31s to %31s\n", line[n].from, line[n].to) == 2)
        n++;
    fclose(file);
    *both = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned gives = 0, gets = 0;
        while (gives < n && strcmp(line[gives].from, line[i].from) != 0)
            gives++;
        while (gets < n && strcmp(line[gets].to, line[i].from) != 0)
            gets++;
        *both += gives == i && gets < n;
        count += gives == i && gets < i;
    }
    return count;
}

/* Neither device waits for what it gets before it gives what the other needs, however the runs of several
 * arrays lie between each other's. */
START_TEST(exchanges_at_once)
{
    unsigned both;
    cl_folder_make("exchange");
    setenv("SHARED_LOG", cl_folder_path("slots"), 1);
    cl_open();
    cl_kernel count = cl_kernel_of(source, "count"), kernel = cl_kernel_of(source, "blur");
    blur(count, kernel);
    ck_assert_uint_eq(got_first(cl_folder_path("slots"), &both), 0);
    ck_assert_uint_eq(both, 4); /* two buffers on two devices */
    cl_ok(clReleaseKernel(count));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* What every package may read all of comes from the other device, too, not by way of the host. */
START_TEST(gathered_at_once)
{
    static int at[N];
    const size_t all = N, local = 64;
    cl_folder_make("exchange");
    setenv("SHARED_LOG", cl_folder_path("slots"), 1);
    setenv("COEXEC_ALGO", _i ? "auto;count=static" : "hguided;count=static", 1);
    cl_open();
    cl_kernel count = cl_kernel_of(source, "count"), kernel = cl_kernel_of(source, "gather");
    for (int i = 0; i < N; i++)
        at[i] = N - 1 - i;
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL),
           index = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, at);
    cl_set_mem(count, 0, a);
    cl_set_int(count, 1, 7);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, count, 1, NULL, &all, &local, 0, NULL, NULL));
    cl_set_mem(kernel, 0, a);
    cl_set_mem(kernel, 1, index);
    cl_set_mem(kernel, 2, b);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &all, &local, 0, NULL, NULL));
    cl_read(b, got, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], 7 + 3 * (N - 1 - i));
    /* into and out of a slot, each way: either device made half of them */
    ck_assert_uint_ge(cl_lines_with(cl_folder_path("slots"), "copy"), 4);
    cl_mem mems[] = {a, b, index};
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseKernel(count));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    cl_folder_remove();
}
END_TEST

enum { STEPS = 1 << 18 };

/* Steps from one buffer to the other and back until the log says so and so often. */
static void march(cl_kernel kernel, const cl_mem mems[2], const char *log, const char *says, unsigned times)
{
    const size_t items = STEPS, local = 64;
    unsigned i = 0;
    for (; i < 4000 && cl_lines_with(log, says) < times; i++) {
        cl_set_mem(kernel, 0, mems[i % 2]);
        cl_set_mem(kernel, 1, mems[(i + 1) % 2]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        if (i % 4 == 3)
            cl_ok(clFinish(cl.queue));
    }
    cl_ok(clFinish(cl.queue));
    ck_assert_msg(i < 4000, "never: %s", says);
}

/* Each device has its part of both buffers, and only borders move, by slots. Nothing of that needs a host
 * copy, so that none is in the bound of what a split may lose. */
START_TEST(parts_need_no_host_copy)
{
    const char *log;
    cl_folder_make("exchange");
    set_variable("peer", "auto");
    set_variable("peer_from", "0");
    set_variable("analysis_wait", "0");
    setenv("COEXEC_SPLIT", "auto", 1);
    setenv("COEXEC_BUDGET", "0.99", 1);
    setenv("COEXEC_LOG", "error,data:info,plan:debug", 1);
    setenv("COEXEC_LOG_FILE", log = strdup(cl_folder_path("plan")), 1);
    cl_open();
    cl_kernel kernel = cl_kernel_of(source, "march");
    cl_mem mems[2];
    for (unsigned i = 0; i < 2; i++)
        mems[i] = cl_buffer(CL_MEM_READ_WRITE, STEPS * sizeof(cl_int), NULL);
    cl_set_int(kernel, 2, 200);
    march(kernel, mems, log, "devices exchange bytes directly, from", 1);
    march(kernel, mems, log, "runs split", cl_lines_with(log, "runs split") + 2);
    ck_assert_int_eq(truncate(log, 0), 0);
    march(kernel, mems, log, " to make host copies", 3);
    ck_assert_double_eq(cl_most_with(log, " to make host copies"), 0);
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peer_exchange");
    TCase *tcase = tcase_create("peer_exchange");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, exchanges_at_once);
    tcase_add_loop_test(tcase, gathered_at_once, 0, 2);
    tcase_add_test(tcase, parts_need_no_host_copy);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

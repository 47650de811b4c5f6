/* SPDX-License-Identifier: MIT */
/*
 * Transfers through rings of pinned chunks, here of 4 KB, over one stub GPU: what the program is told when
 * one of a transfer's chunks fails, the times of a transfer of many chunks, and what COEXEC_PINNED_MAX
 * forbids, for good or while others have it. Each case has a process of its own (libcheck forks), since the
 * stub reads its environment once.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 50000, BYTES = N * sizeof(cl_int), ROUNDS = 4, SHORT = 4000 };

static cl_int x[N], y[N], z[N];

static cl_kernel open_inc(const char *async)
{
    setenv("STUB_DEVICES", "1", 1);
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0", 1);
    setenv("STUB_ASYNC", async, 1);
    if (!getenv("COEXEC_DEBUG") || !strstr(getenv("COEXEC_DEBUG"), "staging="))
        set_variable("staging", "16");
    cl_open();
    return cl_kernel_of_file(STUB_KERNELS, "stub_inc");
}

/* One write and launch, and what the device has then is read in short pieces, past the ring: whether nobody
 * was told of a failure. */
static bool pass_short(cl_kernel kernel, cl_mem mem)
{
    const size_t items = N, local = 16;
    cl_event event;
    bool failed = clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, BYTES, x, 0, NULL, &event) != CL_SUCCESS;
    if (!failed) {
        failed = clWaitForEvents(1, &event) != CL_SUCCESS;
        cl_ok(clReleaseEvent(event));
    }
    failed |= clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL) != CL_SUCCESS;
    for (size_t at = 0; at < BYTES; at += SHORT)
        failed |= clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, at, SHORT, (char *)z + at, 0, NULL, NULL) !=
                  CL_SUCCESS;
    return !failed;
}

/* One write, launch and read. Whether nobody was told of a failure. */
static bool pass(cl_kernel kernel, cl_mem mem, bool blocking)
{
    const size_t items = N, local = 16;
    cl_int code, status[3] = {CL_COMPLETE, CL_COMPLETE, CL_COMPLETE};
    cl_event event[3] = {NULL, NULL, NULL};
    bool failed = false;
    code = clEnqueueWriteBuffer(cl.queue, mem, blocking, 0, BYTES, x, 0, NULL, &event[0]);
    failed |= code != CL_SUCCESS;
    code = clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &event[1]);
    failed |= code != CL_SUCCESS;
    code = clEnqueueReadBuffer(cl.queue, mem, blocking, 0, BYTES, z, 0, NULL, &event[2]);
    failed |= code != CL_SUCCESS;
    for (unsigned i = 0; i < 3; i++) {
        if (!event[i])
            continue;
        failed |= clWaitForEvents(1, &event[i]) != CL_SUCCESS;
        cl_ok(
            clGetEventInfo(event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status[i]), &status[i], NULL));
        ck_assert_int_le(status[i], CL_COMPLETE);
        failed |= status[i] < 0;
        cl_ok(clReleaseEvent(event[i]));
    }
    return !failed;
}

static const char *const calls[] = {"clEnqueueWriteBuffer", "clEnqueueReadBuffer"};
/* of 49 chunks a transfer: the first, those about the last that the ring holds, the last, and of later ones
 */
static const unsigned places[] = {1, 33, 34, 45, 48, 49, 50, 89};
enum { CASES = sizeof(places) / sizeof(places[0]) };

/* The k-th read or write fails, at once or later: whoever is told of no failure has right data, and so have
 * all after it. */
START_TEST(one_chunk_fails)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "%s:%u:-5%s", calls[_i % 2], places[_i / 16], _i / 2 % 2 ? ":event" : "");
    setenv("STUB_FAIL", rule, 1);
    cl_kernel kernel = open_inc(_i / 4 % 2 ? "0" : "1");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    unsigned failed = 0;
    cl_set_mem(kernel, 0, mem);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            x[i] = i * 3 + r * 1000003;
        memset(z, 0, sizeof(z));
        if (!(_i / 8 % 2 ? pass_short(kernel, mem) : pass(kernel, mem, r % 2))) {
            failed++;
            continue;
        }
        for (int i = 0; i < N; i++)
            ck_assert_msg(z[i] == x[i] + 1, "%s, round %d: %d is %d, not %d", rule, r, i, z[i], x[i] + 1);
    }
    ck_assert_msg(failed == 1, "%s: %u of %d rounds failed", rule, failed, ROUNDS);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

static cl_ulong profiled(cl_event event, cl_profiling_info what)
{
    cl_ulong ns;
    cl_ok(clGetEventProfilingInfo(event, what, sizeof(ns), &ns, NULL));
    return ns;
}

/* A transfer begins with its first chunk, and not with its last. */
START_TEST(times)
{
    setenv("STUB_LINK", "4", 1); /* 1 ms a chunk, 50 ms in all */
    cl_kernel kernel = open_inc("1");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_set_mem(kernel, 0, mem);
    for (int r = 0; r < 2; r++) /* the ring comes to be used */
        ck_assert(pass(kernel, mem, true));
    for (int way = 0; way < 2; way++) {
        cl_event event;
        cl_ok(way ? clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, BYTES, y, 0, NULL, &event)
                  : clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, BYTES, x, 0, NULL, &event));
        cl_ok(clWaitForEvents(1, &event));
        const cl_ulong start = profiled(event, CL_PROFILING_COMMAND_START),
                       end = profiled(event, CL_PROFILING_COMMAND_END);
        ck_assert_msg(end - start > 40000000, "%s took %.3f ms", way ? "a read" : "a write",
                      (double)(end - start) / 1e6);
        cl_ok(clReleaseEvent(event));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

static long resident_kilobytes(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* With rings of 32 MB, nothing is got for one that COEXEC_PINNED_MAX forbids (first case). */
START_TEST(no_pages_over_the_bound)
{
    enum { LARGE = 8 << 20, TIMES = 5, RING = 32 << 10, WAITS = 50 };
    setenv("COEXEC_PINNED_MAX", _i ? "33554432" : "33554431", 1);
    set_variable("staging", "8192");
    cl_kernel kernel = open_inc("1");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, LARGE, NULL);
    char *from = calloc(1, LARGE);
    ck_assert_ptr_nonnull(from);
    cl_write(mem, from, LARGE);
    const long before = resident_kilobytes();
    long more = 0;
    for (unsigned i = 1; i < TIMES; i++)
        cl_write(mem, from, LARGE);
    for (unsigned i = 0; i < WAITS && more < RING / 2; i++) { /* another thread gets them */
        usleep(_i ? 100000 : 10000);
        more = resident_kilobytes() - before;
    }
    ck_assert_msg((more >= RING / 2) == (_i == 1), "%ld KB more are resident", more);
    free(from);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

static bool logged(const char *what)
{
    static char log[1 << 18];
    FILE *file = fopen(cl_folder_path("log"), "r");
    ck_assert_ptr_nonnull(file);
    log[fread(log, 1, sizeof(log) - 1, file)] = '\0';
    fclose(file);
    return strstr(log, what) != NULL;
}

/* A ring of 4 MB that does not fit beside a pinned host copy is had after that copy has gone. */
START_TEST(had_once_there_is_room)
{
    enum { COPY = 2 << 20 };
    static char from[COPY];
    cl_folder_make("staged");
    setenv("COEXEC_PINNED_MAX", "5M", 1);
    set_variable("staging", "1023");
    setenv("COEXEC_LOG", "data:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_kernel kernel = open_inc("0");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, COPY, NULL), pinned = cl_buffer(CL_MEM_READ_WRITE, COPY, NULL);
    cl_set_mem(kernel, 0, pinned);
    for (unsigned i = 0; i < 3; i++) {
        const size_t items = COPY / sizeof(cl_int), local = 16;
        cl_int code;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        void *at = clEnqueueMapBuffer(cl.queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, COPY, 0, NULL,
                                      NULL, &code);
        cl_ok(code);
        cl_ok(clEnqueueUnmapMemObject(cl.queue, pinned, at, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
    }
    ck_assert(logged(" pinned by "));
    for (unsigned i = 0; i < 8; i++)
        cl_write(mem, from, COPY);
    ck_assert(logged("16 pinned chunks of 258048 bytes cannot be had"));
    ck_assert(!logged("16 pinned chunks of 258048 bytes ready"));
    cl_ok(clReleaseMemObject(pinned));
    for (unsigned i = 0; i < 8; i++)
        cl_write(mem, from, COPY);
    ck_assert(logged("16 pinned chunks of 258048 bytes ready"));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("staged");
    TCase *tcase = tcase_create("staged");
    tcase_set_timeout(tcase, 60);
    test_add_some(tcase, one_chunk_fails, 16 * (unsigned)CASES);
    tcase_add_test(tcase, times);
    tcase_add_loop_test(tcase, no_pages_over_the_bound, 0, 2);
    tcase_add_test(tcase, had_once_there_is_room);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

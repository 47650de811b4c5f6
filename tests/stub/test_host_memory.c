/* SPDX-License-Identifier: MIT */
/*
 * Host and device memory with stub GPUs below: which host copies are pinned, how often, and up to which
 * bound; devices on which a buffer does not fit; nothing that grows over a thousand rounds; transfers beside
 * kernels. The stub's log and timeline say what was done. Each test has a process of its own (libcheck
 * forks), and so an environment of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 20, BYTES = N * sizeof(cl_int) };

static char text[1 << 22];
static cl_int x[N], y[N], z[N];

/* ---- what the tests share ---- */

static const char *read_text(const char *name)
{
    FILE *file = fopen(cl_folder_path(name), "r");
    size_t got = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[got] = '\0';
    return text;
}

static unsigned count_lines(const char *in, const char *with, const char *also)
{
    unsigned count = 0;
    for (const char *line = in; *line;) {
        const char *end = strchr(line, '\n'), *found = strstr(line, with);
        end = end ? end : line + strlen(line);
        const char *second = found ? strstr(found, also) : NULL;
        count += found && found < end && second && second < end;
        line = *end ? end + 1 : end;
    }
    return count;
}

/* Two GPUs with memory of their own, everything split. */
static void gpus(void)
{
    cl_folder_make("memory");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0", 1);
    setenv("COEXEC_ALGO", "static", 1);
    set_variable("staging", "0");
    setenv("COEXEC_LOG", "data:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_seed(11);
    for (int i = 0; i < N; i++) {
        x[i] = (cl_int)cl_roll(100000);
        y[i] = (cl_int)cl_roll(100000);
    }
}

static cl_kernel open_add(void)
{
    cl_open();
    return cl_kernel_of_file(STUB_KERNELS, "stub_add");
}

static void add(cl_kernel kernel, cl_mem a, cl_mem b, cl_mem out, size_t items)
{
    const size_t local = 64;
    cl_set_mem(kernel, 0, a);
    cl_set_mem(kernel, 1, b);
    cl_set_mem(kernel, 2, out);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

/* z is x and so many times y. */
static void check_sums(int n, cl_int times)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += z[i] != x[i] + times * y[i];
    ck_assert_int_eq(bad, 0);
}

/* Writes, adds, reads and compares so many times, the host changing an input each time. */
static void rounds(cl_kernel kernel, const cl_mem *mem, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (int j = 0; j < N; j++)
            x[j] += (cl_int)i;
        cl_write(mem[0], x, BYTES);
        cl_write(mem[1], y, BYTES);
        add(kernel, mem[0], mem[1], mem[2], N);
        cl_read(mem[2], z, BYTES);
        check_sums(N, 1);
    }
}

static void make(cl_mem *mem)
{
    for (unsigned i = 0; i < 3; i++)
        mem[i] = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
}

static void drop(cl_mem *mem)
{
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mem[i]));
}

/* Buffers over host memory: how host copies are pinned. */
static unsigned registrations(void)
{
    return count_lines(read_text("calls"), "clCreateBuffer", "flags=0x9 ");
}

/* ---- pinning ---- */

START_TEST(pinned_once)
{
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_PINNED_MAX", "100M", 1);
    cl_kernel kernel = open_add();
    make(mem);
    unsigned probes = registrations(); /* the layer tries at first whether a device works in place */
    rounds(kernel, mem, 6);
    unsigned first = registrations() - probes;
    ck_assert_uint_ge(first, 1);
    ck_assert_uint_le(first, 3); /* one a buffer at most, for both devices */
    drop(mem);
    for (unsigned i = 0; i < 4; i++) { /* other buffers get the same pages */
        make(mem);
        rounds(kernel, mem, 2);
        drop(mem);
    }
    ck_assert_uint_le(registrations() - probes, 3);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

START_TEST(bound_reached)
{
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_PINNED_MAX", "5M", 1); /* one buffer */
    cl_kernel kernel = open_add();
    make(mem);
    unsigned probes = registrations();
    rounds(kernel, mem, 8);
    ck_assert_uint_eq(registrations() - probes, 1);
    ck_assert_uint_eq(count_lines(read_text("log"), "COEXEC_PINNED_MAX is reached", ""), 1);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

START_TEST(nothing_pinned)
{
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_PINNED_MAX", "0", 1);
    cl_kernel kernel = open_add();
    make(mem);
    unsigned probes = registrations();
    rounds(kernel, mem, 4);
    ck_assert_uint_eq(registrations() - probes, 0);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* In a process of its own, since the summary is written when it ends. */
START_TEST(reported_in_summary)
{
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_PINNED_MAX", "5M", 1);
    setenv("COEXEC_SUMMARY", "full", 1);
    setenv("COEXEC_SUMMARY_FILE", cl_folder_path("summary"), 1);
    pid_t child = fork();
    if (child == 0) {
        cl_kernel kernel = open_add();
        make(mem);
        rounds(kernel, mem, 8);
        drop(mem);
        cl_ok(clReleaseKernel(kernel));
        cl_close();
        exit(0);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    read_text("summary");
    ck_assert_uint_eq(count_lines(text, "  bytes by transport, to devices and from them", ""), 1);
    ck_assert_uint_eq(count_lines(text, "    host pinned ", " MB"), 1);
    ck_assert_uint_eq(count_lines(text, "    host pageable ", " MB"), 1);
    ck_assert_uint_eq(count_lines(text, "pinned memory: 4.194 MB at most, of 5.243 MB; pinned 1 times",
                                  "COEXEC_PINNED_MAX was in the way "),
                      1);
}
END_TEST

/* ---- windows ---- */

/* The numbers of the objects released since the last sub-buffer was made, in order. */
static unsigned released(unsigned *objects, unsigned room)
{
    unsigned n = 0;
    const char *line = read_text("calls");
    for (const char *next = line; (next = strstr(next, "clCreateSubBuffer")) != NULL; next++)
        line = next;
    while (n < room && (line = strstr(line, "clReleaseMemObject b")) != NULL)
        objects[n++] = (unsigned)strtoul(line += strlen("clReleaseMemObject b"), NULL, 10);
    return n;
}

/* Buffers for sums of windows, and these. */
static cl_kernel open_windows(cl_mem *mem)
{
    cl_kernel kernel = open_add();
    make(mem);
    cl_write(mem[0], x, BYTES);
    cl_write(mem[1], y, BYTES);
    return kernel;
}

static cl_mem window_on(cl_mem mem, cl_mem_flags flags, const cl_buffer_region *region)
{
    cl_int code;
    cl_mem window = clCreateSubBuffer(mem, flags, CL_BUFFER_CREATE_TYPE_REGION, region, &code);
    cl_ok(code);
    return window;
}

/* A GPU's sub-buffer goes after the newer ones that overlap it, and before the buffer; others, and those of
 * CPUs, at once. */
START_TEST(overlapping_windows_newest_first)
{
    const bool is_gpu = _i == 0;
    unsigned objects[8];
    const cl_buffer_region regions[] = {{0, BYTES / 2}, {BYTES / 4, BYTES / 2}, {3 * (BYTES / 4), BYTES / 4}};
    cl_mem mem[3], window[3];
    gpus();
    setenv("STUB_DEVICES", "1", 1);
    if (!is_gpu)
        setenv("STUB_TYPE", "cpu", 1);
    cl_kernel kernel = open_windows(mem);
    for (unsigned i = 0; i < 3; i++) {
        window[i] = window_on(mem[0], CL_MEM_READ_WRITE, &regions[i]);
        add(kernel, window[i], mem[1], mem[2], regions[i].size / sizeof(cl_int));
    }
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(window[0]));
    cl_ok(clReleaseMemObject(window[2]));
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(released(objects, 8), is_gpu ? 1 : 2); /* the last one made overlaps none */
    cl_ok(clReleaseMemObject(window[1]));
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(released(objects, 8), 3);
    if (is_gpu) {
        ck_assert_uint_gt(objects[0], objects[1]);
        ck_assert_uint_gt(objects[1], objects[2]);
    }
    drop(mem);
    cl_close();
}
END_TEST

/* Each next window is made before the last one, which it overlaps, ends: the driver has two at a time. */
START_TEST(windows_by_turns)
{
    enum { ROUNDS = 40 };
    const cl_buffer_region regions[] = {{0, BYTES / 2}, {BYTES / 4, BYTES / 2}};
    cl_mem mem[3], last = NULL;
    gpus();
    setenv("STUB_DEVICES", "1", 1);
    cl_kernel kernel = open_windows(mem);
    const unsigned before = count_lines(read_text("calls"), "clReleaseMemObject", "");
    for (unsigned i = 0; i < ROUNDS; i++) {
        cl_mem window = window_on(mem[0], CL_MEM_READ_WRITE, &regions[i % 2]);
        add(kernel, window, mem[1], mem[2], N / 2);
        cl_read(mem[2], z, BYTES / 2);
        unsigned wrong = 0;
        for (unsigned j = 0; j < N / 2; j++)
            wrong += z[j] != x[j + (i % 2) * (N / 4)] + y[j];
        ck_assert_uint_eq(wrong, 0);
        if (last)
            cl_ok(clReleaseMemObject(last));
        last = window;
        cl_ok(clFinish(cl.queue));
        const unsigned made = count_lines(read_text("calls"), "clCreateSubBuffer", ""),
                       gone = count_lines(text, "clReleaseMemObject", "") - before;
        ck_assert_msg(made - gone <= 2, "%u sub-buffers made, %u released in round %u", made, gone, i);
    }
    cl_ok(clReleaseMemObject(last));
    cl_ok(clReleaseKernel(kernel));
    drop(mem);
    cl_close();
}
END_TEST

/* The same of those that verifying makes for its whole run. */
START_TEST(verified_windows_newest_first)
{
    unsigned objects[2] = {0, 0};
    const cl_buffer_region regions[] = {{0, BYTES / 2}, {BYTES / 4, BYTES / 2}};
    cl_mem mem[3], window[2];
    gpus();
    setenv("COEXEC_VERIFY", "1", 1);
    cl_kernel kernel = open_windows(mem);
    for (unsigned i = 0; i < 2; i++)
        window[i] = window_on(mem[0], CL_MEM_READ_ONLY, &regions[i]);
    add(kernel, window[0], window[1], mem[2], N / 2);
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_ge(released(objects, 2), 2);
    ck_assert_uint_gt(objects[0], objects[1]);
    cl_read(mem[2], z, BYTES / 2);
    for (int i = 0; i < N / 2; i++)
        ck_assert_int_eq(z[i], x[i] + x[i + N / 4]);
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(window[i]));
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* ---- memory ---- */

/* The second device has room for less than one buffer: the first does it all, and the log says why. */
START_TEST(shadow_does_not_fit)
{
    cl_mem mem[3];
    gpus();
    setenv("STUB_MEM", "67108864,1048576", 1);
    setenv("STUB_ALLOC", "67108864", 1); /* not to be seen from the limits */
    cl_kernel kernel = open_add();
    make(mem);
    rounds(kernel, mem, 3);
    ck_assert_uint_ge(
        count_lines(read_text("log"), "of stub_add cannot be had on ", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
        1);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* A buffer over one member's limit: the others take it, unless the limits shown are what all have in common.
 */
START_TEST(over_one_limit)
{
    cl_int code;
    cl_mem mem[3];
    gpus();
    setenv("STUB_ALLOC", "67108864,1048576", 1);
    setenv("STUB_MEM", "67108864,1048576", 1);
    set_variable("limits", _i ? "common" : "fastest");
    setenv("STUB_UNITS", "8,1", 1);
    cl_kernel kernel = open_add();
    cl_ulong most;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    ck_assert_uint_eq(most, _i ? 1048576 : 67108864);
    if (_i) {
        ck_assert_ptr_null(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, BYTES, NULL, &code));
        ck_assert_int_eq(code, CL_INVALID_BUFFER_SIZE);
    } else {
        make(mem);
        rounds(kernel, mem, 3);
        drop(mem);
    }
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* A buffer over all limits: a driver that gives it all the same is taken at its word, and a device without it
 * is left out; not where the limits shown are what all have in common, nor where no device has the room. */
START_TEST(over_all_limits)
{
    static const char *const beyond[] = {"1,0", "0,1", "1,1", "0,0", "1,1", "1,1"};
    const bool had = _i < 3;
    cl_mem mem[3];
    cl_int code;
    gpus();
    setenv("STUB_ALLOC", "1048576", 1);
    setenv("STUB_BEYOND", beyond[_i], 1);
    set_variable("limits", _i == 4 ? "common" : "fastest");
    setenv("STUB_MEM", _i == 5 ? "3145728" : "67108864", 1);
    cl_kernel kernel = open_add();
    if (had) {
        make(mem);
        rounds(kernel, mem, 3);
        drop(mem);
        const unsigned refused = count_lines(read_text("log"), " of stub_add cannot be had on ", "");
        ck_assert_msg((refused > 0) == (_i < 2), "%u lines tell of what does not fit", refused);
    } else {
        ck_assert_ptr_null(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, BYTES, NULL, &code));
        ck_assert_int_eq(code, CL_INVALID_BUFFER_SIZE);
    }
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident;
}

/* The devices have room for the buffers of one round and the bound for little more, so nothing may be kept.
 */
START_TEST(thousand_rounds)
{
    enum { ROUNDS = 1000, WARM = 300, ITEMS = 1 << 19, ROUND_BYTES = ITEMS * sizeof(cl_int) };
    long before = 0;
    gpus();
    setenv("STUB_MEM", "10485760", 1);
    setenv("COEXEC_PINNED_MAX", "7M", 1);
    cl_kernel kernel = open_add();
    for (unsigned i = 0; i < ROUNDS; i++) {
        cl_mem a = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ROUND_BYTES, x);
        cl_mem b = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ROUND_BYTES, y);
        cl_mem out = cl_buffer(CL_MEM_READ_WRITE, ROUND_BYTES, NULL);
        add(kernel, a, b, out, ITEMS);
        add(kernel, out, b, a, ITEMS);
        if (i % 50 == 0) {
            cl_read(a, z, ROUND_BYTES);
            check_sums(ITEMS, 2);
        }
        cl_ok(clReleaseMemObject(a));
        cl_ok(clReleaseMemObject(b));
        cl_ok(clReleaseMemObject(out));
        cl_ok(clFinish(cl.queue));
        if (i == WARM)
            before = resident_pages();
    }
    long grown = (resident_pages() - before) * sysconf(_SC_PAGESIZE);
    /* a leak would be of gigabytes; on a busy machine threads' heaps differ by some rounds' buffers */
    ck_assert_msg(grown < 64 << 20, "%ld bytes more are resident", grown);
    ck_assert_uint_eq(count_lines(read_text("log"), "cannot be had", ""), 0);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* ---- transfers beside kernels ---- */

/* Bytes that device 0 has sent home. */
static unsigned long written_back(void)
{
    static struct cl_span spans[4096];
    unsigned long bytes = 0;
    for (unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, 4096); n > 0; n--)
        if (spans[n - 1].device == 0 && cl_span_is(&spans[n - 1], "read"))
            bytes += spans[n - 1].count;
    return bytes;
}

/* Copies and fills within one device that nobody asks for: each event costs microseconds on some drivers. */
START_TEST(copies_without_events)
{
    enum { ROUNDS = 200 };
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_SPLIT", "never", 1);
    /* on a busy machine calls last long enough for kernels to take over */
    set_variable("device_copy", "driver");
    setenv("STUB_ASYNC", "1", 1);
    cl_kernel kernel = open_add();
    make(mem);
    cl_command_queue queue = cl_queue(0);
    cl_write(mem[0], x, BYTES);
    cl_write(mem[1], y, BYTES);
    add(kernel, mem[0], mem[1], mem[2], N); /* all is on one device now */
    cl_ok(clFinish(cl.queue));
    const unsigned before = count_lines(read_text("calls"), "clReleaseEvent", "");
    for (cl_int i = 0; i < ROUNDS; i++) {
        cl_ok(clEnqueueCopyBuffer(queue, mem[2], mem[0], 0, 0, BYTES, 0, NULL, NULL));
        cl_ok(clEnqueueFillBuffer(queue, mem[1], &i, sizeof(i), 0, sizeof(i), 0, NULL, NULL));
    }
    cl_ok(clFinish(queue));
    ck_assert_uint_lt(count_lines(read_text("calls"), "clReleaseEvent", "") - before, ROUNDS / 10);
    ck_assert_uint_eq(count_lines(text, "clEnqueueCopyBuffer", ""), ROUNDS);
    cl_read(mem[0], z, BYTES);
    check_sums(N, 1);
    cl_read(mem[1], z, BYTES);
    ck_assert_int_eq(z[0], ROUNDS - 1);
    drop(mem);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* Every other package goes to a second queue, and begins while the one before runs; results stay right. */
START_TEST(packages_on_two_queues)
{
    static struct cl_span spans[4096];
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_ALGO", "dynamic:packages=16", 1);
    set_variable("queues", _i ? "gpus" : "one");
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_LINK", "1000", 1);
    setenv("STUB_SPEED", "0.1", 1); /* 1,024 groups of a package: 10 ms */
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    cl_kernel kernel = open_add();
    make(mem);
    rounds(kernel, mem, 2);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, 4096);
    const unsigned together = cl_spans_beside_kernels(spans, n, "kernel");
    ck_assert_uint_ge(cl_spans_count(spans, n, "kernel"), 20);
    if (_i)
        ck_assert_uint_ge(together, 8);
    else
        ck_assert_uint_eq(together, 0);
}
END_TEST

/* A GPU does all but the small packages by which a CPU on the host copy is measured: only what those read
 * goes home. */
START_TEST(probe_moves_its_own_alone)
{
    cl_mem mem[3];
    gpus();
    setenv("STUB_TYPE", "gpu,accelerator", 1);
    setenv("STUB_IN_PLACE", "0,1", 1);
    setenv("STUB_UNITS", "64,1", 1);
    setenv("STUB_SPEED", "1,0.001", 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("COEXEC_ALGO", "sigmoid", 1);
    setenv("COEXEC_SPLIT", "auto", 1);
    setenv("COEXEC_LOG", "plan:info", 1);
    cl_kernel kernel = open_windows(mem);
    for (unsigned i = 0; i < 6; i++) {
        add(kernel, mem[0], mem[1], mem[2], N);
        cl_ok(clFinish(cl.queue));
    }
    ck_assert_uint_ge(count_lines(read_text("log"), "runs split", "a small package measures"), 1);
    ck_assert_uint_le(written_back(), BYTES / 8);
    cl_read(mem[2], z, BYTES);
    check_sums(N, 1);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

static const struct {
    const char *on, *in_place;
} ways[] = {{"1", "0"}, {"0", "0"}, {"1", "1"}};

START_TEST(uploads_beside_kernels)
{
    static struct cl_span spans[4096];
    cl_mem mem[3];
    gpus();
    setenv("COEXEC_ALGO", "dynamic:packages=16", 1);
    set_variable("overlap", ways[_i].on);
    set_variable("queues", "one");
    setenv("STUB_IN_PLACE", ways[_i].in_place, 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_LINK", "100", 1);  /* a package's inputs take 5 ms */
    setenv("STUB_SPEED", "0.1", 1); /* and its 1,024 groups 10 ms */
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    cl_kernel kernel = open_add();
    make(mem);
    rounds(kernel, mem, 2);
    drop(mem);
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, 4096),
                   found = cl_spans_beside_kernels(spans, n, "write");
    ck_assert_uint_ge(cl_spans_count(spans, n, "kernel"), 20);
    if (_i == 0)
        ck_assert_uint_ge(found, 12); /* all but each device's first package; some may come late */
    else
        ck_assert_uint_eq(found, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host memory");
    TCase *tcase = tcase_create("host memory");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, NULL, cl_folder_remove);
    tcase_add_test(tcase, pinned_once);
    tcase_add_test(tcase, bound_reached);
    tcase_add_test(tcase, nothing_pinned);
    tcase_add_test(tcase, reported_in_summary);
    tcase_add_test(tcase, shadow_does_not_fit);
    tcase_add_loop_test(tcase, over_one_limit, 0, 2);
    tcase_add_loop_test(tcase, over_all_limits, 0, 6);
    tcase_add_test(tcase, thousand_rounds);
    tcase_add_loop_test(tcase, overlapping_windows_newest_first, 0, 2);
    tcase_add_test(tcase, windows_by_turns);
    tcase_add_test(tcase, verified_windows_newest_first);
    tcase_add_test(tcase, probe_moves_its_own_alone);
    tcase_add_test(tcase, copies_without_events);
    tcase_add_loop_test(tcase, packages_on_two_queues, 0, 2);
    suite_add_tcase(suite, tcase);
    TCase *transfers = tcase_create("transfers");
    tcase_set_timeout(transfers, 120);
    tcase_add_checked_fixture(transfers, NULL, cl_folder_remove);
    tcase_add_loop_test(transfers, uploads_beside_kernels, 0, sizeof(ways) / sizeof(ways[0]));
    suite_add_tcase(suite, transfers);
    return tap_run(suite);
}

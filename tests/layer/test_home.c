/* SPDX-License-Identifier: MIT */
/*
 * Results that come home while the launch that makes them still runs. Kernels of the stub GPUs below do not
 * end before a read that should not wait for them is over (STUB_HOME); where one waits all the same they give
 * up after a while, and the timeline tells. Each test has a process of its own (libcheck forks), and so an
 * environment of its own.
 */
#include "cl_fixture.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 20, BYTES = N * sizeof(cl_int), ROOM = 4096 };

static char folder[] = "/tmp/coexec-home-XXXXXX";
static char text[1 << 20];
static cl_int x[N], y[N], z[N], other[N];
static struct cl_span spans[ROOM];
static cl_mem mem[3];
static cl_kernel kernel;

/* ---- what the tests share ---- */

static const char *path_of(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
    return to;
}

static void remove_files(void)
{
    static const char *const names[] = {"calls", "log", "timeline", "gate"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        remove(path_of(names[i]));
    rmdir(folder);
}

/* Two GPUs with memory of their own that share everything evenly. */
static void gpus(const char *algo)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("STUB_LOG", path_of("calls"), 1);
    setenv("STUB_TIMELINE", path_of("timeline"), 1);
    setenv("STUB_GATE", path_of("gate"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0", 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("COEXEC_ALGO", algo, 1);
    setenv("COEXEC_POWERS", "1,1", 1);
    setenv("COEXEC_DYNAMIC_PACKAGES", "16", 1);
    setenv("COEXEC_QUEUES", "one", 1);
}

static cl_kernel open_kernel(const char *name)
{
    FILE *file = fopen(STUB_KERNELS, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    cl_open();
    return cl_kernel_of(text, name);
}

static void begin(void)
{
    kernel = open_kernel("stub_add");
    cl_seed(5);
    for (int i = 0; i < N; i++) {
        x[i] = (cl_int)cl_roll(100000);
        y[i] = (cl_int)cl_roll(100000);
    }
    for (unsigned i = 0; i < 3; i++) {
        mem[i] = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
        cl_set_mem(kernel, i, mem[i]);
    }
    cl_write(mem[0], x, BYTES);
    cl_write(mem[1], y, BYTES);
}

static void end(void)
{
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mem[i]));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}

/* Launches do not begin until the gate opens. */
static void shut_gate(void)
{
    FILE *file = fopen(path_of("gate"), "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static unsigned launches(void)
{
    FILE *file = fopen(path_of("calls"), "r");
    char line[512];
    unsigned count = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file))
        count += strncmp(line, "clEnqueueNDRangeKernel ", 23) == 0;
    fclose(file);
    return count;
}

/* Once the driver has so many launches. */
static void open_gate(unsigned expected)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (launches() < expected)
        nanosleep(&moment, NULL);
    ck_assert_int_eq(remove(path_of("gate")), 0);
}

static void launch(void)
{
    const size_t items = N, local = 64;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static void read_part(cl_mem from, size_t offset, size_t size, void *to)
{
    cl_ok(clEnqueueReadBuffer(cl.queue, from, CL_FALSE, offset, size, to, 0, NULL, NULL));
}

static void check_sums(const cl_int *sums, int first, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += sums[i] != x[first + i] + y[first + i];
    ck_assert_int_eq(bad, 0);
}

/* How many reads from a device began while a kernel of another device, or a later kernel of its own, ran. */
static unsigned early_reads(unsigned device, unsigned beside)
{
    const unsigned n = cl_spans_read(path_of("timeline"), spans, ROOM);
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n && cl_span_is(&spans[i], "read") && spans[i].device == device; k++)
            count += cl_span_is(&spans[k], "kernel") && spans[k].device == beside &&
                     spans[i].end <= spans[k].end && spans[i].start >= spans[k].start;
    return count;
}

/* ---- one device beside another ---- */

static const char *const algos[] = {"static", "dynamic", "sigmoid"};

/* A device that is done sends its results while the other one still works. */
START_TEST(beside_other_device)
{
    gpus(algos[_i]);
    setenv("COEXEC_DYNAMIC_PACKAGES", "2", 1);
    setenv("STUB_HOME", "1:1:0", 1);
    begin();
    shut_gate();
    launch();
    read_part(mem[2], 0, BYTES, z);
    open_gate(2);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    ck_assert_uint_ge(early_reads(0, 1), 1);
    end();
}
END_TEST

/* A read that the program waits for in the call, and one of part of the results. */
START_TEST(blocking_beside_other_device)
{
    gpus("static");
    setenv("STUB_HOME", "1:1:0", 1);
    begin();
    launch();
    cl_ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_TRUE, 4096, BYTES - 4096, z, 0, NULL, NULL));
    check_sums(z, 1024, N - 1024);
    ck_assert_uint_ge(early_reads(0, 1), 1);
    end();
}
END_TEST

/* The program's memory is an input of the launch that is read in place: nothing comes there before the launch
 * is over. */
START_TEST(not_into_memory_in_use)
{
    gpus("static");
    setenv("STUB_TYPE", "gpu,cpu", 1);
    setenv("STUB_IN_PLACE", "0,1", 1);
    setenv("STUB_LATE", "1:1:300", 1); /* it looks at its input that much later */
    kernel = open_kernel("stub_reverse");
    for (int i = 0; i < N; i++)
        y[i] = x[i] = i;
    const cl_mem from = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, x);
    const cl_mem to = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_int(kernel, 2, N);
    launch();
    read_part(to, 0, BYTES, x);
    cl_ok(clFinish(cl.queue));
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += x[i] != N - 1 - i;
    ck_assert_int_eq(bad, 0);
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}
END_TEST

/* Two reads into the same memory keep their order. */
START_TEST(one_read_after_another)
{
    gpus(algos[_i]);
    setenv("STUB_LINK", "1000,100", 1);
    begin();
    shut_gate();
    launch();
    read_part(mem[2], 0, BYTES, z);
    read_part(mem[0], 0, BYTES, z);
    open_gate(2);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(memcmp(z, x, BYTES), 0);
    read_part(mem[0], 0, BYTES, other);
    launch();
    read_part(mem[2], 0, BYTES, other);
    cl_ok(clFinish(cl.queue));
    check_sums(other, 0, N);
    end();
}
END_TEST

/* Memory that is written from before the launch keeps its contents until then. */
START_TEST(written_from_then_read_into)
{
    gpus(algos[_i]);
    setenv("STUB_LINK", "50,1000", 1); /* writes to device 0 take long */
    begin();
    memcpy(z, x, BYTES);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem[0], CL_FALSE, 0, BYTES, z, 0, NULL, NULL));
    launch();
    read_part(mem[2], 0, BYTES, z);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    cl_read(mem[0], z, BYTES);
    ck_assert_int_eq(memcmp(z, x, BYTES), 0);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("home");
    TCase *tcase = tcase_create("home");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, NULL, remove_files);
    tcase_add_loop_test(tcase, beside_other_device, 0, sizeof(algos) / sizeof(algos[0]));
    tcase_add_test(tcase, blocking_beside_other_device);
    tcase_add_test(tcase, not_into_memory_in_use);
    tcase_add_loop_test(tcase, one_read_after_another, 0, sizeof(algos) / sizeof(algos[0]));
    tcase_add_loop_test(tcase, written_from_then_read_into, 0, sizeof(algos) / sizeof(algos[0]));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

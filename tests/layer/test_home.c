/* SPDX-License-Identifier: MIT */
/*
 * Results that come home while the launch that makes them still runs. Kernels of the stub GPUs below do not
 * end before a read that should not wait for them is over (STUB_HOME); where one waits all the same they give
 * up after a while, and the timeline tells. Each test has a process of its own (libcheck forks), and so an
 * environment of its own.
 */
#include "cl_fixture.h"
#include "cl_timeline.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 20, BYTES = N * sizeof(cl_int), ROOM = 4096, LEAST_RESULT = 65536 };

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

/* When the last command so far was over. */
static unsigned long newest(void)
{
    const unsigned n = cl_spans_read(path_of("timeline"), spans, ROOM);
    unsigned long last = 0;
    for (unsigned i = 0; i < n; i++)
        last = spans[i].end > last ? spans[i].end : last;
    return last;
}

/* How many reads of results from a device began after that moment, and were over before the last kernel of
 * another one, or its own. */
static unsigned early_since(unsigned long since, unsigned device, unsigned beside)
{
    const unsigned n = cl_spans_read(path_of("timeline"), spans, ROOM);
    unsigned long last = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (cl_span_is(&spans[i], "kernel") && spans[i].device == beside && spans[i].end > last)
            last = spans[i].end;
    for (unsigned i = 0; i < n; i++)
        count += cl_span_is(&spans[i], "read") && spans[i].device == device &&
                 spans[i].count >= LEAST_RESULT && spans[i].start >= since && spans[i].end <= last;
    return count;
}

static unsigned early_reads(unsigned device, unsigned beside)
{
    return early_since(0, device, beside);
}

/* Bytes that were read since the first kernel began. */
static unsigned long bytes_read(void)
{
    const unsigned n = cl_spans_read(path_of("timeline"), spans, ROOM);
    unsigned long bytes = 0, first = 0;
    for (unsigned i = 0; i < n; i++)
        if (cl_span_is(&spans[i], "kernel") && (!first || spans[i].start < first))
            first = spans[i].start;
    for (unsigned i = 0; i < n; i++)
        bytes += cl_span_is(&spans[i], "read") && spans[i].start >= first ? spans[i].count : 0;
    return bytes;
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

static void *open_at_two(void *unused)
{
    (void)unused;
    open_gate(2);
    return NULL;
}

/* A read that the program waits for in the call, and one of part of the results. */
START_TEST(blocking_beside_other_device)
{
    gpus("static");
    pthread_t opener;
    setenv("STUB_HOME", "1:1:0", 1);
    begin();
    shut_gate();
    ck_assert_int_eq(pthread_create(&opener, NULL, open_at_two, NULL), 0);
    launch();
    cl_ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_TRUE, 4096, BYTES - 4096, z, 0, NULL, NULL));
    pthread_join(opener, NULL);
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

/* ---- one package beside the next ---- */

static const char *const dynamic[] = {"dynamic", "sigmoid", "hguided"};

/* The second package of a device ends only once something of the first one is home. */
START_TEST(beside_next_package)
{
    gpus(dynamic[_i]);
    setenv("STUB_HOME", "0:2:0,1:2:1", 1);
    begin();
    shut_gate();
    launch();
    read_part(mem[2], 0, BYTES, z);
    open_gate(4);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    ck_assert_uint_ge(early_reads(0, 0), 1);
    ck_assert_uint_ge(early_reads(1, 1), 1);
    ck_assert_uint_eq(bytes_read(), BYTES); /* nothing twice */
    end();
}
END_TEST

/* Long packages with a lot to send are run as several kernels, each of which sends what it wrote. */
START_TEST(slices)
{
    gpus(dynamic[_i]);
    setenv("STUB_SPEED", "1", 1);
    setenv("COEXEC_LINK", "0.01", 1);
    setenv("COEXEC_DYNAMIC_PACKAGES", "8", 1);
    setenv("COEXEC_QUEUES", _i ? "gpus" : "one", 1);
    begin();
    for (unsigned i = 0; i < 3; i++) {
        const unsigned before = launches();
        shut_gate();
        launch();
        read_part(mem[2], 0, BYTES, z);
        open_gate(before + 2);
        cl_ok(clFinish(cl.queue));
        check_sums(z, 0, N);
        if (i)
            ck_assert_uint_ge(launches(), before + 14);
        x[i] += 3;
        cl_write(mem[0], x, BYTES);
        memset(z, 0, sizeof(z));
    }
    end();
}
END_TEST

/* What followed the last launch is expected to follow this one: also a device's one share is run in slices.
 */
START_TEST(expected_read)
{
    gpus(algos[_i]);
    setenv("STUB_SPEED", "1", 1);
    setenv("STUB_HOME", "0:10:0,1:10:1", 1); /* the last slices of the third launch */
    setenv("COEXEC_LINK", "0.01", 1);
    setenv("COEXEC_DYNAMIC_PACKAGES", "2", 1);
    begin();
    for (unsigned i = 0; i < 2; i++) { /* speeds are known after the second one */
        launch();
        read_part(mem[2], 0, BYTES, z);
        cl_ok(clFinish(cl.queue));
        check_sums(z, 0, N);
        memset(z, 0, sizeof(z));
    }
    const unsigned before = launches();
    const unsigned long since = newest();
    shut_gate();
    launch();
    read_part(mem[2], 0, BYTES, z);
    open_gate(before + 16);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    ck_assert_uint_ge(early_since(since, 0, 0), 1);
    ck_assert_uint_ge(early_since(since, 1, 1), 1);
    end();
}
END_TEST

/* Once it was used by another launch instead, it must be read twice before that counts again. */
START_TEST(not_expected_after_all)
{
    const unsigned expected[] = {0, 0, 1, 0, 0, 1};
    gpus("static");
    setenv("STUB_SPEED", "1", 1);
    setenv("COEXEC_LINK", "0.01", 1);
    begin();
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const unsigned before = launches();
        launch();
        cl_ok(clFinish(cl.queue));
        ck_assert_int_eq(launches() > before + 2, expected[i]);
        if (i == 2)
            continue; /* the next launch finds it unread */
        cl_read(mem[2], z, BYTES);
        check_sums(z, 0, N);
    }
    end();
}
END_TEST

/* Where packages may be done again, those that are over go home. */
START_TEST(beside_rescues)
{
    gpus("auto");
    setenv("STUB_SPEED", "0.1", 1);
    setenv("COEXEC_AUTO_PACKAGES", "32", 1);
    begin();
    launch();
    read_part(mem[2], 0, BYTES, z);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    ck_assert_uint_ge(early_reads(0, 0) + early_reads(1, 1), 1);
    end();
}
END_TEST

/* A device that sent some of its packages hangs in the next one: what it sent counts, others do that one, and
 * neither the launch nor the read waits for it. */
START_TEST(late_after_it_sent)
{
    gpus("auto");
    setenv("STUB_SPEED", "0.1", 1);
    setenv("STUB_LATE", "1:4:5000", 1);
    setenv("COEXEC_AUTO_PACKAGES", "32", 1);
    begin();
    launch();
    read_part(mem[2], 0, BYTES, z);
    cl_ok(clFinish(cl.queue));
    const unsigned n = cl_spans_read(path_of("timeline"), spans, ROOM);
    unsigned over = 0;
    for (unsigned i = 0; i < n; i++)
        over += cl_span_is(&spans[i], "kernel") && spans[i].device == 1;
    ck_assert_uint_eq(over, 3);
    check_sums(z, 0, N);
    for (unsigned i = 0; i < 4; i++) {
        x[i] += 3;
        cl_write(mem[0], x, BYTES);
        launch();
        memset(z, 0, sizeof(z));
        cl_ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_TRUE, 0, BYTES, z, 0, NULL, NULL));
        check_sums(z, 0, N);
    }
    end();
}
END_TEST

/* Parts of results, in the order of the queue; two of them meet in memory. */
START_TEST(several_reads)
{
    enum { QUARTER = BYTES / 4, FOURTH = N / 4 };
    gpus("dynamic");
    begin();
    for (unsigned i = 0; i < 20; i++) {
        shut_gate();
        launch();
        read_part(mem[2], 0, QUARTER, z);
        read_part(mem[2], 2 * QUARTER + 4096, QUARTER, other);
        read_part(mem[0], 0, 2 * QUARTER, other + FOURTH / 2);
        read_part(mem[2], QUARTER, QUARTER, z + FOURTH);
        open_gate(16 * i + 4);
        cl_ok(clFinish(cl.queue));
        check_sums(z, 0, 2 * FOURTH);
        check_sums(other, 2 * FOURTH + 1024, FOURTH / 2);
        ck_assert_int_eq(memcmp(other + FOURTH / 2, x, 2 * QUARTER), 0);
        x[i] += 3;
        memset(z, 0, sizeof(z));
        memset(other, 0, sizeof(other));
        cl_write(mem[0], x, BYTES);
    }
    end();
}
END_TEST

/* A read of a sub-buffer, by an event in another queue, of what a launch wrote through another one. */
START_TEST(windows)
{
    const cl_buffer_region halves[] = {{0, BYTES / 2}, {BYTES / 2, BYTES / 2}};
    const size_t items = N / 2, local = 64;
    cl_mem window[2];
    cl_event launched;
    cl_int code;
    gpus("dynamic");
    setenv("STUB_HOME", "0:2:0", 1);
    begin();
    for (unsigned i = 0; i < 2; i++) {
        window[i] =
            clCreateSubBuffer(mem[2], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &halves[i], &code);
        cl_ok(code);
    }
    cl_set_mem(kernel, 2, window[1]);
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    shut_gate();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &launched));
    cl_ok(clEnqueueReadBuffer(queue, window[1], CL_FALSE, 4096, BYTES / 2 - 4096, z, 1, &launched, NULL));
    cl_ok(clFlush(queue));
    open_gate(4);
    cl_ok(clFinish(queue));
    check_sums(z, 1024, N / 2 - 1024);
    ck_assert_uint_ge(early_reads(0, 0), 1);
    cl_ok(clReleaseEvent(launched));
    cl_ok(clReleaseCommandQueue(queue));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(window[i]));
    end();
}
END_TEST

/* A read that waits for something else as well leaves the program's memory alone until then. */
START_TEST(waits_for_another)
{
    const size_t items = N, local = 64;
    cl_event launched;
    cl_int code;
    gpus(dynamic[_i]);
    begin();
    cl_event user = clCreateUserEvent(cl.context, &code);
    cl_ok(code);
    shut_gate();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &launched));
    cl_ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_FALSE, 0, BYTES, z, 1, &user, NULL));
    open_gate(4);
    cl_ok(clWaitForEvents(1, &launched));
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += z[i] != 0;
    ck_assert_int_eq(bad, 0);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(launched));
    end();
}
END_TEST

/*
 * Launches, and reads into and writes from one piece of the program's memory, at random, in order and without
 * a wait: in the end memory and buffers hold what doing it step by step gives.
 */
enum { ITEMS = 1 << 18, AREA = 3 * ITEMS, STEPS = 60 };
static cl_int area[AREA], area_model[AREA], model[3][ITEMS];

static void random_launch(void)
{
    const size_t items = ITEMS, local = 64;
    const unsigned to = cl_roll(3), a = (to + 1) % 3, b = (to + 2) % 3;
    const unsigned args[] = {a, b, to};
    for (unsigned i = 0; i < 3; i++)
        cl_set_mem(kernel, i, mem[args[i]]);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        model[to][i] = (cl_int)((cl_uint)model[a][i] + (cl_uint)model[b][i]);
}

static void random_transfer(bool write)
{
    const unsigned of = cl_roll(3), count = ITEMS / 8 + cl_roll(ITEMS - ITEMS / 8);
    const unsigned at = cl_roll(ITEMS - count + 1), in = cl_roll(AREA - count + 1);
    const size_t offset = at * sizeof(cl_int), size = count * sizeof(cl_int);
    const size_t from[] = {offset, 0, 0}, into[] = {in * sizeof(cl_int), 0, 0}, region[] = {size, 1, 1};
    const unsigned how = write ? 0 : 1 + cl_roll(10);
    if (how == 0)
        cl_ok(clEnqueueWriteBuffer(cl.queue, mem[of], CL_FALSE, offset, size, area + in, 0, NULL, NULL));
    else if (how == 1)
        cl_ok(clEnqueueReadBufferRect(cl.queue, mem[of], CL_FALSE, from, into, region, 0, 0, 0, 0, area, 0,
                                      NULL, NULL));
    else
        cl_ok(clEnqueueReadBuffer(cl.queue, mem[of], how == 2, offset, size, area + in, 0, NULL, NULL));
    memcpy(write ? model[of] + at : area_model + in, write ? area_model + in : model[of] + at, size);
}

START_TEST(at_random)
{
    gpus(_i % 4 < 3 ? algos[_i % 4] : "auto");
    setenv("COEXEC_DYNAMIC_PACKAGES", "8", 1);
    setenv("COEXEC_QUEUES", _i / 4 % 2 ? "gpus" : "one", 1);
    setenv("STUB_LATE", "1:7:40,0:20:40", 1);
    setenv("STUB_SPEED", "4,2", 1);
    setenv("STUB_LINK", "4000,1000", 1);
    kernel = open_kernel("stub_add");
    cl_seed((unsigned)_i);
    for (unsigned i = 0; i < 3; i++) {
        cl_noise(model[i], sizeof(model[i]));
        mem[i] = cl_buffer(CL_MEM_READ_WRITE, sizeof(model[i]), NULL);
        cl_write(mem[i], model[i], sizeof(model[i]));
    }
    for (unsigned i = 0; i < STEPS; i++)
        if (cl_roll(5) < 2)
            random_launch();
        else
            random_transfer(cl_roll(4) == 0);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(memcmp(area, area_model, sizeof(area)), 0);
    for (unsigned i = 0; i < 3; i++) {
        cl_read(mem[i], area, sizeof(model[i]));
        ck_assert_int_eq(memcmp(area, model[i], sizeof(model[i])), 0);
    }
    end();
}
END_TEST

/* Where that is switched off nothing comes before the device is done. */
START_TEST(switched_off)
{
    gpus("dynamic");
    setenv("COEXEC_OVERLAP", "0", 1);
    begin();
    shut_gate();
    launch();
    read_part(mem[2], 0, BYTES, z);
    open_gate(4);
    cl_ok(clFinish(cl.queue));
    check_sums(z, 0, N);
    ck_assert_uint_eq(early_reads(0, 0), 0);
    ck_assert_uint_eq(early_reads(1, 1), 0);
    end();
}
END_TEST

/* What a package failed to write is no result: another device does it again before it goes home, or the
 * launch and the read fail; a transfer home that fails is the read's failure. */
static const struct {
    const char *name, *value;
} faults[] = {{"STUB_DIES", "0:2:-5"},
              {"STUB_FAIL", "clEnqueueReadBuffer:4:-5"},
              {"STUB_FAIL", "clEnqueueReadBuffer:4:-5:event"},
              {"STUB_FAIL", "clEnqueueReadBuffer:5:-5:event"},
              {"STUB_FAIL", "clEnqueueNDRangeKernel:5:-5"},
              {"STUB_DIES", "1:4:-5"}};

START_TEST(failures)
{
    gpus(_i % 4 < 3 ? dynamic[_i % 4] : "auto");
    setenv(faults[_i / 4].name, faults[_i / 4].value, 1);
    begin();
    for (unsigned i = 0; i < 3; i++) {
        cl_event launched, home;
        cl_int ran, came;
        memset(z, 0, sizeof(z));
        const size_t items = N, local = 64;
        cl_int code = clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &launched);
        if (code != CL_SUCCESS)
            break;
        cl_ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_FALSE, 0, BYTES, z, 0, NULL, &home));
        (void)clWaitForEvents(1, &home);
        cl_ok(clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(ran), &ran, NULL));
        cl_ok(clGetEventInfo(home, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(came), &came, NULL));
        if (ran == CL_COMPLETE && came == CL_COMPLETE)
            check_sums(z, 0, N);
        ck_assert_int_le(ran, CL_COMPLETE);
        ck_assert_int_le(came, CL_COMPLETE);
        cl_ok(clReleaseEvent(launched));
        cl_ok(clReleaseEvent(home));
    }
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
    TCase *packages = tcase_create("packages");
    tcase_set_timeout(packages, 120);
    tcase_add_checked_fixture(packages, NULL, remove_files);
    tcase_add_loop_test(packages, beside_next_package, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_loop_test(packages, slices, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_loop_test(packages, expected_read, 0, 2);
    tcase_add_test(packages, not_expected_after_all);
    tcase_add_test(packages, beside_rescues);
    tcase_add_test(packages, late_after_it_sent);
    tcase_add_test(packages, several_reads);
    tcase_add_test(packages, windows);
    tcase_add_test(packages, switched_off);
    tcase_add_loop_test(packages, waits_for_another, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_loop_test(packages, at_random, 0, 16);
    tcase_add_loop_test(packages, failures, 0, 4 * sizeof(faults) / sizeof(faults[0]));
    suite_add_tcase(suite, packages);
    return tap_run(suite);
}

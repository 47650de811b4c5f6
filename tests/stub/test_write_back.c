/* SPDX-License-Identifier: MIT */
/*
 * Results that come home while the launch that makes them still runs. Kernels of the stub GPUs below do not
 * end before a read that should not wait for them is over (STUB_HOME); where one waits all the same they give
 * up after a while, and the timeline tells. Each test has a process of its own (libcheck forks), and so an
 * environment of its own.
 */
#include "cl_folder.h"
#include "write_back_gpus.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ITEMS = 1 << 18, AREA = 3 * ITEMS, STEPS = 60 };
static cl_int area[AREA], area_model[AREA], model[3][ITEMS];

/* ---- one device beside another ---- */

static const char *const algos[] = {"static", "dynamic", "sigmoid"};

/* A device that is done sends its results while the other one still works. */
START_TEST(beside_other_device)
{
    write_back_gpus(algos[_i]);
    write_back_algo(algos[_i], 2);
    setenv("STUB_HOME", "1:1:0", 1);
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(2);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    ck_assert_uint_ge(write_back_early_reads(0, 1), 1);
    write_back_end();
}
END_TEST

static void *open_at_two(void *unused)
{
    (void)unused;
    write_back_open_gate(2);
    return NULL;
}

/* A read that the program waits for in the call, and one of part of the results. */
START_TEST(blocking_beside_other_device)
{
    write_back_gpus("static");
    pthread_t opener;
    setenv("STUB_HOME", "1:1:0", 1);
    write_back_begin();
    write_back_shut_gate();
    ck_assert_int_eq(pthread_create(&opener, NULL, open_at_two, NULL), 0);
    write_back_launch();
    cl_ok(clEnqueueReadBuffer(cl.queue, fixture.mem[2], CL_TRUE, 4096, WRITE_BACK_BYTES - 4096, fixture.z, 0,
                              NULL, NULL));
    pthread_join(opener, NULL);
    write_back_check_sums(fixture.z, 1024, WRITE_BACK_N - 1024);
    ck_assert_uint_ge(write_back_early_reads(0, 1), 1);
    write_back_end();
}
END_TEST

/* The program's memory is an input of the launch that is read in place: nothing comes there before the launch
 * is over. */
START_TEST(not_into_memory_in_use)
{
    write_back_gpus("static");
    setenv("STUB_TYPE", "gpu,cpu", 1);
    setenv("STUB_IN_PLACE", "0,1", 1);
    setenv("STUB_LATE", "1:1:300", 1); /* it looks at its input that much later */
    fixture.kernel = write_back_open_kernel("stub_reverse");
    for (int i = 0; i < WRITE_BACK_N; i++)
        fixture.y[i] = fixture.x[i] = i;
    const cl_mem from = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, WRITE_BACK_BYTES, fixture.x);
    const cl_mem to = cl_buffer(CL_MEM_READ_WRITE, WRITE_BACK_BYTES, NULL);
    cl_set_mem(fixture.kernel, 0, from);
    cl_set_mem(fixture.kernel, 1, to);
    cl_set_int(fixture.kernel, 2, WRITE_BACK_N);
    write_back_launch();
    write_back_read_part(to, 0, WRITE_BACK_BYTES, fixture.x);
    cl_ok(clFinish(cl.queue));
    int bad = 0;
    for (int i = 0; i < WRITE_BACK_N; i++)
        bad += fixture.x[i] != WRITE_BACK_N - 1 - i;
    ck_assert_int_eq(bad, 0);
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseKernel(fixture.kernel));
    cl_close();
}
END_TEST

/* Two reads into the same memory keep their order. */
START_TEST(one_read_after_another)
{
    write_back_gpus(algos[_i]);
    setenv("STUB_LINK", "1000,100", 1);
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_read_part(fixture.mem[0], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(2);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(memcmp(fixture.z, fixture.x, WRITE_BACK_BYTES), 0);
    write_back_read_part(fixture.mem[0], 0, WRITE_BACK_BYTES, fixture.other);
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.other);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.other, 0, WRITE_BACK_N);
    write_back_end();
}
END_TEST

/* Memory that is written from before the launch keeps its contents until then. */
START_TEST(written_from_then_read_into)
{
    write_back_gpus(algos[_i]);
    setenv("STUB_LINK", "50,1000", 1); /* writes to device 0 take long */
    write_back_begin();
    memcpy(fixture.z, fixture.x, WRITE_BACK_BYTES);
    cl_ok(clEnqueueWriteBuffer(cl.queue, fixture.mem[0], CL_FALSE, 0, WRITE_BACK_BYTES, fixture.z, 0, NULL,
                               NULL));
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    cl_read(fixture.mem[0], fixture.z, WRITE_BACK_BYTES);
    ck_assert_int_eq(memcmp(fixture.z, fixture.x, WRITE_BACK_BYTES), 0);
    write_back_end();
}
END_TEST

/* ---- one package beside the next ---- */

static const char *const dynamic[] = {"dynamic", "sigmoid", "hguided"};

/* The second package of a device ends only once something of the first one is home. */
START_TEST(beside_next_package)
{
    write_back_gpus(dynamic[_i]);
    setenv("STUB_HOME", "0:2:0,1:2:1", 1);
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(4);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    ck_assert_uint_ge(write_back_early_reads(0, 0), 1);
    ck_assert_uint_ge(write_back_early_reads(1, 1), 1);
    ck_assert_uint_eq(write_back_bytes_read(), WRITE_BACK_BYTES); /* nothing twice */
    write_back_end();
}
END_TEST

static bool fourth_between_pieces(int unused)
{
    enum { PACKAGE = WRITE_BACK_BYTES / 16 };
    unsigned kernels = 0, n;
    unsigned long fourth = 0, sent = 0;
    (void)unused;
    write_back_gpus("dynamic");
    set_variable("staging", "64");
    setenv("STUB_HOME", "1:1:0", 1); /* leaves packages for device 0 */
    setenv("STUB_HANG", "clEnqueueReadBuffer:1:500", 1);
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(4);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    for (unsigned i = 0; i < n; i++)
        if (cl_span_is(&fixture.spans[i], "kernel") && fixture.spans[i].device == 0 && ++kernels == 4)
            fourth = fixture.spans[i].start;
    for (unsigned i = 0; i < n; i++)
        sent += cl_span_is(&fixture.spans[i], "read") && fixture.spans[i].device == 0 &&
                        fixture.spans[i].end < fourth
                    ? fixture.spans[i].count
                    : 0;
    write_back_end();
    cl_folder_remove();
    return sent < PACKAGE;
}

/* What a member's thread copies itself is no reason for its device to wait: when the first package's results
 * have come in part, the fourth one begins, as the second one is over by then. */
START_TEST(between_pieces)
{
    ck_assert(cl_in_some_try(fourth_between_pieces, 0));
}
END_TEST

/* Long packages with a lot to send are run as several kernels, each of which sends what it wrote. */
START_TEST(slices)
{
    write_back_gpus(dynamic[_i]);
    setenv("STUB_SPEED", "1", 1);
    set_variable("link", "0.01");
    write_back_algo(dynamic[_i], 4);
    set_variable("queues", _i ? "gpus" : "one");
    write_back_begin();
    for (unsigned i = 0; i < 3; i++) {
        const unsigned before = write_back_launches();
        write_back_shut_gate();
        write_back_launch();
        write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
        write_back_open_gate(before + 2);
        cl_ok(clFinish(cl.queue));
        write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
        if (i) /* more kernels than the four packages, of which the first may be hidden by the others */
            ck_assert_uint_ge(write_back_launches(), before + 5);
        fixture.x[i] += 3;
        cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
        memset(fixture.z, 0, sizeof(fixture.z));
    }
    write_back_end();
}
END_TEST

/* Bytes that a device sent, of those begun after that moment, before it got its next kernel behind the first
 * package; *waited: it had to wait for one. */
static unsigned long sent_between(unsigned device, unsigned long since, bool *waited)
{
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    unsigned long end = 0, next = 0, sent = 0;
    ck_assert_uint_lt(n, WRITE_BACK_SPANS);
    for (unsigned i = 0; i < n && !next; i++) { /* in the order of their ends */
        const struct cl_span *span = &fixture.spans[i];
        if (span->device != device || span->start < since || !cl_span_is(span, "kernel"))
            continue;
        if (end && span->start > end + 1000000)
            next = span->start;
        end = next ? end : span->end;
    }
    *waited |= next > 0;
    for (unsigned i = 0; i < n; i++)
        if (fixture.spans[i].device == device && cl_span_is(&fixture.spans[i], "read") &&
            fixture.spans[i].end > end && fixture.spans[i].end < next)
            sent += fixture.spans[i].count;
    return sent;
}

/* A device whose sending takes longer than its computing is not kept waiting for it: when all that it holds
 * is over, it gets its next package first. */
static bool next_before_sent(int unused)
{
    enum {
        LAUNCHES = 6,
        A_PIECE = 8 * 16384
    }; /* what the thread sends in one go: chunks of COEXEC_DEBUG=staging / 4 */
    unsigned long most = 0;
    bool waited = false;
    (void)unused;
    write_back_gpus("auto");
    set_variable("powers", "");
    setenv("STUB_NAMES", "gpu,gpu", 1);
    setenv("STUB_SPEED", "0.3", 1);
    setenv("STUB_LINK", "25", 1);
    set_variable("link", "0.1");
    set_variable("staging", "64");
    setenv("COEXEC_ALGO", "auto:safety=4", 1); /* so that something is left behind the first package */
    write_back_begin();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        const unsigned long before = i ? write_back_newest() : 0;
        write_back_launch();
        write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
        cl_ok(clFinish(cl.queue));
        write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
        for (unsigned device = 0; device < 2 && i > 1; device++) {
            const unsigned long sent = sent_between(device, before, &waited);
            most = sent > most ? sent : most;
        }
    }
    write_back_end();
    cl_folder_remove();
    return waited && most <= A_PIECE;
}

START_TEST(sends_behind_next_package)
{
    ck_assert(cl_in_some_try(next_before_sent, 0));
}
END_TEST

/* Likewise where the range is cut between rows of many work-groups: by both devices, also the one that took
 * its half first, while the other half was left. A package that the host saw take far longer than it did, as
 * on a busy machine, keeps the next one whole: one launch that is sliced will do. */
START_TEST(slices_of_rows)
{
    enum { WIDTH = 1024, ROWS = WRITE_BACK_N / WIDTH, LAUNCHES = 5 };
    const size_t items[] = {WIDTH, ROWS}, local[] = {16, 1};
    const cl_int width = WIDTH;
    unsigned kernels[LAUNCHES][2] = {{0}}, sliced = 0;
    unsigned long before[LAUNCHES] = {0};
    write_back_gpus("static");
    setenv("STUB_SPEED", "1", 1);
    set_variable("link", "0.01");
    fixture.kernel = write_back_open_kernel("stub_fill_2d");
    fixture.mem[0] = cl_buffer(CL_MEM_READ_WRITE, WRITE_BACK_BYTES, NULL);
    cl_set_mem(fixture.kernel, 0, fixture.mem[0]);
    cl_ok(clSetKernelArg(fixture.kernel, 1, sizeof(width), &width));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        before[i] = i ? write_back_newest() : 0;
        const unsigned launched = i ? write_back_launches() : 0;
        memset(fixture.z, 0, sizeof(fixture.z));
        write_back_shut_gate();
        cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 2, NULL, items, local, 0, NULL, NULL));
        write_back_read_part(fixture.mem[0], 0, WRITE_BACK_BYTES, fixture.z);
        write_back_open_gate(launched + 2);
        cl_ok(clFinish(cl.queue));
        for (int k = 0; k < WRITE_BACK_N; k++)
            ck_assert_int_eq(fixture.z[k], k);
    }
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = LAUNCHES; k-- > 0 && cl_span_is(&fixture.spans[i], "kernel");)
            if (fixture.spans[i].start >= before[k]) {
                kernels[k][fixture.spans[i].device]++;
                break;
            }
    for (unsigned k = 1; k < LAUNCHES; k++)
        sliced += kernels[k][0] > 1 && kernels[k][1] > 1;
    ck_assert_uint_gt(sliced, 0);
    cl_ok(clReleaseMemObject(fixture.mem[0]));
    cl_ok(clReleaseKernel(fixture.kernel));
    cl_close();
}
END_TEST

static bool maps_early(int i)
{
    cl_int code;
    write_back_gpus(dynamic[i]);
    setenv("STUB_HOME", "0:2:0,1:2:1", 1);
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    const cl_int *sums = clEnqueueMapBuffer(cl.queue, fixture.mem[2], CL_FALSE, CL_MAP_READ, 0,
                                            WRITE_BACK_BYTES, 0, NULL, NULL, &code);
    cl_ok(code);
    write_back_open_gate(4);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(sums, 0, WRITE_BACK_N);
    const bool early = write_back_early_reads(0, 0) >= 1 && write_back_early_reads(1, 1) >= 1;
    ck_assert_uint_eq(write_back_bytes_read(), WRITE_BACK_BYTES); /* nothing twice */
    cl_ok(clEnqueueUnmapMemObject(cl.queue, fixture.mem[2], (void *)sums, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    write_back_end();
    cl_folder_remove();
    return early;
}

/* A mapping that waits for the launch gets what is there. */
START_TEST(waiting_map)
{
    ck_assert(cl_in_some_try(maps_early, _i));
}
END_TEST

/* Where packages may be done again, those that are over are written back. */
START_TEST(beside_reexecutions)
{
    write_back_gpus("auto");
    setenv("STUB_SPEED", "0.1", 1);
    setenv("COEXEC_ALGO", "auto:packages=32", 1);
    write_back_begin();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    ck_assert_uint_ge(write_back_early_reads(0, 0) + write_back_early_reads(1, 1), 1);
    write_back_end();
}
END_TEST

/* A device that sent some of its packages hangs in the next one: what it sent counts, others do that one, and
 * neither the launch nor the read waits for it. */
START_TEST(superseded_after_it_sent)
{
    write_back_gpus("auto");
    setenv("STUB_SPEED", "0.1", 1);
    setenv("STUB_LATE", "1:4:5000", 1);
    setenv("COEXEC_ALGO", "auto:packages=32", 1);
    write_back_begin();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    cl_ok(clFinish(cl.queue));
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    unsigned over = 0;
    for (unsigned i = 0; i < n; i++)
        over += cl_span_is(&fixture.spans[i], "kernel") && fixture.spans[i].device == 1;
    ck_assert_uint_eq(over, 3);
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    for (unsigned i = 0; i < 4; i++) {
        fixture.x[i] += 3;
        cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
        write_back_launch();
        memset(fixture.z, 0, sizeof(fixture.z));
        cl_ok(clEnqueueReadBuffer(cl.queue, fixture.mem[2], CL_TRUE, 0, WRITE_BACK_BYTES, fixture.z, 0, NULL,
                                  NULL));
        write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    }
    write_back_end();
}
END_TEST

/* Parts of results, in the order of the queue; two of them meet in memory. */
START_TEST(several_reads)
{
    enum { QUARTER = WRITE_BACK_BYTES / 4, FOURTH = WRITE_BACK_N / 4 };
    write_back_gpus("dynamic");
    write_back_begin();
    for (unsigned i = 0; i < 20; i++) {
        write_back_shut_gate();
        write_back_launch();
        write_back_read_part(fixture.mem[2], 0, QUARTER, fixture.z);
        write_back_read_part(fixture.mem[2], 2 * QUARTER + 4096, QUARTER, fixture.other);
        write_back_read_part(fixture.mem[0], 0, 2 * QUARTER, fixture.other + FOURTH / 2);
        write_back_read_part(fixture.mem[2], QUARTER, QUARTER, fixture.z + FOURTH);
        write_back_open_gate(16 * i + 4);
        cl_ok(clFinish(cl.queue));
        write_back_check_sums(fixture.z, 0, 2 * FOURTH);
        write_back_check_sums(fixture.other, 2 * FOURTH + 1024, FOURTH / 2);
        ck_assert_int_eq(memcmp(fixture.other + FOURTH / 2, fixture.x, 2 * QUARTER), 0);
        fixture.x[i] += 3;
        memset(fixture.z, 0, sizeof(fixture.z));
        memset(fixture.other, 0, sizeof(fixture.other));
        cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
    }
    write_back_end();
}
END_TEST

/* A read of a sub-buffer, by an event in another queue, of what a launch wrote through another one. */
START_TEST(windows)
{
    const cl_buffer_region halves[] = {{0, WRITE_BACK_BYTES / 2},
                                       {WRITE_BACK_BYTES / 2, WRITE_BACK_BYTES / 2}};
    const size_t items = WRITE_BACK_N / 2, local = 64;
    cl_mem window[2];
    cl_event launched;
    cl_int code;
    write_back_gpus("dynamic");
    setenv("STUB_HOME", "0:2:0", 1);
    write_back_begin();
    for (unsigned i = 0; i < 2; i++) {
        window[i] = clCreateSubBuffer(fixture.mem[2], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                      &halves[i], &code);
        cl_ok(code);
    }
    cl_set_mem(fixture.kernel, 2, window[1]);
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    write_back_shut_gate();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, &launched));
    cl_ok(clEnqueueReadBuffer(queue, window[1], CL_FALSE, 4096, WRITE_BACK_BYTES / 2 - 4096, fixture.z, 1,
                              &launched, NULL));
    cl_ok(clFlush(queue));
    write_back_open_gate(4);
    cl_ok(clFinish(queue));
    write_back_check_sums(fixture.z, 1024, WRITE_BACK_N / 2 - 1024);
    ck_assert_uint_ge(write_back_early_reads(0, 0), 1);
    cl_ok(clReleaseEvent(launched));
    cl_ok(clReleaseCommandQueue(queue));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(window[i]));
    write_back_end();
}
END_TEST

/* A read that waits for something else as well leaves the program's memory alone until then. */
START_TEST(waits_for_another)
{
    const size_t items = WRITE_BACK_N, local = 64;
    cl_event launched;
    cl_int code;
    write_back_gpus(dynamic[_i]);
    write_back_begin();
    cl_event user = clCreateUserEvent(cl.context, &code);
    cl_ok(code);
    write_back_shut_gate();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, &launched));
    cl_ok(clEnqueueReadBuffer(cl.queue, fixture.mem[2], CL_FALSE, 0, WRITE_BACK_BYTES, fixture.z, 1, &user,
                              NULL));
    write_back_open_gate(4);
    cl_ok(clWaitForEvents(1, &launched));
    int bad = 0;
    for (int i = 0; i < WRITE_BACK_N; i++)
        bad += fixture.z[i] != 0;
    ck_assert_int_eq(bad, 0);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(launched));
    write_back_end();
}
END_TEST

/*
 * Launches, and reads into and writes from one piece of the program's memory, at random, in order and without
 * a wait: in the end memory and buffers hold what doing it step by step gives.
 */

static void random_launch(void)
{
    const size_t items = ITEMS, local = 64;
    const unsigned to = cl_roll(3), a = (to + 1) % 3, b = (to + 2) % 3;
    const unsigned args[] = {a, b, to};
    for (unsigned i = 0; i < 3; i++)
        cl_set_mem(fixture.kernel, i, fixture.mem[args[i]]);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, NULL));
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
        cl_ok(clEnqueueWriteBuffer(cl.queue, fixture.mem[of], CL_FALSE, offset, size, area + in, 0, NULL,
                                   NULL));
    else if (how == 1)
        cl_ok(clEnqueueReadBufferRect(cl.queue, fixture.mem[of], CL_FALSE, from, into, region, 0, 0, 0, 0,
                                      area, 0, NULL, NULL));
    else
        cl_ok(
            clEnqueueReadBuffer(cl.queue, fixture.mem[of], how == 2, offset, size, area + in, 0, NULL, NULL));
    memcpy(write ? model[of] + at : area_model + in, write ? area_model + in : model[of] + at, size);
}

START_TEST(at_random)
{
    write_back_gpus(_i % 4 < 3 ? algos[_i % 4] : "auto");
    write_back_algo(_i % 4 < 3 ? algos[_i % 4] : "auto", 8);
    set_variable("queues", _i / 4 % 2 ? "gpus" : "one");
    setenv("STUB_LATE", "1:7:40,0:20:40", 1);
    setenv("STUB_SPEED", "4,2", 1);
    setenv("STUB_LINK", "4000,1000", 1);
    fixture.kernel = write_back_open_kernel("stub_add");
    cl_seed((unsigned)_i);
    for (unsigned i = 0; i < 3; i++) {
        cl_noise(model[i], sizeof(model[i]));
        fixture.mem[i] = cl_buffer(CL_MEM_READ_WRITE, sizeof(model[i]), NULL);
        cl_write(fixture.mem[i], model[i], sizeof(model[i]));
    }
    for (unsigned i = 0; i < STEPS; i++)
        if (cl_roll(5) < 2)
            random_launch();
        else
            random_transfer(cl_roll(4) == 0);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(memcmp(area, area_model, sizeof(area)), 0);
    for (unsigned i = 0; i < 3; i++) {
        cl_read(fixture.mem[i], area, sizeof(model[i]));
        ck_assert_int_eq(memcmp(area, model[i], sizeof(model[i])), 0);
    }
    write_back_end();
}
END_TEST

/* Where that is switched off nothing comes before the device is done. */
START_TEST(switched_off)
{
    write_back_gpus("dynamic");
    set_variable("overlap", "0");
    write_back_begin();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(4);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    ck_assert_uint_eq(write_back_early_reads(0, 0), 0);
    ck_assert_uint_eq(write_back_early_reads(1, 1), 0);
    write_back_end();
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
    write_back_gpus(_i % 4 < 3 ? dynamic[_i % 4] : "auto");
    setenv(faults[_i / 4].name, faults[_i / 4].value, 1);
    write_back_begin();
    for (unsigned i = 0; i < 3; i++) {
        cl_event launched, arrived;
        cl_int ran, came;
        memset(fixture.z, 0, sizeof(fixture.z));
        const size_t items = WRITE_BACK_N, local = 64;
        cl_int code =
            clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, &launched);
        if (code != CL_SUCCESS)
            break;
        cl_ok(clEnqueueReadBuffer(cl.queue, fixture.mem[2], CL_FALSE, 0, WRITE_BACK_BYTES, fixture.z, 0, NULL,
                                  &arrived));
        (void)clWaitForEvents(1, &arrived);
        cl_ok(clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(ran), &ran, NULL));
        cl_ok(clGetEventInfo(arrived, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(came), &came, NULL));
        if (ran == CL_COMPLETE && came == CL_COMPLETE)
            write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
        ck_assert_int_le(ran, CL_COMPLETE);
        ck_assert_int_le(came, CL_COMPLETE);
        cl_ok(clReleaseEvent(launched));
        cl_ok(clReleaseEvent(arrived));
    }
    write_back_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("home");
    TCase *tcase = tcase_create("home");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, NULL, cl_folder_remove);
    tcase_add_loop_test(tcase, beside_other_device, 0, sizeof(algos) / sizeof(algos[0]));
    tcase_add_test(tcase, blocking_beside_other_device);
    tcase_add_test(tcase, not_into_memory_in_use);
    tcase_add_loop_test(tcase, one_read_after_another, 0, sizeof(algos) / sizeof(algos[0]));
    tcase_add_loop_test(tcase, written_from_then_read_into, 0, sizeof(algos) / sizeof(algos[0]));
    suite_add_tcase(suite, tcase);
    TCase *packages = tcase_create("packages");
    tcase_set_timeout(packages, 120);
    tcase_add_checked_fixture(packages, NULL, cl_folder_remove);
    tcase_add_loop_test(packages, beside_next_package, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_test(packages, between_pieces);
    tcase_add_loop_test(packages, slices, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_test(packages, slices_of_rows);
    tcase_add_loop_test(packages, waiting_map, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_test(packages, beside_reexecutions);
    tcase_add_test(packages, superseded_after_it_sent);
    tcase_add_test(packages, several_reads);
    tcase_add_test(packages, windows);
    tcase_add_test(packages, switched_off);
    tcase_add_loop_test(packages, waits_for_another, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    test_add_some(packages, at_random, 16);
    test_add_some(packages, failures, 4 * sizeof(faults) / sizeof(faults[0]));
    suite_add_tcase(suite, packages);
    TCase *sends = tcase_create("sends");
    tcase_set_timeout(sends, 120);
    tcase_add_checked_fixture(sends, NULL, cl_folder_remove);
    tcase_add_test(sends, sends_behind_next_package);
    suite_add_tcase(suite, sends);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Launches that repeat one before have no command of their own (replay.h): they compute what others do,
 * in order, keep what they use, and their failures are told. On stub GPUs, alone and two; each test has a
 * process of its own, since stub and layer read the environment once.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1024, LOCAL = 16, BYTES = N * sizeof(cl_int), BUFFERS = 4, LAUNCHES = 200 };

static const struct setup {
    const char *devices, *split;
    bool sure; /* nothing that is measured decides */
} setups[] = {{"1", "auto", true}, {"2", "never", false}, {"2", "auto", false}};
enum { SETUPS = sizeof(setups) / sizeof(setups[0]) };

static struct {
    cl_program program;
    cl_kernel inc, add, copy;
    cl_mem mem[BUFFERS];
    cl_int is[BUFFERS][N]; /* what the buffers should hold */
    cl_int got[N];
} t;

static void begin(const struct setup *setup)
{
    cl_folder_make("again");
    setenv("STUB_DEVICES", setup->devices, 1);
    setenv("COEXEC_SPLIT", setup->split, 1);
    setenv("COEXEC_LOG", "error,worker:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("STUB_GATE", cl_folder_path("gate"), 1);
}

static void open_all(cl_command_queue_properties properties)
{
    cl_int code;
    char *text = file_read(STUB_KERNELS, NULL);
    const char *source = text;
    cl_open();
    cl_ok(clReleaseCommandQueue(cl.queue)); /* it has profiling */
    cl.queue = cl_queue(properties);
    t.program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    cl_ok(code);
    cl_ok(clBuildProgram(t.program, 1, &cl.device, "", NULL, NULL));
    free(text);
    cl_kernel *const kernels[] = {&t.inc, &t.add, &t.copy};
    const char *const names[] = {"stub_inc", "stub_add", "stub_copy"};
    for (unsigned k = 0; k < 3; k++) {
        *kernels[k] = clCreateKernel(t.program, names[k], &code);
        cl_ok(code);
    }
    for (unsigned b = 0; b < BUFFERS; b++) {
        for (int i = 0; i < N; i++)
            t.is[b][i] = (cl_int)b * 1000 + i;
        t.mem[b] = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, t.is[b]);
    }
}

static void release_all(void)
{
    for (unsigned b = 0; b < BUFFERS; b++)
        if (t.mem[b])
            cl_ok(clReleaseMemObject(t.mem[b]));
    cl_ok(clReleaseKernel(t.inc));
    cl_ok(clReleaseKernel(t.add));
    cl_ok(clReleaseKernel(t.copy));
    cl_ok(clReleaseProgram(t.program));
}

static void close_all(void)
{
    release_all();
    cl_close();
}

static cl_int launch(cl_kernel kernel, size_t items, cl_event *event)
{
    const size_t local = LOCAL;
    return clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, event);
}

static void inc(unsigned a)
{
    cl_set_mem(t.inc, 0, t.mem[a]);
    cl_ok(launch(t.inc, N, NULL));
    for (int i = 0; i < N; i++)
        t.is[a][i] = (cl_int)((cl_uint)t.is[a][i] + 1);
}

static void add(unsigned a, unsigned b, unsigned c)
{
    cl_set_mem(t.add, 0, t.mem[a]);
    cl_set_mem(t.add, 1, t.mem[b]);
    cl_set_mem(t.add, 2, t.mem[c]);
    cl_ok(launch(t.add, N, NULL));
    for (int i = 0; i < N; i++)
        t.is[c][i] = (cl_int)((cl_uint)t.is[a][i] + (cl_uint)t.is[b][i]);
}

static void copy(unsigned a, unsigned b, int items)
{
    cl_set_mem(t.copy, 0, t.mem[a]);
    cl_set_mem(t.copy, 1, t.mem[b]);
    cl_ok(launch(t.copy, (size_t)items, NULL));
    memmove(t.is[b], t.is[a], (size_t)items * sizeof(cl_int));
}

static void check(unsigned b)
{
    cl_read(t.mem[b], t.got, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(t.got[i], t.is[b][i]);
}

static unsigned repeated(void)
{
    return cl_lines_with(cl_folder_path("log"), "runs as before");
}

static void shut_gate(void)
{
    FILE *gate = fopen(cl_folder_path("gate"), "w");
    ck_assert_ptr_nonnull(gate);
    fclose(gate);
}

static void open_gate(void)
{
    ck_assert_int_eq(unlink(cl_folder_path("gate")), 0);
}

/* Two kernels are known and measured. */
static void warm_up(void)
{
    for (int i = 0; i < LAUNCHES / 4; i++) {
        inc(0);
        copy(0, 1, N);
    }
    cl_ok(clFinish(cl.queue));
}

/* ---- which launches ---- */

START_TEST(most_are_repeated)
{
    begin(&setups[_i]);
    open_all(0);
    for (unsigned i = 0; i < LAUNCHES; i++)
        inc(0);
    for (unsigned i = 0; i < LAUNCHES; i++) { /* two that take turns, and the places of their arguments do */
        add(1, 2, 3);
        copy(i % 2 ? 3 : 1, i % 2 ? 1 : 3, N);
    }
    for (unsigned b = 0; b < BUFFERS; b++)
        check(b);
    ck_assert(!setups[_i].sure || repeated() > 2 * LAUNCHES);
    close_all();
}
END_TEST

/* Each of another size, none of them half as large as another, as eliminations and wavefronts have them. */
START_TEST(sizes_may_differ)
{
    begin(&setups[_i]);
    open_all(0);
    for (int i = 0; i < 4 * LAUNCHES; i++)
        copy(i % 2 ? 3 : 1, i % 2 ? 1 : 3, LOCAL * (33 + i % 32));
    for (unsigned b = 0; b < BUFFERS; b++)
        check(b);
    ck_assert(!setups[_i].sure || repeated() > 3 * LAUNCHES);
    close_all();
}
END_TEST

static const struct watched {
    const char *name, *value;
    cl_command_queue_properties properties;
    bool events, queues;
} watched[] = {
    {.events = true},
    {.queues = true},
    {.properties = CL_QUEUE_PROFILING_ENABLE},
    {.properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
    {.name = "COEXEC_TRACE", .value = "/dev/null"},
    {.name = "COEXEC_LOG", .value = "error,worker:debug,plan:info"},
};

START_TEST(none_is_where_somebody_watches)
{
    const struct watched *w = &watched[_i];
    cl_command_queue other = NULL;
    begin(&setups[0]);
    if (w->name)
        setenv(w->name, w->value, 1);
    open_all(w->properties);
    if (w->queues)
        other = cl_queue(0);
    cl_set_mem(t.inc, 0, t.mem[0]);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        cl_event event;
        cl_ok(launch(t.inc, N, w->events ? &event : NULL));
        if (w->events)
            cl_ok(clReleaseEvent(event));
        if (w->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
            cl_ok(clEnqueueBarrierWithWaitList(cl.queue, 0, NULL, NULL));
    }
    for (int i = 0; i < N; i++)
        t.is[0][i] += LAUNCHES;
    check(0);
    ck_assert_uint_eq(repeated(), 0);
    if (other)
        cl_ok(clReleaseCommandQueue(other));
    close_all();
}
END_TEST

/* ---- summaries ---- */

static void run_for_a_summary(const struct setup *setup)
{
    const size_t items = N;
    open_all(0);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        inc(0);
        cl_ok(clFinish(cl.queue));
        copy(0, 1, i % 2 ? N : N / 2);
    }
    cl_set_mem(t.add, 0, t.mem[0]); /* of no local size */
    cl_set_mem(t.add, 1, t.mem[0]);
    cl_set_mem(t.add, 2, t.mem[3]);
    for (unsigned i = 0; i < LAUNCHES; i++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, t.add, 1, NULL, &items, NULL, 0, NULL, NULL));
    check(0);
    check(1);
    ck_assert(!setup->sure || repeated() > 2 * LAUNCHES);
    close_all();
}

/* What a kernel's block says behind these words, the sum of all lines that have them; -1: none. */
static double block_says(const char *text, const char *kernel, const char *words)
{
    char head[64];
    snprintf(head, sizeof(head), "  kernel %s: ", kernel);
    const char *at = strstr(text, head);
    const char *end = at ? strstr(at + 1, "\n  kernel ") : NULL;
    double sum = -1;
    for (; at && (at = strstr(at, words)) && (!end || at < end); at++)
        sum = (sum < 0 ? 0 : sum) + strtod(at + strlen(words), NULL);
    return sum;
}

static void expect_block(const char *text, const char *kernel, bool sure)
{
    const double timed = block_says(text, kernel, "(estimate: "),
                 split = block_says(text, kernel, "launches, ");
    const double ms = block_says(text, kernel, "; time "), busy = block_says(text, kernel, " busy ");
    char launches[64];
    snprintf(launches, sizeof(launches), "  kernel %s: %d launches, ", kernel, LAUNCHES);
    ck_assert_msg(strstr(text, launches) != NULL, "%s", text);
    ck_assert_msg(split + block_says(text, kernel, "    whole ") == LAUNCHES, "%s", text);
    ck_assert_msg(!sure || (timed >= 8 && timed < LAUNCHES / 4), "%s",
                  text); /* once in so many are sampled */
    ck_assert_msg(split > 0 || (ms > 0 && busy > 0.99 * ms && busy < 1.01 * ms), "%s", text);
}

/* They count launches that repeat one before, and have times of some. A stub's kernel takes a microsecond a
 * work-group and more. */
START_TEST(summaries_count_all)
{
    const struct setup *setup = &setups[_i];
    int status = 1;
    begin(setup);
    setenv("COEXEC_SUMMARY", "1", 1);
    setenv("COEXEC_SUMMARY_FILE", cl_folder_path("summary"), 1);
    setenv("STUB_SPEED", "1", 1);
    const pid_t child = fork();
    if (child == 0) {
        run_for_a_summary(setup);
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    char *text = file_read(cl_folder_path("summary"), NULL);
    ck_assert_ptr_nonnull(text);
    expect_block(text, "stub_inc", setup->sure);
    expect_block(text, "stub_copy", setup->sure);
    expect_block(text, "stub_add", setup->sure);
    ck_assert_msg(block_says(text, "stub_inc", "; time ") > 0.9 * LAUNCHES * N / LOCAL / 1000, "%s", text);
    free(text);
}
END_TEST

/* Another range, a local size that does not divide it, none at all: each is judged as ever. */
START_TEST(other_ranges)
{
    const size_t items = N, odd = 7, zero = 0;
    begin(&setups[_i]);
    open_all(0);
    for (int i = 0; i < 100; i++) {
        copy(i % 3, 3, N);
        copy((i + 1) % 3, 3, N / 2);
        copy((i + 2) % 3, 3, N / 4);
        if (i % 10 == 0) { /* the driver is asked in the call where nothing is waited for */
            cl_ok(clFinish(cl.queue));
            cl_expect(clEnqueueNDRangeKernel(cl.queue, t.copy, 1, NULL, &items, &odd, 0, NULL, NULL),
                      CL_INVALID_WORK_GROUP_SIZE);
        }
        cl_expect(clEnqueueNDRangeKernel(cl.queue, t.copy, 4, NULL, &items, NULL, 0, NULL, NULL),
                  CL_INVALID_WORK_DIMENSION);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, t.copy, 1, NULL, &zero, NULL, 0, NULL, NULL));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, t.copy, 1, NULL, NULL, NULL, 0, NULL, NULL));
    }
    check(3);
    close_all();
}
END_TEST

/* ---- order ---- */

static void expect_status(cl_event event, bool complete)
{
    cl_int status;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status == CL_COMPLETE, complete);
}

/* What comes after them waits for them, and what is released meanwhile stays until they are over. */
START_TEST(what_follows_waits)
{
    cl_event marker, read;
    begin(&setups[_i]);
    open_all(0);
    warm_up();
    shut_gate();
    const unsigned before = repeated();
    for (int i = 0; i < 12; i++)
        inc(0);
    copy(0, 1, N);
    /* now and then one is planned or measured */
    ck_assert(!setups[_i].sure || repeated() - before >= 11);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &marker));
    cl_ok(clEnqueueReadBuffer(cl.queue, t.mem[1], CL_FALSE, 0, BYTES, t.got, 0, NULL, &read));
    cl_ok(clReleaseMemObject(t.mem[0]));
    cl_ok(clReleaseMemObject(t.mem[1]));
    t.mem[0] = t.mem[1] = NULL;
    cl_ok(clFlush(cl.queue));
    usleep(20000);
    expect_status(marker, false);
    expect_status(read, false);
    open_gate();
    cl_ok(clWaitForEvents(1, &marker));
    cl_ok(clWaitForEvents(1, &read));
    expect_status(read, true);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(t.got[i], t.is[1][i]);
    cl_ok(clReleaseEvent(marker));
    cl_ok(clReleaseEvent(read));
    close_all();
}
END_TEST

static atomic_bool gone;

static void CL_CALLBACK context_gone(cl_context context, void *unused)
{
    (void)context;
    (void)unused;
    atomic_store(&gone, true);
}

/* A program that releases everything with launches in flight: it goes once they are over. */
START_TEST(all_is_released)
{
    begin(&setups[_i]);
    open_all(0);
    cl_ok(clSetContextDestructorCallback(cl.context, context_gone, NULL));
    warm_up();
    shut_gate();
    for (int i = 0; i < 8; i++)
        inc(0);
    release_all();
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl_ok(clReleaseContext(cl.context));
    usleep(10000);
    ck_assert(!atomic_load(&gone));
    open_gate();
    for (int i = 0; i < 10000 && !atomic_load(&gone); i++)
        usleep(1000);
    ck_assert(atomic_load(&gone));
}
END_TEST

/* A command before them that waits for the program holds them up. */
START_TEST(behind_a_user_event)
{
    cl_int code;
    const cl_int seven = 7;
    begin(&setups[_i]);
    open_all(0);
    warm_up();
    const unsigned before = repeated();
    cl_event user = clCreateUserEvent(cl.context, &code);
    cl_ok(code);
    cl_ok(clEnqueueFillBuffer(cl.queue, t.mem[0], &seven, sizeof(seven), 0, BYTES, 1, &user, NULL));
    for (int i = 0; i < 8; i++)
        inc(0);
    ck_assert_uint_eq(repeated(), before);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    for (int i = 0; i < N; i++)
        t.is[0][i] = 15;
    check(0);
    cl_ok(clReleaseEvent(user));
    close_all();
}
END_TEST

/* ---- against plain C ---- */

static void make_anew(unsigned b)
{
    cl_ok(clReleaseMemObject(t.mem[b]));
    for (int i = 0; i < N; i++)
        t.is[b][i] = (cl_int)cl_roll(1000);
    t.mem[b] = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, t.is[b]);
}

static void write_some(unsigned b)
{
    const size_t first = cl_roll(N), n = 1 + cl_roll((unsigned)(N - first));
    for (size_t i = first; i < first + n; i++)
        t.is[b][i] = (cl_int)cl_roll(1000);
    cl_ok(clEnqueueWriteBuffer(cl.queue, t.mem[b], CL_TRUE, first * sizeof(cl_int), n * sizeof(cl_int),
                               &t.is[b][first], 0, NULL, NULL));
}

static void step(void)
{
    const unsigned a = cl_roll(BUFFERS), b = (a + 1 + cl_roll(BUFFERS - 1)) % BUFFERS,
                   times = 1 + cl_roll(12);
    switch (cl_roll(12)) {
    case 0:
        make_anew(a);
        break;
    case 1:
        write_some(a);
        break;
    case 2:
        check(a);
        break;
    case 3:
        cl_ok(cl_roll(2) ? clFlush(cl.queue) : clFinish(cl.queue));
        break;
    case 4:
        cl_ok(clEnqueueCopyBuffer(cl.queue, t.mem[a], t.mem[b], 0, 0, BYTES / 2, 0, NULL, NULL));
        memcpy(t.is[b], t.is[a], BYTES / 2);
        break;
    case 5:
        copy(a, b, N / 2);
        break;
    default:
        for (unsigned i = 0; i < times; i++)
            switch (i % 3) {
            case 0:
                inc(a);
                break;
            case 1:
                copy(a, b, N);
                break;
            default:
                add(a, b, (b + 1) % BUFFERS == a ? (b + 2) % BUFFERS : (b + 1) % BUFFERS);
            }
    }
}

START_TEST(at_random)
{
    begin(&setups[_i % SETUPS]);
    cl_seed(100 + (uint64_t)_i);
    open_all(0);
    for (unsigned i = 0; i < 400; i++)
        step();
    for (unsigned b = 0; b < BUFFERS; b++)
        check(b);
    ck_assert(!setups[_i % SETUPS].sure || repeated() > 50);
    close_all();
}
END_TEST

/* ---- failures ---- */

/* A launch that fails on its device tells only whoever has an event of it: drivers by themselves do no more.
 */
static const struct fault {
    const char *call, *how;
} faults[] = {
    {"clEnqueueNDRangeKernel", ""},    {"clEnqueueWriteBuffer", ""}, {"clEnqueueWriteBuffer", ":event"},
    {"clEnqueueReadBuffer", ":event"}, {"clSetKernelArg", ""},       {"clEnqueueMarker", ""},
};
enum { KINDS = sizeof(faults) / sizeof(faults[0]) };

/* Whatever the driver fails at, the program is told of an error or finds the right numbers. */
START_TEST(failures_are_reported)
{
    char fault[64];
    bool failed = false;
    begin(&setups[_i / KINDS % SETUPS]);
    snprintf(fault, sizeof(fault), "%s:%d:-5%s", faults[_i % KINDS].call, 1 + 3 * (_i / KINDS / SETUPS),
             faults[_i % KINDS].how);
    setenv("STUB_FAIL", fault, 1);
    setenv("COEXEC_LOG", "worker:debug", 1);
    open_all(0);
    cl_set_mem(t.inc, 0, t.mem[0]);
    cl_set_mem(t.copy, 0, t.mem[0]);
    cl_set_mem(t.copy, 1, t.mem[1]);
    for (int round = 0; round < 3; round++) {
        failed |= clEnqueueWriteBuffer(cl.queue, t.mem[0], CL_FALSE, 0, BYTES, t.is[2], 0, NULL, NULL) != 0;
        for (int i = 0; i < 8; i++) {
            failed |= launch(t.inc, N, NULL) != CL_SUCCESS;
            failed |= launch(t.copy, N, NULL) != CL_SUCCESS;
        }
        failed |= clFinish(cl.queue) != CL_SUCCESS;
    }
    failed |= clEnqueueReadBuffer(cl.queue, t.mem[1], CL_TRUE, 0, BYTES, t.got, 0, NULL, NULL) != CL_SUCCESS;
    for (int i = 0; i < N && !failed; i++)
        ck_assert_int_eq(t.got[i], t.is[2][i] + 8);
    close_all();
}
END_TEST

static void try_copy(unsigned a, unsigned b)
{
    cl_set_mem(t.copy, 0, t.mem[a]);
    cl_set_mem(t.copy, 1, t.mem[b]);
    (void)launch(t.copy, N, NULL);
}

/* The layer fails to bring what they read: what they should have written is nobody's, and whoever reads it is
 * told. */
START_TEST(what_is_lost_is_reported)
{
    char fault[64];
    begin(&setups[_i % SETUPS]);
    snprintf(fault, sizeof(fault), "clEnqueueWriteBuffer:%d:-5:event", 1 + _i / SETUPS);
    setenv("STUB_FAIL", fault, 1);
    open_all(0);
    for (int i = 0; i < 8; i++) {
        try_copy(0, 1);
        try_copy(0, 3);
    }
    (void)clFinish(cl.queue);
    make_anew(2);
    shut_gate();
    try_copy(2, 1);
    try_copy(2, 3); /* a repetition: the buffer is on its way */
    open_gate();
    (void)clFinish(cl.queue);
    for (unsigned b = 1; b <= 3; b += 2)
        if (clEnqueueReadBuffer(cl.queue, t.mem[b], CL_TRUE, 0, BYTES, t.got, 0, NULL, NULL) == CL_SUCCESS)
            ck_assert_mem_eq(t.got, t.is[2], BYTES);
    close_all();
}
END_TEST

/* ---- threads ---- */

static void *launch_many(void *data)
{
    cl_kernel kernel = data;
    for (unsigned i = 0; i < LAUNCHES; i++)
        cl_ok(launch(kernel, N, NULL));
    return NULL;
}

START_TEST(several_threads)
{
    pthread_t thread[BUFFERS];
    cl_kernel kernel[BUFFERS];
    cl_int code;
    begin(&setups[_i]);
    setenv("COEXEC_LOG", "error", 1);
    open_all(0);
    for (unsigned k = 0; k < BUFFERS; k++) {
        kernel[k] = clCreateKernel(t.program, "stub_inc", &code);
        cl_ok(code);
        cl_set_mem(kernel[k], 0, t.mem[k]);
        ck_assert_int_eq(pthread_create(&thread[k], NULL, launch_many, kernel[k]), 0);
    }
    for (unsigned k = 0; k < BUFFERS; k++) {
        pthread_join(thread[k], NULL);
        cl_ok(clReleaseKernel(kernel[k]));
        for (int i = 0; i < N; i++)
            t.is[k][i] += LAUNCHES;
        check(k);
    }
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("again");
    TCase *tests = tcase_create("again");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, NULL, cl_folder_remove);
    tcase_add_loop_test(tests, most_are_repeated, 0, SETUPS);
    tcase_add_loop_test(tests, sizes_may_differ, 0, SETUPS);
    tcase_add_loop_test(tests, none_is_where_somebody_watches, 0, sizeof(watched) / sizeof(watched[0]));
    tcase_add_loop_test(tests, summaries_count_all, 0, SETUPS);
    tcase_add_loop_test(tests, other_ranges, 0, SETUPS);
    tcase_add_loop_test(tests, what_follows_waits, 0, SETUPS);
    tcase_add_loop_test(tests, all_is_released, 0, SETUPS);
    tcase_add_loop_test(tests, behind_a_user_event, 0, SETUPS);
    tcase_add_loop_test(tests, at_random, 0, 8 * SETUPS);
    test_add_some(tests, failures_are_reported, 16 * KINDS * SETUPS);
    tcase_add_loop_test(tests, what_is_lost_is_reported, 0, 8 * SETUPS);
    tcase_add_loop_test(tests, several_threads, 0, SETUPS);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Slow and dying devices: what they still hold of a launch is done again elsewhere
 * (layer/launch/reexecute.h), with stub devices below that have memory of their own. Results must be right
 * whoever was first, the loser's late end must do no harm, and its device must be of use again afterwards.
 * Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * sizeof(cl_int), LONG_MS = 3000, SOON_MS = 2000 };

static struct {
    cl_program program;
    cl_kernel add, inc, copy;
    cl_mem a, b, c, d;
    cl_int x[N], y[N], z[N];
} p;

static void set_stub(const char *devices, const char *type, const char *late, const char *dies)
{
    setenv("STUB_DEVICES", devices, 1);
    setenv("STUB_TYPE", type, 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_SPEED", "0.05", 1);
    setenv("STUB_LATE", late, 1);
    setenv("STUB_DIES", dies, 1);
}

static void open_program(void)
{
    cl_open();
    p.program = cl_build_file(STUB_KERNELS);
    p.add = cl_kernel_in(p.program, "stub_add");
    p.inc = cl_kernel_in(p.program, "stub_inc");
    p.copy = cl_kernel_in(p.program, "stub_copy");
    cl_seed(3);
    for (int i = 0; i < N; i++) {
        p.x[i] = (cl_int)cl_roll(100000);
        p.y[i] = (cl_int)cl_roll(100000);
    }
    p.a = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, p.x);
    p.b = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, p.y);
    p.c = cl_buffer(0, BYTES, NULL);
    p.d = cl_buffer(0, BYTES, NULL);
}

static void release_program(void)
{
    cl_mem *const all[] = {&p.a, &p.b, &p.c, &p.d};
    for (unsigned i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(*all[i]));
    cl_ok(clReleaseKernel(p.add));
    cl_ok(clReleaseKernel(p.inc));
    cl_ok(clReleaseKernel(p.copy));
    cl_ok(clReleaseProgram(p.program));
}

static void launch(cl_kernel kernel, cl_mem first, cl_mem second, cl_mem third, cl_event *event)
{
    const cl_mem args[] = {first, second, third};
    size_t items = N, local = 16;
    for (cl_uint i = 0; i < 3 && args[i]; i++)
        cl_set_mem(kernel, i, args[i]);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, event));
}

static void check_sum(cl_mem mem, int more)
{
    memset(p.z, 0x5a, sizeof(p.z));
    cl_read(mem, p.z, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(p.z[i], p.x[i] + p.y[i] + more);
}

/* c = x + y so many times, each in less than that. */
static void launch_in_time(unsigned launches, double limit)
{
    for (unsigned i = 0; i < launches; i++) {
        double begin = cl_seconds();
        launch(p.add, p.a, p.b, p.c, NULL);
        check_sum(p.c, 0);
        ck_assert_msg(cl_seconds() - begin < limit, "launch %u took %.3f s", i, cl_seconds() - begin);
    }
}

/* c = x + y, in several ways over and over, while a device is late with one of its packages. */
static void run_chain(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        launch(p.add, p.a, p.b, p.c, NULL);
        launch(p.copy, p.c, p.d, NULL, NULL);
        launch(p.inc, p.d, NULL, NULL, NULL);
        check_sum(p.d, 1);
        cl_write(p.a, p.x, BYTES);
        check_sum(p.c, 0);
    }
}

/* The second device hangs in its first package: the launch is over long before it ends. */
START_TEST(first_package)
{
    set_stub("2", _i ? "gpu" : "cpu", "1:1:3000", "");
    open_program();
    cl_event event;
    double begin = cl_seconds();
    launch(p.add, p.a, p.b, p.c, &event);
    cl_ok(clWaitForEvents(1, &event));
    check_sum(p.c, 0);
    double end = cl_seconds();
    cl_ulong start_ns, end_ns, later_ns;
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start_ns), &start_ns, NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end_ns), &end_ns, NULL));
    ck_assert_msg(end - begin < 1e-3 * SOON_MS, "took %.3f s", end - begin);
    ck_assert_uint_lt(end_ns - start_ns, SOON_MS * UINT64_C(1000000));
    run_chain(3); /* without the late device */
    ck_assert_msg(cl_seconds() - begin < 1e-3 * SOON_MS, "took %.3f s", cl_seconds() - begin);
    cl_write(p.b, p.x, BYTES); /* the input of the late one */
    cl_write(p.b, p.y, BYTES);
    ck_assert_msg(cl_seconds() - begin < 1e-3 * SOON_MS, "took %.3f s", cl_seconds() - begin);
    usleep((useconds_t)(1000 * (LONG_MS + 200) - 1e6 * (cl_seconds() - begin)));
    check_sum(p.c, 0); /* the loser's end changed nothing */
    check_sum(p.d, 1);
    run_chain(3); /* with it again */
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(later_ns), &later_ns, NULL));
    ck_assert_uint_eq(later_ns, end_ns);
    cl_ok(clReleaseEvent(event));
    release_program();
    cl_close();
}
END_TEST

/* A device 10,000 times slower than nominal: its first package of six groups alone takes 1.2 s, the launch
 * what the other one needs for it (scheduler/auto.c says the bound), whether it is the first launch or a
 * later one. */
START_TEST(very_slow)
{
    set_stub("2", _i ? "gpu" : "cpu", "", "");
    setenv("STUB_SPEED", _i / 2 ? "0.05,0.000005" : "0.000005,0.05", 1);
    open_program();
    launch_in_time(3, 0.8);
    release_program();
    cl_close();
}
END_TEST

/* The same where some transfer to a device takes longer than all the rest: the slow device is left once the
 * host's memory is not read for it any more. */
START_TEST(very_slow_uploads)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "clEnqueueWriteBuffer:%d:200", 1 + _i);
    set_stub("2", "gpu", "", "");
    setenv("STUB_SPEED", "0.05,0.000005", 1);
    setenv("STUB_HANG", rule, 1);
    open_program();
    launch_in_time(2, 0.9);
    release_program();
    cl_close();
}
END_TEST

static int by_start(const void *a, const void *b)
{
    const struct cl_span *one = a, *other = b;
    return (one->start > other->start) - (one->start < other->start);
}

/* Work-items that the second device did, by the timeline, after so many of its kernels, the last of which it
 * was late with. */
static size_t items_after(unsigned kernels)
{
    static struct cl_span spans[4096];
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    size_t items = 0;
    ck_assert_uint_lt(n, sizeof(spans) / sizeof(*spans));
    qsort(spans, n, sizeof(*spans), by_start);
    for (unsigned i = 0; i < n; i++) {
        if (spans[i].device != 1 || !cl_span_is(&spans[i], "kernel"))
            continue;
        if (kernels > 0)
            kernels--;
        else
            items += spans[i].count;
    }
    return items;
}

/* Launches enqueued all at once while the second device becomes late for a moment: all that followed were
 * planned there and then, without it, as none waits for what is planned whole. It has to be of use again once
 * it is done, be it in the launch that comes next or, as it was late for longer than that takes, in those
 * behind. */
static bool is_of_use_again(int i)
{
    enum { LAUNCHES = 40 };
    const unsigned kernel = i / 2 ? 18 : 16;
    char late[64];
    cl_folder_make("reexecute");
    /* not in the first launch, of which it may have a dozen packages, since nothing is known until its end */
    snprintf(late, sizeof(late), "1:%u:%d", kernel, i % 2 ? 60 : 30);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("COEXEC_SPLIT", "auto", 1);
    set_stub("2", "gpu", late, "");
    setenv("STUB_SPEED", "0.01", 1);
    open_program();
    for (unsigned n = 0; n < LAUNCHES; n++) {
        launch(p.add, p.a, p.b, p.c, NULL);
        if (i / 2 && n < 6) /* what each device takes is known before the rest comes */
            check_sum(p.c, 0);
    }
    check_sum(p.c, 0);
    const size_t items = items_after(kernel);
    release_program();
    cl_close();
    cl_folder_remove();
    return items > N;
}

START_TEST(superseded_for_a_moment)
{
    ck_assert(cl_in_some_try(is_of_use_again, _i));
}
END_TEST

/* Kernels that the second device has done, and behind the last of their work-items. */
static unsigned kernels_there(size_t *end)
{
    struct cl_span spans[256];
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    unsigned found = 0;
    *end = 0;
    for (unsigned i = 0; i < n; i++) {
        if (spans[i].device != 1 || !cl_span_is(&spans[i], "kernel"))
            continue;
        if (spans[i].first + spans[i].count > *end)
            *end = spans[i].first + spans[i].count;
        found++;
    }
    return found;
}

static void gather(cl_kernel kernel, size_t items)
{
    const size_t local = 16;
    cl_write(p.a, p.x, BYTES);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(p.c, p.z, items * sizeof(cl_int));
    for (size_t i = 0; i < items; i++)
        ck_assert_int_eq(p.z[i], p.x[N - 1 - i]);
}

/* A launch that needs on both devices what the program has just written, while the second one is late by a
 * moment: it ran whole at once, though waiting costs less. */
START_TEST(superseded_before_a_long_launch)
{
    enum { BEFORE = 9 };
    cl_folder_make("reexecute");
    size_t end;
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    set_stub("2", "cpu", "1:10:500,1:11:500,1:12:500", "");
    setenv("STUB_UNITS", "1", 1); /* two groups fill it */
    char speed[32];
    snprintf(speed, sizeof(speed), "%.9f", N / 16 / 4e6); /* 4 s for all on one */
    setenv("STUB_SPEED", speed, 1);
    open_program();
    cl_int code;
    cl_kernel kernel = clCreateKernel(p.program, "stub_gather", &code);
    cl_ok(code);
    for (int i = 0; i < N; i++)
        p.y[i] = N - 1 - i;
    cl_write(p.b, p.y, BYTES);
    const cl_mem args[] = {p.a, p.b, p.c};
    for (cl_uint i = 0; i < 3; i++)
        cl_set_mem(kernel, i, args[i]);
    for (unsigned i = 0; i < 100 && kernels_there(&end) < BEFORE; i++)
        gather(kernel, 32);
    gather(kernel, N / 16); /* it becomes late with one package of these */
    gather(kernel, N);
    (void)kernels_there(&end);
    ck_assert_uint_gt(end, N / 16); /* some of the last launch */
    cl_ok(clReleaseKernel(kernel));
    release_program();
    cl_close();
    cl_folder_remove();
}
END_TEST

/* Some device is late with its k-th launch, by more or less: whoever is first, results are right. */
START_TEST(superseded_anywhere)
{
    char late[64];
    static const int ms[] = {2, 8, 30, 120};
    snprintf(late, sizeof(late), "%d:%d:%d,%d:%d:%d", _i % 3, 1 + _i / 3 % 8, ms[_i % 4], (_i + 1) % 3,
             2 + _i % 5, ms[_i / 2 % 4]);
    printf("# late %s\n", late);
    fflush(stdout);
    set_stub(_i % 2 ? "3" : "2", "cpu,gpu", late, "");
    open_program();
    run_chain(6);
    release_program();
    cl_close();
}
END_TEST

/* A device fails from its k-th launch on: others do what it held, and nobody is told. Only a launch that it
 * has for itself, as another device is late, may be lost. */
START_TEST(dies)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "1:%d:-5", 1 + _i % 6);
    set_stub(_i % 2 ? "3" : "2", "cpu", _i > 6 ? "0:2:40" : "", rule);
    open_program();
    for (unsigned i = 0, lost = 0; i < 6; i++) {
        launch(p.add, p.a, p.b, p.c, NULL);
        launch(p.copy, p.c, p.d, NULL, NULL);
        memset(p.z, 0x5a, sizeof(p.z));
        cl_int code = clEnqueueReadBuffer(cl.queue, p.d, CL_TRUE, 0, BYTES, p.z, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            ck_assert_uint_gt((unsigned)_i % 6, 0);
            ck_assert_uint_lt(lost++, 2);
            continue;
        }
        for (int k = 0; k < N; k++)
            ck_assert_int_eq(p.z[k], p.x[k] + p.y[k]);
    }
    release_program();
    cl_close();
}
END_TEST

/* Shares of a static split, whose owners are settled before it runs: what a driver refuses, or fails at once,
 * is done on the other device, and what was planned behind it finds its inputs. */
static const struct failure {
    const char *in_place, *async, *fail;
    bool inc; /* also launches that write what they read: of these nothing may have begun */
} failures[] = {
    {"0", "1", "", true},        {"1", "0", "", true},        {"1,0", "1", "", true},
    {"0", "0", ":event", false}, {"1", "0", ":event", false}, {"0", "0", "", true},
};
enum { LAUNCHES = 8, NFAILURES = sizeof(failures) / sizeof(failures[0]) };

START_TEST(static_share)
{
    const struct failure *failure = &failures[_i / LAUNCHES];
    char rule[64];
    set_stub("2", "cpu", "", "");
    const int before = failure->inc ? 8 : 6; /* the first round: kernels have to prove that they work */
    snprintf(rule, sizeof(rule), "clEnqueueNDRangeKernel:%d:-5%s", before + 1 + _i % LAUNCHES, failure->fail);
    setenv("STUB_IN_PLACE", failure->in_place, 1);
    setenv("STUB_ASYNC", failure->async, 1);
    setenv("STUB_FAIL", rule, 1);
    setenv("COEXEC_ALGO", "static", 1);
    setenv("COEXEC_SPLIT", "always", 1);
    open_program();
    for (unsigned i = 0; i < 3; i++) {
        launch(p.add, p.a, p.b, p.c, NULL);
        launch(p.copy, p.c, p.d, NULL, NULL);
        if (failure->inc)
            launch(p.inc, p.d, NULL, NULL, NULL);
        cl_event event;
        launch(p.copy, p.d, p.c, NULL, &event);
        cl_ok(clWaitForEvents(1, &event));
        cl_ok(clReleaseEvent(event));
        check_sum(p.c, failure->inc);
        check_sum(p.d, failure->inc);
    }
    release_program();
    cl_close();
}
END_TEST

/* The same of packages that are cut while the launch runs, with a balancer that has nothing done again. */
START_TEST(dynamic_package)
{
    static const struct {
        const char *in_place, *async;
    } kinds[] = {{"0", "1"}, {"1", "0"}, {"0", "0"}};
    char rule[64];
    set_stub("2", "cpu", "", "");
    snprintf(rule, sizeof(rule), "clEnqueueNDRangeKernel:%d:-5:event", 1 + _i % LAUNCHES);
    setenv("STUB_IN_PLACE", kinds[_i / LAUNCHES].in_place, 1);
    setenv("STUB_ASYNC", kinds[_i / LAUNCHES].async, 1);
    setenv("STUB_FAIL", rule, 1);
    setenv("COEXEC_ALGO", "dynamic:packages=8", 1);
    setenv("COEXEC_SPLIT", "always", 1);
    open_program();
    for (unsigned i = 0; i < 2; i++) {
        cl_event event;
        launch(p.add, p.a, p.b, p.c, &event);
        cl_ok(clWaitForEvents(1, &event));
        cl_ok(clReleaseEvent(event));
        check_sum(p.c, 0);
    }
    release_program();
    cl_close();
}
END_TEST

static atomic_bool gone;

static void CL_CALLBACK context_gone(cl_context context, void *unused)
{
    atomic_store(&gone, true);
}

/* The program releases all it has, its own memory below a buffer among it, while the loser runs. */
START_TEST(release_all)
{
    set_stub("2", "cpu", "1:1:600", "");
    open_program();
    cl_int code;
    cl_int *own = malloc(BYTES);
    ck_assert_ptr_nonnull(own);
    memcpy(own, p.x, BYTES);
    cl_mem mem = clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, BYTES, own, &code);
    cl_ok(code);
    launch(p.add, mem, p.b, p.c, NULL);
    check_sum(p.c, 0);
    cl_ok(clFinish(cl.queue));
    cl_ok(clSetContextDestructorCallback(cl.context, context_gone, NULL));
    cl_ok(clReleaseMemObject(mem));
    memset(own, 0, BYTES);
    free(own);
    release_program();
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl_ok(clReleaseContext(cl.context));
    while (!atomic_load(&gone)) /* the test's time limit ends it */
        usleep(1000);
}
END_TEST

/* The process ends while the loser runs. */
START_TEST(end_of_process)
{
    set_stub("2", _i ? "gpu" : "cpu", "1:1:500", "");
    fflush(stdout);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        open_program();
        launch(p.add, p.a, p.b, p.c, NULL);
        check_sum(p.c, 0);
        exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 30);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static void add(Suite *suite, const char *name, const TTest *test, int times)
{
    tcase_add_loop_test(add_case(suite, name), test, 0, times);
}

static void add_some(Suite *suite, const char *name, const TTest *test, unsigned times)
{
    test_add_some(add_case(suite, name), test, times);
}

int main(void)
{
    Suite *suite = suite_create("reexecute");
    add(suite, "first_package", first_package, 2);
    add(suite, "very_slow", very_slow, 4);
    add(suite, "very_slow_uploads", very_slow_uploads, 6);
    add(suite, "late_for_a_moment", superseded_for_a_moment, 4);
    add(suite, "late_before_a_long_launch", superseded_before_a_long_launch, 1);
    add_some(suite, "late_anywhere", superseded_anywhere, 24);
    add_some(suite, "dies", dies, 12);
    add_some(suite, "dynamic_package", dynamic_package, 3 * LAUNCHES);
    add_some(suite, "static_share", static_share, LAUNCHES * NFAILURES);
    add(suite, "release_all", release_all, 1);
    add(suite, "end_of_process", end_of_process, 2);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * A driver that fails: the k-th call of each kind the layer makes, at once or as a failing command, with two
 * or three stub devices of several kinds below. Whatever fails, the program gets an error or right data;
 * nothing hangs, and once everything is released nothing is left of the context. Each case has a process of
 * its own (libcheck forks), since the stub reads its environment once.
 */
#include "cl_fixture.h"
#include "file.h"
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* What is below. */
static const struct setup {
    const char *name, *devices, *async, *in_place, *speed, *algo;
} setups[] = {
    {"two in place", "2", "0", "1", "0", "static"}, {"two with memory", "2", "0", "0", "0,0.2", "hguided"},
    {"two async", "2", "1", "0", "2,1", "sigmoid"}, {"mixed", "3", "1", "1,0", "1,2,0.5", "sigmoid"},
    {"one alone", "1", "1", "0", "0", "static"},
};

static const struct fault {
    const char *call, *code;
    bool event; /* the command fails instead of the call */
    int first, last;
} faults[] = {
    {"clCreateContext", "-6", false, 1, 3},
    {"clCreateCommandQueue", "-6", false, 1, 3},
    {"clCreateBuffer", "-4", false, 1, 36},
    {"clCreateProgramWithSource", "-6", false, 1, 6},
    {"clBuildProgram", "-11", false, 1, 6},
    {"clCreateKernel", "-5", false, 1, 20},
    {"clSetKernelArg", "-5", false, 1, 40},
    {"clEnqueueNDRangeKernel", "-5", false, 1, 24},
    {"clEnqueueNDRangeKernel", "-5", true, 1, 24},
    {"clEnqueueWriteBuffer", "-5", false, 1, 14},
    {"clEnqueueWriteBuffer", "-5", true, 1, 14},
    {"clEnqueueReadBuffer", "-5", false, 1, 18},
    {"clEnqueueReadBuffer", "-5", true, 1, 18},
    {"clEnqueueFillBuffer", "-5", false, 1, 8},
    {"clEnqueueFillBuffer", "-5", true, 1, 8},
    {"clEnqueueCopyBuffer", "-5", false, 1, 8},
    {"clEnqueueCopyBuffer", "-5", true, 1, 8},
    {"clEnqueueMarker", "-5", false, 1, 3},
    {"clFlush", "-5", false, 1, 6},
    {"clFinish", "-5", false, 1, 6},
    {"clWaitForEvents", "-14", false, 1, 6},
    {"clGetEventInfo", "-5", false, 1, 12},
    {"clGetEventProfilingInfo", "-7", false, 1, 12},
};

enum { N = 4096, BYTES = N * sizeof(cl_int), MAX_EVENTS = 64, NSETUPS = sizeof(setups) / sizeof(setups[0]) };

static struct {
    cl_program program;
    cl_kernel add, inc, scatter, copy, count;
    cl_mem a, b, c, d, index;
    cl_int x[N], y[N], z[N], place[N];
    cl_event event[MAX_EVENTS];
    unsigned nevents;
    bool failed; /* the program was told of an error */
} p;

/* Notes an error; true when there is none. */
static bool ok(cl_int code)
{
    p.failed |= code != CL_SUCCESS;
    return code == CL_SUCCESS;
}

static cl_event *next_event(void)
{
    if (getenv("FAULTS_QUIET"))
        return NULL;
    ck_assert_uint_lt(p.nevents, MAX_EVENTS);
    p.event[p.nevents] = NULL;
    return &p.event[p.nevents++];
}

/* ---- the program ---- */

static cl_mem buffer(const void *from)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(cl.context, from ? CL_MEM_COPY_HOST_PTR : 0, BYTES, (void *)(uintptr_t)from, &code);
    return ok(code) ? mem : NULL;
}

static cl_kernel kernel(const char *name)
{
    cl_int code;
    cl_kernel made = clCreateKernel(p.program, name, &code);
    return ok(code) ? made : NULL;
}

static bool build(void)
{
    char *text = file_read(STUB_KERNELS, NULL);
    const char *source = text;
    cl_int code;
    p.program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    free(text);
    if (!ok(code) || !ok(clBuildProgram(p.program, 1, &cl.device, "", NULL, NULL)))
        return false;
    p.add = kernel("stub_add");
    p.inc = kernel("stub_inc");
    p.scatter = kernel("stub_scatter");
    p.copy = kernel("stub_copy");
    p.count = kernel("stub_count");
    return p.add && p.inc && p.scatter && p.copy && p.count;
}

static void launch(cl_kernel kernel, unsigned n, const cl_mem *args)
{
    size_t items = N, local = 16;
    bool set = true;
    for (unsigned i = 0; i < n; i++)
        set &= ok(clSetKernelArg(kernel, i, sizeof(args[i]), &args[i]));
    if (set)
        ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, next_event()));
}

/* z = what is read back of a at the end; x, y and place are the inputs. */
static void compute(void)
{
    const cl_mem add[] = {p.a, p.b, p.c}, inc[] = {p.c}, scatter[] = {p.c, p.index, p.a}, copy[] = {p.a, p.b},
                 again[] = {p.b, p.a, p.c}, count[] = {p.index, p.d}, sum[] = {p.c, p.d, p.a};
    cl_int seven = 7;
    ok(clEnqueueWriteBuffer(cl.queue, p.a, CL_FALSE, 0, BYTES, p.x, 0, NULL, next_event()));
    launch(p.add, 3, add);         /* c = x + y */
    launch(p.inc, 1, inc);         /* c += 1 */
    launch(p.scatter, 3, scatter); /* a[place] = c */
    launch(p.copy, 2, copy);       /* b = a */
    ok(clEnqueueFillBuffer(cl.queue, p.a, &seven, sizeof(seven), 0, BYTES / 2, 0, NULL, next_event()));
    ok(clEnqueueCopyBuffer(cl.queue, p.b, p.a, 0, BYTES / 4, BYTES / 8, 0, NULL, next_event()));
    launch(p.add, 3, again);   /* c = b + a */
    launch(p.count, 2, count); /* d += 1, as place is a permutation */
    launch(p.add, 3, sum);     /* a = c + d */
    ok(clEnqueueReadBuffer(cl.queue, p.a, CL_TRUE, 0, BYTES, p.z, 0, NULL, next_event()));
}

static void check_result(void)
{
    static cl_int a[N], b[N], c[N];
    for (int i = 0; i < N; i++)
        c[i] = p.x[i] + p.y[i] + 1;
    for (int i = 0; i < N; i++)
        a[p.place[i]] = c[i];
    memcpy(b, a, BYTES);
    for (int i = 0; i < N / 2; i++)
        a[i] = 7;
    memcpy(a + N / 4, b, BYTES / 8);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(p.z[i], a[i] + b[i] + p.y[i] + 1);
}

static void settle_events(void)
{
    for (unsigned i = 0; i < p.nevents; i++) {
        cl_int status = CL_COMPLETE;
        if (!p.event[i])
            continue;
        ok(clWaitForEvents(1, &p.event[i]));
        ok(clGetEventInfo(p.event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        ck_assert_int_le(status, CL_COMPLETE);
        ok(status);
        cl_ok(clReleaseEvent(p.event[i]));
    }
    p.nevents = 0;
}

/* One run over buffers of its own. True: it was told of no error, and so must have right results. */
static bool run_once(void)
{
    p.failed = false;
    p.a = buffer(NULL);
    p.b = buffer(p.y);
    p.c = buffer(NULL);
    p.d = buffer(p.y);
    p.index = buffer(p.place);
    if (p.a && p.b && p.c && p.d && p.index)
        compute();
    settle_events();
    cl_mem *const all[] = {&p.a, &p.b, &p.c, &p.d, &p.index};
    for (unsigned i = 0; i < 5; i++) {
        if (*all[i])
            cl_ok(clReleaseMemObject(*all[i]));
        *all[i] = NULL;
    }
    if (!p.failed)
        check_result();
    return !p.failed;
}

static atomic_bool gone;

static void CL_CALLBACK context_gone(cl_context context, void *unused)
{
    atomic_store(&gone, true);
}

static void close_all(void)
{
    cl_kernel kernels[] = {p.add, p.inc, p.scatter, p.copy, p.count};
    cl_ok(clSetContextDestructorCallback(cl.context, context_gone, NULL));
    for (unsigned i = 0; i < 5; i++)
        if (kernels[i])
            cl_ok(clReleaseKernel(kernels[i]));
    if (p.program)
        cl_ok(clReleaseProgram(p.program));
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl_ok(clReleaseContext(cl.context));
    while (!atomic_load(&gone)) /* the test's time limit ends it */
        usleep(1000);
}

/* Several runs in one context, so that what a fault left behind would show. */
static void run_program(const struct setup *setup)
{
    cl_int code;
    cl_open_device();
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
    if (code != CL_SUCCESS) { /* the only device failed */
        ck_assert_str_eq(setup->devices, "1");
        return;
    }
    cl.queue = cl_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_seed(5);
    for (int i = 0; i < N; i++) {
        p.x[i] = (cl_int)cl_roll(100000);
        p.y[i] = (cl_int)cl_roll(100000);
        p.place[i] = (i * 397 + 11) % N;
    }
    if (build()) {
        run_once();
        run_once();
        bool third = run_once();
        ck_assert_msg(third || run_once(), "no recovery"); /* the fault may come late, but only once */
    } else {
        ck_assert_str_eq(setup->devices, "1");
    }
    close_all();
}

static void set_env(const struct setup *setup)
{
    setenv("STUB_DEVICES", setup->devices, 1);
    setenv("STUB_ASYNC", setup->async, 1);
    setenv("STUB_IN_PLACE", setup->in_place, 1);
    setenv("STUB_SPEED", setup->speed, 1);
    setenv("COEXEC_ALGO", setup->algo, 1);
}

START_TEST(no_fault)
{
    set_env(&setups[_i]);
    run_program(&setups[_i]);
}
END_TEST

static unsigned count_cases(void)
{
    unsigned count = 0;
    for (size_t f = 0; f < sizeof(faults) / sizeof(faults[0]); f++)
        count += (unsigned)(faults[f].last - faults[f].first + 1);
    return count * NSETUPS;
}

/* FAULTS_STEP=n takes every n-th case. FAULTS_QUIET=1: the program asks for no events, so that only return
 * values can tell it. */
START_TEST(one_fault)
{
    unsigned at = (unsigned)_i / NSETUPS;
    const struct setup *setup = &setups[(unsigned)_i % NSETUPS];
    const struct fault *fault = faults;
    char rule[96];
    for (; at >= (unsigned)(fault->last - fault->first + 1); fault++)
        at -= (unsigned)(fault->last - fault->first + 1);
    const char *step = getenv("FAULTS_STEP");
    if ((unsigned)_i % (step ? (unsigned)strtoul(step, NULL, 10) : 1))
        return;
    snprintf(rule, sizeof(rule), "%s:%d:%s%s", fault->call, fault->first + (int)at, fault->code,
             fault->event ? ":event" : "");
    printf("# %s, %s\n", setup->name, rule);
    fflush(stdout);
    setenv("STUB_FAIL", rule, 1);
    set_env(setup);
    run_program(setup);
}
END_TEST

/* A member's driver refuses a package late, when the others have done all that was left. */
enum { LATE = 24 };

START_TEST(late_refusal)
{
    const struct setup *setup = &setups[_i / LATE];
    char rule[64];
    snprintf(rule, sizeof(rule), "clEnqueueNDRangeKernel:%d:-5", 1 + _i % LATE);
    setenv("STUB_FAIL", rule, 1);
    snprintf(rule, sizeof(rule), "clEnqueueNDRangeKernel:%d:30", 1 + _i % LATE);
    setenv("STUB_HANG", rule, 1);
    set_env(setup);
    run_program(setup);
}
END_TEST

/* The same of three members, of which one has ended and one (_i, where it is not the third) still works, with
 * another launch behind them: what is planned for the member that has ended comes behind its part of that
 * launch, which waits for the others' parts. */
START_TEST(late_refusal_before_another)
{
    static const struct setup three = {"three async", "3", "1", "0", "0", "static"};
    const size_t items = N / 4 * 3, local = 16; /* one package each */
    char rule[64];
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_FAIL", "clEnqueueNDRangeKernel:3:-5", 1);
    setenv("STUB_HANG", "clEnqueueNDRangeKernel:3:100", 1);
    snprintf(rule, sizeof(rule), "%d:1:300,%d:1:30,%d:1:30", _i, (_i + 1) % 3, (_i + 2) % 3);
    setenv("STUB_LATE", rule, 1);
    set_variable("powers", "1:1:1");
    set_env(&three);
    cl_open();
    ck_assert(build());
    cl_command_queue second = cl_queue(0);
    for (int i = 0; i < N; i++)
        p.x[i] = i;
    cl_mem a = buffer(p.x), b = buffer(p.x), c = buffer(NULL), d = buffer(p.x);
    const cl_mem add[] = {a, b, c};
    for (unsigned i = 0; i < 3; i++)
        cl_set_mem(p.add, i, add[i]);
    cl_set_mem(p.inc, 0, d);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, p.add, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(second, p.inc, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(second));
    cl_read(c, p.y, BYTES);
    cl_read(d, p.z, BYTES);
    for (int i = 0; i < (int)items; i++) {
        ck_assert_int_eq(p.y[i], 2 * i);
        ck_assert_int_eq(p.z[i], i + 1);
    }
    const cl_mem all[] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(all[i]));
    cl_ok(clReleaseCommandQueue(second));
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *tcase = tcase_create("faults");
    tcase_set_timeout(tcase, 20);
    tcase_add_loop_test(tcase, no_fault, 0, NSETUPS);
    tcase_add_loop_test(tcase, one_fault, 0, (int)count_cases());
    tcase_add_loop_test(tcase, late_refusal, 0, LATE * NSETUPS);
    tcase_add_loop_test(tcase, late_refusal_before_another, 0, 3);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

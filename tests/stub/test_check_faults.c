/* SPDX-License-Identifier: MIT */
/*
 * Launches that are split first and checked afterwards, on a driver that fails: the k-th call of each kind,
 * at once or as a failing command, or a device for good, or late. The program gets an error or right data,
 * and a device that fails at its part of such a launch is made up for. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "file.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * sizeof(cl_int), LAUNCHES = 3, FOUND = 9 };

static const struct setup {
    const char *devices, *async, *in_place;
} setups[] = {{"2", "0", "1"}, {"2", "1", "0"}, {"2", "1", "1,0"}, {"2", "1", "0,1"}};

/* Where there is something to find: nowhere, at one end, at both. */
static const struct hits {
    int at[2];
} hits[] = {{{-1, -1}}, {{3, 5}}, {{3, N - 2}}, {{N - 2, N - 1}}};

static const struct fault {
    const char *call, *code;
    bool event;
    int first, last;
} faults[] = {
    {"clCreateBuffer", "-4", false, 1, 24},
    {"clCreateSubBuffer", "-4", false, 1, 2},
    {"clSetKernelArg", "-5", false, 1, 30},
    {"clEnqueueNDRangeKernel", "-5", false, 1, 10},
    {"clEnqueueNDRangeKernel", "-5", true, 1, 10},
    {"clEnqueueWriteBuffer", "-5", false, 1, 16},
    {"clEnqueueWriteBuffer", "-5", true, 1, 16},
    {"clEnqueueReadBuffer", "-5", false, 1, 16},
    {"clEnqueueReadBuffer", "-5", true, 1, 16},
    {"clFlush", "-5", false, 1, 6},
    {"clFinish", "-5", false, 1, 4},
    {"clWaitForEvents", "-14", false, 1, 6},
    {"clGetEventInfo", "-5", false, 1, 8},
};

enum { NSETUPS = sizeof(setups) / sizeof(setups[0]), NHITS = sizeof(hits) / sizeof(hits[0]) };

static cl_int in[N], sum[N], found[FOUND];
static bool failed; /* the program was told of an error */

static bool ok(cl_int code)
{
    failed |= code != CL_SUCCESS;
    return code == CL_SUCCESS;
}

static cl_mem buffer(size_t size, void *from)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, size, from, &code);
    return ok(code) ? mem : NULL;
}

static void check_found(const struct hits *hit)
{
    int expected = 0;
    for (unsigned h = 0; h < 2; h++) {
        int times = 0;
        expected += hit->at[h] >= 0 ? LAUNCHES : 0;
        for (int i = 1; i < FOUND; i++)
            times += hit->at[h] >= 0 && found[i] == hit->at[h];
        ck_assert_int_eq(times, hit->at[h] >= 0 ? LAUNCHES : 0);
    }
    ck_assert_int_eq(found[0], expected);
}

/* Launches one behind the other. True: no error was told, and results are right. */
static bool run_once(cl_kernel kernel, const struct hits *hit)
{
    const size_t items = N, local = 16;
    cl_event event[LAUNCHES] = {NULL};
    failed = false;
    for (int i = 0; i < N; i++) {
        in[i] = i % 77;
        sum[i] = i;
    }
    for (unsigned h = 0; h < 2; h++)
        if (hit->at[h] >= 0)
            in[hit->at[h]] = -1;
    for (int i = 0; i < FOUND; i++)
        found[i] = i ? -5 : 0;
    cl_mem mem[3] = {buffer(BYTES, in), buffer(BYTES, sum), buffer(sizeof(found), found)};
    bool set = mem[0] && mem[1] && mem[2];
    for (unsigned i = 0; i < 3 && set; i++)
        set = ok(clSetKernelArg(kernel, i, sizeof(cl_mem), &mem[i]));
    for (int k = 0; k < LAUNCHES && set; k++) {
        set = ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &event[k]));
        if (set && k == 1)
            ok(clWaitForEvents(1, &event[k]));
    }
    if (set) {
        ok(clEnqueueReadBuffer(cl.queue, mem[2], CL_FALSE, 0, sizeof(found), found, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(cl.queue, mem[1], CL_TRUE, 0, BYTES, sum, 0, NULL, NULL));
        ok(clFinish(cl.queue));
    }
    for (int k = 0; k < LAUNCHES; k++)
        if (event[k]) {
            ok(clWaitForEvents(1, &event[k]));
            cl_ok(clReleaseEvent(event[k]));
        }
    for (unsigned i = 0; i < 3; i++)
        if (mem[i])
            cl_ok(clReleaseMemObject(mem[i]));
    for (int i = 0; i < N && !failed; i++)
        ck_assert_int_eq(sum[i], i + LAUNCHES * in[i]);
    if (!failed)
        check_found(hit);
    return !failed;
}

static void run_program(const struct setup *setup, bool recovers)
{
    setenv("STUB_DEVICES", setup->devices, 1);
    setenv("STUB_ASYNC", setup->async, 1);
    setenv("STUB_IN_PLACE", setup->in_place, 1);
    setenv("COEXEC_ALGO", "static", 1);
    cl_open();
    char *text = file_read(STUB_KERNELS, NULL);
    const char *source = text;
    cl_int code;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    free(text);
    cl_ok(code);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "stub_search", &code);
    cl_ok(code);
    bool last = false;
    for (unsigned h = 0; h < NHITS + 1; h++)
        last = run_once(kernel, &hits[(h + 2) % NHITS]);
    ck_assert_msg(last || !recovers || run_once(kernel, &hits[0]), "no recovery");
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

START_TEST(no_fault)
{
    run_program(&setups[_i], true);
    ck_assert(!failed);
}
END_TEST

static unsigned count_cases(void)
{
    unsigned count = 0;
    for (size_t f = 0; f < sizeof(faults) / sizeof(faults[0]); f++)
        count += (unsigned)(faults[f].last - faults[f].first + 1);
    return count * NSETUPS;
}

/* FAULTS_STEP=n takes every n-th case. */
START_TEST(one_fault)
{
    unsigned at = (unsigned)_i / NSETUPS;
    const struct fault *fault = faults;
    char rule[96];
    for (; at >= (unsigned)(fault->last - fault->first + 1); fault++)
        at -= (unsigned)(fault->last - fault->first + 1);
    const char *step = getenv("FAULTS_STEP");
    if ((unsigned)_i % (step ? (unsigned)strtoul(step, NULL, 10) : 1))
        return;
    snprintf(rule, sizeof(rule), "%s:%d:%s%s", fault->call, fault->first + (int)at, fault->code,
             fault->event ? ":event" : "");
    setenv("STUB_FAIL", rule, 1);
    printf("# %s %s\n", rule, setups[(unsigned)_i % NSETUPS].in_place);
    fflush(stdout);
    run_program(&setups[(unsigned)_i % NSETUPS], true);
}
END_TEST

/* A kernel fails once on a device: the program is not told, and the results are right. */
enum { KERNELS = 6 };

START_TEST(failing_part)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "clEnqueueNDRangeKernel:%d:-5%s", 1 + _i / 2 % KERNELS,
             _i % 2 ? ":event" : "");
    setenv("STUB_FAIL", rule, 1);
    run_program(&setups[_i / 2 / KERNELS], true);
    ck_assert_msg(!failed, "%s", rule);
}
END_TEST

/* A device dies at its k-th launch, or is late with it: nothing of it is used before it is checked. */
START_TEST(dying_device)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "%d:%d:-5", _i % 2, 1 + _i / 2 % 4);
    setenv("STUB_DIES", rule, 1);
    run_program(&setups[_i / 8], false);
}
END_TEST

START_TEST(late_device)
{
    char rule[64];
    snprintf(rule, sizeof(rule), "%d:%d:60", _i % 2, 1 + _i / 2 % 4);
    setenv("STUB_LATE", rule, 1);
    run_program(&setups[_i / 8], true);
    ck_assert(!failed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("check_faults");
    TCase *cases = tcase_create("faults");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, no_fault, 0, NSETUPS);
    tcase_add_loop_test(cases, one_fault, 0, (int)count_cases());
    tcase_add_loop_test(cases, failing_part, 0, 2 * KERNELS * NSETUPS);
    tcase_add_loop_test(cases, dying_device, 0, 8 * NSETUPS);
    tcase_add_loop_test(cases, late_device, 0, 8 * NSETUPS);
    suite_add_tcase(suite, cases);
    return tap_run(suite);
}

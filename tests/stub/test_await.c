/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for another device: a smoothing of two buffers that change places over stub
 * GPUs, all steps enqueued before any is waited for, so that each device's thread waits for its neighbours in
 * every step. Results are those of a model, however long the steps take and whoever is late, and few calls
 * look at events. Each case has a process of its own.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 12, LOCAL = 64, STEPS = 24, DEVICES = 3 };

static char calls[64];
static cl_int result[N], model[2][N];

static unsigned count_calls(const char *name)
{
    char line[512];
    unsigned count = 0;
    const size_t length = strlen(name);
    FILE *file = fopen(calls, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        const char *at = strstr(line, name);
        count += at && (at[length] == '(' || at[length] == ' ' || at[length] == '\n');
    }
    fclose(file);
    return count;
}

static void smooth(const cl_int *in, cl_int *out)
{
    for (size_t i = 0; i < N; i++)
        out[i] = (cl_int)((cl_uint)in[i ? i - 1 : 0] + 2u * (cl_uint)in[i] +
                          (cl_uint)in[i + 1 < N ? i + 1 : N - 1]);
}

static void iterate(void)
{
    const size_t items = N, local = LOCAL;
    cl_mem mem[2];
    cl_open();
    cl_program program = cl_build_file(STUB_KERNELS);
    cl_kernel kernel = cl_kernel_in(program, "stub_smooth");
    cl_seed(5);
    for (unsigned i = 0; i < 2; i++)
        mem[i] = cl_buffer(CL_MEM_READ_WRITE, sizeof(model[0]), NULL);
    for (size_t i = 0; i < N; i++)
        model[0][i] = (cl_int)cl_roll(1000);
    cl_write(mem[0], model[0], sizeof(model[0]));
    cl_set_int(kernel, 2, N);
    for (unsigned s = 0; s < STEPS; s++) {
        cl_set_mem(kernel, 0, mem[s % 2]);
        cl_set_mem(kernel, 1, mem[(s + 1) % 2]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        smooth(model[s % 2], model[(s + 1) % 2]);
    }
    cl_read(mem[STEPS % 2], result, sizeof(result));
    ck_assert_mem_eq(result, model[STEPS % 2], sizeof(result));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(mem[i]));
    cl_close();
}

static void stubs(const char *speed)
{
    snprintf(calls, sizeof(calls), "/tmp/coexec-await-%d", (int)getpid());
    setenv("STUB_LOG", calls, 1);
    setenv("STUB_SPEED", speed, 1);
}

/* Steps that take no time, some, long, and one device slower. */
static const char *const speeds[] = {"0", "0.05", "0.005", "0.01,0.003,0.02"};
enum { SPEEDS = sizeof(speeds) / sizeof(speeds[0]) };

START_TEST(in_order)
{
    stubs(speeds[_i]);
    if (_i % 2)
        setenv("STUB_LATE", "0:4:5,1:7:9,2:11:5,0:13:1,1:14:1,2:17:25", 1);
    iterate();
    const unsigned queries = count_calls("clGetEventInfo");
    if (getenv("AWAIT_TEST_TELLS"))
        fprintf(stderr, "%d: %u\n", _i, queries);
    ck_assert_uint_lt(queries, STEPS * DEVICES * 40);
    remove(calls);
}
END_TEST

/* Queries that fail say nothing: the driver's own wait tells. */
START_TEST(queries_fail)
{
    char fail[512] = "";
    stubs("0.02");
    for (unsigned k = 0; k < 16; k++)
        snprintf(fail + strlen(fail), sizeof(fail) - strlen(fail), "%sclGetEventInfo:%u:-5", k ? "," : "",
                 20 + k * (unsigned)(_i + 3));
    setenv("STUB_FAIL", fail, 1);
    iterate();
    remove(calls);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("await");
    TCase *tcase = tcase_create("await");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, in_order, 0, SPEEDS);
    tcase_add_loop_test(tcase, queries_fail, 0, 3);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

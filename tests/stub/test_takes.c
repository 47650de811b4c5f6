/* SPDX-License-Identifier: MIT */
/*
 * Work-group sizes are taken or refused by drivers, not by what they report: launches beyond that run where a
 * driver takes them, and a refusal is the call's own answer, or the event's where the launch waits. On stub
 * GPUs that take more or less than they say; each test has a process of its own.
 */
#include "cl_fixture.h"
#include "file.h"

enum { N = 2048, BYTES = N * sizeof(cl_int) };

static struct {
    cl_program program;
    cl_kernel fill, inc;
    cl_mem mem;
    cl_int got[N];
} t;

/* Each of the settings: one item a device. */
static void open_with(const char *devices, const char *const settings[][2])
{
    cl_int code;
    char *text = file_read(STUB_KERNELS, NULL);
    const char *source = text;
    setenv("STUB_DEVICES", devices, 1);
    for (unsigned i = 0; settings[i][0]; i++)
        set_variable(settings[i][0], settings[i][1]);
    cl_open();
    t.program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    cl_ok(code);
    cl_ok(clBuildProgram(t.program, 1, &cl.device, "", NULL, NULL));
    free(text);
    t.fill = clCreateKernel(t.program, "stub_fill_gid", &code);
    cl_ok(code);
    t.inc = clCreateKernel(t.program, "stub_inc", &code);
    cl_ok(code);
    for (int i = 0; i < N; i++)
        t.got[i] = 7 * i;
    t.mem = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, t.got);
    cl_set_mem(t.fill, 0, t.mem);
    cl_set_mem(t.inc, 0, t.mem);
}
#define SETTINGS(...)                                                                                        \
    (const char *const[][2])                                                                                 \
    {                                                                                                        \
        __VA_ARGS__,                                                                                         \
        {                                                                                                    \
            NULL, NULL                                                                                       \
        }                                                                                                    \
    }

static void close_all(void)
{
    cl_ok(clReleaseMemObject(t.mem));
    cl_ok(clReleaseKernel(t.fill));
    cl_ok(clReleaseKernel(t.inc));
    cl_ok(clReleaseProgram(t.program));
    cl_close();
}

static cl_int launch(cl_kernel kernel, size_t local, cl_event after, cl_event *event)
{
    const size_t items = N;
    return clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, after != NULL,
                                  after ? &after : NULL, event);
}

/* Each value of the buffer is by * its place + plus. */
static void check(int by, int plus)
{
    cl_read(t.mem, t.got, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(t.got[i], by * i + plus);
}

static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    cl_ok(clReleaseEvent(event));
    return status;
}

static const char *const async[] = {"0", "1"};

/* NVIDIA's driver takes BabelStream's kernel in groups of 1,024 items, and says that it takes 256. */
START_TEST(more_than_reported)
{
    open_with("1", SETTINGS({"STUB_KERNEL_GROUP", "256"}, {"STUB_TAKES", "1024"}, {"STUB_ASYNC", async[_i]}));
    for (int i = 0; i < 40; i++)
        cl_ok(launch(t.inc, 1024, NULL, NULL));
    check(7, 40);
    cl_expect(launch(t.inc, 2048, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clFinish(cl.queue));
    check(7, 40);
    close_all();
}
END_TEST

/* A program that tunes itself tries sizes until one is refused, in the call. Not by a driver that runs
 * kernels in the calling thread: only for sizes beyond what it reports is it waited for. */
START_TEST(less_than_reported)
{
    open_with("1", SETTINGS({"STUB_LACKS", "256"}, {"STUB_ASYNC", "1"}, {"STUB_IN_PLACE", async[_i]}));
    cl_event event = NULL;
    int done = 0;
    for (size_t local = 16; local <= 1024; local *= 2) {
        cl_ok(clFinish(cl.queue));
        cl_expect(launch(t.inc, local, NULL, &event), local < 256 ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
        done += local < 256;
        if (local < 256)
            cl_ok(clReleaseEvent(event));
    }
    cl_ok(launch(t.inc, 128, NULL, NULL)); /* the kernel is still good */
    cl_ok(clFinish(cl.queue));             /* and nothing failed that nobody was told of */
    check(7, done + 1);
    close_all();
}
END_TEST

/* What a refused launch would have written stays, also where it would have written all, as the analysis
 * knows. */
START_TEST(refused_writes_nothing)
{
    open_with("2", SETTINGS({"STUB_IN_PLACE", "0"}, {"STUB_ASYNC", "1"}, {"analysis_wait", "10000"}));
    cl_ok(launch(t.fill, 64, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    for (int i = 0; i < N; i++)
        t.got[i] = 3 * i;
    cl_write(t.mem, t.got, BYTES);
    cl_expect(launch(t.fill, 2048, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    check(3, 0);
    close_all();
}
END_TEST

/* Behind a user event the call succeeds; what the driver says later is the event's end. */
START_TEST(refused_behind_an_event)
{
    open_with(_i & 2 ? "2" : "1", SETTINGS({"STUB_ASYNC", async[_i & 1]}));
    cl_int code;
    cl_event gate = clCreateUserEvent(cl.context, &code), end = NULL;
    cl_ok(code);
    cl_ok(launch(t.inc, 2048, gate, &end));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_expect(clWaitForEvents(1, &end), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(status_of(end), CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clReleaseEvent(gate));
    cl_ok(launch(t.inc, 64, NULL, NULL));
    check(7, 1);
    close_all();
}
END_TEST

/* The fastest one refuses what another one takes: it runs there, whether it is asked in the call or later.
 * Once it is known that the program has no variables of its own, that is: the first launch waits for the
 * analysis. */
START_TEST(taken_by_another)
{
    const bool waits = _i & 1;
    open_with("3",
              SETTINGS({"STUB_UNITS", "8,2,4"}, {"STUB_TAKES", "256,1024,128"},
                       {"STUB_IN_PLACE", _i & 2 ? "0" : "1"}, {"STUB_ASYNC", "1"},
                       {"STUB_KERNEL_GROUP", _i & 4 ? "256,1024,128" : "1024"}, {"analysis_wait", "10000"}));
    cl_int code;
    cl_event gate = clCreateUserEvent(cl.context, &code), end = NULL;
    cl_ok(code);
    cl_ok(launch(t.inc, 64, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(launch(t.inc, 512, waits ? gate : NULL, &end));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &end));
    ck_assert_int_eq(status_of(end), CL_COMPLETE);
    cl_ok(launch(t.inc, 512, NULL, NULL));
    cl_ok(launch(t.inc, 64, NULL, NULL));
    check(7, 4);
    cl_ok(clReleaseEvent(gate));
    cl_expect(launch(t.inc, 2048, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clFinish(cl.queue));
    check(7, 4);
    close_all();
}
END_TEST

/* Nobody knows whether it is taken, and nobody hears a refusal: it runs where the program alone would have
 * run it, though another device has been faster; or, where that one refuses, there. */
START_TEST(taken_by_the_programs_own)
{
    open_with("2", SETTINGS({"STUB_SPEED", "0.01,0.1"}, {"STUB_KERNEL_GROUP", "256"},
                            {"STUB_TAKES", _i ? "256,1024" : "1024,256"}, {"STUB_IN_PLACE", "0"},
                            {"STUB_ASYNC", "1"}, {"COEXEC_SPLIT", "always"}, {"analysis_wait", "10000"}));
    cl_int code;
    for (int i = 0; i < 8; i++) {
        cl_ok(launch(t.inc, 64, NULL, NULL));
        cl_ok(clFinish(cl.queue));
    }
    cl_event gate = clCreateUserEvent(cl.context, &code), end = NULL;
    cl_ok(code);
    cl_ok(launch(t.inc, 512, gate, &end));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &end));
    ck_assert_int_eq(status_of(end), CL_COMPLETE);
    cl_ok(clReleaseEvent(gate));
    check(7, 9);
    close_all();
}
END_TEST

/* A sub-buffer that the fastest device takes, and the other one does not: that one takes no part in its
 * launches.
 */
START_TEST(window_of_the_fastest)
{
    open_with("2", SETTINGS({"STUB_UNITS", "8,2"}, {"STUB_ALIGN", "1024,8192"}, {"STUB_IN_PLACE", "0"},
                            {"STUB_ASYNC", "1"}, {"COEXEC_SPLIT", "always"}, {"analysis_wait", "10000"}));
    const cl_buffer_region region = {256, BYTES - 256};
    const size_t items = N - 64, local = 16;
    cl_uint bits = 0;
    cl_int code;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL));
    ck_assert_uint_eq(bits, 1024);
    cl_mem window = clCreateSubBuffer(t.mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    cl_ok(code);
    cl_ok(launch(t.inc, 64, NULL, NULL));
    cl_set_mem(t.inc, 0, window);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, t.inc, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(t.mem, t.got, BYTES);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(t.got[i], 7 * i + (i < 64 ? 1 : 2));
    cl_ok(clReleaseMemObject(window));
    close_all();
}
END_TEST

/* Queries answer what the fastest driver says of the program's kernel; the others just share no launch that
 * is beyond them. */
START_TEST(queries)
{
    size_t size = 0;
    cl_ulong bytes = 0;
    open_with("2", SETTINGS({"STUB_UNITS", "2,8"}, {"STUB_KERNEL_GROUP", "64,256"}, {"STUB_TAKES", "64,256"},
                            {"STUB_MULTIPLE", "8,32"}, {"STUB_PRIVATE", "4096,16"}, {"STUB_LOCAL", "512,128"},
                            {"limits", _i ? "common" : "fastest"}, {"COEXEC_SPLIT", "always"},
                            {"analysis_wait", "10000"}, {"STUB_ASYNC", "1"}));
#define GROUP(what, to) cl_ok(clGetKernelWorkGroupInfo(t.inc, cl.device, what, sizeof(to), &(to), NULL))
    GROUP(CL_KERNEL_WORK_GROUP_SIZE, size);
    ck_assert_uint_eq(size, _i ? 64 : 256);
    GROUP(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size);
    ck_assert_uint_eq(size, 32);
    GROUP(CL_KERNEL_PRIVATE_MEM_SIZE, bytes);
    ck_assert_uint_eq(bytes, 16);
    GROUP(CL_KERNEL_LOCAL_MEM_SIZE, bytes);
    ck_assert_uint_eq(bytes, 128);
    for (int i = 0; i < 4; i++)
        cl_ok(launch(t.inc, 256, NULL, NULL));
    check(7, 4);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("takes");
    TCase *tests = tcase_create("takes");
    tcase_set_timeout(tests, 100);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, more_than_reported, 0, 2);
    tcase_add_loop_test(tests, less_than_reported, 0, 2);
    tcase_add_test(tests, refused_writes_nothing);
    tcase_add_loop_test(tests, refused_behind_an_event, 0, 4);
    tcase_add_loop_test(tests, taken_by_another, 0, 8);
    tcase_add_loop_test(tests, taken_by_the_programs_own, 0, 2);
    tcase_add_test(tests, window_of_the_fastest);
    tcase_add_loop_test(tests, queries, 0, 2);
    return tap_run(suite);
}

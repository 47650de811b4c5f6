/* SPDX-License-Identifier: MIT */
/*
 * Results on their way home over what they were computed from: into the host copy that the same argument is
 * read from (write_back.h). Two stub GPUs.
 */
#include "cl_folder.h"
#include "write_back_gpus.h"

static const char *const dynamic[] = {"dynamic", "sigmoid", "hguided"};

static void begin_in_place(void)
{
    fixture.kernel = write_back_open_kernel("stub_inc");
    fixture.mem[0] = cl_buffer(CL_MEM_READ_WRITE, WRITE_BACK_BYTES, NULL);
    for (int i = 0; i < WRITE_BACK_N; i++)
        fixture.x[i] = i;
    cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
    cl_set_mem(fixture.kernel, 0, fixture.mem[0]);
}

static void end_in_place(void)
{
    cl_ok(clReleaseMemObject(fixture.mem[0]));
    cl_ok(clReleaseKernel(fixture.kernel));
    cl_close();
}

static void launch_in_place(cl_event *event)
{
    const size_t items = WRITE_BACK_N, local = 64;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, event));
}

static bool maps_in_place_early(int i)
{
    cl_int code, right = 0;
    write_back_gpus(dynamic[i]);
    setenv("STUB_HOME", "0:2:0,1:2:1", 1);
    begin_in_place();
    write_back_shut_gate();
    launch_in_place(NULL);
    const cl_int *got = clEnqueueMapBuffer(cl.queue, fixture.mem[0], CL_FALSE, CL_MAP_READ, 0,
                                           WRITE_BACK_BYTES, 0, NULL, NULL, &code);
    cl_ok(code);
    write_back_open_gate(4);
    cl_ok(clFinish(cl.queue));
    while (right < WRITE_BACK_N && got[right] == fixture.x[right] + 1)
        right++;
    ck_assert_int_eq(right, WRITE_BACK_N);
    const bool early = write_back_early_reads(0, 0) >= 1 && write_back_early_reads(1, 1) >= 1;
    ck_assert_uint_eq(write_back_bytes_read(), WRITE_BACK_BYTES);
    cl_ok(clEnqueueUnmapMemObject(cl.queue, fixture.mem[0], (void *)got, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    end_in_place();
    cl_folder_remove();
    return early;
}

/* A mapping that waits for the launch gets what a package wrote over what it read, once that is over. */
START_TEST(waiting_map_in_place)
{
    ck_assert(cl_in_some_try(maps_in_place_early, _i));
}
END_TEST

/* What is over is home where it was read from: nothing is done twice, whatever device is late, dies or sends
 * nothing. */
static const struct mishap {
    const char *name, *value;
} mishaps[] = {{"STUB_LATE", "1:3:60"},
               {"STUB_LATE", "0:5:60,1:9:90"},
               {"STUB_DIES", "0:3:-5"},
               {"STUB_DIES", "1:6:-5"},
               {"STUB_FAIL", "clEnqueueReadBuffer:2:-5:event"},
               {"STUB_FAIL", "clEnqueueReadBuffer:5:-5"},
               {"STUB_FAIL", "clEnqueueNDRangeKernel:5:-5"}};
enum { MISHAPS = sizeof(mishaps) / sizeof(mishaps[0]) };

START_TEST(in_place_whatever_happens)
{
    const struct mishap *mishap = &mishaps[_i / 4];
    cl_int times = 0;
    write_back_gpus(_i % 4 < 3 ? dynamic[_i % 4] : "auto");
    setenv(mishap->name, mishap->value, 1);
    write_back_algo(_i % 4 < 3 ? dynamic[_i % 4] : "auto", 8);
    setenv("STUB_SPEED", "4,2", 1);
    setenv("STUB_LINK", "4000,1000", 1);
    begin_in_place();
    for (unsigned round = 0; round < 6; round++) {
        cl_event event;
        cl_int code, ran = CL_COMPLETE, right = 0;
        launch_in_place(&event);
        cl_int *got = clEnqueueMapBuffer(cl.queue, fixture.mem[0], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                         WRITE_BACK_BYTES, 0, NULL, NULL, &code);
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(ran), &ran, NULL));
        cl_ok(clReleaseEvent(event));
        times++;
        while (code == CL_SUCCESS && ran == CL_COMPLETE && right < WRITE_BACK_N &&
               got[right] == fixture.x[right] + times)
            right++;
        if (code == CL_SUCCESS && ran == CL_COMPLETE)
            ck_assert_int_eq(right, WRITE_BACK_N);
        if (code == CL_SUCCESS)
            (void)clEnqueueUnmapMemObject(cl.queue, fixture.mem[0], got, 0, NULL, NULL);
        if (code == CL_SUCCESS && ran == CL_COMPLETE)
            continue;
        if (clEnqueueWriteBuffer(cl.queue, fixture.mem[0], CL_TRUE, 0, WRITE_BACK_BYTES, fixture.x, 0, NULL,
                                 NULL) != CL_SUCCESS)
            break;
        times = 0;
    }
    end_in_place();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("home in place");
    TCase *tcase = tcase_create("home in place");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, NULL, cl_folder_remove);
    tcase_add_loop_test(tcase, waiting_map_in_place, 0, sizeof(dynamic) / sizeof(dynamic[0]));
    tcase_add_loop_test(tcase, in_place_whatever_happens, 0, 4 * MISHAPS);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

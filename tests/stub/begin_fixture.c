/* SPDX-License-Identifier: MIT */
/*
 * A program that begins on one of two stub devices. See begin_fixture.h.
 */
#include "begin_fixture.h"
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct begin begin = {.name = "stub_settle", .iterations = 1 << 20};

static void begin_launch_in_groups(cl_kernel kernel, cl_mem from, cl_mem to, size_t items, size_t local)
{
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_int(kernel, 2, begin.iterations);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

void begin_launch_over(cl_kernel kernel, cl_mem from, cl_mem to, size_t items)
{
    begin_launch_in_groups(kernel, from, to, items, LOCAL);
}

void begin_launch(size_t items)
{
    begin_launch_over(begin.kernel, begin.mem[0], begin.mem[1], items);
}

void begin_launch_each(unsigned times, size_t items)
{
    for (unsigned i = 0; i < times; i++) {
        begin_launch(items);
        cl_ok(clFinish(cl.queue));
    }
}

void begin_in_a_process(void (*act)(void))
{
    int status = 1;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        act();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static unsigned times_longer = 1;

void begin_ask_of_longer_ones(bool (*act)(void))
{
    for (bool happened = false; !happened; times_longer *= 4) {
        ck_assert_msg(times_longer <= 64, "nor in launches 64 times as long");
        int status = 0;
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            exit(act() ? 0 : 2);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
        happened = WEXITSTATUS(status) == 0;
    }
}

unsigned begin_times_longer(void)
{
    return times_longer;
}

/* What it launches is of no form that others are of. */
static void wait_for_analysis(void)
{
    set_variable("analysis_wait", "60000");
    cl_open();
    cl_kernel kernel = cl_kernel_of_file(STUB_KERNELS, "stub_settle");
    cl_mem mem = cl_buffer(0, sizeof(begin.in), NULL), other = cl_buffer(0, sizeof(begin.out), NULL);
    begin_launch_in_groups(kernel, mem, other, 1024, 2 * LOCAL);
    clFinish(cl.queue);
    _exit(0);
}

void begin_make_folder(void)
{
    cl_folder_make("begin");
    setenv("COEXEC_CACHE_DIR", cl_folder_path("cache"), 1);
}

void begin_keep_analysis(void)
{
    begin_make_folder();
    begin_in_a_process(wait_for_analysis);
}

void begin_open(const char *speed)
{
    char slower[32];
    snprintf(slower, sizeof(slower), "%g", atof(speed) / times_longer);
    setenv("STUB_SPEED", strchr(speed, ',') ? speed : slower, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_LOG", cl_folder_path("log"), 1);
    for (int i = 0; i < N; i++)
        begin.in[i] = i * 7;
    cl_open();
    begin.program = cl_build_file(STUB_KERNELS);
    begin.kernel = cl_kernel_in(begin.program, begin.name);
    begin.mem[0] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(begin.in), begin.in);
    begin.mem[1] = cl_buffer(0, sizeof(begin.out), NULL);
}

void begin_in_folder(const char *speed)
{
    begin_keep_analysis();
    begin_open(speed);
}

void begin_end(size_t items)
{
    cl_ok(
        clEnqueueReadBuffer(cl.queue, begin.mem[1], CL_TRUE, 0, sizeof(begin.out), begin.out, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++)
        ck_assert_msg(begin.out[i] == begin.in[i] + 1, "%zu: %d", i, begin.out[i]);
    cl_ok(clReleaseMemObject(begin.mem[0]));
    cl_ok(clReleaseMemObject(begin.mem[1]));
    cl_ok(clReleaseKernel(begin.kernel));
    cl_ok(clReleaseProgram(begin.program));
    cl_close();
}

bool begin_is_open(unsigned device)
{
    char line[32];
    snprintf(line, sizeof(line), "first=d%u", device);
    return cl_lines_with(cl_folder_path("log"), line) > 0;
}

size_t begin_did(unsigned device, unsigned *kernels)
{
    static struct cl_span spans[8192];
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    size_t items = 0;
    *kernels = 0;
    for (unsigned i = 0; i < n; i++)
        if (spans[i].device == device && cl_span_is(&spans[i], "kernel")) {
            items += spans[i].count;
            ++*kernels;
        }
    return items;
}

void begin_launch_until_shared(size_t items)
{
    unsigned kernels;
    for (unsigned i = 0; i < 2000 && begin_did(1, &kernels) == 0; i++)
        begin_launch_each(1, items);
    ck_assert_msg(begin_is_open(1), "the second device was not opened");
    ck_assert_uint_gt(begin_did(1, &kernels), 0);
}

bool begin_second_did(size_t least)
{
    unsigned kernels;
    const size_t items = begin_did(1, &kernels);
    cl_folder_remove();
    return items >= least;
}

/* SPDX-License-Identifier: MIT */
/*
 * What coexec learns of its devices' speeds where the first launch of a kernel in a local size takes much
 * longer than others, as with drivers that compile then: over two equal stub devices, each launch but the
 * first of a local size must be shared about equally. Each case has a process of its own.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 15, LOCAL = 16, LAUNCHES = 6 };

static char timeline[64];

static void set_stub(const char *algo, const char *compile)
{
    snprintf(timeline, sizeof(timeline), "/tmp/coexec-learn-%d", (int)getpid());
    setenv("COEXEC_ALGO", algo, 1);
    setenv("STUB_TIMELINE", timeline, 1);
    setenv("STUB_COMPILE", compile, 1);
}

/* Work-items that the second device did, by its lines in the timeline past the first `skip`, and lines. */
static size_t second_device(unsigned *lines, unsigned skip)
{
    FILE *file = fopen(timeline, "r");
    size_t items = 0, from, count;
    unsigned long start, end;
    unsigned device, queue;
    char what[16];
    ck_assert_ptr_nonnull(file);
    for (*lines = 0; fscanf(file, "%lu %lu d%u q%u %15s %zu %zu", &start, &end, &device, &queue, what, &from,
                            &count) == 7;
         ++*lines)
        if (*lines >= skip && device == 1 && !strcmp(what, "kernel"))
            items += count;
    fclose(file);
    return items;
}

static cl_kernel open_kernel(cl_program *program)
{
    static char text[1 << 16];
    FILE *file = fopen(STUB_KERNELS, "r");
    cl_int code;
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    fclose(file);
    cl_open();
    *program = cl_build(text, "");
    cl_kernel kernel = clCreateKernel(*program, "stub_inc", &code);
    cl_ok(code);
    return kernel;
}

/* Launches with this local size: work-items of the second device in the last of them. */
static size_t run(cl_kernel kernel, cl_mem mem, size_t local, unsigned launches)
{
    size_t items = N;
    unsigned before = 0;
    cl_set_mem(kernel, 0, mem);
    for (unsigned i = 0; i < launches; i++) {
        (void)second_device(&before, 0);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
    }
    return second_device(&before, before);
}

static const struct {
    const char *algo, *compile;
} cases[] = {{"static", "0,400"},
             {"sigmoid", "0,400"},
             {"auto", "0,400"},
             {"hguided", "400,0"},
             {"adaptive", "400,400"}};

START_TEST(compiles_at_first_launch)
{
    static cl_int zero[N];
    cl_program program;
    set_stub(cases[_i].algo, cases[_i].compile);
    cl_kernel kernel = open_kernel(&program);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    for (unsigned size = 0; size < 2; size++) {
        size_t share = run(kernel, mem, (size_t)LOCAL << size, LAUNCHES);
        ck_assert_msg(share > N / 5 && share < N - N / 5,
                      "%s, local size %d: %zu of %d work-items on the second device", cases[_i].algo,
                      LOCAL << size, share, N);
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    unlink(timeline);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("learn");
    TCase *tc = tcase_create("learn");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, compiles_at_first_launch, 0, sizeof(cases) / sizeof(*cases));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}

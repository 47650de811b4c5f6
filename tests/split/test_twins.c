/* SPDX-License-Identifier: MIT */
/*
 * Two equal devices that run kernels in the calling thread, of PoCL, which shares kernels' machine code
 * between them and aborts where two threads run unlike ranges of one. Many kernels, as each range is new but
 * once.
 */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 12, ITEMS = 1 << 14, LEAST = 1 << 11, LOCAL = 16, ROUNDS = 200 };

static char text[1 << 14];

static void write_text(void)
{
    int length = 0;
    for (int i = 0; i < KERNELS; i++)
        length += snprintf(text + length, sizeof(text) - (size_t)length,
                           "__kernel void mix%d(__global uint *a) { uint x = get_global_id(0);\n"
                           "for (int r = 0; r < %d; r++) x = x * 1664525u + %du;\n"
                           "a[get_global_id(0) - get_global_offset(0)] = x; }\n",
                           i, ROUNDS, 2 * i + 3);
}

static cl_uint mixed(cl_uint x, int kernel)
{
    for (int r = 0; r < ROUNDS; r++)
        x = x * 1664525u + (cl_uint)(2 * kernel + 3);
    return x;
}

/* All ranges on one queue, each result looked at. */
static void run_all(cl_command_queue queue, cl_program program, size_t offset)
{
    static const size_t local = LOCAL;
    cl_int error;
    cl_uint *result = calloc(ITEMS, sizeof(*result));
    cl_mem mem = cl_buffer(0, ITEMS * sizeof(*result), NULL);
    ck_assert_ptr_nonnull(result);
    for (int i = 0; i < KERNELS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "mix%d", i);
        cl_kernel kernel = clCreateKernel(program, name, &error);
        cl_ok(error);
        cl_set_mem(kernel, 0, mem);
        for (size_t items = LEAST; items <= ITEMS; items *= 2) {
            cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, offset ? &offset : NULL, &items, &local, 0, NULL,
                                         NULL));
            cl_ok(
                clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, items * sizeof(*result), result, 0, NULL, NULL));
            for (size_t at = 0; at < items; at += 97)
                ck_assert_uint_eq(result[at], mixed((cl_uint)(at + offset), i));
        }
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clReleaseMemObject(mem));
    free(result);
}

START_TEST(split)
{
    write_text();
    cl_program program = cl_build(text, "");
    run_all(cl.queue, program, 0);
    cl_ok(clReleaseProgram(program));
}
END_TEST

struct run {
    cl_command_queue queue;
    cl_program program;
};

static void *run_with_offset(void *data)
{
    const struct run *run = data;
    run_all(run->queue, run->program, 64);
    return NULL;
}

START_TEST(two_queues)
{
    pthread_t thread;
    write_text();
    struct run other = {cl_queue(0), cl_build(text, "")};
    ck_assert_int_eq(pthread_create(&thread, NULL, run_with_offset, &other), 0);
    run_all(cl.queue, other.program, 0);
    pthread_join(thread, NULL);
    cl_ok(clReleaseCommandQueue(other.queue));
    cl_ok(clReleaseProgram(other.program));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twins");
    tcase_add_test(cl_case(suite, "split"), split);
    tcase_add_test(cl_case(suite, "queues"), two_queues);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Launches one after another that differ in a number: clSetKernelArg changes it in the arguments that those
 * in flight hold, once the driver has them (cx_args_pass). Each launch computes with its own, whatever else
 * has the arguments. On stub GPUs, alone and two; each test has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_recorded.h"
#include "file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256, LOCAL = 16, BYTES = N * sizeof(cl_int), LAUNCHES = 400, THREADS = 3 };

static const struct setup {
    const char *devices, *split;
} setups[] = {{"1", "auto"}, {"2", "never"}, {"2", "auto"}};
enum { SETUPS = sizeof(setups) / sizeof(setups[0]) };

static cl_program program;

static void open_all(const struct setup *setup)
{
    cl_int code;
    setenv("STUB_DEVICES", setup->devices, 1);
    setenv("COEXEC_SPLIT", setup->split, 1);
    char *text = file_read(STUB_KERNELS, NULL);
    const char *source = text;
    cl_open();
    cl_ok(clReleaseCommandQueue(cl.queue)); /* it has profiling */
    cl.queue = cl_queue(0);
    program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    cl_ok(code);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
    free(text);
}

static void close_all(void)
{
    cl_ok(clReleaseProgram(program));
    cl_close();
}

/* A number that is scaled and incremented, and what it should be. */
struct number {
    cl_mem mem;
    cl_kernel scale, inc;
    cl_uint is;
};

static struct number number_make(void)
{
    static cl_int ones[N];
    for (unsigned i = 0; i < N; i++)
        ones[i] = 1;
    struct number number = {cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, ones), cl_kernel_in(program, "stub_scale"),
                            cl_kernel_in(program, "stub_inc"), 1};
    cl_set_mem(number.scale, 0, number.mem);
    cl_set_mem(number.scale, 1, number.mem);
    cl_set_mem(number.inc, 0, number.mem);
    return number;
}

static void launch(cl_kernel kernel)
{
    const size_t items = N, local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static void scale(struct number *number, cl_int by)
{
    cl_set_int(number->scale, 2, by);
    launch(number->scale);
    number->is *= (cl_uint)by;
}

static void inc(struct number *number)
{
    launch(number->inc);
    number->is++;
}

static void number_check(const struct number *number)
{
    cl_int got[N];
    cl_read(number->mem, got, BYTES);
    for (unsigned i = 0; i < N; i++)
        ck_assert_int_eq(got[i], (cl_int)number->is);
}

static void number_end(struct number *number)
{
    number_check(number);
    cl_ok(clReleaseKernel(number->scale));
    cl_ok(clReleaseKernel(number->inc));
    cl_ok(clReleaseMemObject(number->mem));
}

/* Odd factors, so that no error is lost. */
static cl_int factor(unsigned i)
{
    return (cl_int)(2 * i + 3);
}

START_TEST(each_its_own)
{
    open_all(&setups[_i]);
    struct number number = number_make(), other = number_make();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        scale(&number, factor(i));
        if (i % 3 == 0)
            inc(&number);
        if (i % 5 == 0) /* the same value again, and set twice */
            scale(&number, factor(i));
        if (i % 7 == 0)
            cl_set_int(number.scale, 2, -1);
        if (i % 11 == 0) { /* other arguments on the same kernel */
            cl_set_mem(number.scale, 0, other.mem);
            cl_set_mem(number.scale, 1, other.mem);
            launch(number.scale);
            other.is *= i % 7 ? (cl_uint)factor(i) : (cl_uint)-1;
            cl_set_mem(number.scale, 0, number.mem);
            cl_set_mem(number.scale, 1, number.mem);
        }
        if (i % 64 == 63)
            number_check(&number);
    }
    number_end(&number);
    number_end(&other);
    close_all();
}
END_TEST

/* A command buffer keeps what it was recorded with, and runs it between launches of the same kernel. */
START_TEST(beside_a_recording)
{
    const size_t items = N, local = LOCAL;
    cl_int code;
    open_all(&setups[_i]);
    cl_recorded_find();
    struct number number = number_make();
    cl_set_int(number.scale, 2, 5);
    cl_command_buffer_khr buffer = recorded.create(1, &cl.queue, NULL, &code);
    cl_ok(code);
    cl_ok(recorded.kernel(buffer, NULL, NULL, number.scale, 1, NULL, &items, &local, 0, NULL, NULL, NULL));
    cl_ok(recorded.finalize(buffer));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        scale(&number, i % 4 ? factor(i) : 5);
        inc(&number);
        if (i % 3 == 1)
            cl_set_int(number.scale, 2, i % 2 ? 5 : 7); /* told to nobody before the recording runs */
        if (i % 3 == 0)
            continue;
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
        number.is *= 5;
        if (i % 2)
            cl_ok(clFinish(cl.queue));
    }
    cl_ok(recorded.release(buffer));
    number_end(&number);
    close_all();
}
END_TEST

/* A copy of a kernel has arguments of its own. */
START_TEST(beside_a_clone)
{
    cl_int code;
    open_all(&setups[_i]);
    struct number number = number_make();
    for (unsigned i = 0; i < LAUNCHES / 4; i++) {
        scale(&number, factor(i));
        cl_kernel clone = clCloneKernel(number.scale, &code);
        cl_ok(code);
        cl_set_int(number.scale, 2, 9);
        launch(clone);
        number.is *= (cl_uint)factor(i);
        launch(number.scale);
        number.is *= 9;
        cl_ok(clReleaseKernel(clone));
    }
    number_end(&number);
    close_all();
}
END_TEST

static void *launch_many(void *data)
{
    for (unsigned i = 0; i < LAUNCHES; i++) {
        scale(data, factor(i));
        if (i % 4 == 0)
            inc(data);
    }
    return NULL;
}

START_TEST(by_several_threads)
{
    pthread_t thread[THREADS];
    struct number number[THREADS];
    open_all(&setups[_i]);
    for (unsigned t = 0; t < THREADS; t++)
        number[t] = number_make();
    for (unsigned t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, launch_many, &number[t]), 0);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (unsigned t = 0; t < THREADS; t++)
        number_end(&number[t]);
    close_all();
}
END_TEST

/* While none of them is over: the driver gets an event and a question for 32 launches. */
START_TEST(few_events)
{
    cl_folder_make("values");
    setenv("STUB_GATE", cl_folder_path("gate"), 1);
    setenv("STUB_LOG", cl_folder_path("log"), 1);
    open_all(&setups[0]);
    struct number number = number_make();
    for (unsigned i = 0; i < 8; i++)
        inc(&number);
    cl_ok(clFinish(cl.queue));
    fclose(fopen(cl_folder_path("gate"), "w"));
    const unsigned asked = cl_lines_with(cl_folder_path("log"), "clGetEventInfo");
    for (unsigned i = 0; i < LAUNCHES; i++)
        inc(&number);
    const unsigned more = cl_lines_with(cl_folder_path("log"), "clGetEventInfo") - asked;
    remove(cl_folder_path("gate"));
    ck_assert_uint_gt(more, 0);
    ck_assert_uint_le(more, LAUNCHES / 32);
    number_end(&number);
    close_all();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("values");
    TCase *tests = tcase_create("values");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, each_its_own, 0, SETUPS);
    tcase_add_loop_test(tests, beside_a_recording, 0, SETUPS);
    tcase_add_loop_test(tests, beside_a_clone, 0, SETUPS);
    tcase_add_loop_test(tests, by_several_threads, 0, SETUPS);
    tcase_add_test(tests, few_events);
    return tap_run(suite);
}

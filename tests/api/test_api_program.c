/* SPDX-License-Identifier: MIT */
/* Programs and the kernels in them: builds, logs, queries. */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char store[] =
    "__kernel void store(__global int *out, int value) { out[get_global_id(0)] = value; }\n";

static int run_store(cl_kernel kernel, int value)
{
    int got = -1;
    cl_mem mem = cl_buffer(0, sizeof(got), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, value);
    cl_launch(kernel, 1);
    cl_read(mem, &got, sizeof(got));
    cl_ok(clReleaseMemObject(mem));
    return got;
}

static cl_program source_program(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    return program;
}

static char *build_log(cl_program program)
{
    size_t size;
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    char *log = calloc(1, size + 1);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    return log;
}

START_TEST(several_strings)
{
    const char *parts[] = {"__kernel void store(__global int *out, XX", "int value) {\n", "out[0] = value;",
                           "} this is not part of it"};
    const size_t lengths[] = {39, 0, 0, 1};
    char joined[256];
    size_t size;
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 4, parts, lengths, &error);
    cl_ok(error);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(joined), joined, &size));
    ck_assert_str_eq(joined, "__kernel void store(__global int *out, int value) {\nout[0] = value;}");
    ck_assert_uint_eq(size, strlen(joined) + 1);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "store", &error);
    cl_ok(error);
    ck_assert_int_eq(run_store(kernel, 42), 42);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Lengths that reach far past the strings' ends, as programs that pass -1 give them. */
START_TEST(far_lengths)
{
    if (!cl_is_coexec()) /* PoCL 3.1 copies as many bytes */
        return;
    const char *parts[] = {store, "/* the end */"};
    const size_t lengths[] = {SIZE_MAX, SIZE_MAX - sizeof(store)};
    char joined[256];
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 2, parts, lengths, &error);
    cl_ok(error);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(joined), joined, NULL));
    ck_assert_uint_eq(strlen(joined), strlen(parts[0]) + strlen(parts[1]));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Types of the program's own whose names begin like those of the language. */
START_TEST(alike_names)
{
    static const char text[] = "typedef struct { int a; } pipe_state;\n"
                               "typedef struct { int a; } image_pair_t;\n"
                               "__kernel void k(__global pipe_state *out, pipe_state s, image_pair_t i)\n"
                               "{ out[0].a = s.a + i.a; }\n";
    const int two = 2, three = 3;
    int got = 0;
    cl_int error;
    cl_program program = source_program(text);
    cl_ok(clBuildProgram(program, 1, &cl.device, "-cl-kernel-arg-info", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(0, sizeof(got), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clSetKernelArg(kernel, 1, sizeof(two), &two));
    cl_ok(clSetKernelArg(kernel, 2, sizeof(three), &three));
    cl_launch(kernel, 1);
    cl_read(mem, &got, sizeof(got));
    ck_assert_int_eq(got, 5);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(source_errors)
{
    const char *parts[] = {store, NULL};
    cl_int error;
    ck_assert_ptr_null(clCreateProgramWithSource(cl.context, 0, parts, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    if (cl_is_coexec()) { /* PoCL 3.1 crashes */
        ck_assert_ptr_null(clCreateProgramWithSource(cl.context, 1, NULL, NULL, &error));
        cl_expect(error, CL_INVALID_VALUE);
    }
    ck_assert_ptr_null(clCreateProgramWithSource(cl.context, 2, parts, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithSource(NULL, 1, parts, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    cl_expect(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    cl_program program = source_program(store);
    cl_expect(clBuildProgram(program, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clBuildProgram(program, 0, &cl.device, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clBuildProgram(program, 0, NULL, NULL, NULL, &error), CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateKernel(program, "store", &error)); /* not built yet */
    cl_expect(error, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clReleaseProgram(program));
    cl_expect(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    cl_expect(clRetainProgram(NULL), CL_INVALID_PROGRAM);
}
END_TEST

START_TEST(build_options)
{
    static const char text[] =
        "__kernel void store(__global int *out, int value) { out[0] = value * FACTOR + "
        "TEXT(20); }\n";
    char got[256];
    cl_int error;
    cl_program program = source_program(text);
    cl_expect(clBuildProgram(program, 1, &cl.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clBuildProgram(program, 1, &cl.device, "-DFACTOR=3 -DTEXT(x)=x -cl-std=CL1.2", NULL, NULL));
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(got), got, NULL));
    ck_assert_str_eq(got, "-DFACTOR=3 -DTEXT(x)=x -cl-std=CL1.2");
    cl_kernel kernel = clCreateKernel(program, "store", &error);
    cl_ok(error);
    ck_assert_int_eq(run_store(kernel, 2), 26);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* A program may be built again, with other options, once it has no kernels. */
START_TEST(build_again)
{
    cl_int error;
    cl_program program =
        source_program("__kernel void store(__global int *out, int value) { out[0] = value + ADD; }");
    for (int add = 1; add <= 3; add++) {
        char options[32];
        snprintf(options, sizeof(options), "-DADD=%d", add);
        cl_ok(clBuildProgram(program, 1, &cl.device, options, NULL, NULL));
        cl_kernel kernel = clCreateKernel(program, "store", &error);
        cl_ok(error);
        ck_assert_int_eq(run_store(kernel, 10), 10 + add);
        cl_expect(clBuildProgram(program, 1, &cl.device, "", NULL, NULL), CL_INVALID_OPERATION);
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(failing_build)
{
    static const char text[] = "int helper(int x) { return x + 1; }\n"
                               "\n"
                               "__kernel void broken(__global int *out)\n"
                               "{\n"
                               "    out[0] = helper(1) + no_such_name;\n"
                               "}\n";
    cl_build_status status;
    cl_int error;
    cl_program program = source_program(text);
    cl_expect(clBuildProgram(program, 1, &cl.device, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_ERROR);
    char *log = build_log(program);
    ck_assert_msg(strstr(log, "no_such_name") != NULL, "log: %s", log);
    ck_assert_msg(strstr(log, ":5:") != NULL, "the program's own line is not in the log: %s", log);
    free(log);
    ck_assert_ptr_null(clCreateKernel(program, "broken", &error));
    cl_expect(error, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(warnings_do_not_fail)
{
    static const char text[] = "#warning look here\n__kernel void store(__global int *out, int value)\n"
                               "{ int unused; out[0] = value; }\n";
    cl_build_status status;
    cl_program program = cl_build(text, NULL);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_SUCCESS);
    free(build_log(program));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* What clBuildProgram's callback tells the thread that waits for it. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    unsigned calls;
    cl_program program;
} built = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK on_built(cl_program program, void *data)
{
    pthread_mutex_lock(&built.lock);
    built.calls += *(unsigned *)data;
    built.program = program;
    pthread_cond_broadcast(&built.done);
    pthread_mutex_unlock(&built.lock);
}

START_TEST(build_with_callback)
{
    unsigned one = 1;
    cl_int error;
    cl_build_status status;
    built.calls = 0;
    cl_program program = source_program(_i ? store : "this does not build");
    cl_int code = clBuildProgram(program, 1, &cl.device, NULL, on_built, &one);
    ck_assert(code == CL_SUCCESS ||
              (!_i && code == CL_BUILD_PROGRAM_FAILURE)); /* PoCL builds before it returns */
    pthread_mutex_lock(&built.lock);
    while (built.calls == 0)
        pthread_cond_wait(&built.done, &built.lock);
    ck_assert_uint_eq(built.calls, 1);
    ck_assert_ptr_eq(built.program, program);
    pthread_mutex_unlock(&built.lock);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, _i ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
    if (_i) {
        cl_kernel kernel = clCreateKernel(program, "store", &error);
        cl_ok(error);
        ck_assert_int_eq(run_store(kernel, 9), 9);
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(program_info)
{
    static const char text[] = "__kernel void one(__global int *a) { a[0] = 1; }\n"
                               "__kernel void two(__global int *a) { a[0] = 2; }\n";
    cl_program program = cl_build(text, NULL);
    cl_uint refs, ndevices;
    cl_context context;
    cl_device_id device;
    size_t nkernels, size;
    char names[64], source[256];
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    ck_assert_uint_eq(refs, 1);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(context), &context, NULL));
    ck_assert_ptr_eq(context, cl.context);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(ndevices), &ndevices, NULL));
    ck_assert_uint_eq(ndevices, 1);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(device), &device, &size));
    ck_assert_ptr_eq(device, cl.device);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(source), source, NULL));
    ck_assert_str_eq(source, text);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(nkernels), &nkernels, NULL));
    ck_assert_uint_eq(nkernels, 2);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
    ck_assert(strcmp(names, "one;two") == 0 || strcmp(names, "two;one") == 0);
    cl_expect(clGetProgramInfo(program, 0x1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 3, source, NULL), CL_INVALID_VALUE);
    cl_expect(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL), CL_INVALID_DEVICE);
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(all_kernels_at_once)
{
    static const char text[] = "__kernel void one(__global int *a) { a[0] = 1; }\n"
                               "__kernel void two(__global int *a, int b) { a[0] = b; }\n";
    cl_program program = cl_build(text, NULL);
    cl_kernel kernels[2];
    cl_uint count, nargs, refs;
    cl_program owner;
    char name[16];
    cl_ok(clCreateKernelsInProgram(program, 0, NULL, &count));
    ck_assert_uint_eq(count, 2);
    cl_expect(clCreateKernelsInProgram(program, 1, kernels, NULL), CL_INVALID_VALUE);
    cl_ok(clCreateKernelsInProgram(program, 2, kernels, NULL));
    for (int i = 0; i < 2; i++) {
        cl_ok(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL));
        cl_ok(clGetKernelInfo(kernels[i], CL_KERNEL_NUM_ARGS, sizeof(nargs), &nargs, NULL));
        ck_assert_uint_eq(nargs, strcmp(name, "one") == 0 ? 1 : 2);
        cl_ok(clGetKernelInfo(kernels[i], CL_KERNEL_PROGRAM, sizeof(owner), &owner, NULL));
        ck_assert_ptr_eq(owner, program);
        cl_ok(clRetainKernel(kernels[i]));
        cl_ok(clGetKernelInfo(kernels[i], CL_KERNEL_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
        ck_assert_uint_eq(refs, 2);
        cl_ok(clReleaseKernel(kernels[i]));
        cl_ok(clReleaseKernel(kernels[i]));
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(kernel_errors)
{
    cl_int error, value = 1;
    cl_program program = cl_build(store, NULL);
    ck_assert_ptr_null(clCreateKernel(program, "nobody", &error));
    cl_expect(error, CL_INVALID_KERNEL_NAME);
    ck_assert_ptr_null(clCreateKernel(program, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateKernel(NULL, "store", &error));
    cl_expect(error, CL_INVALID_PROGRAM);
    cl_kernel kernel = clCreateKernel(program, "store", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(0, 4, NULL);
    size_t one = 1;
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
              CL_INVALID_KERNEL_ARGS);
    cl_set_mem(kernel, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
              CL_INVALID_KERNEL_ARGS);
    cl_expect(clSetKernelArg(kernel, 2, sizeof(value), &value), CL_INVALID_ARG_INDEX);
    cl_expect(clSetKernelArg(kernel, 1, sizeof(value) + 1, &value), CL_INVALID_ARG_SIZE);
    cl_expect(clSetKernelArg(kernel, 1, sizeof(value), NULL), CL_INVALID_ARG_VALUE);
    cl_expect(clSetKernelArg(kernel, 0, 3, &mem), CL_INVALID_ARG_SIZE);
    cl_expect(clSetKernelArg(NULL, 0, sizeof(mem), &mem), CL_INVALID_KERNEL);
    ck_assert_int_eq(run_store(kernel, 6), 6); /* still good */
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_expect(clReleaseKernel(NULL), CL_INVALID_KERNEL);
}
END_TEST

START_TEST(kernel_outlives_program)
{
    cl_kernel kernel = cl_kernel_of(store, "store"); /* its program is released already */
    ck_assert_int_eq(run_store(kernel, 77), 77);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Printf, program-scope constants, helper functions and includes of nothing: a program as people write them.
 */
START_TEST(helpers_and_constants)
{
    static const char text[] =
        "__constant int primes[4] = {2, 3, 5, 7};\n"
        "#define TWICE(x) ((x) * 2)\n"
        "int pick(int i) { return primes[i % 4]; }\n"
        "int global_pick(__global const int *in) { return pick(in[get_global_id(0)]); }\n"
        "__kernel void run(__global int *out, __global const int *in)\n"
        "{ out[get_global_id(0)] = TWICE(global_pick(in)); }\n";
    enum { ITEMS = 64 };
    static const int primes[4] = {2, 3, 5, 7};
    int values[ITEMS], got[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        values[i] = i * 7;
    cl_kernel kernel = cl_kernel_of(text, "run");
    cl_mem in = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values),
           out = cl_buffer(0, sizeof(got), NULL);
    cl_set_mem(kernel, 0, out);
    cl_set_mem(kernel, 1, in);
    cl_launch(kernel, ITEMS);
    cl_read(out, got, sizeof(got));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], 2 * primes[i * 7 % 4]);
    cl_ok(clReleaseMemObject(in));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Launches right after the build, while an analysis may still run, and many of them. */
START_TEST(launches_right_after_build)
{
    enum { ITEMS = 1000, LAUNCHES = 200 };
    static const char text[] =
        "__kernel void add(__global int *data) { data[get_global_id(0)] += get_group_id(0) * 0 + "
        "1; }\n";
    int *got = calloc(ITEMS, sizeof(int));
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, ITEMS * sizeof(int), got);
    cl_kernel kernel = cl_kernel_of(text, "add");
    cl_set_mem(kernel, 0, mem);
    for (int i = 0; i < LAUNCHES; i++) {
        cl_launch(kernel, ITEMS);
        if (i % 20 == 0)
            usleep(5000);
    }
    cl_read(mem, got, ITEMS * sizeof(int));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], LAUNCHES);
    free(got);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void *build_thread(void *argument)
{
    char text[256];
    cl_int error;
    long number = (long)(intptr_t)argument;
    snprintf(text, sizeof(text),
             "__kernel void store(__global int *out, int value) { out[0] = value + %ld; }", number);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &cl.device, "", NULL, NULL) != CL_SUCCESS)
        return NULL;
    return program;
}

START_TEST(builds_in_many_threads)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    cl_int error;
    for (long t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, build_thread, (void *)(intptr_t)t), 0);
    for (int t = 0; t < THREADS; t++) {
        void *program;
        pthread_join(threads[t], &program);
        ck_assert_ptr_nonnull(program);
        cl_kernel kernel = clCreateKernel(program, "store", &error);
        cl_ok(error);
        ck_assert_int_eq(run_store(kernel, 100), 100 + t);
        cl_ok(clReleaseKernel(kernel));
        cl_ok(clReleaseProgram(program));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_program");
    TCase *tcase = cl_case(suite, "program");
    tcase_add_test(tcase, several_strings);
    tcase_add_test(tcase, far_lengths);
    tcase_add_test(tcase, alike_names);
    tcase_add_test(tcase, source_errors);
    tcase_add_test(tcase, build_options);
    tcase_add_test(tcase, build_again);
    tcase_add_test(tcase, failing_build);
    tcase_add_test(tcase, warnings_do_not_fail);
    tcase_add_loop_test(tcase, build_with_callback, 0, 2);
    tcase_add_test(tcase, program_info);
    tcase_add_test(tcase, all_kernels_at_once);
    tcase_add_test(tcase, kernel_errors);
    tcase_add_test(tcase, kernel_outlives_program);
    tcase_add_test(tcase, helpers_and_constants);
    tcase_add_test(tcase, launches_right_after_build);
    tcase_add_test(tcase, builds_in_many_threads);
    return tap_run(suite);
}

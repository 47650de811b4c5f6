/* SPDX-License-Identifier: MIT */
/* Programs and kernels: builds, logs, queries, and arguments of all kinds. */
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

static const char arg_text[] =
    "typedef struct { int a; float b; } pair_t;\n"
    "__kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "void many(__global const float *in, __local int *room, pair_t p, __constant int *table,\n"
    "          float4 v) { room[0] = p.a + table[0] + (int)v.x + (int)in[0]; }\n";

static void check_arg(cl_kernel kernel, cl_uint index, const char *name, const char *type, cl_uint address)
{
    char text[64];
    cl_uint got;
    cl_ok(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
    ck_assert_str_eq(text, name);
    cl_ok(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
    ck_assert_str_eq(text, type);
    cl_ok(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(got), &got, NULL));
    ck_assert_uint_eq(got, address);
}

START_TEST(arg_info)
{
    cl_int error;
    cl_kernel_arg_type_qualifier qualifier;
    char text[64];
    cl_program program = cl_build(arg_text, "-cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(program, "many", &error);
    cl_ok(error);
    check_arg(kernel, 0, "in", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL);
    check_arg(kernel, 1, "room", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL);
    check_arg(kernel, 2, "p", "pair_t", CL_KERNEL_ARG_ADDRESS_PRIVATE);
    check_arg(kernel, 3, "table", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT);
    check_arg(kernel, 4, "v", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE);
    cl_ok(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier, NULL));
    ck_assert_uint_eq(qualifier, CL_KERNEL_ARG_TYPE_CONST);
    cl_expect(clGetKernelArgInfo(kernel, 5, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL),
              CL_INVALID_ARG_INDEX);
    cl_expect(clGetKernelArgInfo(kernel, 0, 0x1, sizeof(text), text, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(work_group_info)
{
    size_t required[3], group, multiple, size;
    cl_ulong memory;
    cl_kernel kernel = cl_kernel_of(arg_text, "many"), plain = cl_kernel_of(store, "store");
    cl_ok(clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
                                   required, &size));
    ck_assert_uint_eq(size, sizeof(required));
    ck_assert(required[0] == 4 && required[1] == 2 && required[2] == 1);
    cl_ok(clGetKernelWorkGroupInfo(plain, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
                                   required, NULL));
    ck_assert(required[0] == 0 && required[1] == 0 && required[2] == 0);
    cl_ok(clGetKernelWorkGroupInfo(plain, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group, NULL));
    ck_assert_uint_ge(group, 1);
    cl_ok(clGetKernelWorkGroupInfo(plain, cl.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                   sizeof(multiple), &multiple, NULL));
    ck_assert_uint_ge(multiple, 1);
    cl_ok(
        clGetKernelWorkGroupInfo(plain, cl.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(memory), &memory, NULL));
    cl_ok(clGetKernelWorkGroupInfo(plain, cl.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(memory), &memory,
                                   NULL));
    cl_expect(clGetKernelWorkGroupInfo(plain, cl.device, 0x1, sizeof(memory), &memory, NULL),
              CL_INVALID_VALUE);
    cl_expect(
        clGetKernelWorkGroupInfo(NULL, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group, NULL),
        CL_INVALID_KERNEL);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(plain));
}
END_TEST

struct packed_args {
    cl_int a;
    cl_float b;
    cl_short c[3];
    cl_long d;
};

/* Every size of scalar, vectors and a struct by value. */
START_TEST(scalar_and_struct_args)
{
    static const char text[] =
        "typedef struct { int a; float b; short c[3]; long d; } pack;\n"
        "__kernel void take(__global long *out, char c, ushort s, int i, ulong l, float f, int4 v, float3 w, "
        "pack p)\n"
        "{ out[0] = c; out[1] = s; out[2] = i; out[3] = (long)l; out[4] = (long)f; out[5] = v.s3;\n"
        "  out[6] = (long)w.z; out[7] = p.a; out[8] = (long)p.b; out[9] = p.c[2]; out[10] = p.d; }\n";
    cl_kernel kernel = cl_kernel_of(text, "take");
    cl_mem mem = cl_buffer(0, 11 * sizeof(cl_long), NULL);
    cl_char c = -5;
    cl_ushort s = 65000;
    cl_int i = -70000;
    cl_ulong l = 1ul << 40;
    cl_float f = 12.75f;
    cl_int4 v = {{1, 2, 3, 4}};
    cl_float3 w = {{5, 6, 7}};
    struct packed_args p = {11, 22.5f, {1, 2, -3}, -(1l << 35)};
    cl_long got[11], want[11] = {-5, 65000, -70000, 1l << 40, 12, 4, 7, 11, 22, -3, -(1l << 35)};
    cl_set_mem(kernel, 0, mem);
    cl_ok(clSetKernelArg(kernel, 1, sizeof(c), &c));
    cl_ok(clSetKernelArg(kernel, 2, sizeof(s), &s));
    cl_ok(clSetKernelArg(kernel, 3, sizeof(i), &i));
    cl_ok(clSetKernelArg(kernel, 4, sizeof(l), &l));
    cl_ok(clSetKernelArg(kernel, 5, sizeof(f), &f));
    cl_ok(clSetKernelArg(kernel, 6, sizeof(v), &v));
    cl_ok(clSetKernelArg(kernel, 7, sizeof(w), &w));
    cl_ok(clSetKernelArg(kernel, 8, sizeof(p), &p));
    memset(&p, 0, sizeof(p)); /* the value was copied */
    cl_launch(kernel, 1);
    cl_read(mem, got, sizeof(got));
    ck_assert_mem_eq(got, want, sizeof(got));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(local_args)
{
    static const char text[] =
        "__kernel void turn(__global int *data, __local int *room)\n"
        "{ int l = get_local_id(0), n = get_local_size(0); room[l] = data[get_global_id(0)];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = room[n - 1 - l]; }\n";
    enum { ITEMS = 256 };
    int values[ITEMS], got[ITEMS];
    size_t items = ITEMS, local = 16;
    int dummy;
    for (int i = 0; i < ITEMS; i++)
        values[i] = i;
    cl_kernel kernel = cl_kernel_of(text, "turn");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values);
    cl_set_mem(kernel, 0, mem);
    cl_expect(clSetKernelArg(kernel, 1, 64, &dummy), CL_INVALID_ARG_VALUE);
    cl_expect(clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    cl_ok(clSetKernelArg(kernel, 1, local * sizeof(int), NULL));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, got, sizeof(got));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], i / 16 * 16 + 15 - i % 16);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(null_buffer_args)
{
    static const char text[] =
        "__kernel void maybe(__global int *out, __global const int *in, __constant int *table)\n"
        "{ size_t i = get_global_id(0); out[i] = (in ? in[i] : -1) + (table ? table[0] : 100); }\n";
    int values[4] = {1, 2, 3, 4}, got[4];
    cl_mem none = NULL, out = cl_buffer(0, sizeof(got), NULL);
    cl_mem in = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values);
    cl_kernel kernel = cl_kernel_of(text, "maybe");
    cl_set_mem(kernel, 0, out);
    cl_ok(clSetKernelArg(kernel, 1, sizeof(cl_mem), NULL));
    cl_ok(clSetKernelArg(kernel, 2, sizeof(cl_mem), &none));
    cl_launch(kernel, 4);
    cl_read(out, got, sizeof(got));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(got[i], 99);
    cl_set_mem(kernel, 1, in);
    cl_set_mem(kernel, 2, in);
    cl_launch(kernel, 4);
    cl_read(out, got, sizeof(got));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(got[i], i + 2);
    cl_ok(clReleaseMemObject(in));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Arguments are those of the enqueue, whatever is set before the command runs. */
START_TEST(args_are_captured)
{
    enum { LAUNCHES = 8 };
    cl_int error, got;
    cl_mem mems[LAUNCHES];
    cl_kernel kernel = cl_kernel_of(store, "store");
    cl_event gate = clCreateUserEvent(cl.context, &error);
    size_t one = 1;
    cl_ok(error);
    bool gated = cl_user_events_work();
    for (int i = 0; i < LAUNCHES; i++) {
        mems[i] = cl_buffer(0, sizeof(int), NULL);
        cl_set_mem(kernel, 0, mems[i]);
        cl_set_int(kernel, 1, i * 10);
        cl_ok(
            clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, NULL, gated, gated ? &gate : NULL, NULL));
    }
    cl_set_mem(kernel, 0, mems[0]);
    cl_set_int(kernel, 1, -1);
    cl_ok(clFlush(cl.queue));
    cl_ok(clReleaseKernel(kernel)); /* the launches keep what they need */
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < LAUNCHES; i++) {
        cl_read(mems[i], &got, sizeof(got));
        ck_assert_int_eq(got, i * 10);
        cl_ok(clReleaseMemObject(mems[i]));
    }
    cl_ok(clReleaseEvent(gate));
}
END_TEST

/* A buffer set as argument and released by the program stays alive for the launches that were enqueued with
 * it. */
START_TEST(buffer_released_after_launch)
{
    int got = 0;
    cl_kernel kernel = cl_kernel_of(store, "store");
    cl_mem mem = cl_buffer(0, 4, NULL), out = cl_buffer(0, 4, NULL);
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, 31);
    cl_launch(kernel, 1);
    cl_ok(clEnqueueCopyBuffer(cl.queue, mem, out, 0, 0, 4, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_read(out, &got, 4);
    ck_assert_int_eq(got, 31);
    cl_ok(clReleaseMemObject(out));
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
    tcase_add_test(tcase, arg_info);
    tcase_add_test(tcase, work_group_info);
    tcase_add_test(tcase, scalar_and_struct_args);
    tcase_add_test(tcase, local_args);
    tcase_add_test(tcase, null_buffer_args);
    tcase_add_test(tcase, args_are_captured);
    tcase_add_test(tcase, buffer_released_after_launch);
    tcase_add_test(tcase, helpers_and_constants);
    tcase_add_test(tcase, launches_right_after_build);
    tcase_add_test(tcase, builds_in_many_threads);
    return tap_run(suite);
}

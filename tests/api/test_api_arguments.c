/* SPDX-License-Identifier: MIT */
/* Kernels: arguments of all kinds, when their values are taken, and what can be asked of them. */
#include "cl_fixture.h"

static const char store[] =
    "__kernel void store(__global int *out, int value) { out[get_global_id(0)] = value; }\n";

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

static cl_ulong local_of(cl_kernel kernel)
{
    cl_ulong got = ~0ul;
    cl_ok(clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(got), &got, NULL));
    return got;
}

/* Some drivers (PoCL 6) do not count what arguments ask for; then there is none. */
static void expect_local(cl_kernel kernel, cl_ulong bytes, bool counts)
{
    ck_assert_uint_eq(local_of(kernel), counts ? bytes : 0);
}

/* Local memory whose size is not set counts as none, whatever another kernel of that name was given. */
START_TEST(local_mem_size)
{
    cl_int error;
    cl_program program = cl_build("__kernel void run(__local int *x, __local int *y, __global int *a)\n"
                                  "{ x[0] = y[0] = a[0]; a[0] = x[0] + y[0]; }\n",
                                  "");
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    expect_local(kernel, 0, true);
    cl_ok(clSetKernelArg(kernel, 0, 128, NULL));
    const bool counts = local_of(kernel) > 0;
    expect_local(kernel, 128, counts);
    cl_ok(clSetKernelArg(kernel, 1, 64, NULL));
    expect_local(kernel, 192, counts);
    cl_kernel second = clCreateKernel(program, "run", &error);
    cl_ok(error);
    expect_local(second, 0, true);
    expect_local(kernel, 192, counts);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(second));
    cl_ok(clReleaseProgram(program));
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

int main(void)
{
    Suite *suite = suite_create("api_arguments");
    TCase *tcase = cl_case(suite, "arguments");
    tcase_add_test(tcase, arg_info);
    tcase_add_test(tcase, work_group_info);
    tcase_add_test(tcase, local_mem_size);
    tcase_add_test(tcase, scalar_and_struct_args);
    tcase_add_test(tcase, local_args);
    tcase_add_test(tcase, null_buffer_args);
    tcase_add_test(tcase, args_are_captured);
    tcase_add_test(tcase, buffer_released_after_launch);
    return tap_run(suite);
}

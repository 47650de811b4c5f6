/* SPDX-License-Identifier: MIT */
/* Kernel launches: every work-item once, with the ids that the standard says, and the right code for bad
 * geometry. */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* What a work-item sees, as the kernel below stores it. */
enum { FIELDS = 24 };

static const char record_text[] =
    "__kernel void record(__global ulong *out, ulong width, ulong height, ulong ox, ulong oy, ulong oz)\n"
    "{\n"
    "    ulong i = ((get_global_id(2) - oz) * height + (get_global_id(1) - oy)) * width + (get_global_id(0) "
    "- ox);\n"
    "    __global ulong *o = out + i * 24;\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    "        o[d] += get_global_id(d) + 1;\n"
    "        o[3 + d] = get_local_id(d);\n"
    "        o[6 + d] = get_group_id(d);\n"
    "        o[9 + d] = get_global_size(d);\n"
    "        o[12 + d] = get_local_size(d);\n"
    "        o[15 + d] = get_num_groups(d);\n"
    "        o[18 + d] = get_global_offset(d);\n"
    "    }\n"
    "    o[21] = get_work_dim();\n"
    "    o[22] = get_global_id(3) + get_local_id(4) * 2 + get_group_id(3) * 4;\n"
    "    o[23] = get_global_size(3) + get_local_size(3) * 2 + get_num_groups(3) * 4;\n"
    "}\n";

struct geometry {
    cl_uint dim;
    size_t offset[3], global[3], local[3];
    bool has_offset, has_local;
};

static void check_item(const struct geometry *g, const cl_ulong *o, const size_t *at)
{
    for (int d = 0; d < 3; d++) {
        size_t local = g->has_local ? g->local[d] : o[12 + d];
        ck_assert_uint_ge(local, 1);
        ck_assert_uint_eq(o[d], at[d] + g->offset[d] + 1);
        ck_assert_uint_eq(o[12 + d], local);
        ck_assert_uint_eq(g->global[d] % local, 0);
        ck_assert_uint_eq(o[3 + d], at[d] % local);
        ck_assert_uint_eq(o[6 + d], at[d] / local);
        ck_assert_uint_eq(o[9 + d], g->global[d]);
        ck_assert_uint_eq(o[15 + d], g->global[d] / local);
        ck_assert_uint_eq(o[18 + d], g->offset[d]);
    }
    ck_assert_uint_eq(o[21], g->dim);
    ck_assert_uint_eq(o[22], 0);
    ck_assert(o[23] == 7 || o[23] == 0); /* PoCL 3.1 gives 0 for sizes in dimensions that there are not */
}

static void check_launch(cl_kernel kernel, const struct geometry *g)
{
    size_t items = g->global[0] * g->global[1] * g->global[2], bytes = items * FIELDS * sizeof(cl_ulong);
    cl_ulong *out = calloc(1, bytes), sizes[5];
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, bytes, out);
    sizes[0] = g->global[0];
    sizes[1] = g->global[1];
    for (int d = 0; d < 3; d++)
        sizes[2 + d] = g->offset[d];
    cl_set_mem(kernel, 0, mem);
    for (cl_uint i = 0; i < 5; i++)
        cl_ok(clSetKernelArg(kernel, 1 + i, sizeof(cl_ulong), &sizes[i]));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, g->dim, g->has_offset ? g->offset : NULL, g->global,
                                 g->has_local ? g->local : NULL, 0, NULL, NULL));
    cl_read(mem, out, bytes);
    for (size_t i = 0; i < items; i++) {
        size_t at[3] = {i % g->global[0], i / g->global[0] % g->global[1], i / g->global[0] / g->global[1]};
        check_item(g, out + i * FIELDS, at);
    }
    cl_ok(clReleaseMemObject(mem));
    free(out);
}

/* Local sizes from a few values: PoCL compiles a kernel for each. */
static struct geometry random_geometry(cl_uint dim)
{
    static const size_t locals[4][3] = {{1, 1, 1}, {8, 1, 1}, {4, 2, 1}, {2, 2, 4}};
    struct geometry g = {.dim = dim, .global = {1, 1, 1}, .local = {1, 1, 1}};
    const size_t *local = locals[cl_roll(dim + 1)];
    g.has_local = cl_roll(4) != 0;
    g.has_offset = cl_roll(2);
    for (cl_uint d = 0; d < dim; d++) {
        g.local[d] = local[d];
        g.global[d] = local[d] * (1 + cl_roll(dim == 1 ? 300 : dim == 2 ? 20 : 7));
        if (!g.has_local) /* the device finds one */
            g.global[d] = dim == 1 ? 240 : dim == 2 ? 24 : 6;
        g.offset[d] = g.has_offset ? cl_roll(1000) : 0;
    }
    return g;
}

START_TEST(ids_in_every_dimension)
{
    cl_kernel kernel = cl_kernel_of(record_text, "record");
    cl_seed((uint64_t)_i + 900);
    for (int round = 0; round < 12; round++) {
        struct geometry g = random_geometry(1 + (cl_uint)round % 3);
        check_launch(kernel, &g);
    }
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* One group, one item, sizes that divide nothing well, and a long thin range. */
START_TEST(odd_geometries)
{
    static const struct geometry list[] = {
        {1, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, false, true},
        {1, {5, 0, 0}, {1, 1, 1}, {1, 1, 1}, true, false},
        {1, {0, 0, 0}, {8, 1, 1}, {8, 1, 1}, false, true},
        {1, {0, 0, 0}, {997, 1, 1}, {1, 1, 1}, false, true},
        {2, {0, 3, 0}, {1, 257, 1}, {1, 1, 1}, true, true},
        {2, {7, 0, 0}, {61, 3, 1}, {1, 1, 1}, true, false},
        {3, {1, 2, 3}, {3, 1, 41}, {1, 1, 1}, true, true},
        {3, {0, 0, 0}, {8, 6, 1}, {8, 1, 1}, false, true},
        {2, {100, 0, 0}, {16, 16, 1}, {4, 2, 1}, true, true},
    };
    cl_kernel kernel = cl_kernel_of(record_text, "record");
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        check_launch(kernel, &list[i]);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(required_size)
{
    static const char text[] = "__kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
                               "void need(__global int *out)\n"
                               "{ out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = "
                               "get_local_size(0) * 10 + get_local_size(1); }\n";
    cl_kernel kernel = cl_kernel_of(text, "need");
    size_t global[2] = {16, 8}, right[2] = {4, 2}, wrong[2] = {2, 4}, odd[2] = {18, 8};
    int got[128];
    cl_mem mem = cl_buffer(0, sizeof(got), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, odd, right, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    for (int pass = 0; pass < 2; pass++) {
        memset(got, 0, sizeof(got));
        cl_write(mem, got, sizeof(got));
        /* a NULL local size takes the required one; OpenCL 1.2 refused it */
        cl_int code =
            clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, global, pass ? NULL : right, 0, NULL, NULL);
        if (pass && code == CL_INVALID_WORK_GROUP_SIZE)
            break;
        cl_ok(code);
        cl_read(mem, got, sizeof(got));
        for (int i = 0; i < 128; i++)
            ck_assert_int_eq(got[i], 42);
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(tasks)
{
    static const char text[] =
        "__kernel void once(__global int *out) { out[0] += get_global_size(0) + get_work_dim(); }";
    int value = 40;
    cl_event event;
    cl_command_type type;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    cl_kernel kernel = cl_kernel_of(text, "once");
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueTask(cl.queue, kernel, 0, NULL, &event));
    cl_read(mem, &value, sizeof(value));
    ck_assert_int_eq(value, 42);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    ck_assert(type == CL_COMMAND_TASK || type == CL_COMMAND_NDRANGE_KERNEL); /* PoCL: the latter */
    if (cl_is_coexec())                                                      /* PoCL 3.1 crashes */
        cl_expect(clEnqueueTask(cl.queue, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(geometry_errors)
{
    size_t ten[3] = {10, 10, 10}, three[3] = {3, 1, 1}, zero[3] = {10, 0, 10}, none[3] = {0, 1, 1}, group,
           sizes[8];
    cl_kernel kernel = cl_kernel_of("__kernel void touch(__global int *out) { out[0] = 1; }", "touch");
    cl_mem mem = cl_buffer(0, 4, NULL);
    cl_set_mem(kernel, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 0, NULL, ten, NULL, 0, NULL, NULL),
              CL_INVALID_WORK_DIMENSION);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 4, NULL, ten, NULL, 0, NULL, NULL),
              CL_INVALID_WORK_DIMENSION);
    cl_expect(clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, ten, NULL, 0, NULL, NULL),
              CL_INVALID_COMMAND_QUEUE);
    if (cl_is_coexec()) /* PoCL 3.1 crashes */
        cl_expect(clEnqueueNDRangeKernel(cl.queue, NULL, 1, NULL, ten, NULL, 0, NULL, NULL),
                  CL_INVALID_KERNEL);
    /* OpenCL 2.1 and later take an empty range as nothing to do */
    cl_expect_either(clEnqueueNDRangeKernel(cl.queue, kernel, 3, NULL, zero, NULL, 0, NULL, NULL),
                     CL_INVALID_GLOBAL_WORK_SIZE, CL_SUCCESS);
    if (cl_is_coexec()) /* PoCL 3.1 divides by it */
        cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, ten, none, 0, NULL, NULL),
                  CL_INVALID_WORK_GROUP_SIZE);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, ten, three, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(group), &group, NULL));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, NULL));
    size_t big[3] = {group * 2, 1, 1};
    cl_expect_either(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, big, big, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE);
    if (cl_is_coexec()) { /* PoCL 3.1 reads them */
        cl_event missing = NULL;
        cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, ten, NULL, 1, &missing, NULL),
                  CL_INVALID_EVENT_WAIT_LIST);
        cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, ten, NULL, 1, NULL, NULL),
                  CL_INVALID_EVENT_WAIT_LIST);
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* An uneven last group: an error before OpenCL C 2.0, and a smaller group where the program asks for it. */
START_TEST(uneven_last_group)
{
    size_t items = 100, local = 8;
    char version[128];
    cl_bool uneven = CL_FALSE;
    cl_kernel kernel = cl_kernel_of(record_text, "record");
    cl_mem mem = cl_buffer(0, items * FIELDS * 8, NULL);
    cl_ulong zero = 0;
    cl_set_mem(kernel, 0, mem);
    for (cl_uint i = 1; i < 6; i++)
        cl_ok(clSetKernelArg(kernel, i, sizeof(zero), &zero));
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_OPENCL_C_VERSION, sizeof(version), version, NULL));
    if (clGetDeviceInfo(cl.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(uneven), &uneven, NULL) !=
            CL_SUCCESS ||
        !uneven || strncmp(version, "OpenCL C 1.", 11) == 0)
        return;
    int got[100];
    cl_int error;
    mem = cl_buffer(0, sizeof(got), NULL);
    cl_program program =
        cl_build("__kernel void last(__global int *out) { out[get_global_id(0)] = get_local_size(0); }",
                 "-cl-std=CL2.0");
    kernel = clCreateKernel(program, "last", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, got, sizeof(got));
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(got[i], i < 96 ? 8 : 4);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* Offsets beyond 32 bits reach the kernel. */
START_TEST(large_offset)
{
    static const char text[] = "__kernel void far(__global ulong *out, ulong base)\n"
                               "{ out[get_global_id(0) - base] = get_global_id(0); }\n";
    enum { ITEMS = 64 };
    size_t offset = (size_t)1 << 33, items = ITEMS;
    cl_ulong base = offset, got[ITEMS];
    cl_kernel kernel = cl_kernel_of(text, "far");
    cl_mem mem = cl_buffer(0, sizeof(got), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clSetKernelArg(kernel, 1, sizeof(base), &base));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, &offset, &items, NULL, 0, NULL, NULL));
    cl_read(mem, got, sizeof(got));
    for (size_t i = 0; i < ITEMS; i++)
        ck_assert_uint_eq(got[i], offset + i);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Many small launches, each reading what the one before wrote. */
START_TEST(long_chain)
{
    static const char text[] =
        "__kernel void advance(__global int *to, __global const int *from)\n"
        "{ size_t i = get_global_id(0), n = get_global_size(0); to[i] = from[(i + 1) % n] + 1; }\n";
    enum { ITEMS = 512, STEPS = 1000 };
    int start[ITEMS], got[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        start[i] = i;
    cl_mem mems[2] = {cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(start), start),
                      cl_buffer(0, sizeof(start), NULL)};
    cl_kernel kernel = cl_kernel_of(text, "advance");
    for (int s = 0; s < STEPS; s++) {
        cl_set_mem(kernel, 0, mems[(s + 1) % 2]);
        cl_set_mem(kernel, 1, mems[s % 2]);
        cl_launch(kernel, ITEMS);
    }
    cl_read(mems[STEPS % 2], got, sizeof(got));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], (i + STEPS) % ITEMS + STEPS);
    cl_ok(clReleaseMemObject(mems[0]));
    cl_ok(clReleaseMemObject(mems[1]));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Two threads of short launches on queues of their own, with and without waits: coexec runs those it knows to
 * be short in the calling thread, and each queue keeps its order. */
enum { SHORT_ROUNDS = 30, SHORT_BURST = 50 };

static void *short_launches(void *data)
{
    cl_mem mem = data;
    const size_t size = 8;
    cl_command_queue queue = cl_queue(0);
    cl_kernel kernel = cl_kernel_of("__kernel void grow(__global uint *a, uint i) { a[get_global_id(0)] = "
                                    "a[get_global_id(0)] * 3 + i; }",
                                    "grow");
    cl_set_mem(kernel, 0, mem);
    for (cl_uint round = 0; round < SHORT_ROUNDS; round++) {
        for (cl_uint i = 0; i < SHORT_BURST; i++) {
            cl_ok(clSetKernelArg(kernel, 1, sizeof(i), &i));
            cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
            if (round % 3 == 0)
                cl_ok(clFlush(queue));
        }
        cl_ok(clFinish(queue));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(queue));
    return NULL;
}

START_TEST(short_bursts)
{
    cl_uint out[8], want = 0, zero[8] = {0};
    pthread_t thread[2];
    cl_mem mem[2];
    for (int t = 0; t < 2; t++) {
        mem[t] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
        ck_assert_int_eq(pthread_create(&thread[t], NULL, short_launches, mem[t]), 0);
    }
    for (cl_uint i = 0; i < SHORT_ROUNDS * SHORT_BURST; i++)
        want = want * 3 + i % SHORT_BURST;
    for (int t = 0; t < 2; t++) {
        ck_assert_int_eq(pthread_join(thread[t], NULL), 0);
        cl_read(mem[t], out, sizeof(out));
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(out[i], want);
        cl_ok(clReleaseMemObject(mem[t]));
    }
}
END_TEST

/* One buffer as two arguments, and overlapping windows of one buffer. */
START_TEST(aliased_args)
{
    static const char text[] = "__kernel void twice(__global int *to, __global const int *from)\n"
                               "{ size_t i = get_global_id(0); to[i] = from[i] * 2; }\n";
    enum { ITEMS = 4096 };
    int *values = malloc(ITEMS * 4), *got = malloc(ITEMS * 4);
    cl_int error;
    for (int i = 0; i < ITEMS; i++)
        values[i] = i;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, ITEMS * 4, values);
    cl_kernel kernel = cl_kernel_of(text, "twice");
    cl_set_mem(kernel, 0, mem);
    cl_set_mem(kernel, 1, mem);
    cl_launch(kernel, ITEMS);
    cl_buffer_region low = {0, ITEMS * 2}, high = {ITEMS * 2, ITEMS * 2};
    cl_mem first = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &error);
    cl_ok(error);
    cl_mem second = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, second);
    cl_set_mem(kernel, 1, first);
    cl_launch(kernel, ITEMS / 2);
    cl_read(mem, got, ITEMS * 4);
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], i < ITEMS / 2 ? 2 * i : 4 * (i - ITEMS / 2));
    cl_ok(clReleaseMemObject(first));
    cl_ok(clReleaseMemObject(second));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    free(values);
    free(got);
}
END_TEST

/* ---- native kernels ---- */

enum { NATIVE = 4096 };

struct native_args {
    cl_int *whole, *part;
    int add;
    atomic_int *calls;
};

static void CL_CALLBACK add_natively(void *data)
{
    const struct native_args *args = data;
    for (int i = 0; i < NATIVE; i++)
        args->whole[i] += args->add;
    for (int i = 0; args->part && i < NATIVE / 4; i++)
        args->part[i] *= 2;
    atomic_fetch_add(args->calls, 1);
}

/* Between launches that may be split: it sees what they wrote, and they what it wrote. */
START_TEST(native_kernels)
{
    static cl_int values[NATIVE];
    atomic_int calls = 0;
    cl_device_exec_capabilities can;
    cl_int error;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can, NULL));
    if (!(can & CL_EXEC_NATIVE_KERNEL))
        return;
    for (int i = 0; i < NATIVE; i++)
        values[i] = i;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values);
    const cl_buffer_region region = {sizeof(values) / 2, sizeof(values) / 4};
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    cl_kernel kernel = cl_kernel_of(
        "kernel void more(global int *a) { a[get_global_id(0)] += get_global_id(0) % 7; }", "more");
    cl_set_mem(kernel, 0, mem);
    struct native_args args = {.add = 1000, .calls = &calls};
    const cl_mem both[] = {mem, part};
    const void *places[] = {&args.whole, &args.part};
    size_t items = NATIVE, local = 64;
    cl_event gate = clCreateUserEvent(cl.context, &error), done;
    cl_ok(error);
    for (int round = 0; round < 3; round++) {
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, round == 0,
                                     round ? NULL : &gate, NULL));
        cl_ok(clEnqueueNativeKernel(cl.queue, add_natively, &args, sizeof(args), 2, both, places, 0, NULL,
                                    &done));
        args.add = 1; /* it has a copy */
        if (round == 0) {
            ck_assert_int_eq(atomic_load(&calls), 0);
            cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        }
        cl_ok(clWaitForEvents(1, &done));
        ck_assert_int_eq(atomic_load(&calls), round + 1);
        cl_command_type type;
        cl_ok(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        ck_assert_uint_eq(type, CL_COMMAND_NATIVE_KERNEL);
        cl_ok(clReleaseEvent(done));
    }
    cl_read(mem, values, sizeof(values));
    for (int i = 0; i < NATIVE; i++) {
        int want = i;
        for (int round = 0; round < 3; round++) {
            want += i % 7 + (round ? 1 : 1000);
            if (i >= NATIVE / 2 && i < NATIVE / 2 + NATIVE / 4)
                want *= 2;
        }
        ck_assert_int_eq(values[i], want);
    }
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* A clone has the arguments that its kernel had, of all kinds, and lives on its own. */
START_TEST(clones)
{
    static const char text[] =
        "__kernel void add(__global int *data, int n, __local int *room)\n"
        "{ room[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  data[get_global_id(0)] += room[get_local_size(0) - 1 - get_local_id(0)]; }\n"
        "__kernel void set(__global int *data) { data[get_global_id(0)] = 7; }\n";
    enum { ITEMS = 1024 };
    const size_t items = ITEMS, local = 16;
    static int values[ITEMS];
    cl_int error, n = 5;
    cl_program program = cl_build(text, "");
    cl_kernel kernel = clCreateKernel(program, "add", &error), unset = clCreateKernel(program, "set", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values);
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, n);
    cl_ok(clSetKernelArg(kernel, 2, local * sizeof(int), NULL));
    cl_kernel clone = clCloneKernel(kernel, &error);
    cl_ok(error);
    cl_set_int(kernel, 1, 100);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, clone, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_set_int(clone, 1, 1000);
    kernel = clCloneKernel(clone, &error); /* of a clone whose kernel is gone */
    cl_ok(error);
    cl_ok(clReleaseKernel(clone));
    cl_ok(clReleaseProgram(program));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    clone = clCloneKernel(unset, &error);
    cl_ok(error);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, clone, 1, NULL, &items, &local, 0, NULL, NULL),
              CL_INVALID_KERNEL_ARGS);
    cl_set_mem(clone, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, unset, 1, NULL, &items, &local, 0, NULL, NULL),
              CL_INVALID_KERNEL_ARGS);
    cl_read(mem, values, sizeof(values));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(values[i], 1105);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, clone, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, values, sizeof(values));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(values[i], 7);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(clone));
    cl_ok(clReleaseKernel(unset));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_launch");
    TCase *tcase = cl_case(suite, "launch");
    tcase_add_loop_test(tcase, ids_in_every_dimension, 0, 4);
    tcase_add_test(tcase, odd_geometries);
    tcase_add_test(tcase, required_size);
    tcase_add_test(tcase, tasks);
    tcase_add_test(tcase, geometry_errors);
    tcase_add_test(tcase, uneven_last_group);
    tcase_add_test(tcase, large_offset);
    tcase_add_test(tcase, long_chain);
    tcase_add_test(tcase, short_bursts);
    tcase_add_test(tcase, aliased_args);
    tcase_add_test(tcase, native_kernels);
    tcase_add_test(tcase, clones);
    return tap_run(suite);
}

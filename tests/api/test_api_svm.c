/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory against a plain model: what kernels, copies, fills, maps and buffers over it leave
 * behind, and pointers kept in memory. Frees, waits and refusals are in test_api_svm_calls.c.
 */
#include "cl_fixture.h"
#include <stdio.h>

enum { LOCAL = 16, ITEMS = 1024, BYTES = ITEMS * sizeof(cl_int) };

static const char source[] =
    "kernel void scale(global int *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + (int)i; }\n"
    "kernel void sum(global const int *a, global const int *b, global int *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void before(global int *p) { size_t i = get_global_id(0); p[(long)i - 64] = p[i] + 1; }\n"
    "kernel void where(global int *p, global ulong *out)\n"
    "{ size_t i = get_global_id(0); out[i] = (ulong)(p + i); }\n"
    "typedef struct node { global struct node *next; int value, seen; } node;\n"
    "kernel void visit(global node *head, int add)\n"
    "{ if (get_global_id(0) == 0) for (; head; head = head->next) { head->value += add; head->seen++; } }\n"
    "kernel void chain(global node *nodes, int n)\n"
    "{ int i = get_global_id(0); nodes[i].next = i + 1 < n ? nodes + i + 1 : 0; nodes[i].value = i; "
    "nodes[i].seen = 0; }\n"
    "kernel void follow(global ulong *table)\n"
    "{ global int *p = (global int *)table[get_global_id(0)]; if (p) *p += 5; }\n"
    "kernel void maybe(global int *p, global int *q) { size_t i = get_global_id(0); q[i] = p ? 1 : 2; }\n";

struct node {
    struct node *next;
    cl_int value, seen;
};

static cl_program program;

static cl_device_svm_capabilities capabilities(void)
{
    cl_device_svm_capabilities caps = 0;
    if (clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(caps), &caps, NULL) != CL_SUCCESS)
        return 0;
    return caps;
}

static void setup(void)
{
    cl_open();
    program = cl_build(source, NULL);
}

static void teardown(void)
{
    cl_ok(clReleaseProgram(program));
    cl_close();
}

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

static void *alloc(size_t size)
{
    void *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, size, 0);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void map(void *p, size_t size, cl_map_flags flags)
{
    cl_ok(clEnqueueSVMMap(cl.queue, CL_TRUE, flags, p, size, 0, NULL, NULL));
}

static void unmap(void *p)
{
    cl_ok(clEnqueueSVMUnmap(cl.queue, p, 0, NULL, NULL));
}

/* Writes with a map. */
static void put(void *p, const void *from, size_t size)
{
    map(p, size, CL_MAP_WRITE);
    memcpy(p, from, size);
    unmap(p);
}

static void expect(void *p, const void *model, size_t size)
{
    map(p, size, CL_MAP_READ);
    for (size_t i = 0; i < size; i++)
        ck_assert_msg(((unsigned char *)p)[i] == ((const unsigned char *)model)[i], "byte %zu of %zu differs",
                      i, size);
    unmap(p);
}

static void launch(cl_kernel kernel, size_t items)
{
    const size_t local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static void set_svm(cl_kernel kernel, cl_uint index, const void *p)
{
    cl_ok(clSetKernelArgSVMPointer(kernel, index, p));
}

static void scale_model(cl_int *p, size_t items)
{
    for (size_t i = 0; i < items; i++)
        p[i] = (cl_int)((cl_uint)p[i] * 3u + (cl_uint)i);
}

START_TEST(launches_and_maps)
{
    cl_int *p = alloc(BYTES), model[ITEMS];
    cl_kernel kernel = kernel_of("scale");
    cl_noise(model, BYTES);
    put(p, model, BYTES);
    set_svm(kernel, 0, p);
    for (int round = 0; round < 4; round++) {
        launch(kernel, ITEMS);
        scale_model(model, ITEMS);
        if (round % 2)
            expect(p, model, BYTES);
        if (round == 2) { /* a part of it */
            cl_noise(model + 100, 40);
            put(p + 100, model + 100, 40);
        }
    }
    expect(p + 17, model + 17, 100);
    cl_ok(clReleaseKernel(kernel));
    clSVMFree(cl.context, p);
}
END_TEST

/* Pointers into the middle of one allocation, also two at once, and one after the end. */
START_TEST(pointers_into_the_middle)
{
    static const size_t offsets[] = {0, 256, 32, 64, 1, 3, 333};
    cl_int *p = alloc(4 * BYTES), model[4 * ITEMS];
    cl_kernel scale = kernel_of("scale"), sum = kernel_of("sum");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
        size_t at = offsets[i];
        set_svm(scale, 0, p + at);
        launch(scale, ITEMS);
        scale_model(model + at, ITEMS);
        set_svm(sum, 0, p + at);
        set_svm(sum, 1, p + at + 7);
        set_svm(sum, 2, p + 2 * ITEMS + at);
        launch(sum, ITEMS);
        for (size_t k = 0; k < ITEMS; k++)
            model[2 * ITEMS + at + k] = (cl_int)((cl_uint)model[at + k] + (cl_uint)model[at + 7 + k]);
    }
    expect(p, model, sizeof(model));
    set_svm(scale, 0, p + 4 * ITEMS);
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(sum));
    clSVMFree(cl.context, p);
}
END_TEST

START_TEST(bytes_before_the_pointer)
{
    cl_int *p = alloc(2 * BYTES), model[2 * ITEMS];
    cl_kernel scale = kernel_of("scale"), before = kernel_of("before");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    set_svm(scale, 0, p);
    launch(scale, 2 * ITEMS);
    scale_model(model, 2 * ITEMS);
    set_svm(before, 0, p + 64);
    launch(before, LOCAL); /* what it reads is not what it writes */
    for (size_t i = 0; i < LOCAL; i++)
        model[i] = (cl_int)((cl_uint)model[64 + i] + 1u);
    launch(scale, 2 * ITEMS);
    scale_model(model, 2 * ITEMS);
    expect(p, model, sizeof(model));
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(before));
    clSVMFree(cl.context, p);
}
END_TEST

/* The kernel sees the program's addresses. */
START_TEST(one_address)
{
    cl_int *p = alloc(BYTES);
    cl_ulong *out = alloc(64 * sizeof(cl_ulong)), seen[64];
    cl_kernel kernel = kernel_of("where");
    for (size_t at = 0; at < 200; at += 50) {
        set_svm(kernel, 0, p + at);
        set_svm(kernel, 1, out);
        launch(kernel, 64);
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, seen, out, sizeof(seen), 0, NULL, NULL));
        for (size_t i = 0; i < 64; i++)
            ck_assert_uint_eq(seen[i], (cl_ulong)(uintptr_t)(p + at + i));
    }
    cl_ok(clReleaseKernel(kernel));
    clSVMFree(cl.context, out);
    clSVMFree(cl.context, p);
}
END_TEST

/* A list whose nodes lie in allocations of their own, walked by the device. */
START_TEST(linked_list)
{
    enum { NODES = 12 };
    struct node *node[NODES];
    cl_kernel visit = kernel_of("visit");
    cl_int seven = 7;
    for (int i = 0; i < NODES; i++)
        node[i] = alloc(sizeof(struct node) * (i % 3 + 1));
    for (int i = 0; i < NODES; i++) {
        map(node[i], sizeof(struct node), CL_MAP_WRITE);
        *node[i] = (struct node){i + 1 < NODES ? node[i + 1] : NULL, i, 0};
        unmap(node[i]);
    }
    cl_ok(clSetKernelExecInfo(visit, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(node), node));
    cl_ok(clSetKernelArg(visit, 1, sizeof(seven), &seven));
    set_svm(visit, 0, node[0]);
    launch(visit, LOCAL);
    set_svm(visit, 0, node[5]);
    launch(visit, LOCAL);
    for (int i = 0; i < NODES; i++) {
        struct node want = {i + 1 < NODES ? node[i + 1] : NULL, i + (i < 5 ? 7 : 14), i < 5 ? 1 : 2};
        expect(node[i], &want, sizeof(want));
    }
    cl_ok(clReleaseKernel(visit));
    for (int i = 0; i < NODES; i++)
        clSVMFree(cl.context, node[i]);
}
END_TEST

/* Built on the device, walked by the program, walked by the device, and copied meanwhile. */
START_TEST(list_built_on_the_device)
{
    enum { NODES = 64 };
    struct node *nodes = alloc(NODES * sizeof(*nodes)), copy[NODES];
    cl_kernel chain = kernel_of("chain"), visit = kernel_of("visit");
    cl_int n = NODES, two = 2, count = 0;
    set_svm(chain, 0, nodes);
    cl_ok(clSetKernelArg(chain, 1, sizeof(n), &n));
    launch(chain, NODES);
    map(nodes, NODES * sizeof(*nodes), CL_MAP_READ | CL_MAP_WRITE);
    for (struct node *at = nodes; at; at = at->next, count++) {
        ck_assert_int_eq(at->value, count);
        at->value *= 10;
    }
    ck_assert_int_eq(count, NODES);
    unmap(nodes);
    set_svm(visit, 0, nodes + 3);
    cl_ok(clSetKernelArg(visit, 1, sizeof(two), &two));
    launch(visit, LOCAL);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, copy, nodes, sizeof(copy), 0, NULL, NULL));
    for (int i = 0; i < NODES; i++) {
        ck_assert_int_eq(copy[i].value, 10 * i + (i < 3 ? 0 : 2));
        ck_assert_int_eq(copy[i].seen, i >= 3);
    }
    cl_ok(clReleaseKernel(chain));
    cl_ok(clReleaseKernel(visit));
    clSVMFree(cl.context, nodes);
}
END_TEST

/* Pointers in an ordinary buffer, to bytes that a split launch wrote last. */
START_TEST(pointers_in_a_buffer)
{
    cl_int *p = alloc(BYTES), *q = alloc(BYTES), model[ITEMS];
    cl_ulong table[64];
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, sizeof(table), NULL);
    cl_kernel scale = kernel_of("scale"), follow = kernel_of("follow");
    const void *pointers[] = {p, q + 5};
    cl_noise(model, BYTES);
    put(p, model, BYTES);
    put(q, model, BYTES);
    for (size_t i = 0; i < 64; i++)
        table[i] = i % 4 ? (cl_ulong)(uintptr_t)((i % 4 == 1 ? p : q) + 16 * i) : 0;
    cl_write(mem, table, sizeof(table));
    cl_set_mem(follow, 0, mem);
    cl_ok(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers), pointers));
    for (int round = 0; round < 2; round++) {
        set_svm(scale, 0, p);
        launch(scale, ITEMS);
        set_svm(scale, 0, q);
        launch(scale, ITEMS);
        launch(follow, 64);
    }
    cl_int other[ITEMS];
    memcpy(other, model, BYTES);
    for (int round = 0; round < 2; round++) {
        scale_model(model, ITEMS);
        scale_model(other, ITEMS);
        for (size_t i = 0; i < 64; i++) {
            if (i % 4)
                (i % 4 == 1 ? model : other)[16 * i] += 5;
        }
    }
    expect(p, model, BYTES);
    expect(q, other, BYTES);
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(follow));
    cl_ok(clReleaseMemObject(mem));
    clSVMFree(cl.context, p);
    clSVMFree(cl.context, q);
}
END_TEST

START_TEST(copies_and_fills)
{
    cl_int *p = alloc(BYTES), *q = alloc(BYTES), host[ITEMS], a[ITEMS], b[ITEMS];
    const cl_int4 pattern = {{1, 2, 3, 4}};
    cl_kernel scale = kernel_of("scale");
    cl_noise(a, BYTES);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, a, BYTES, 0, NULL, NULL));
    set_svm(scale, 0, p);
    launch(scale, ITEMS);
    scale_model(a, ITEMS);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_FALSE, q, p, BYTES, 0, NULL, NULL));
    memcpy(b, a, BYTES);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_FALSE, p + 8, p + 512, 1000, 0, NULL, NULL)); /* within one */
    memcpy(a + 8, a + 512, 1000);
    cl_ok(clEnqueueSVMMemFill(cl.queue, q + 4, &pattern, sizeof(pattern), 160, 0, NULL, NULL));
    for (int i = 0; i < 40; i++)
        b[4 + i] = i % 4 + 1;
    cl_ok(clEnqueueSVMMemFill(cl.queue, (char *)q + 3, "x", 1, 5, 0, NULL, NULL));
    memset((char *)b + 3, 'x', 5);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, host, p, BYTES, 0, NULL, NULL));
    ck_assert_int_eq(memcmp(host, a, BYTES), 0);
    expect(q, b, BYTES);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, host, b, BYTES, 0, NULL, NULL)); /* neither is shared */
    ck_assert_int_eq(memcmp(host, b, BYTES), 0);
    set_svm(scale, 0, q);
    launch(scale, ITEMS);
    scale_model(b, ITEMS);
    expect(q, b, BYTES);
    cl_ok(clReleaseKernel(scale));
    clSVMFree(cl.context, p);
    clSVMFree(cl.context, q);
}
END_TEST

START_TEST(migrations)
{
    cl_int *p = alloc(BYTES), *q = alloc(BYTES), model[ITEMS];
    const void *pointers[] = {p, q + 3};
    const size_t sizes[] = {0, 8};
    cl_kernel scale = kernel_of("scale");
    cl_noise(model, BYTES);
    put(p, model, BYTES);
    set_svm(scale, 0, p);
    launch(scale, ITEMS);
    scale_model(model, ITEMS);
    cl_ok(clEnqueueSVMMigrateMem(cl.queue, 2, pointers, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    expect(p, model, BYTES);
    cl_ok(clEnqueueSVMMigrateMem(cl.queue, 1, pointers, NULL, 0, 0, NULL, NULL));
    launch(scale, ITEMS);
    scale_model(model, ITEMS);
    expect(p, model, BYTES);
    cl_ok(clReleaseKernel(scale));
    clSVMFree(cl.context, p);
    clSVMFree(cl.context, q);
}
END_TEST

/* A buffer over an allocation and a sub-buffer of it are the same bytes. */
START_TEST(buffers_over_it)
{
    cl_int *p = alloc(4 * BYTES), model[4 * ITEMS], got[ITEMS], *mapped;
    cl_int error;
    cl_bool uses = CL_FALSE;
    size_t offset = 7;
    cl_mem parent = NULL;
    void *host_ptr = NULL;
    cl_kernel scale = kernel_of("scale");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 3 * BYTES, p + ITEMS);
    const cl_buffer_region region = {BYTES, BYTES};
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    cl_ok(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
    if (cl_is_coexec()) /* PoCL 3.1: only at the first byte */
        ck_assert_int_eq(uses, CL_TRUE);
    cl_ok(clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    ck_assert_uint_eq(offset, 0);
    cl_ok(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(host_ptr), &host_ptr, NULL));
    ck_assert_ptr_eq(host_ptr, p + ITEMS);
    cl_ok(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    ck_assert_uint_eq(offset, BYTES);
    cl_ok(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    ck_assert_ptr_eq(parent, mem);

    for (int round = 0; round < 3; round++) {
        cl_set_mem(scale, 0, round == 1 ? part : mem);
        launch(scale, ITEMS);
        scale_model(model + (round == 1 ? 2 : 1) * ITEMS, ITEMS);
        set_svm(scale, 0, p);
        launch(scale, 2 * ITEMS);
        scale_model(model, 2 * ITEMS);
        cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, BYTES, BYTES, got, 0, NULL, NULL));
        ck_assert_int_eq(memcmp(got, model + 2 * ITEMS, BYTES), 0);
        cl_noise(model + 2 * ITEMS, BYTES / 2);
        cl_ok(clEnqueueWriteBuffer(cl.queue, part, CL_TRUE, 0, BYTES / 2, model + 2 * ITEMS, 0, NULL, NULL));
        expect(p, model, sizeof(model));
    }
    mapped = clEnqueueMapBuffer(cl.queue, part, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 0, NULL, NULL,
                                &error);
    cl_ok(error);
    ck_assert_ptr_eq(mapped, p + 2 * ITEMS + 4);
    ck_assert_int_eq(mapped[0], model[2 * ITEMS + 4]);
    mapped[0] = model[2 * ITEMS + 4] = 99;
    cl_ok(clEnqueueUnmapMemObject(cl.queue, part, mapped, 0, NULL, NULL));
    expect(p, model, sizeof(model));
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(mem));
    cl_mem odd = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 40, p + 3);
    cl_read(odd, got, 40);
    ck_assert_int_eq(memcmp(got, model + 3, 40), 0);
    cl_ok(clReleaseMemObject(odd));
    if (cl_is_coexec()) {
        ck_assert_ptr_null(clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, BYTES, p + 3 * ITEMS + 1, &error));
        ck_assert_int_eq(error, CL_INVALID_BUFFER_SIZE);
    }
    cl_ok(clReleaseKernel(scale));
    clSVMFree(cl.context, p);
}
END_TEST

/* One argument takes shared memory, buffers and NULL in turn (NVIDIA's own driver fails). */
START_TEST(arguments_of_all_kinds)
{
    cl_int *p = alloc(BYTES), model[2][ITEMS], got[ITEMS];
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel scale = kernel_of("scale"), maybe = kernel_of("maybe");
    cl_noise(model, sizeof(model));
    put(p, model[0], BYTES);
    cl_write(mem, model[1], BYTES);
    for (int round = 0; round < 6; round++) {
        if (round % 2)
            set_svm(scale, 0, p);
        else
            cl_set_mem(scale, 0, mem);
        launch(scale, ITEMS);
        scale_model(model[!(round % 2)], ITEMS);
    }
    expect(p, model[0], BYTES);
    cl_read(mem, got, BYTES);
    ck_assert_int_eq(memcmp(got, model[1], BYTES), 0);
    for (int round = 0; round < 6; round++) {
        if (round % 3 == 0)
            set_svm(maybe, 0, p);
        else if (round % 3 == 1)
            cl_set_mem(maybe, 0, NULL);
        else
            set_svm(maybe, 0, NULL);
        cl_set_mem(maybe, 1, mem);
        launch(maybe, ITEMS);
        cl_read(mem, got, BYTES);
        for (size_t i = 0; i < ITEMS; i++)
            ck_assert_int_eq(got[i], round % 3 ? 2 : 1);
    }
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(maybe));
    cl_ok(clReleaseMemObject(mem));
    clSVMFree(cl.context, p);
}
END_TEST

/* NULL is a pointer like any other. */
START_TEST(null_pointer)
{
    cl_int *q = alloc(BYTES), got[ITEMS];
    cl_kernel kernel = kernel_of("maybe");
    for (int round = 0; round < 2; round++) {
        set_svm(kernel, 0, round ? q : NULL);
        set_svm(kernel, 1, q);
        launch(kernel, ITEMS);
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, got, q, BYTES, 0, NULL, NULL));
        for (size_t i = 0; i < ITEMS; i++)
            ck_assert_int_eq(got[i], round ? 1 : 2);
    }
    cl_ok(clReleaseKernel(kernel));
    clSVMFree(cl.context, q);
}
END_TEST

/* The program touches the bytes without a map whenever no command is at work on them. */
START_TEST(fine_grained)
{
    cl_int model[ITEMS];
    if (!(capabilities() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    cl_int *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 64);
    cl_kernel scale = kernel_of("scale");
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq((uintptr_t)p % 64, 0);
    cl_int *coarse = alloc(BYTES);
    cl_noise(model, BYTES);
    memcpy(p, model, BYTES);
    put(coarse, model, BYTES);
    for (int round = 0; round < 3; round++) {
        set_svm(scale, 0, p);
        launch(scale, ITEMS);
        cl_ok(clFinish(cl.queue));
        scale_model(model, ITEMS);
        ck_assert_int_eq(memcmp(p, model, BYTES), 0);
        p[round] = model[round] = round;
        set_svm(scale, 0, coarse);
        launch(scale, ITEMS);
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p + 512, coarse, BYTES / 2, 0, NULL, NULL));
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, model + 512, coarse, BYTES / 2, 0, NULL, NULL));
        ck_assert_int_eq(memcmp(p, model, BYTES), 0);
        const cl_int nine = 9;
        cl_ok(clEnqueueSVMMemFill(cl.queue, p + 40, &nine, sizeof(nine), 64, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        for (int i = 0; i < 16; i++)
            model[40 + i] = 9;
        ck_assert_int_eq(memcmp(p, model, BYTES), 0);
    }
    map(p, BYTES, CL_MAP_READ | CL_MAP_WRITE);
    unmap(p);
    cl_ok(clReleaseKernel(scale));
    clSVMFree(cl.context, p);
    clSVMFree(cl.context, coarse);
}
END_TEST

/* Random commands on three allocations and a buffer over the last. */
START_TEST(storm)
{
    enum { N = 3 };
    cl_int *p[N], model[N][ITEMS], host[ITEMS];
    cl_kernel scale = kernel_of("scale"), sum = kernel_of("sum");
    cl_seed(100 + (unsigned)_i);
    for (int i = 0; i < N; i++) {
        p[i] = alloc(BYTES);
        cl_noise(model[i], BYTES);
        put(p[i], model[i], BYTES);
    }
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, p[N - 1]);
    for (int step = 0; step < 60; step++) {
        unsigned a = cl_roll(N), b = cl_roll(N);
        size_t at = cl_roll(ITEMS / 2), to = cl_roll(ITEMS / 2),
               items = LOCAL * (1 + cl_roll(ITEMS / 2 / LOCAL));
        size_t bytes = items * sizeof(cl_int);
        switch (cl_roll(9)) {
        case 0:
        case 1:
            if (cl_roll(2))
                at = at / 32 * 32;
            set_svm(scale, 0, p[a] + at);
            launch(scale, items);
            scale_model(model[a] + at, items);
            break;
        case 2:
            if (a == b)
                break;
            set_svm(sum, 0, p[a] + at);
            set_svm(sum, 1, p[a] + to);
            set_svm(sum, 2, p[b] + to);
            launch(sum, items);
            for (size_t i = 0; i < items; i++)
                model[b][to + i] = (cl_int)((cl_uint)model[a][at + i] + (cl_uint)model[a][to + i]);
            break;
        case 3:
            if (a == b)
                break;
            cl_ok(clEnqueueSVMMemcpy(cl.queue, cl_roll(2), p[a] + to, p[b] + at, bytes, 0, NULL, NULL));
            memcpy(model[a] + to, model[b] + at, bytes);
            break;
        case 4:
            cl_noise(host, bytes);
            cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p[a] + at, host, bytes, 0, NULL, NULL));
            memcpy(model[a] + at, host, bytes);
            break;
        case 5:
            cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, host, p[a] + at, bytes, 0, NULL, NULL));
            ck_assert_msg(memcmp(host, model[a] + at, bytes) == 0, "step %d", step);
            break;
        case 6:
            cl_noise(model[a] + at, bytes);
            put(p[a] + at, model[a] + at, bytes);
            break;
        case 7:
            cl_set_mem(scale, 0, mem);
            launch(scale, items);
            scale_model(model[N - 1], items);
            break;
        default:
            cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, at * 4, bytes, host, 0, NULL, NULL));
            ck_assert_msg(memcmp(host, model[N - 1] + at, bytes) == 0, "step %d", step);
            break;
        }
    }
    for (int i = 0; i < N; i++)
        expect(p[i], model[i], BYTES);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(sum));
    for (int i = 0; i < N; i++)
        clSVMFree(cl.context, p[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("svm");
    TCase *tcase = tcase_create("svm");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, launches_and_maps);
    tcase_add_test(tcase, pointers_into_the_middle);
    tcase_add_test(tcase, bytes_before_the_pointer);
    tcase_add_test(tcase, one_address);
    tcase_add_test(tcase, linked_list);
    tcase_add_test(tcase, list_built_on_the_device);
    tcase_add_test(tcase, pointers_in_a_buffer);
    tcase_add_test(tcase, copies_and_fills);
    tcase_add_test(tcase, migrations);
    tcase_add_test(tcase, buffers_over_it);
    tcase_add_test(tcase, arguments_of_all_kinds);
    tcase_add_test(tcase, null_pointer);
    tcase_add_test(tcase, fine_grained);
    tcase_add_loop_test(tcase, storm, 0, 3);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

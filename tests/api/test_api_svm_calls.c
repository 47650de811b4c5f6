/* SPDX-License-Identifier: MIT */
/*
 * The functions of shared virtual memory one by one: frees, waits, and what they refuse. On a device without
 * it all are refused.
 */
#include "cl_fixture.h"

enum { LOCAL = 16, ITEMS = 1024, BYTES = ITEMS * sizeof(cl_int) };

static const char source[] =
    "kernel void scale(global int *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + (int)i; }\n"
    "kernel void local_arg(local int *l, int v, global int *p) { l[0] = v; p[0] = l[0]; }\n";

static cl_device_svm_capabilities capabilities(void)
{
    cl_device_svm_capabilities caps = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(caps), &caps, NULL));
    return caps;
}

static void *alloc(size_t size)
{
    void *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, size, 0);
    ck_assert_ptr_nonnull(p);
    return p;
}

struct freed {
    cl_uint count;
    void *pointers[4];
    cl_command_queue queue;
};

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    struct freed *freed = data;
    freed->queue = queue;
    freed->count = count;
    for (cl_uint i = 0; i < count; i++) {
        freed->pointers[i] = pointers[i];
        clSVMFree(cl.context, pointers[i]);
    }
}

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    cl_ok(clReleaseEvent(event));
    return type;
}

START_TEST(enqueued_frees)
{
    cl_kernel scale = cl_kernel_of(source, "scale");
    const size_t items = ITEMS, local = LOCAL;
    for (int round = 0; round < 2; round++) {
        void *pointers[2] = {alloc(BYTES), alloc(100)}, *copy[2];
        struct freed freed = {0};
        cl_event event;
        memcpy(copy, pointers, sizeof(copy));
        cl_ok(clSetKernelArgSVMPointer(scale, 0, pointers[0]));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, scale, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_ok(clEnqueueSVMFree(cl.queue, 2, pointers, round ? free_them : NULL, round ? &freed : NULL, 0,
                               NULL, &event));
        if (cl_is_coexec()) /* the list may go with the call */
            memset(pointers, 0, sizeof(pointers));
        cl_ok(clWaitForEvents(1, &event));
        ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_FREE);
        if (round) {
            ck_assert_uint_eq(freed.count, 2);
            ck_assert_ptr_eq(freed.queue, cl.queue);
            ck_assert_int_eq(memcmp(freed.pointers, copy, sizeof(copy)), 0);
        }
    }
    cl_ok(clReleaseKernel(scale));
}
END_TEST

START_TEST(command_types)
{
    cl_int *p = alloc(BYTES), host[4] = {0};
    const void *pointers[] = {p};
    cl_event event;
    cl_ok(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, BYTES, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MAP);
    cl_ok(clEnqueueSVMUnmap(cl.queue, p, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_UNMAP);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, host, sizeof(host), 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MEMCPY);
    cl_ok(clEnqueueSVMMemFill(cl.queue, p, host, 4, 64, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MEMFILL);
    cl_ok(clEnqueueSVMMigrateMem(cl.queue, 1, pointers, NULL, 0, 0, NULL, &event));
    cl_command_type type = type_of(event);
    if (cl_is_coexec()) /* PoCL 3.1 says CL_COMMAND_MIGRATE_MEM_OBJECTS */
        ck_assert_uint_eq(type, CL_COMMAND_SVM_MIGRATE_MEM);
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
}
END_TEST

/* Commands wait for their list, and fail with it. */
START_TEST(wait_lists)
{
    cl_int *p = alloc(BYTES), value = 4, status = 0, error;
    if (!cl_user_events_fail())
        return;
    cl_event user = clCreateUserEvent(cl.context, &error), events[4];
    cl_ok(error);
    cl_ok(clEnqueueSVMMemFill(cl.queue, p, &value, sizeof(value), BYTES, 1, &user, &events[0]));
    cl_ok(clEnqueueSVMMap(cl.queue, CL_FALSE, CL_MAP_READ, p, BYTES, 0, NULL, &events[1]));
    cl_ok(clEnqueueSVMUnmap(cl.queue, p, 1, &events[1], NULL));
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clWaitForEvents(2, events));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(events[0]));
    cl_ok(clReleaseEvent(events[1]));
    user = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_ok(clEnqueueSVMMemFill(cl.queue, p, &value, sizeof(value), BYTES, 1, &user, &events[0]));
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_FALSE, p, &value, 4, 1, &user, &events[1]));
    cl_ok(clEnqueueSVMMap(cl.queue, CL_FALSE, CL_MAP_READ, p, BYTES, 1, &user, &events[2]));
    cl_ok(clEnqueueSVMFree(cl.queue, 1, (void **)&p, NULL, NULL, 1, &user, &events[3]));
    cl_ok(clSetUserEventStatus(user, -7));
    cl_ok(clFinish(cl.queue));
    for (int i = 0; i < 4; i++) {
        cl_ok(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        ck_assert_int_lt(status, 0);
        cl_ok(clReleaseEvent(events[i]));
    }
    cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, BYTES, 1, &user, NULL),
              CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(user));
    cl_ok(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, BYTES, 0, NULL, NULL));
    ck_assert_int_eq(p[5], 4);
    cl_ok(clEnqueueSVMUnmap(cl.queue, p, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
}
END_TEST

/* ---- refusals ---- */

START_TEST(bad_allocations)
{
    cl_ulong most = 0;
    const cl_device_svm_capabilities caps = capabilities();
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 0, 0));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, (size_t)most + 1, 0));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 3));
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 1 << 20));
    if (cl_is_coexec())
        ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_USE_HOST_PTR, 64, 0));
    if (!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    clSVMFree(cl.context, NULL);
    if (!cl_is_coexec())
        return;
    ck_assert_ptr_null(clSVMAlloc((cl_context)cl.queue, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(cl.context, &most);
    clSVMFree((cl_context)cl.queue, &most);
}
END_TEST

START_TEST(bad_arguments)
{
    cl_int *p = alloc(BYTES), on_stack = 0;
    cl_kernel kernel = cl_kernel_of(source, "local_arg"), scale = cl_kernel_of(source, "scale");
    const void *good[] = {p}, *bad[] = {p, &on_stack};
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    cl_expect(clSetKernelArgSVMPointer(scale, 1, p), CL_INVALID_ARG_INDEX);
    cl_ok(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(good), good));
    if (cl_is_coexec()) { /* PoCL 3.1 looks at none of these */
        cl_expect(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(good), NULL),
                  CL_INVALID_VALUE);
        cl_expect(clSetKernelExecInfo(scale, 0x1234, sizeof(good), good), CL_INVALID_VALUE);
        cl_expect(clSetKernelArgSVMPointer((cl_kernel)cl.queue, 0, p), CL_INVALID_KERNEL);
        cl_expect(clSetKernelArgSVMPointer(kernel, 0, p), CL_INVALID_ARG_VALUE);
        cl_expect(clSetKernelArgSVMPointer(kernel, 1, p), CL_INVALID_ARG_VALUE);
        cl_expect(clSetKernelArgSVMPointer(scale, 0, &on_stack), CL_INVALID_ARG_VALUE);
        cl_expect(clSetKernelArgSVMPointer(scale, 0, p + ITEMS + 1), CL_INVALID_ARG_VALUE);
        cl_expect(clSetKernelExecInfo((cl_kernel)cl.queue, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(good), good),
                  CL_INVALID_KERNEL);
        cl_ok(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, good)); /* an empty list */
        cl_expect(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, good), CL_INVALID_VALUE);
        cl_expect(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(bad), bad),
                  CL_INVALID_VALUE);
        cl_expect(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes),
                  CL_INVALID_VALUE);
        cl_expect(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes),
                  CL_INVALID_OPERATION);
        cl_ok(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(no), &no));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(scale));
    clSVMFree(cl.context, p);
}
END_TEST

/* A kernel keeps no allocation alive. */
START_TEST(argument_gone)
{
    cl_int *p = alloc(BYTES);
    cl_kernel scale = cl_kernel_of(source, "scale"), clone;
    const size_t items = ITEMS, local = LOCAL;
    cl_int error;
    cl_ok(clSetKernelArgSVMPointer(scale, 0, p + 1));
    clone = clCloneKernel(scale, &error);
    cl_ok(error);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, clone, 1, NULL, &local, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
    if (cl_is_coexec())
        cl_expect(clEnqueueNDRangeKernel(cl.queue, scale, 1, NULL, &items, &local, 0, NULL, NULL),
                  CL_INVALID_KERNEL_ARGS);
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(clone));
}
END_TEST

START_TEST(bad_commands)
{
    cl_int *p = alloc(BYTES), value = 0;
    const void *pointers[] = {p, p};
    const cl_event none = NULL;
    const size_t sizes[] = {BYTES, BYTES + 1};
    cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, 4, 1, NULL, NULL),
              CL_INVALID_EVENT_WAIT_LIST);
    cl_expect(clEnqueueSVMUnmap(cl.queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, NULL, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p + 1, p, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_expect(clEnqueueSVMMemFill(cl.queue, NULL, &value, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemFill(cl.queue, p, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemFill(cl.queue, p, &value, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemFill(cl.queue, p, &value, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemFill(cl.queue, p, &value, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMemFill(cl.queue, (char *)p + 1, &value, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMFree(cl.queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMigrateMem(cl.queue, 0, pointers, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMigrateMem(cl.queue, 1, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueSVMMigrateMem(cl.queue, 1, pointers, NULL, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    if (cl_is_coexec()) {
        void *stack[] = {&value};
        const void *const_stack[] = {p, &value};
        cl_command_queue bad = (cl_command_queue)cl.context;
        cl_expect(clEnqueueSVMMap(bad, CL_TRUE, CL_MAP_READ, p, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMUnmap(bad, p, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMMemcpy(bad, CL_TRUE, p, &value, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMMemFill(bad, p, &value, 4, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMFree(bad, 1, stack, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMMigrateMem(bad, 1, pointers, NULL, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, 4, 1, &none, NULL),
                  CL_INVALID_EVENT_WAIT_LIST);
        cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, 1 << 9, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, p, 4, 0,
                                  NULL, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, p, BYTES + 1, 0, NULL, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, &value, 4, 0, NULL, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMUnmap(cl.queue, p, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMUnmap(cl.queue, &value, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p + ITEMS - 1, &value, 8, 0, NULL, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMemFill(cl.queue, p + ITEMS - 1, &value, 4, 8, 0, NULL, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMemFill(cl.queue, &value, &value, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMFree(cl.queue, 0, stack, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_ok(clEnqueueSVMFree(cl.queue, 0, NULL, NULL, NULL, 0, NULL, NULL));
        cl_expect(clEnqueueSVMMigrateMem(cl.queue, 2, const_stack, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_expect(clEnqueueSVMMigrateMem(cl.queue, 2, pointers, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, &value, 0, 0, NULL, NULL));
        cl_ok(clEnqueueSVMMemFill(cl.queue, p, &value, 4, 0, 0, NULL, NULL));
    }
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
}
END_TEST

/* Kernels that the stub driver has, too, on whose devices nothing is shared: they take part by shadows. */
START_TEST(beside_devices_without)
{
    static const char stub[] =
        "__kernel void stub_inc(__global int *p) { p[get_global_id(0)] += 1; }\n"
        "__kernel void stub_add(__global const int *a, __global const int *b, __global int *out)\n"
        "{ size_t i = get_global_id(0); out[i] = a[i] + b[i]; }\n";
    cl_int *p = alloc(4 * BYTES), model[4 * ITEMS];
    cl_kernel inc = cl_kernel_of(stub, "stub_inc"), add = cl_kernel_of(stub, "stub_add");
    const size_t items = ITEMS, local = LOCAL;
    cl_noise(model, sizeof(model));
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, model, sizeof(model), 0, NULL, NULL));
    for (int round = 0; round < 8; round++) {
        const size_t at = (size_t)round % 4 * 256;
        cl_ok(clSetKernelArgSVMPointer(inc, 0, p + at));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, inc, 1, NULL, &items, &local, 0, NULL, NULL));
        for (size_t i = 0; i < ITEMS; i++)
            model[at + i] = (cl_int)((cl_uint)model[at + i] + 1u);
        cl_ok(clSetKernelArgSVMPointer(add, 0, p + at));
        cl_ok(clSetKernelArgSVMPointer(add, 1, p + 512));
        cl_ok(clSetKernelArgSVMPointer(add, 2, p + 2 * ITEMS + at));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, add, 1, NULL, &items, &local, 0, NULL, NULL));
        for (size_t i = 0; i < ITEMS; i++)
            model[2 * ITEMS + at + i] = (cl_int)((cl_uint)model[at + i] + (cl_uint)model[512 + i]);
        if (round % 3)
            continue;
        cl_ok(
            clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, sizeof(model), 0, NULL, NULL));
        ck_assert_int_eq(memcmp(p, model, sizeof(model)), 0);
        p[round] = model[round] = 7;
        cl_ok(clEnqueueSVMUnmap(cl.queue, p, 0, NULL, NULL));
    }
    cl_ok(clReleaseKernel(inc));
    cl_ok(clReleaseKernel(add));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
}
END_TEST

/* No device has it: everything is refused. */
START_TEST(without)
{
    cl_int value = 0, error;
    void *pointers[] = {&value};
    cl_kernel kernel =
        cl_kernel_of("__kernel void stub_inc(__global int *p) { p[get_global_id(0)] += 1; }", "stub_inc");
    ck_assert_uint_eq(capabilities(), 0);
    ck_assert_ptr_null(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(cl.context, &value);
    cl_expect(clSetKernelArgSVMPointer(kernel, 0, &value), CL_INVALID_OPERATION);
    cl_expect(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers), pointers),
              CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, &value, 4, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMUnmap(cl.queue, &value, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, &value, &error, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMMemFill(cl.queue, &value, &error, 4, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMFree(cl.queue, 1, pointers, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_expect(clEnqueueSVMMigrateMem(cl.queue, 1, (const void **)pointers, NULL, 0, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("svm calls");
    TCase *tcase = cl_case(suite, "svm calls");
    if (getenv("SVM_TEST_WITHOUT")) {
        tcase_add_test(tcase, without);
        return tap_run(suite);
    }
    tcase_add_test(tcase, beside_devices_without);
    if (getenv("SVM_TEST_BESIDE"))
        return tap_run(suite);
    tcase_add_test(tcase, enqueued_frees);
    tcase_add_test(tcase, command_types);
    tcase_add_test(tcase, wait_lists);
    tcase_add_test(tcase, bad_allocations);
    tcase_add_test(tcase, bad_arguments);
    tcase_add_test(tcase, argument_gone);
    tcase_add_test(tcase, bad_commands);
    return tap_run(suite);
}

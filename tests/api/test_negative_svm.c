/* SPDX-License-Identifier: MIT */
/* Errors of shared virtual memory, on a device that has it and on one that has not. */
#include "negative.h"

static cl_device_svm_capabilities capabilities(void)
{
    cl_device_svm_capabilities answer = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(answer), &answer, NULL));
    return answer;
}

static cl_int allocated(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    void *pointer = clSVMAlloc(context, flags, size, alignment);
    if (pointer)
        clSVMFree(context, pointer);
    return pointer ? CL_SUCCESS : CL_INVALID_VALUE; /* there is no code */
}

START_TEST(allocation)
{
    cl_ulong most = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    bool coarse = capabilities() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;

    if (coarse)
        ROW(CL_SUCCESS, allocated(cl.context, CL_MEM_READ_WRITE, 64, 0));
    else
        ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE, 64, 0));
    ROW(CL_INVALID_VALUE, allocated(NULL, CL_MEM_READ_WRITE, 64, 0));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE, 0, 0));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE, most + 1, 0));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE, 64, 3));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE, 64, 1u << 30));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, allocated(cl.context, (cl_svm_mem_flags)1 << 40, 64, 0));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
    ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_SVM_ATOMICS, 64, 0));
    if (!(capabilities() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        ROW(CL_INVALID_VALUE, allocated(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    clSVMFree(cl.context, NULL);
    clSVMFree(NULL, NULL);
    negative_end();
}
END_TEST

START_TEST(commands)
{
    char host[64] = "";
    const char pattern[256] = "";
    void *list[1] = {NULL};
    const void *constant[1] = {NULL};
    cl_event none = NULL;
    if (!(capabilities() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
        return;
    char *svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 256, 0);
    ck_assert_ptr_nonnull(svm);

#define COPY(queue, to, from, size) clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, NULL, NULL)
#define FILL(queue, to, pattern, bytes, size)                                                                \
    clEnqueueSVMMemFill(queue, to, pattern, bytes, size, 0, NULL, NULL)
#define MAP(queue, flags, ptr, size) clEnqueueSVMMap(queue, CL_TRUE, flags, ptr, size, 0, NULL, NULL)
#define MIGRATE(queue, count, list, flags)                                                                   \
    clEnqueueSVMMigrateMem(queue, count, list, NULL, flags, 0, NULL, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, COPY(NULL, svm, host, 8));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, NULL, host, 8));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, svm, NULL, 8));
    ROW(CL_MEM_COPY_OVERLAP, COPY(cl.queue, svm, svm + 4, 8));
    ROW(CL_MEM_COPY_OVERLAP, COPY(cl.queue, svm + 4, svm, 8));
    ROW(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(cl.queue, CL_TRUE, svm, host, 8, 1, NULL, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(cl.queue, CL_TRUE, svm, host, 8, 1, &none, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, FILL(NULL, svm, pattern, 4, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, NULL, pattern, 4, 8));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, FILL(cl.queue, svm, NULL, 4, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, svm + 1, pattern, 4, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, svm, pattern, 0, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, svm, pattern, 3, 9));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, svm, pattern, 256, 256));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, svm, pattern, 4, 6));
    ROW(CL_INVALID_COMMAND_QUEUE, MAP(NULL, CL_MAP_READ, svm, 8));
    ROW(CL_INVALID_VALUE, MAP(cl.queue, CL_MAP_READ, NULL, 8));
    ROW(CL_INVALID_VALUE, MAP(cl.queue, CL_MAP_READ, svm, 0));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MAP(cl.queue, 1 << 20, svm, 8));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(NULL, svm, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueSVMUnmap(cl.queue, NULL, 0, NULL, NULL));
    constant[0] = svm;
    ROW(CL_INVALID_COMMAND_QUEUE, MIGRATE(NULL, 1, constant, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 0, constant, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 1, NULL, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 1, constant, (cl_mem_migration_flags)1 << 20));
    constant[0] = host;
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MIGRATE(cl.queue, 1, constant, 0));
    constant[0] = svm;
    const size_t beyond[1] = {SIZE_MAX}, more[1] = {1 << 20};
    ROW_POCL(CL_INVALID_VALUE, ANY, clEnqueueSVMMigrateMem(cl.queue, 1, constant, beyond, 0, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, clEnqueueSVMMigrateMem(cl.queue, 1, constant, more, 0, 0, NULL, NULL));
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &negative_code);
    cl_ok(negative_code);
    cl_event strange = clCreateUserEvent(second, &negative_code);
    cl_ok(negative_code);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));
#define LISTS(call)                                                                                          \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(1, NULL));                                                          \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(0, &none));                                                         \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(1, &none));                                                         \
    ROW(CL_INVALID_CONTEXT, call(1, &strange))
#define BY_COPY(n, list)    clEnqueueSVMMemcpy(cl.queue, CL_FALSE, svm, host, 8, n, list, NULL)
#define BY_FILL(n, list)    clEnqueueSVMMemFill(cl.queue, svm, pattern, 4, 8, n, list, NULL)
#define BY_MAP(n, list)     clEnqueueSVMMap(cl.queue, CL_FALSE, CL_MAP_READ, svm, 8, n, list, NULL)
#define BY_UNMAP(n, list)   clEnqueueSVMUnmap(cl.queue, svm, n, list, NULL)
#define BY_MIGRATE(n, list) clEnqueueSVMMigrateMem(cl.queue, 1, constant, NULL, 0, n, list, NULL)
#define BY_FREE(n, list)    clEnqueueSVMFree(cl.queue, 1, freed, NULL, NULL, n, list, NULL)
    void *freed[1] = {svm};
    LISTS(BY_COPY);
    LISTS(BY_FILL);
    LISTS(BY_MAP);
    LISTS(BY_UNMAP);
    LISTS(BY_MIGRATE);
    LISTS(BY_FREE);
    if (cl_user_events_fail()) { /* calls that block tell that what they waited for has failed */
        cl_event failed = clCreateUserEvent(cl.context, &negative_code);
        cl_ok(negative_code);
        cl_ok(clSetUserEventStatus(failed, -7));
        cl_command_queue queue = cl_queue(0);
        ROW_POCL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, ANY,
                 clEnqueueSVMMemcpy(queue, CL_TRUE, svm, host, 8, 1, &failed, NULL));
        ROW_POCL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, ANY,
                 clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, 8, 1, &failed, NULL));
        cl_ok(clReleaseCommandQueue(queue));
        cl_ok(clReleaseEvent(failed));
    }
    cl_ok(clReleaseEvent(strange));
    cl_ok(clReleaseContext(second));
    list[0] = svm;
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NULL, 1, list, NULL, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueSVMFree(cl.queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueSVMFree(cl.queue, 0, list, NULL, NULL, 0, NULL, NULL));
    clSVMFree(cl.context, svm);
    negative_end();
}
END_TEST

START_TEST(kernels)
{
    int number = 1;
    cl_bool yes = CL_TRUE;
    cl_kernel kernel = cl_kernel_of("__kernel void run(__global int *a, int n) { a[0] = n; }", "run");
    if (capabilities() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
        void *svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
        ck_assert_ptr_nonnull(svm);
        ROW(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, svm));
        ROW(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 2, svm));
        ROW(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel, 1, svm));
        ROW(CL_SUCCESS, clSetKernelArgSVMPointer(kernel, 0, svm));
        ROW(CL_INVALID_KERNEL, clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(svm), &svm));
        ROW(CL_SUCCESS, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(svm), &svm));
        ROW(CL_SUCCESS, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
        ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
                 clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &svm));
        ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
                 clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(svm), NULL));
        ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, clSetKernelExecInfo(kernel, 0x7777, sizeof(svm), &svm));
        if (!(capabilities() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
            ROW_POCL(
                CL_INVALID_OPERATION, CL_SUCCESS,
                clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes));
        clSVMFree(cl.context, svm);
    } else {
        ROW(CL_INVALID_OPERATION, clSetKernelArgSVMPointer(kernel, 0, &number));
        ROW(CL_INVALID_OPERATION,
            clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *), &number));
    }
    cl_ok(clReleaseKernel(kernel));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative svm");
    TCase *tests = cl_case(suite, "svm");
    tcase_add_test(tests, allocation);
    tcase_add_test(tests, commands);
    tcase_add_test(tests, kernels);
    return tap_run(suite);
}

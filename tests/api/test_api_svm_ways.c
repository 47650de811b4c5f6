/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory where a split is less than simple: writes that are merged, atomics on private copies,
 * rectangles of a buffer over it, queues without order, and many threads.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <pthread.h>
#include <unistd.h>

enum { LOCAL = 16, ITEMS = 2048, BYTES = ITEMS * sizeof(cl_int), THREADS = 4 };

static const char source[] = "kernel void scatter(global const int *to, global int *p)\n"
                             "{ size_t i = get_global_id(0); if (i % 3) p[to[i]] = (int)i; }\n"
                             "kernel void count(global const int *in, global int *bins)\n"
                             "{ atomic_add(bins + (in[get_global_id(0)] & 63), 2); }\n"
                             "kernel void ticket(global int *next, global int *out)\n"
                             "{ size_t i = get_global_id(0); out[i] = atomic_add(next, 1) >= 0; }\n"
                             "kernel void sum(global const int *in, global int *p)\n"
                             "{ size_t i = get_global_id(0); p[i] += in[i]; }\n"
                             "kernel void inc(global int *p) { p[get_global_id(0)] += 1; }\n";

static void *alloc(size_t size)
{
    void *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, size, 0);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void put(void *p, const void *from, size_t size)
{
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, p, from, size, 0, NULL, NULL));
}

static void expect(const void *p, const void *model, size_t size)
{
    char *got = malloc(size);
    ck_assert_ptr_nonnull(got);
    cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, got, p, size, 0, NULL, NULL));
    ck_assert_int_eq(memcmp(got, model, size), 0);
    free(got);
}

static void launch(cl_kernel kernel, const void *one, const void *two)
{
    const size_t items = ITEMS, local = LOCAL;
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, one));
    if (two)
        cl_ok(clSetKernelArgSVMPointer(kernel, 1, two));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

START_TEST(merged_writes)
{
    cl_int *p = alloc(2 * BYTES), *to = alloc(BYTES), model[2 * ITEMS], where[ITEMS];
    cl_kernel scatter = cl_kernel_of(source, "scatter"), inc = cl_kernel_of(source, "inc");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    for (int i = 0; i < ITEMS; i++)
        where[i] = (i * 37 + 11) % ITEMS; /* each place once */
    put(to, where, BYTES);
    for (int round = 0; round < 6; round++) {
        cl_int *base = p + (round % 3 == 1 ? 1024 : 0), *at = model + (base - p);
        launch(scatter, to, base);
        for (int i = 0; i < ITEMS; i++)
            if (i % 3)
                at[where[i]] = i;
        if (round % 2) {
            launch(inc, p + 256, NULL);
            for (int i = 0; i < ITEMS; i++)
                model[256 + i] = (cl_int)((cl_uint)model[256 + i] + 1u);
        }
    }
    expect(p, model, sizeof(model));
    cl_ok(clReleaseKernel(scatter));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, to);
    clSVMFree(cl.context, p);
}
END_TEST

/* Two windows of one allocation, aligned to nothing but their elements. With COEXEC_VERIFY=1 the launch is
 * compared like any other. */
START_TEST(odd_windows)
{
    cl_folder_make("svm");
    if (getenv("COEXEC_LOG_FILE")) /* one of this test's own; the layer has not read it yet */
        setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    cl_int *p = alloc(3 * BYTES), model[3 * ITEMS];
    cl_kernel sum = cl_kernel_of(source, "sum");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    launch(sum, p + 3, p + ITEMS + 8);
    for (int i = 0; i < ITEMS; i++)
        model[ITEMS + 8 + i] = (cl_int)((cl_uint)model[ITEMS + 8 + i] + (cl_uint)model[3 + i]);
    expect(p, model, sizeof(model));
    cl_ok(clReleaseKernel(sum));
    clSVMFree(cl.context, p);
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "not verified"), 0);
    cl_folder_remove();
}
END_TEST

START_TEST(private_atomics)
{
    cl_int *bins = alloc(512 * sizeof(cl_int)), *in = alloc(BYTES), model[512], data[ITEMS];
    cl_kernel count = cl_kernel_of(source, "count"), ticket = cl_kernel_of(source, "ticket");
    cl_noise(model, sizeof(model));
    cl_noise(data, sizeof(data));
    put(bins, model, sizeof(model));
    put(in, data, sizeof(data));
    for (int round = 0; round < 4; round++) {
        launch(count, in, bins + 128 * (round % 2));
        for (int i = 0; i < ITEMS; i++)
            model[128 * (round % 2) + (data[i] & 63)] += 2;
    }
    expect(bins, model, sizeof(model));
    model[5] = 0;
    put(bins + 5, model + 5, sizeof(cl_int));
    launch(ticket, bins + 5, in); /* the results are used: whole */
    model[5] = ITEMS;
    for (int i = 0; i < ITEMS; i++)
        data[i] = 1;
    expect(bins, model, sizeof(model));
    expect(in, data, sizeof(data));
    cl_ok(clReleaseKernel(count));
    cl_ok(clReleaseKernel(ticket));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, in);
    clSVMFree(cl.context, bins);
}
END_TEST

/* Rectangles and copies of buffers over it, and from it to other buffers. */
START_TEST(rectangles)
{
    enum { ROW = 64, ROWS = 32 };
    const size_t origin[3] = {8, 3, 0}, zero[3] = {0, 0, 0}, region[3] = {40, 20, 1};
    unsigned char *p = alloc(2 * BYTES), model[2 * BYTES], block[40 * 20], got[BYTES];
    cl_kernel inc = cl_kernel_of(source, "inc");
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    cl_mem over = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, p + 1024);
    cl_mem other = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    for (int round = 0; round < 3; round++) {
        cl_int *ints = (cl_int *)(void *)model;
        launch(inc, p, NULL);
        for (int i = 0; i < ITEMS; i++)
            ints[i] = (cl_int)((cl_uint)ints[i] + 1u);
        cl_ok(clEnqueueReadBufferRect(cl.queue, over, CL_TRUE, origin, zero, region, ROW, 0, 40, 0, block, 0,
                                      NULL, NULL));
        for (size_t y = 0; y < 20; y++)
            ck_assert_int_eq(memcmp(block + 40 * y, model + 1024 + (y + 3) * ROW + 8, 40), 0);
        cl_noise(block, sizeof(block));
        cl_ok(clEnqueueWriteBufferRect(cl.queue, over, CL_TRUE, origin, zero, region, ROW, 0, 40, 0, block, 0,
                                       NULL, NULL));
        for (size_t y = 0; y < 20; y++)
            memcpy(model + 1024 + (y + 3) * ROW + 8, block + 40 * y, 40);
        cl_ok(clEnqueueCopyBuffer(cl.queue, over, other, 0, 0, BYTES, 0, NULL, NULL));
        cl_read(other, got, BYTES);
        ck_assert_int_eq(memcmp(got, model + 1024, BYTES), 0);
        cl_noise(got, 256);
        cl_write(other, got, 256);
        cl_ok(clEnqueueCopyBuffer(cl.queue, other, over, 0, 512, 256, 0, NULL, NULL));
        memcpy(model + 1024 + 512, got, 256);
        expect(p, model, sizeof(model));
    }
    cl_ok(clReleaseMemObject(over));
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clFinish(cl.queue));
    clSVMFree(cl.context, p);
}
END_TEST

/* More pointers than are worth remembering, while a kernel keeps an early one. */
START_TEST(many_pointers)
{
    cl_int *p = alloc(4 * BYTES), model[4 * ITEMS];
    cl_kernel early = cl_kernel_of(source, "inc"), inc = cl_kernel_of(source, "inc");
    const size_t items = ITEMS, local = LOCAL;
    cl_noise(model, sizeof(model));
    put(p, model, sizeof(model));
    cl_ok(clSetKernelArgSVMPointer(early, 0, p + 3));
    for (int i = 0; i < 3000; i++) {
        cl_ok(clSetKernelArgSVMPointer(inc, 0, p + 2 * i + 1));
        if (i % 100)
            continue;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, inc, 1, NULL, &items, &local, 0, NULL, NULL));
        for (int k = 0; k < ITEMS; k++)
            model[2 * i + 1 + k] = (cl_int)((cl_uint)model[2 * i + 1 + k] + 1u);
    }
    cl_ok(clEnqueueNDRangeKernel(cl.queue, early, 1, NULL, &items, &local, 0, NULL, NULL));
    for (int k = 0; k < ITEMS; k++)
        model[3 + k] = (cl_int)((cl_uint)model[3 + k] + 1u);
    expect(p, model, sizeof(model));
    clSVMFree(cl.context, p); /* before the kernels that name it */
    cl_ok(clReleaseKernel(early));
    cl_ok(clReleaseKernel(inc));
}
END_TEST

/* Order by events alone. */
START_TEST(no_order)
{
    cl_int *p = alloc(BYTES), *q = alloc(BYTES), model[ITEMS];
    const cl_int five = 5;
    const size_t items = ITEMS, local = LOCAL;
    cl_event last, next;
    if (!cl_out_of_order_works() || !cl_user_events_fail())
        return;
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel inc = cl_kernel_of(source, "inc");
    cl_ok(clEnqueueSVMMemFill(queue, p, &five, sizeof(five), BYTES, 0, NULL, &last));
    for (int round = 0; round < 5; round++) {
        cl_ok(clSetKernelArgSVMPointer(inc, 0, round % 2 ? q : p));
        cl_ok(clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, &local, 1, &last, &next));
        cl_ok(clReleaseEvent(last));
        cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, round % 2 ? p : q, round % 2 ? q : p, BYTES, 1, &next,
                                 &last));
        cl_ok(clReleaseEvent(next));
    }
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, q, BYTES, 1, &last, NULL));
    for (int i = 0; i < ITEMS; i++)
        model[i] = 10;
    ck_assert_int_eq(memcmp(q, model, BYTES), 0);
    cl_ok(clEnqueueSVMUnmap(queue, q, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(last));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clReleaseCommandQueue(queue));
    clSVMFree(cl.context, p);
    clSVMFree(cl.context, q);
}
END_TEST

struct task {
    pthread_t thread;
    cl_kernel kernel;
    bool good;
};

/* Allocates, launches on a queue of its own, looks, and frees, again and again. */
static void *work(void *data)
{
    struct task *task = data;
    const size_t items = ITEMS, local = LOCAL;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, 0, &error);
    bool good = error == CL_SUCCESS;
    for (int round = 0; round < 12 && good; round++) {
        const cl_int start = round;
        cl_int *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 2 * BYTES, 0);
        good =
            p && clEnqueueSVMMemFill(queue, p, &start, sizeof(start), 2 * BYTES, 0, NULL, NULL) == CL_SUCCESS;
        for (int i = 0; i < 3 && good; i++)
            good = clSetKernelArgSVMPointer(task->kernel, 0, p + 512 * i) == CL_SUCCESS &&
                   clEnqueueNDRangeKernel(queue, task->kernel, 1, NULL, &items, &local, 0, NULL, NULL) ==
                       CL_SUCCESS;
        good =
            good && clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 2 * BYTES, 0, NULL, NULL) == CL_SUCCESS;
        for (int i = 0; i < ITEMS && good; i++)
            good = p[i] == start + (i >= 1024 ? 3 : i >= 512 ? 2 : 1);
        good = good && clEnqueueSVMUnmap(queue, p, 0, NULL, NULL) == CL_SUCCESS;
        if (round % 2) {
            void *list[] = {p};
            good = good && clEnqueueSVMFree(queue, 1, list, NULL, NULL, 0, NULL, NULL) == CL_SUCCESS;
        } else {
            good = good && clFinish(queue) == CL_SUCCESS;
            clSVMFree(cl.context, p);
        }
    }
    task->good = good && clFinish(queue) == CL_SUCCESS && clReleaseCommandQueue(queue) == CL_SUCCESS;
    return NULL;
}

START_TEST(threads)
{
    struct task task[THREADS];
    if (!cl_is_coexec()) /* PoCL 3.1 loses its way */
        return;
    cl_program program = cl_build(source, NULL);
    for (int i = 0; i < THREADS; i++) {
        cl_int error;
        task[i] = (struct task){.kernel = clCreateKernel(program, "inc", &error)};
        cl_ok(error);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&task[i].thread, NULL, work, &task[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(task[i].thread, NULL);
        ck_assert(task[i].good);
        cl_ok(clReleaseKernel(task[i].kernel));
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Fine-grained memory is the program's to touch at any time: what was copied into it is there once the copy
 * is over, and what the program put there is what the next command finds, wherever the other end is. */
START_TEST(fine_grained_ends)
{
    cl_device_svm_capabilities caps = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(caps), &caps, NULL));
    if (!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    static cl_int model[ITEMS], got[ITEMS];
    cl_int error, *coarse = alloc(BYTES),
                  *fine = clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 0);
    ck_assert_ptr_nonnull(fine);
    cl_kernel inc = cl_kernel_of(source, "inc");
    cl_mem over = clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, BYTES, fine, &error);
    cl_ok(error);
    cl_noise(model, BYTES);
    cl_mem other = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, BYTES, model, &error);
    cl_ok(error);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ITEMS; i++)
            fine[i] = i * 7 + round;
        expect(fine, fine, BYTES);
        cl_ok(clEnqueueCopyBuffer(cl.queue, other, over, 0, 0, BYTES, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        ck_assert_int_eq(memcmp(fine, model, BYTES), 0);
        put(coarse, model, BYTES);
        launch(inc, coarse, NULL);
        cl_ok(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, fine, coarse, BYTES, 0, NULL, NULL));
        for (int i = 0; i < ITEMS; i++)
            model[i]++;
        ck_assert_int_eq(memcmp(fine, model, BYTES), 0);
        fine[round] = model[round] = -round;
        const size_t zero[3] = {0, 0, 0}, region[3] = {64, BYTES / 64, 1};
        cl_ok(clEnqueueCopyBufferRect(cl.queue, over, other, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
        cl_ok(clEnqueueReadBuffer(cl.queue, other, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        ck_assert_int_eq(memcmp(got, model, BYTES), 0);
        fine[round + 9] = model[round + 9] = round;
        cl_ok(clEnqueueCopyBuffer(cl.queue, over, other, 0, 0, BYTES, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        memset(fine, 0, BYTES / 2);
        cl_ok(clEnqueueReadBufferRect(cl.queue, other, CL_TRUE, zero, zero, region, 0, 0, 0, 0, got, 0, NULL,
                                      NULL));
        cl_ok(clEnqueueCopyBufferRect(cl.queue, other, over, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        ck_assert_int_eq(memcmp(got, model, BYTES), 0);
        ck_assert_int_eq(memcmp(fine, got, BYTES), 0);
    }
    cl_ok(clReleaseMemObject(over));
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseKernel(inc));
    clSVMFree(cl.context, fine);
    clSVMFree(cl.context, coarse);
}
END_TEST

static void CL_CALLBACK fill_late(void *data)
{
    cl_int *p = *(cl_int **)data;
    usleep(20000);
    for (int i = 0; i < ITEMS; i++)
        p[i] = i * 3;
}

static void CL_CALLBACK copy_late(void *data)
{
    cl_int **p = data;
    usleep(20000);
    memcpy(p[1], p[0], BYTES);
}

/* Commands on the host may use fine-grained memory without telling: a launch waits for those before it, by
 * their events or in their queue, and they for it. */
START_TEST(fine_grained_beside_the_host)
{
    cl_device_svm_capabilities caps = 0;
    cl_device_exec_capabilities runs = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(caps), &caps, NULL));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(runs), &runs, NULL));
    if (!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) || !(runs & CL_EXEC_NATIVE_KERNEL))
        return;
    static cl_int copy[ITEMS];
    const size_t items = ITEMS, local = LOCAL;
    const bool events = _i;
    cl_int *p = clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 0);
    cl_int *both[2] = {p, copy};
    ck_assert_ptr_nonnull(p);
    cl_command_queue queue = events ? cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) : cl_queue(0);
    cl_kernel inc = cl_kernel_of(source, "inc");
    cl_mem other = cl_buffer(0, BYTES, NULL);
    cl_ok(clSetKernelArgSVMPointer(inc, 0, p));
    for (int round = 0; round < 4; round++) {
        cl_event event[5];
        memset(p, 0, BYTES);
        cl_ok(clEnqueueNativeKernel(queue, fill_late, &p, sizeof(p), 0, NULL, NULL, 0, NULL, &event[0]));
        cl_ok(clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, &local, events, events ? &event[0] : NULL,
                                     &event[1]));
        cl_ok(clEnqueueNativeKernel(queue, copy_late, both, sizeof(both), 0, NULL, NULL, events,
                                    events ? &event[1] : NULL, &event[2]));
        cl_ok(clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, &local, events, events ? &event[2] : NULL,
                                     &event[3]));
        cl_ok(clEnqueueWriteBuffer(queue, other, CL_FALSE, 0, BYTES, p, events, events ? &event[3] : NULL,
                                   &event[4]));
        cl_ok(clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, &local, events, events ? &event[4] : NULL,
                                     NULL));
        cl_ok(clFinish(queue));
        for (int i = 0; i < ITEMS; i++) {
            ck_assert_int_eq(copy[i], 3 * i + 1);
            ck_assert_int_eq(p[i], 3 * i + 3);
        }
        cl_read(other, copy, BYTES);
        for (int i = 0; i < ITEMS; i++)
            ck_assert_int_eq(copy[i], 3 * i + 2);
        for (int i = 0; i < 5; i++)
            cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clReleaseCommandQueue(queue));
    clSVMFree(cl.context, p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("svm ways");
    TCase *tcase = cl_case(suite, "svm ways");
    tcase_add_test(tcase, merged_writes);
    tcase_add_test(tcase, private_atomics);
    tcase_add_test(tcase, rectangles);
    tcase_add_test(tcase, many_pointers);
    tcase_add_test(tcase, no_order);
    tcase_add_test(tcase, fine_grained_ends);
    tcase_add_loop_test(tcase, fine_grained_beside_the_host, 0, 2);
    tcase_add_test(tcase, threads);
    TCase *logged = tcase_create("logged");
    tcase_set_timeout(logged, 120);
    suite_add_tcase(suite, logged);
    tcase_add_test(logged, odd_windows);
    return tap_run(suite);
}

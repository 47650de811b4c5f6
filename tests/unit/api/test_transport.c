/* SPDX-License-Identifier: MIT */
/*
 * Transports from outside memory/: one between host memory and devices, one between devices' own memories.
 * Each is registered, and then moves a buffer; nothing else knows of it.
 */
#include "capture.h"
#include "layer/memory/transfer.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16, BYTES = N * sizeof(cl_int) };

static const char source[] = "kernel void turn(global const int *a, global int *b, int n)\n"
                             "{ b[get_global_id(0)] = a[n - 1 - get_global_id(0)] + 1; }\n";

static cl_context context;
static cl_command_queue queue;
static cl_int data[N];
static enum cx_route route;
static atomic_uint moved[2], planned, copied; /* bytes: from devices and to them; jobs; bytes */

#define OK(call) ck_assert_int_eq(call, CL_SUCCESS)

/* ---- between host memory and a device ---- */

static bool takes(struct cx_worker *worker, const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    (void)worker;
    return rows->count == 1 && item->hi - item->lo == BYTES;
}

static cl_int start(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                    bool upload, cl_event *first, cl_event *last)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = (size_t)(item->hi - item->lo);
    (void)rows, (void)first;
    atomic_fetch_add(&moved[upload], (unsigned)bytes);
    return upload ? cl->clEnqueueWriteBuffer(cx_worker_mover(worker), item->real, CL_FALSE, item->lo, bytes,
                                             item->host, 0, NULL, last)
                  : cl->clEnqueueReadBuffer(cx_worker_mover(worker), item->real, CL_FALSE, item->lo, bytes,
                                            item->host, 0, NULL, last);
}

static enum cx_route route_of(const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    (void)item, (void)rows;
    return route;
}

static const struct cx_transport to_host = {
    .name = "test's", .takes = takes, .start = start, .route = route_of};

/* ---- between devices ---- */

static uint64_t near(const struct cx_mem *root, unsigned place)
{
    uint64_t places = 0;
    for (unsigned m = 0; m < root->context->nmembers && place != CX_PLACE_HOST; m++)
        if (1 + m != place && root->real[m])
            places |= UINT64_C(1) << (1 + m);
    return places;
}

static unsigned price(uint64_t bytes)
{
    (void)bytes;
    return CX_PRICE_LEAST;
}

static cl_int copy_at_once(const struct cx_transfer_list *transfers, struct cx_worker *worker)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        const size_t bytes = (size_t)(item->hi - item->lo);
        void *room = malloc(bytes);
        error = transfers->source->device->cl->clEnqueueReadBuffer(
            transfers->source->queue, item->root->real[transfers->source->index], CL_TRUE, item->lo, bytes,
            room, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = worker->device->cl->clEnqueueWriteBuffer(worker->queue, item->real, CL_TRUE, item->lo,
                                                             bytes, room, 0, NULL, NULL);
        free(room);
        atomic_fetch_add(&copied, (unsigned)bytes);
    }
    return error;
}

static cl_int copy(struct cx_job *job, struct cx_worker *worker)
{
    return copy_at_once(job->data, worker);
}

static cl_int plan(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                   const struct cx_move *moves, size_t count)
{
    struct cx_worker *worker = cx_mem_place_worker(command->context, place),
                     *owner = cx_mem_place_worker(command->context, from);
    struct cx_transfer_list runs = {.upload = true, .counted = true, .place = place, .source = owner};
    for (size_t i = 0; i < count; i++)
        if (moves[i].from == from)
            ck_assert(cx_transfer_list_add(&runs, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                                           NULL) &&
                      cx_coherence_validate(root->storage->coherence, moves[i].lo, moves[i].hi, place));
    struct cx_job *job = cx_transfer_list_job(worker, &runs);
    ck_assert_ptr_nonnull(job);
    job->run = copy;
    job->kind.waits = true;
    job->deps[owner->index] = owner->timeline.planned;
    cx_command_add_job(command, worker, job);
    atomic_fetch_add(&planned, 1);
    return CL_SUCCESS;
}

static const struct cx_transport to_members = {.name = "test's", .near = near, .price = price, .plan = plan};

static const struct cx_transport at_once = {
    .name = "test's", .near = near, .price = price, .plan = plan, .copy = copy_at_once, .reach = near};

/* ---- the buffer ---- */

static cl_kernel open_all(const char *split, const char *policy)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    const char *text = source;
    clean_environment();
    set_environment("POCL_DEVICES", "pthread pthread", "POCL_MAX_PTHREAD_COUNT", "1", "zero_copy", "0",
                    "COEXEC_BUDGET", "1", "analysis_wait", "60000", "COEXEC_ALGO", policy, "COEXEC_SPLIT",
                    split, NULL);
    OK(cx_clGetPlatformIDs(1, &platform, NULL));
    OK(cx_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = cx_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    queue = cx_clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_program program = cx_clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OK(error);
    OK(cx_clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = cx_clCreateKernel(program, "turn", &error);
    OK(error);
    OK(cx_clReleaseProgram(program));
    for (cl_int i = 0; i < N; i++)
        data[i] = i * 7 + 1;
    return kernel;
}

/* Turns the data round twice, through two buffers. */
static void turn_twice(cl_kernel kernel)
{
    const size_t global = N, local = 64;
    const cl_int n = N;
    static cl_int got[N];
    cl_int error;
    cl_mem a = cx_clCreateBuffer(context, 0, BYTES, NULL, &error);
    OK(error);
    cl_mem b = cx_clCreateBuffer(context, 0, BYTES, NULL, &error);
    OK(error);
    OK(cx_clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, BYTES, data, 0, NULL, NULL));
    OK(cx_clSetKernelArg(kernel, 2, sizeof(n), &n));
    for (unsigned turn = 0; turn < 2; turn++) {
        OK(cx_clSetKernelArg(kernel, turn, sizeof(cl_mem), &a));
        OK(cx_clSetKernelArg(kernel, 1 - turn, sizeof(cl_mem), &b));
        OK(cx_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        OK(cx_clFinish(queue));
    }
    OK(cx_clEnqueueReadBuffer(queue, a, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (unsigned i = 0; i < N; i++)
        ck_assert_int_eq(got[i], data[i] + 2);
    OK(cx_clReleaseMemObject(a));
    OK(cx_clReleaseMemObject(b));
}

static void close_all(cl_kernel kernel)
{
    OK(cx_clReleaseKernel(kernel));
    OK(cx_clReleaseCommandQueue(queue));
    OK(cx_clReleaseContext(context));
}

/* It is asked before the driver's own calls, also where those would block. Its bytes have a counter. */
START_TEST(host_transport)
{
    char *summary = NULL;
    size_t size;
    route = cx_transfer_counts_register("by the test");
    ck_assert(cx_transport_register(&to_host));
    cl_kernel kernel = open_all("never", "static");
    turn_twice(kernel);
    close_all(kernel);
    ck_assert_uint_eq(moved[true], BYTES);
    ck_assert_uint_eq(moved[false], BYTES);
    FILE *out = open_memstream(&summary, &size);
    cx_transfer_counts_print(out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(summary, "by the test             0.262 MB        0.262 MB"));
    free(summary);
}
END_TEST

/* What one device wrote and the other one reads: half of the buffer each way. */
START_TEST(member_transport)
{
    ck_assert(cx_transport_register(&to_members));
    cl_kernel kernel = open_all("always", "static");
    turn_twice(kernel);
    close_all(kernel);
    ck_assert_uint_ge(planned, 2);
    ck_assert_uint_eq(copied, BYTES);
}
END_TEST

/* The same where packages are cut while the launch runs: each copies what it lacks before it starts. */
START_TEST(copies_at_once)
{
    ck_assert(cx_transport_register(&at_once));
    cl_kernel kernel = open_all("always", "dynamic");
    turn_twice(kernel);
    close_all(kernel);
    ck_assert_uint_eq(planned, 0);
    ck_assert_uint_gt(copied, 0);
    ck_assert_uint_le(copied, BYTES);
}
END_TEST

/* There is room for a few, of each kind. */
START_TEST(room)
{
    unsigned n = 0;
    while (cx_transport_register(&to_members))
        ck_assert_uint_lt(++n, CX_TRANSPORTS_MOST);
    ck_assert_uint_gt(n, 1);
    ck_assert(cx_transport_register(&to_host));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("transport");
    TCase *tcase = tcase_create("registered");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, host_transport);
    tcase_add_test(tcase, member_transport);
    tcase_add_test(tcase, copies_at_once);
    tcase_add_test(tcase, room);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

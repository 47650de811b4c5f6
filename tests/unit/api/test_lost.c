/* SPDX-License-Identifier: MIT */
/*
 * Contents that nobody has any more: whoever asks for them before they are written again gets an error, and a
 * command that was skipped takes from the map what it should have written. What no driver can be made to do
 * is done to the map by hand.
 */
#include "capture.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/memory/image.h"
#include "layer/plan/plan.h"
#include "layer/memory/svm.h"

enum { SIDE = 8, BYTES = SIDE * SIDE * 4 };

static const char source[] = "kernel void inc(global int *p) { p[get_global_id(0)] += 1; }";
static const size_t zero[3], all[3] = {SIDE, SIDE, 1};

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    cl_event gate; /* a user event */
    unsigned char data[BYTES], got[BYTES];
} t;

#define OK(call) ck_assert_int_eq(call, CL_SUCCESS)

static void setup(void)
{
    cl_platform_id platform;
    cl_int error;
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "analysis", "0",
                    "zero_copy", "0", "COEXEC_LOG", "error", NULL);
    OK(cx_clGetPlatformIDs(1, &platform, NULL));
    OK(cx_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &t.device, NULL));
    t.context = cx_clCreateContext(NULL, 1, &t.device, NULL, NULL, &error);
    OK(error);
    t.queue = cx_clCreateCommandQueue(t.context, t.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OK(error);
    t.gate = cx_clCreateUserEvent(t.context, &error);
    OK(error);
    for (unsigned i = 0; i < BYTES; i++)
        t.data[i] = (unsigned char)(i * 7 + 1);
}

static void teardown(void)
{
    OK(cx_clReleaseEvent(t.gate));
    OK(cx_clReleaseCommandQueue(t.queue));
    OK(cx_clReleaseContext(t.context));
}

static struct cx_mem *image(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int error;
    cl_mem mem = cx_clCreateImage(t.context, CL_MEM_COPY_HOST_PTR, &format, &desc, t.data, &error);
    OK(error);
    return cx_mem_from(mem);
}

static cl_int read_image(struct cx_mem *mem, const size_t *origin, const size_t *region)
{
    return cx_clEnqueueReadImage(t.queue, (cl_mem)mem, CL_TRUE, origin, region, 0, 0, t.got, 0, NULL, NULL);
}

/* The command, which waits for the gate, is told that it was skipped. */
static void skip(cl_event event)
{
    struct cx_command *command = cx_command_from(event);
    ck_assert_ptr_nonnull(command->ops->lost);
    cx_context_lock(command->context);
    command->ops->lost(command);
    cx_context_unlock(command->context);
}

static void open_gate(cl_event event)
{
    OK(cx_clSetUserEventStatus(t.gate, CL_COMPLETE));
    OK(cx_clWaitForEvents(1, &event));
    OK(cx_clReleaseEvent(event));
}

/* A row that nobody has, between others at the host copy. */
START_TEST(lost_row)
{
    struct cx_mem *mem = image();
    const size_t above[3] = {SIDE, 3, 1}, lost[3] = {0, 3, 0}, row[3] = {SIDE, 1, 1};
    size_t pitch;
    cl_int error;
    cx_context_lock(mem->context);
    ck_assert(cx_coherence_void(mem->storage->coherence, 3 * SIDE * 4, 4 * SIDE * 4));
    cx_context_unlock(mem->context);
    OK(read_image(mem, zero, above));
    ck_assert_mem_eq(t.got, t.data, 3 * SIDE * 4);
    ck_assert_int_lt(read_image(mem, lost, row), 0);
    ck_assert_int_lt(read_image(mem, zero, all), 0);
    ck_assert_ptr_null(cx_clEnqueueMapImage(t.queue, (cl_mem)mem, CL_TRUE, CL_MAP_READ, zero, all, &pitch,
                                            NULL, 0, NULL, NULL, &error));
    ck_assert_int_lt(error, 0);
    OK(cx_clEnqueueWriteImage(t.queue, (cl_mem)mem, CL_TRUE, lost, row, 0, 0, t.data + (size_t)3 * SIDE * 4,
                              0, NULL, NULL));
    OK(read_image(mem, zero, all));
    ck_assert_mem_eq(t.got, t.data, BYTES);
    cl_uint maps;
    OK(cx_clGetMemObjectInfo((cl_mem)mem, CL_MEM_MAP_COUNT, sizeof(maps), &maps, NULL));
    ck_assert_uint_eq(maps, 0);
    OK(cx_clReleaseMemObject((cl_mem)mem));
}
END_TEST

START_TEST(skipped_image_write)
{
    struct cx_mem *mem = image();
    const size_t row[3] = {SIDE, 1, 1}, third[3] = {0, 2, 0};
    cl_event event;
    OK(cx_clEnqueueWriteImage(t.queue, (cl_mem)mem, CL_FALSE, third, row, 0, 0, t.data, 1, &t.gate, &event));
    skip(event);
    ck_assert_int_lt(read_image(mem, third, row), 0);
    OK(read_image(mem, zero, row));
    open_gate(event);
    OK(read_image(mem, third, row));
    ck_assert_mem_eq(t.got, t.data, SIDE * 4);
    OK(cx_clReleaseMemObject((cl_mem)mem));
}
END_TEST

/* A launch that may have reached all shared virtual memory. */
START_TEST(skipped_launch_on_svm_owner)
{
    const char *text = source;
    const size_t items = BYTES / 4;
    cl_int error;
    cl_event event;
    unsigned char *p = cx_clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0);
    ck_assert_ptr_nonnull(p);
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, p, t.data, BYTES, 0, NULL, NULL));
    cl_mem buffer = cx_clCreateBuffer(t.context, CL_MEM_COPY_HOST_PTR, BYTES, t.data, &error);
    OK(error);
    cl_program program = cx_clCreateProgramWithSource(t.context, 1, &text, NULL, &error);
    OK(error);
    OK(cx_clBuildProgram(program, 1, &t.device, "", NULL, NULL));
    cl_kernel kernel = cx_clCreateKernel(program, "inc", &error);
    OK(error);
    OK(cx_clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    OK(cx_clEnqueueNDRangeKernel(t.queue, kernel, 1, NULL, &items, NULL, 1, &t.gate, &event));
    ((struct cx_launch *)cx_command_from(event))->decision.on_svm_owner = true;
    skip(event);
    ck_assert_int_lt(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, t.got, p, BYTES, 0, NULL, NULL), 0);
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, p, t.data, BYTES, 0, NULL, NULL));
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, t.got, p, BYTES, 0, NULL, NULL));
    ck_assert_mem_eq(t.got, t.data, BYTES);
    OK(cx_clEnqueueWriteBuffer(t.queue, buffer, CL_TRUE, 0, BYTES, t.data, 0, NULL, NULL));
    open_gate(event);
    OK(cx_clReleaseKernel(kernel));
    OK(cx_clReleaseProgram(program));
    OK(cx_clReleaseMemObject(buffer));
    cx_clSVMFree(t.context, p);
}
END_TEST

/* What the program writes after the home failed stays at the host copy, from where the others get it. */
START_TEST(svm_owner_left_out)
{
    struct cx_context *context = cx_context_from(t.context);
    atomic_bool *left_out = &context->workers[cx_svm_owner(context)].left_out;
    unsigned char *p = cx_clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0);
    ck_assert_ptr_nonnull(p);
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, p, t.got, BYTES, 0, NULL, NULL));
    atomic_store(left_out, true);
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, p, t.data, BYTES, 0, NULL, NULL));
    cx_context_lock(context);
    ck_assert(cx_coherence_valid(context->memory.svm.list[0]->storage->coherence, 0, BYTES, CX_PLACE_HOST));
    cx_context_unlock(context);
    OK(cx_clEnqueueSVMMemcpy(t.queue, CL_TRUE, t.got, p, BYTES, 0, NULL, NULL));
    ck_assert_mem_eq(t.got, t.data, BYTES);
    atomic_store(left_out, false);
    cx_clSVMFree(t.context, p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lost");
    TCase *tcase = tcase_create("lost");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, lost_row);
    tcase_add_test(tcase, skipped_image_write);
    tcase_add_test(tcase, skipped_launch_on_svm_owner);
    tcase_add_test(tcase, svm_owner_left_out);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* Errors of buffers. */
#include "negative.h"

static cl_int sub_buffer(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size)
{
    const cl_buffer_region region = {origin, size};
    return MADE(clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &negative_code));
}

static cl_int flags(cl_mem_flags given, void *host)
{
    return MADE(clCreateBuffer(cl.context, given, 64, host, &negative_code));
}

START_TEST(creation)
{
    cl_int *code = &negative_code;
    const cl_mem_properties unknown[] = {0x7777, 0, 0}, none[] = {0};
    cl_ulong most = 0;
    char host[64];

    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateBuffer(NULL, 0, 64, NULL, code)));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES, MADE(clCreateBuffer((cl_context)cl.queue, 0, 64, NULL, code)));
    ROW(CL_INVALID_BUFFER_SIZE, MADE(clCreateBuffer(cl.context, 0, 0, NULL, code)));
    ROW(CL_INVALID_BUFFER_SIZE, MADE(clCreateBuffer(cl.context, 0, most + 1, NULL, code)));
    ROW(CL_INVALID_BUFFER_SIZE, MADE(clCreateBuffer(cl.context, 0, SIZE_MAX, NULL, code)));
    ROW(CL_INVALID_VALUE, flags((cl_mem_flags)1 << 40, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, host));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, host));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_SVM_FINE_GRAIN_BUFFER, NULL));
    ROW(CL_INVALID_VALUE, flags(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, NULL));
    ROW(CL_INVALID_HOST_PTR, flags(CL_MEM_USE_HOST_PTR, NULL));
    ROW(CL_INVALID_HOST_PTR, flags(CL_MEM_COPY_HOST_PTR, NULL));
    ROW(CL_INVALID_HOST_PTR, flags(0, host));
    ROW(CL_INVALID_HOST_PTR, flags(CL_MEM_ALLOC_HOST_PTR, host));
    void *svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 128, 0);
    if (svm) {
#define OVER(pointer, size) MADE(clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, size, pointer, code))
        ROW(CL_INVALID_BUFFER_SIZE, OVER(svm, 256));
        ROW_POCL(CL_INVALID_BUFFER_SIZE, CL_SUCCESS, OVER((char *)svm + 64, 128));
        ROW(CL_SUCCESS, OVER(svm, 128));
        clSVMFree(cl.context, svm);
    }
    ROW(CL_INVALID_PROPERTY, MADE(clCreateBufferWithProperties(cl.context, unknown, 0, 64, NULL, code)));
    ROW(CL_SUCCESS, MADE(clCreateBufferWithProperties(cl.context, none, 0, 64, NULL, code)));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateBufferWithProperties(NULL, none, 0, 64, NULL, code)));
    ROW(CL_INVALID_BUFFER_SIZE, MADE(clCreateBufferWithProperties(cl.context, none, 0, 0, NULL, code)));
    negative_end();
}
END_TEST

START_TEST(sub_buffers)
{
    cl_uint align = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, NULL));
    size_t step = align / 8;
    cl_mem parent = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4 * step, NULL);
    cl_mem writable = cl_buffer(CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY, 4 * step, NULL);
    cl_mem hidden = cl_buffer(CL_MEM_HOST_NO_ACCESS, 4 * step, NULL);
    const cl_buffer_region region = {step, step};
    cl_int *code = &negative_code;
    cl_mem child = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
    cl_ok(*code);

    ROW(CL_INVALID_MEM_OBJECT, sub_buffer(NULL, 0, 0, step));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, sub_buffer((cl_mem)cl.queue, 0, 0, step));
    ROW(CL_INVALID_MEM_OBJECT, sub_buffer(child, 0, 0, step));
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2 * step, .image_height = 2};
    cl_mem image = clCreateImage(cl.context, 0, &format, &desc, NULL, code);
    if (image)
        ROW(CL_INVALID_MEM_OBJECT, sub_buffer(image, 0, 0, step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, sub_buffer(hidden, (cl_mem_flags)1 << 40, 0, step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, sub_buffer(hidden, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, step));
    cl_mem plain = cl_buffer(0, 4 * step, NULL);
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, sub_buffer(plain, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, sub_buffer(plain, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, 0, step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             sub_buffer(plain, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 0, step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             sub_buffer(plain, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_READ_WRITE, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_WRITE_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(writable, CL_MEM_READ_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(writable, CL_MEM_READ_WRITE, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_ALLOC_HOST_PTR, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_USE_HOST_PTR, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_COPY_HOST_PTR, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, CL_MEM_HOST_WRITE_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(writable, CL_MEM_HOST_READ_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(hidden, CL_MEM_HOST_READ_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(hidden, CL_MEM_HOST_WRITE_ONLY, 0, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, 0, 4 * step, step));
    ROW(CL_INVALID_VALUE, sub_buffer(parent, 0, 3 * step, 2 * step));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, sub_buffer(parent, 0, step, SIZE_MAX));
    ROW(CL_INVALID_BUFFER_SIZE, sub_buffer(parent, 0, 0, 0));
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET, sub_buffer(parent, 0, 1, step));
    ROW(CL_INVALID_VALUE, MADE(clCreateSubBuffer(parent, 0, 0x7777, &region, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, code)));
    negative_end();
}
END_TEST

static void CL_CALLBACK gone(cl_mem mem, void *data)
{
    (void)mem;
    (void)data;
}

START_TEST(objects)
{
    cl_mem mem = cl_buffer(0, 64, NULL);
    char text[64];
    size_t size;

    ROW(CL_INVALID_MEM_OBJECT, clRetainMemObject(NULL));
    ROW(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, clRetainMemObject((cl_mem)cl.queue));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, clReleaseMemObject((cl_mem)cl.queue));
    ROW(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetMemObjectInfo(mem, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetMemObjectInfo(mem, CL_MEM_SIZE, 1, text, &size));
    ROW(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, gone, NULL));
    ROW(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(mem, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS,
             clGetImageInfo(mem, CL_IMAGE_WIDTH, sizeof(text), text, &size));
    ROW(CL_INVALID_MEM_OBJECT, clGetImageInfo(NULL, CL_IMAGE_WIDTH, sizeof(text), text, &size));
    ROW(CL_INVALID_MEM_OBJECT, clGetPipeInfo(mem, CL_PIPE_PACKET_SIZE, sizeof(text), text, &size));
    cl_ok(clReleaseMemObject(mem));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative buffer");
    TCase *tests = cl_case(suite, "buffer");
    tcase_add_test(tests, creation);
    tcase_add_test(tests, sub_buffers);
    tcase_add_test(tests, objects);
    return tap_run(suite);
}

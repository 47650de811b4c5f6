/* SPDX-License-Identifier: MIT */
/* Errors of kernels. */
#include "negative.h"

static const char text[] =
    "__kernel void run(__global int *a, int n, __local int *l, __constant int *c, float4 v)\n"
    "{ l[0] = n; a[get_global_id(0)] = l[0] + c[0] + (int)v.x; }\n"
    "__kernel void other(__global int *a) { a[0] = 1; }\n";
static const char image_text[] =
    "__kernel void look(__read_only image2d_t i, sampler_t s, __global float4 *o, __write_only image2d_t w)\n"
    "{ o[0] = read_imagef(i, s, (int2)(0, 0)); write_imagef(w, (int2)(0, 0), o[0]); }\n";

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

START_TEST(creation)
{
    const char *source = text;
    cl_int *code = &negative_code;
    cl_kernel list[2];
    cl_uint count;
    cl_program program = cl_build(text, "");
    cl_program plain = clCreateProgramWithSource(cl.context, 1, &source, NULL, code);
    cl_ok(*code);

    ROW(CL_INVALID_PROGRAM, MADE(clCreateKernel(NULL, "run", code)));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, MADE(clCreateKernel((cl_program)cl.queue, "run", code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateKernel(program, NULL, code)));
    ROW(CL_INVALID_KERNEL_NAME, MADE(clCreateKernel(program, "absent", code)));
    ROW(CL_INVALID_KERNEL_NAME, MADE(clCreateKernel(program, "", code)));
    ROW(CL_INVALID_PROGRAM_EXECUTABLE, MADE(clCreateKernel(plain, "run", code)));
    ROW(CL_INVALID_PROGRAM, clCreateKernelsInProgram(NULL, 2, list, &count));
    ROW(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(plain, 2, list, &count));
    ROW(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 1, list, &count));
    ROW(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 0, list, NULL));
    ROW(CL_SUCCESS, clCreateKernelsInProgram(program, 0, NULL, &count));
    ROW(CL_INVALID_KERNEL, MADE(clCloneKernel(NULL, code)));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, MADE(clCloneKernel((cl_kernel)cl.queue, code)));
    ROW(CL_INVALID_KERNEL, clRetainKernel(NULL));
    ROW(CL_INVALID_KERNEL, clReleaseKernel(NULL));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, clRetainKernel((cl_kernel)cl.queue));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, clReleaseKernel((cl_kernel)cl.queue));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(plain));
    negative_end();
}
END_TEST

START_TEST(arguments)
{
    cl_program program = cl_build(text, "");
    cl_kernel kernel = kernel_of(program, "run");
    cl_mem mem = cl_buffer(0, 64, NULL), none = NULL, wrong = (cl_mem)cl.queue;
    cl_int n = 1;
    float v[4] = {0};

    ROW(CL_INVALID_KERNEL, clSetKernelArg(NULL, 0, sizeof(mem), &mem));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, clSetKernelArg((cl_kernel)cl.queue, 0, sizeof(mem), &mem));
    ROW(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 5, sizeof(mem), &mem));
    ROW(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, ~0u, sizeof(mem), &mem));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, sizeof(mem) + 1, &mem));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 1, &mem));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, clSetKernelArg(kernel, 0, sizeof(wrong), &wrong));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, clSetKernelArg(kernel, 3, sizeof(wrong), &wrong));
    ROW(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(none), &none));
    ROW(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(none), NULL));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 8, v));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 1, &n));
    ROW(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof(n), NULL));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 0, NULL));
    ROW(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, 64, &n));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 3, 1, &mem));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 4, 4, v));
    ROW(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 4, sizeof(v), NULL));
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &negative_code);
    cl_ok(negative_code);
    cl_mem foreign = clCreateBuffer(second, 0, 64, NULL, &negative_code);
    cl_ok(negative_code);
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(foreign), &foreign));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 0, NULL));
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 0, &n));
    cl_ok(clReleaseMemObject(foreign));
    cl_ok(clReleaseContext(second));
    ROW(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 9, v));
    ROW(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, v));
    ROW(CL_INVALID_KERNEL, clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(v), v));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(mem));
    negative_end();
}
END_TEST

static cl_mem image_of(cl_mem_flags flags)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_int error;
    cl_mem image = clCreateImage(cl.context, flags, &format, &desc, NULL, &error);
    cl_ok(error);
    return image;
}

/* Whether or not the device has images, and whether or not the program asks for what its arguments are. */
START_TEST(image_arguments)
{
    const char *source = image_text;
    cl_bool images = CL_FALSE;
    cl_int error, n = 1;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    cl_ok(error);
    if (!images ||
        clBuildProgram(program, 1, &cl.device, _i ? "-cl-kernel-arg-info" : "", NULL, NULL) != CL_SUCCESS) {
        cl_ok(clReleaseProgram(program));
        return;
    }
    cl_mem mem = cl_buffer(0, 64, NULL), image = image_of(0), readable = image_of(CL_MEM_READ_ONLY),
           writable = image_of(CL_MEM_WRITE_ONLY), both = image_of(CL_MEM_READ_WRITE), none = NULL;
    cl_sampler sampler = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error),
               no_sampler = NULL;
    cl_ok(error);
    cl_kernel kernel = kernel_of(program, "look"), plain = cl_kernel_of(text, "other");

#define SET(index, object) clSetKernelArg(kernel, index, sizeof(object), &(object))
    ROW(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 1, &mem));
    ROW(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof(image), NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, SET(0, none));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, SET(0, mem));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, SET(0, sampler));
    ROW_POCL(CL_INVALID_ARG_VALUE, CL_SUCCESS, SET(0, writable));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, SET(3, none));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, SET(3, mem));
    ROW_POCL(CL_INVALID_ARG_VALUE, CL_SUCCESS, SET(3, readable));
    ROW(CL_SUCCESS, SET(0, image));
    ROW(CL_SUCCESS, SET(0, both));
    ROW(CL_SUCCESS, SET(0, readable));
    ROW(CL_SUCCESS, SET(3, image));
    ROW(CL_SUCCESS, SET(3, both));
    ROW(CL_SUCCESS, SET(3, writable));
    ROW_POCL(CL_INVALID_SAMPLER, CRASHES, SET(1, mem));
    ROW_POCL(CL_INVALID_SAMPLER, CRASHES, SET(1, image));
    ROW_POCL(CL_INVALID_SAMPLER, CRASHES, SET(1, no_sampler));
    ROW_POCL(CL_INVALID_ARG_SIZE, CRASHES, SET(1, n));
    ROW_POCL(CL_INVALID_SAMPLER, CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof(sampler), NULL));
    ROW(CL_SUCCESS, SET(1, sampler));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, SET(2, image));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, SET(2, sampler));
    ROW(CL_SUCCESS, SET(2, none));
    ROW(CL_SUCCESS, SET(2, mem));
    /* of a program without images, whatever its drivers tell */
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS, clSetKernelArg(plain, 0, sizeof(image), &image));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, clSetKernelArg(plain, 0, sizeof(sampler), &sampler));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(plain));
    cl_ok(clReleaseProgram(program));
    const cl_mem list[] = {mem, image, readable, writable, both};
    for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
        cl_ok(clReleaseMemObject(list[i]));
    cl_ok(clReleaseSampler(sampler));
    negative_end();
}
END_TEST

/* An image that a kernel both reads and writes may have any flags, as far as the specification says. */
START_TEST(read_write_arguments)
{
    static const char source[] = "__kernel void turn(__read_write image2d_t i)\n"
                                 "{ write_imagef(i, (int2)(1, 0), read_imagef(i, (int2)(0, 0))); }\n";
    const char *of = source;
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &of, NULL, &error);
    cl_ok(error);
    if (clBuildProgram(program, 1, &cl.device, "-cl-std=CL3.0", NULL, NULL) == CL_SUCCESS) {
        cl_kernel kernel = kernel_of(program, "turn");
        const cl_mem list[] = {image_of(0), image_of(CL_MEM_READ_ONLY), image_of(CL_MEM_WRITE_ONLY)};
        for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++) {
            ROW(CL_SUCCESS, SET(0, list[i]));
            cl_ok(clReleaseMemObject(list[i]));
        }
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clReleaseProgram(program));
    negative_end();
}
END_TEST

START_TEST(queries)
{
    cl_program program = cl_build(text, "-cl-kernel-arg-info");
    cl_kernel kernel = kernel_of(program, "run");
    cl_device_id wrong = (cl_device_id)cl.queue;
    char room[256];
    size_t size, sizes[3] = {1, 1, 1};

#define INFO(kernel, what, bytes) clGetKernelInfo(kernel, what, bytes, room, &size)
    ROW(CL_INVALID_KERNEL, INFO(NULL, CL_KERNEL_NUM_ARGS, sizeof(room)));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, INFO((cl_kernel)cl.queue, CL_KERNEL_NUM_ARGS, sizeof(room)));
    ROW(CL_INVALID_VALUE, INFO(kernel, 0xffff, sizeof(room)));
    ROW(CL_INVALID_VALUE, INFO(kernel, CL_KERNEL_NUM_ARGS, 1));
    ROW(CL_INVALID_VALUE, INFO(kernel, CL_KERNEL_FUNCTION_NAME, 1));
#define ARG(kernel, index, what, bytes) clGetKernelArgInfo(kernel, index, what, bytes, room, &size)
    ROW(CL_INVALID_KERNEL, ARG(NULL, 0, CL_KERNEL_ARG_NAME, sizeof(room)));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, ARG((cl_kernel)cl.queue, 0, CL_KERNEL_ARG_NAME, sizeof(room)));
    ROW(CL_INVALID_ARG_INDEX, ARG(kernel, 5, CL_KERNEL_ARG_NAME, sizeof(room)));
    ROW(CL_INVALID_ARG_INDEX, ARG(kernel, ~0u, CL_KERNEL_ARG_NAME, sizeof(room)));
    ROW(CL_INVALID_VALUE, ARG(kernel, 0, 0xffff, sizeof(room)));
    ROW(CL_INVALID_VALUE, ARG(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, 1));
    ROW(CL_INVALID_VALUE, ARG(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 1));
#define GROUP(kernel, device, what, bytes) clGetKernelWorkGroupInfo(kernel, device, what, bytes, room, &size)
    ROW(CL_INVALID_KERNEL, GROUP(NULL, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, GROUP(kernel, wrong, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW(CL_INVALID_VALUE, GROUP(kernel, cl.device, 0xffff, sizeof(room)));
    ROW(CL_INVALID_VALUE, GROUP(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, 1));
    ROW(CL_INVALID_VALUE, GROUP(kernel, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 8));
    ROW(CL_INVALID_VALUE, GROUP(kernel, cl.device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof(room)));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES,
             GROUP((cl_kernel)cl.queue, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW(CL_SUCCESS, GROUP(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             clGetKernelSubGroupInfo(kernel, wrong, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(room), room,
                                     &size));
#define SUB(kernel, what)                                                                                    \
    clGetKernelSubGroupInfo(kernel, cl.device, what, sizeof(sizes), sizes, sizeof(room), room, &size)
    ROW(CL_INVALID_KERNEL, SUB(NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE));
    /* the fastest device's, if it has some, also where others have unlike ones */
    const cl_int told = SUB(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE);
    ROW(told == CL_SUCCESS ? told : CL_INVALID_OPERATION,
        SUB(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    negative_end();
}
END_TEST

/* Of which device, must be said where a kernel has several. */
START_TEST(queries_of_devices)
{
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const char *source = text;
    cl_device_id part[8];
    cl_uint count = 0, units = 0;
    cl_int error;
    char room[256];
    size_t size;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    if (units < 2 || units > 8 || clCreateSubDevices(cl.device, ones, 8, part, &count) != CL_SUCCESS)
        return;
    cl_context context = clCreateContext(NULL, 2, part, NULL, NULL, &error);
    cl_ok(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "run");
    ROW(CL_SUCCESS, GROUP(kernel, part[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW(CL_INVALID_DEVICE, GROUP(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW(CL_INVALID_DEVICE, GROUP(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(room)));
    ROW(CL_INVALID_DEVICE, clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                                   sizeof(room), room, &size));
    ROW(CL_INVALID_DEVICE, clGetKernelSubGroupInfo(kernel, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                                   sizeof(room), room, &size));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clReleaseDevice(part[i]));
    negative_end();
}
END_TEST

/* What arguments are is told only where the build was asked to keep it. */
START_TEST(no_argument_info)
{
    cl_program program = cl_build(text, "");
    cl_kernel kernel = kernel_of(program, "run");
    char room[256];
    size_t size;
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, ARG(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(room)));
    ROW(CL_INVALID_ARG_INDEX, ARG(kernel, 5, CL_KERNEL_ARG_NAME, sizeof(room)));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative kernel");
    TCase *tests = cl_case(suite, "kernel");
    tcase_add_test(tests, creation);
    tcase_add_test(tests, arguments);
    tcase_add_loop_test(tests, image_arguments, 0, 2);
    tcase_add_test(tests, read_write_arguments);
    tcase_add_test(tests, queries);
    tcase_add_test(tests, queries_of_devices);
    tcase_add_test(tests, no_argument_info);
    return tap_run(suite);
}

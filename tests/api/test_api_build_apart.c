/* SPDX-License-Identifier: MIT */
/*
 * Programs in a context of two sub-devices: built for one of them only, for each with options of its own,
 * from a binary each, and what then launches. Bare PoCL has one build for all.
 */
#include "cl_fixture.h"

enum { ITEMS = 1024 };

static const char apart_text[] =
    "kernel void put(global int *out, int x) { out[get_global_id(0)] = x + V; }\n"
    "#ifdef MORE\n"
    "kernel void more(global int *out) { out[get_global_id(0)] = V; }\n"
    "#endif\n"
    "#ifdef LONGER\n"
    "kernel void differs(global int *out, int x) { out[0] = x; }\n"
    "#else\n"
    "kernel void differs(global int *out) { out[0] = 0; }\n"
    "#endif\n";

/* Both halves of the device, a context of them and a queue for each. */
struct apart {
    cl_device_id halves[2];
    cl_context context;
    cl_command_queue queues[2];
};

static bool apart_open(struct apart *apart)
{
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 0, 0, 0, 0};
    cl_uint units = 0, count = 0;
    cl_int error;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    list[1] = (cl_device_partition_property)(units - units / 2);
    list[2] = (cl_device_partition_property)(units / 2);
    if (units < 2 || clCreateSubDevices(cl.device, list, 2, apart->halves, &count) || count != 2)
        return false; /* what it consists of cannot be cut so */
    apart->context = clCreateContext(NULL, 2, apart->halves, NULL, NULL, &error);
    cl_ok(error);
    for (int i = 0; i < 2; i++) {
        apart->queues[i] = clCreateCommandQueue(apart->context, apart->halves[i], 0, &error);
        cl_ok(error);
    }
    return true;
}

static void apart_close(struct apart *apart)
{
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseCommandQueue(apart->queues[i]));
        cl_ok(clReleaseDevice(apart->halves[i]));
    }
    cl_ok(clReleaseContext(apart->context));
}

static cl_program apart_program(const struct apart *apart)
{
    const char *source = apart_text;
    cl_int error;
    cl_program program = clCreateProgramWithSource(apart->context, 1, &source, NULL, &error);
    cl_ok(error);
    return program;
}

static void expect_build(cl_program program, cl_device_id device, cl_build_status expected,
                         const char *expected_options)
{
    cl_build_status status = CL_BUILD_IN_PROGRESS;
    char options[256] = "?";
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, expected);
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    ck_assert_str_eq(options, expected_options);
}

static size_t log_size(cl_program program, cl_device_id device)
{
    size_t size = 0;
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    return size;
}

static void expect_type(cl_program program, cl_device_id device, cl_program_binary_type expected)
{
    cl_program_binary_type type = 77;
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, expected);
}

/* Launches a kernel on each half; the results expected there, -1 where it cannot be launched. */
static void expect_puts(const struct apart *apart, cl_kernel kernel, int on_first, int on_second)
{
    const int expected[] = {on_first, on_second};
    static int got[ITEMS];
    const size_t items = ITEMS, group = 64;
    cl_int error;
    cl_mem mem = clCreateBuffer(apart->context, 0, sizeof got, NULL, &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, 40);
    for (int i = 0; i < 2; i++) {
        cl_command_queue queue = apart->queues[i];
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
        cl_expect(error, expected[i] < 0 ? CL_INVALID_PROGRAM_EXECUTABLE : CL_SUCCESS);
        if (expected[i] < 0)
            continue;
        cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int k = 0; k < ITEMS; k++)
            ck_assert_int_eq(got[k], expected[i]);
    }
    cl_ok(clReleaseMemObject(mem));
}

static void expect_results(const struct apart *apart, cl_program program, int on_first, int on_second)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "put", &error);
    cl_ok(error);
    expect_puts(apart, kernel, on_first, on_second);
    cl_ok(clReleaseKernel(kernel));
}

/* The program's binaries; a size of 0 means none. */
static void take_binaries(cl_program program, size_t sizes[2], unsigned char *binaries[2])
{
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 2 * sizeof *sizes, sizes, NULL));
    for (int i = 0; i < 2; i++)
        binaries[i] = sizes[i] ? malloc(sizes[i]) : NULL;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, 2 * sizeof *binaries, binaries, NULL));
}

START_TEST(built_for_one)
{
    struct apart apart;
    size_t sizes[2], limit;
    unsigned char *binaries[2];
    cl_int error;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_program program = apart_program(&apart);
    cl_device_id first = apart.halves[_i], second = apart.halves[1 - _i];
    cl_ok(clBuildProgram(program, 1, &first, "-DV=1", NULL, NULL));
    expect_build(program, first, CL_BUILD_SUCCESS, "-DV=1");
    expect_build(program, second, CL_BUILD_NONE, "");
    expect_type(program, first, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    expect_type(program, second, CL_PROGRAM_BINARY_TYPE_NONE);
    take_binaries(program, sizes, binaries);
    ck_assert_uint_gt(sizes[_i], 0);
    ck_assert_uint_eq(sizes[1 - _i], 0);
    free(binaries[_i]);
    expect_results(&apart, program, _i ? -1 : 41, _i ? 41 : -1);
    cl_kernel kernel = clCreateKernel(program, "put", &error), clone = clCloneKernel(kernel, &error);
    cl_ok(error);
    cl_ok(clGetKernelWorkGroupInfo(kernel, first, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    cl_expect(clGetKernelWorkGroupInfo(kernel, second, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL),
              CL_INVALID_DEVICE);
    cl_expect(clBuildProgram(program, 1, &second, "-DV=2", NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(clReleaseKernel(kernel));
    expect_puts(&apart, clone, _i ? -1 : 41, _i ? 41 : -1);
    cl_ok(clReleaseKernel(clone));
    cl_ok(clReleaseProgram(program));
    apart_close(&apart);
}
END_TEST

/* A program built for the device runs on its sub-devices, save on one that has a build of its own; so does
 * one made of the device's binary, though it is not associated with them. */
START_TEST(built_for_the_whole)
{
    struct apart apart;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_device_id devices[] = {apart.halves[0], cl.device, apart.halves[1]};
    cl_int error, status;
    cl_context context = clCreateContext(NULL, 3, devices, NULL, NULL, &error), before = apart.context;
    cl_ok(error);
    cl_command_queue queues[2], *old = apart.queues;
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, apart.halves[i], 0, &error);
        cl_ok(error);
    }
    cl_command_queue kept[] = {old[0], old[1]};
    apart.context = context;
    memcpy(apart.queues, queues, sizeof queues);
    cl_program program = apart_program(&apart);
    cl_ok(clBuildProgram(program, 1, &cl.device, "-DV=1", NULL, NULL));
    for (int i = 0; i < 3; i++)
        expect_build(program, devices[i], CL_BUILD_SUCCESS, "-DV=1");
    expect_results(&apart, program, 41, 41);
    cl_ok(clBuildProgram(program, 1, &apart.halves[1], "-DV=2", NULL, NULL));
    expect_results(&apart, program, 41, 42);
    cl_ok(clBuildProgram(program, 1, &cl.device, "-DV=3", NULL, NULL));
    expect_results(&apart, program, 43, 42);
    size_t sizes[3];
    unsigned char *binaries[3] = {0};
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    binaries[1] = malloc(sizes[1]);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    const unsigned char *binary = binaries[1];
    cl_program again = clCreateProgramWithBinary(context, 1, &cl.device, &sizes[1], &binary, &status, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(again, 0, NULL, "", NULL, NULL));
    expect_results(&apart, again, 43, 43);
    free(binaries[1]);
    cl_ok(clReleaseProgram(again));
    cl_ok(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        cl_ok(clReleaseCommandQueue(queues[i]));
    cl_ok(clReleaseContext(context));
    apart.context = before;
    memcpy(apart.queues, kept, sizeof kept);
    apart_close(&apart);
}
END_TEST

START_TEST(options_for_each)
{
    struct apart apart;
    cl_int error;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_program program = apart_program(&apart), of = NULL;
    const cl_device_id *halves = apart.halves;
    cl_ok(clBuildProgram(program, 1, &halves[0], "-DV=1", NULL, NULL));
    cl_ok(clBuildProgram(program, 1, &halves[1], "-DV=2", NULL, NULL));
    expect_build(program, halves[0], CL_BUILD_SUCCESS, "-DV=1");
    expect_build(program, halves[1], CL_BUILD_SUCCESS, "-DV=2");
    expect_results(&apart, program, 41, 42);

    cl_ok(clBuildProgram(program, 1, &halves[0], "-DV=3", NULL, NULL)); /* the first anew */
    expect_results(&apart, program, 43, 42);
    cl_kernel kernel = clCreateKernel(program, "put", &error), clone = clCloneKernel(kernel, &error);
    cl_ok(error);
    cl_ok(clGetKernelInfo(clone, CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, program);
    cl_ok(clReleaseKernel(kernel));
    expect_puts(&apart, clone, 43, 42);
    cl_expect(clSetKernelArg(clone, 1, 1, "1"), CL_INVALID_ARG_SIZE);
    cl_ok(clReleaseKernel(clone));

    cl_ok(clBuildProgram(program, 0, NULL, "-DV=4", NULL, NULL)); /* both alike */
    expect_build(program, halves[0], CL_BUILD_SUCCESS, "-DV=4");
    expect_build(program, halves[1], CL_BUILD_SUCCESS, "-DV=4");
    expect_results(&apart, program, 44, 44);
    kernel = clCreateKernel(program, "put", &error);
    cl_ok(error);
    cl_ok(clReleaseProgram(program)); /* the kernel keeps it */
    expect_puts(&apart, kernel, 44, 44);
    cl_ok(clReleaseKernel(kernel));
    apart_close(&apart);
}
END_TEST

START_TEST(failed_for_one)
{
    struct apart apart;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_program program = apart_program(&apart);
    const cl_device_id *halves = apart.halves, good = halves[_i], bad = halves[1 - _i];
    cl_ok(clBuildProgram(program, 2, halves, "-DV=1", NULL, NULL));
    cl_expect(clBuildProgram(program, 1, &bad, "-DW", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_build(program, good, CL_BUILD_SUCCESS, "-DV=1");
    expect_build(program, bad, CL_BUILD_ERROR, "-DW");
    ck_assert_uint_le(log_size(program, good), 1);
    ck_assert_uint_gt(log_size(program, bad), 1);
    expect_results(&apart, program, _i ? -1 : 41, _i ? 41 : -1);
    cl_ok(clBuildProgram(program, 1, &bad, "-DV=2", NULL, NULL));
    expect_results(&apart, program, _i ? 42 : 41, _i ? 41 : 42);
    cl_ok(clReleaseProgram(program));
    apart_close(&apart);
}
END_TEST

/* What kernels there are, where that differs between devices. */
START_TEST(kernels_apart)
{
    struct apart apart;
    cl_kernel kernels[4];
    cl_uint count = 0;
    cl_int error;
    size_t told = 0;
    char names[256] = "";
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_program program = apart_program(&apart);
    cl_ok(clBuildProgram(program, 1, &apart.halves[0], "-DV=1 -DLONGER", NULL, NULL));
    cl_ok(clBuildProgram(program, 1, &apart.halves[1], "-DV=2 -DMORE", NULL, NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof told, &told, NULL));
    ck_assert_uint_eq(told, 3);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_ptr_nonnull(strstr(names, "more"));
    ck_assert_ptr_nonnull(strstr(names, "put"));
    ck_assert_ptr_nonnull(strstr(names, "differs"));
    ck_assert_ptr_null(clCreateKernel(program, "differs", &error));
    cl_expect(error, CL_INVALID_KERNEL_DEFINITION);
    ck_assert_ptr_null(clCreateKernel(program, "none", &error));
    cl_expect(error, CL_INVALID_KERNEL_NAME);
    cl_kernel more = clCreateKernel(program, "more", &error);
    cl_ok(error);
    cl_mem mem = clCreateBuffer(apart.context, 0, 64, NULL, &error);
    const size_t one = 1;
    cl_set_mem(more, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(apart.queues[0], more, 1, NULL, &one, NULL, 0, NULL, NULL),
              CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clEnqueueNDRangeKernel(apart.queues[1], more, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clFinish(apart.queues[1]));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(more));
    /* those that are the same on all devices */
    cl_ok(clCreateKernelsInProgram(program, 4, kernels, &count));
    ck_assert_uint_eq(count, 2);
    while (count)
        cl_ok(clReleaseKernel(kernels[--count]));
    cl_ok(clBuildProgram(program, 0, NULL, "-DV=2 -DMORE", NULL, NULL)); /* nothing is attached any more */
    cl_ok(clCreateKernelsInProgram(program, 4, kernels, &count));
    ck_assert_uint_eq(count, 3);
    while (count)
        cl_ok(clReleaseKernel(kernels[--count]));
    cl_ok(clReleaseProgram(program));
    apart_close(&apart);
}
END_TEST

/* A program from a binary is one for the devices that it was made for. */
START_TEST(binary_for_one)
{
    struct apart apart;
    size_t sizes[2], size = 0;
    unsigned char *binaries[2];
    cl_uint count = 0;
    cl_device_id got[2] = {NULL};
    cl_build_status status;
    cl_int error, told = 1;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    cl_program program = apart_program(&apart);
    cl_device_id first = apart.halves[_i], second = apart.halves[1 - _i];
    cl_ok(clBuildProgram(program, 1, &first, "-DV=1", NULL, NULL));
    take_binaries(program, sizes, binaries);
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithBinary(apart.context, 1, &first, &sizes[_i],
                                        (const unsigned char **)&binaries[_i], &told, &error);
    cl_ok(error);
    cl_ok(told);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof got[0], got, NULL));
    ck_assert_ptr_eq(got[0], first);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, sizes[_i]);
    cl_expect(clBuildProgram(program, 1, &second, "", NULL, NULL), CL_INVALID_DEVICE);
    cl_expect(clGetProgramBuildInfo(program, second, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
              CL_INVALID_DEVICE);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_results(&apart, program, _i ? -1 : 41, _i ? 41 : -1);
    cl_ok(clReleaseProgram(program));
    free(binaries[_i]);
    apart_close(&apart);
}
END_TEST

/* Each device gets the binary that was given for it, in whatever order they are named. */
START_TEST(binary_for_each)
{
    struct apart apart;
    size_t sizes[2], again[2];
    unsigned char *binaries[2];
    cl_int error, told[2] = {1, 1};
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    const cl_device_id turned[] = {apart.halves[_i], apart.halves[1 - _i]};
    cl_program program = apart_program(&apart);
    cl_ok(clBuildProgram(program, 1, &turned[0], "-DV=1", NULL, NULL));
    cl_ok(clBuildProgram(program, 1, &turned[1], "-DV=2", NULL, NULL));
    take_binaries(program, sizes, binaries);
    cl_ok(clReleaseProgram(program));
    const unsigned char *given[] = {binaries[_i], binaries[1 - _i]};
    const size_t lengths[] = {sizes[_i], sizes[1 - _i]};
    program = clCreateProgramWithBinary(apart.context, 2, turned, lengths, given, told, &error);
    cl_ok(error);
    cl_ok(told[0]);
    cl_ok(told[1]);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof again, again, NULL));
    ck_assert_uint_eq(again[0], lengths[0]);
    ck_assert_uint_eq(again[1], lengths[1]);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_results(&apart, program, _i ? 42 : 41, _i ? 41 : 42);
    cl_ok(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        free(binaries[i]);
    apart_close(&apart);
}
END_TEST

/* Compiled apart and linked in one call; or compiled for one device only. */
START_TEST(linked_apart)
{
    struct apart apart;
    cl_uint count = 0;
    cl_int error;
    if (!cl_is_coexec() || !apart_open(&apart))
        return;
    const cl_device_id *halves = apart.halves;
    cl_program part = apart_program(&apart);
    cl_ok(clCompileProgram(part, 1, &halves[0], "-DV=1", 0, NULL, NULL, NULL, NULL));
    expect_type(part, halves[0], CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    expect_type(part, halves[1], CL_PROGRAM_BINARY_TYPE_NONE);
    cl_program linked = clLinkProgram(apart.context, 0, NULL, NULL, 1, &part, NULL, NULL, &error);
    cl_ok(error);
    expect_build(linked, halves[1], CL_BUILD_NONE, "");
    expect_results(&apart, linked, 41, -1);
    cl_ok(clReleaseProgram(linked));
    ck_assert_ptr_null(clLinkProgram(apart.context, 1, &halves[1], NULL, 1, &part, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_OPERATION);

    cl_ok(clCompileProgram(part, 1, &halves[1], "-DV=2", 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(apart.context, 0, NULL, NULL, 1, &part, NULL, NULL, &error);
    cl_ok(error);
    expect_results(&apart, linked, 41, 42);
    cl_ok(clReleaseProgram(linked));
    linked = clLinkProgram(apart.context, 1, &halves[1], NULL, 1, &part, NULL, NULL, &error);
    cl_ok(error);
    cl_ok(clGetProgramInfo(linked, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    expect_results(&apart, linked, -1, 42);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(part));
    apart_close(&apart);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_build_apart");
    TCase *tcase = cl_case(suite, "apart");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, built_for_the_whole);
    tcase_add_loop_test(tcase, built_for_one, 0, 2);
    tcase_add_test(tcase, options_for_each);
    tcase_add_loop_test(tcase, failed_for_one, 0, 2);
    tcase_add_test(tcase, kernels_apart);
    tcase_add_loop_test(tcase, binary_for_one, 0, 2);
    tcase_add_loop_test(tcase, binary_for_each, 0, 2);
    tcase_add_test(tcase, linked_apart);
    return tap_run(suite);
}

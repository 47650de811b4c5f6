/* SPDX-License-Identifier: MIT */
/*
 * What only some of the devices below offer: intermediate languages, specialization constants, built-in
 * kernels, sub-groups, binaries that a driver refuses. Two stub devices; each test has a process of its own,
 * whose environment says which has what.
 */
#include "cl_folder.h"
#include "cl_recorded.h"

#include <unistd.h>

static const char il[] = "\x03\x02\x23\x07kernel void stub_add(global int *a)\n";

static void open_with(const char *name, const char *value)
{
    cl_folder_make("offers");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv(name, value, 1);
    cl_open();
}

/* How many calls the stub's log has of this text. */
static unsigned calls(const char *text)
{
    return cl_lines_with(cl_folder_path("calls"), text);
}

static void close_log(void)
{
    cl_close();
    cl_folder_remove();
}

static void expect_text(cl_device_info query, const char *expected)
{
    char text[256] = "";
    cl_ok(clGetDeviceInfo(cl.device, query, sizeof(text), text, NULL));
    ck_assert_str_eq(text, expected);
}

/* a + b on 16 items */
static void expect_adds(cl_program program)
{
    cl_int a[16], b[16], c[16] = {0}, error;
    for (int i = 0; i < 16; i++) {
        a[i] = i;
        b[i] = 100 * i;
    }
    cl_mem mem[3] = {cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a),
                     cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(b), b),
                     cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(c), c)};
    cl_kernel kernel = clCreateKernel(program, "stub_add", &error);
    cl_ok(error);
    for (cl_uint i = 0; i < 3; i++)
        cl_set_mem(kernel, i, mem[i]);
    cl_launch(kernel, 16);
    cl_read(mem[2], c, sizeof(c));
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(c[i], 101 * i);
    cl_ok(clReleaseKernel(kernel));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mem[i]));
}

static cl_program from_il(void)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(cl.context, il, sizeof(il) - 1, &error);
    cl_ok(error);
    return program;
}

START_TEST(intermediate_language)
{
    char back[sizeof(il)];
    size_t size = 0;
    cl_int error;
    open_with("STUB_IL", "SPIR-V_1.2");
    expect_text(CL_DEVICE_IL_VERSION, "SPIR-V_1.2");
    cl_program program = from_il();
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(back), back, &size));
    ck_assert_uint_eq(size, sizeof(il) - 1);
    ck_assert_mem_eq(back, il, size);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_adds(program);
    cl_ok(clReleaseProgram(program));
    ck_assert_ptr_null(clCreateProgramWithIL(cl.context, "text", 4, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(cl.context, il, 0, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(cl.context, NULL, sizeof(il) - 1, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(NULL, il, sizeof(il) - 1, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    close_log();
}
END_TEST

/* The device that takes none is left out. */
START_TEST(one_takes_it)
{
    open_with("STUB_IL", "SPIR-V_1.2,none");
    cl_program program = from_il();
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_adds(program);
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

START_TEST(the_fastest_takes_none)
{
    cl_int error;
    open_with("STUB_IL", "none,SPIR-V_1.2");
    expect_text(CL_DEVICE_IL_VERSION, "");
    ck_assert_ptr_null(clCreateProgramWithIL(cl.context, il, sizeof(il) - 1, &error));
    cl_expect(error, CL_INVALID_OPERATION);
    close_log();
}
END_TEST

/* Each build gets the constants set before it, on every device. */
START_TEST(specialization)
{
    cl_int value = 7, other = 8;
    open_with("STUB_IL", "SPIR-V_1.2");
    cl_program program = from_il();
    cl_ok(clSetProgramSpecializationConstant(program, 1, sizeof(value), &value));
    cl_ok(clSetProgramSpecializationConstant(program, 2, sizeof(value), &value));
    cl_ok(clSetProgramSpecializationConstant(program, 1, sizeof(other), &other));
    cl_expect(clSetProgramSpecializationConstant(program, 9, sizeof(value), &value), CL_INVALID_SPEC_ID);
    cl_expect(clSetProgramSpecializationConstant(program, 1, 2, &value), CL_INVALID_VALUE);
    cl_expect(clSetProgramSpecializationConstant(program, 1, sizeof(value), NULL), CL_INVALID_VALUE);
    cl_program source = cl_build("kernel void stub_add(global int *a) {}", "");
    cl_expect(clSetProgramSpecializationConstant(source, 1, sizeof(value), &value), CL_INVALID_PROGRAM);
    cl_expect(clSetProgramSpecializationConstant(NULL, 1, sizeof(value), &value), CL_INVALID_PROGRAM);
    cl_ok(clReleaseProgram(source));
    ck_assert_uint_eq(calls("id=1 value=8"), 1); /* the judge's */
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    ck_assert_uint_eq(calls("id=1 value=8"), 3);
    ck_assert_uint_eq(calls("id=1 value=7"), 1);
    ck_assert_uint_eq(calls("id=2 value=7"), 3);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    ck_assert_uint_eq(calls("id=1 value=8"), 5);
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* All that some device has; a program runs where all its names are. */
START_TEST(built_in)
{
    char names[64] = "";
    cl_int error;
    cl_uint count;
    cl_build_status status = 1;
    open_with("STUB_BUILTINS", "stub_add,stub_copy;stub_add");
    expect_text(CL_DEVICE_BUILT_IN_KERNELS, "stub_add;stub_copy");
    cl_program program = clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "stub_add", &error);
    cl_ok(error);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_SUCCESS);
    expect_adds(program);
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "stub_add;stub_copy", &error);
    cl_ok(error);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
    ck_assert_str_eq(names, "stub_add;stub_copy");
    cl_ok(clCreateKernelsInProgram(program, 0, NULL, &count));
    ck_assert_uint_eq(count, 2);
    expect_adds(program);
    cl_ok(clReleaseProgram(program));
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "stub_add;scan", &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "stub_add;", &error));
    cl_expect(error, CL_INVALID_VALUE);
    close_log();
}
END_TEST

START_TEST(common_built_in)
{
    set_variable("limits", "common");
    open_with("STUB_BUILTINS", "stub_add;stub_copy,stub_copy;stub_scale");
    expect_text(CL_DEVICE_BUILT_IN_KERNELS, "stub_copy");
    close_log();
}
END_TEST

START_TEST(sub_groups)
{
    size_t local = 64, size = 0;
    static const char *const below[] = {"8,16", "none,16", "none"};
    static const size_t expected[] = {8, 0, 0};
    open_with("STUB_SUB_GROUP", below[_i]);
    cl_kernel kernel =
        cl_kernel_of("kernel void stub_add(global int *a, global int *b, global int *c) {}", "stub_add");
    cl_expect(clGetKernelSubGroupInfo(kernel, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                      sizeof(local), &local, sizeof(size), &size, NULL),
              expected[_i] ? CL_SUCCESS : CL_INVALID_OPERATION);
    ck_assert_uint_eq(size, expected[_i]);
    if (expected[_i]) {
        cl_expect(clGetKernelSubGroupInfo(kernel, cl.device, 0x7777, 0, NULL, sizeof(size), &size, NULL),
                  CL_INVALID_VALUE);
        cl_expect(clGetKernelSubGroupInfo(kernel, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                          sizeof(local), &local, 1, &size, NULL),
                  CL_INVALID_VALUE);
    }
    cl_ok(clReleaseKernel(kernel));
    close_log();
}
END_TEST

static void CL_CALLBACK never(void *data)
{
    (void)data;
    abort();
}

START_TEST(no_native_kernels)
{
    open_with("STUB_DEVICES", "2");
    cl_expect(clEnqueueNativeKernel(cl.queue, never, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    close_log();
}
END_TEST

/* Drivers are asked to keep what arguments are where these may be images, and the program does not see that.
 */
START_TEST(asked_of_images)
{
    static const char *const given[] = {"-DX", "", "-DX -cl-kernel-arg-info"},
                             *const asked[] = {"\"-DX -cl-kernel-arg-info\"", "\"-cl-kernel-arg-info\"",
                                               "\"-DX -cl-kernel-arg-info\""};
    char options[64] = "none";
    set_variable("build", "all");
    open_with("STUB_DEVICES", "2");
    cl_program plain = cl_build("kernel void stub_inc(global int *a) {}", given[_i]);
    ck_assert_uint_eq(calls("-cl-kernel-arg-info"), _i == 2 ? 2 : 0);
    cl_program program = cl_build("kernel void stub_inc(global int *a) {} /* image2d_t */", given[_i]);
    ck_assert_uint_eq(calls(asked[_i]), _i == 2 ? 4 : 2);
    cl_ok(
        clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(options), options, NULL));
    ck_assert_str_eq(options, given[_i]);
    cl_ok(clReleaseProgram(plain));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* Where no driver tells of arguments, the analysis does, once it is there. */
START_TEST(argument_info)
{
    cl_kernel_arg_address_qualifier address = 0;
    cl_kernel_arg_type_qualifier type = 0;
    char text[64] = "";
    cl_int error;
    open_with("STUB_ARG_INFO", "0");
    cl_program program = cl_build("kernel void stub_scale(global int *a, global const int *b, int factor)\n"
                                  "{ a[get_global_id(0)] = b[get_global_id(0)] * factor; }",
                                  _i ? "" : "-cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(program, "stub_scale", &error);
    cl_ok(error);
    for (int i = 0; !_i && i < 100; i++, usleep(100000)) /* the analysis */
        if (clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL) == CL_SUCCESS)
            break;
    cl_int expected = _i ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE : CL_SUCCESS;
    cl_expect(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), expected);
    ck_assert_str_eq(text, _i ? "" : "factor");
    cl_expect(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL), expected);
    ck_assert_str_eq(text, _i ? "" : "int*");
    cl_expect(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL),
              expected);
    ck_assert(_i || address == CL_KERNEL_ARG_ADDRESS_GLOBAL);
    cl_expect(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(type), &type, NULL),
              CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* A driver that refuses its own binary gets the text. */
START_TEST(refused_binary)
{
    size_t size = 0;
    cl_int error;
    set_variable("build", "all"); /* all is counted when the build has ended */
    open_with("STUB_FAIL", "clCreateProgramWithBinary:1:-42");
    cl_program program = cl_build("kernel void stub_add(global int *a)\n", "");
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_ok(clReleaseProgram(program));
    unsigned sources = calls("clCreateProgramWithSource");
    program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary,
                                        NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    ck_assert_uint_eq(calls("clCreateProgramWithBinary"), 2);
    ck_assert_uint_eq(calls("clCreateProgramWithSource"), sources + 1);
    expect_adds(program);
    cl_ok(clReleaseProgram(program));
    free(binary);
    close_log();
}
END_TEST

/* A driver's own binary, made without coexec: 0: both devices take it, 1: one, 2: none. */
START_TEST(foreign_binary)
{
    static const char own[] = "stub:kernel void stub_add(global int *a)\n";
    static const char *const refusals[] = {
        "no:1:-42", "clCreateProgramWithBinary:1:-42",
        "clCreateProgramWithBinary:1:-42,clCreateProgramWithBinary:2:-42,clCreateProgramWithBinary:3:-42"};
    const unsigned char *binary = (const unsigned char *)own;
    unsigned char back[sizeof(own)], *place = back;
    size_t size = sizeof(own) - 1, told = 0;
    cl_int error, status = 77;
    setenv("STUB_DRIVER", "1,2", 1); /* two kinds of devices */
    open_with("STUB_FAIL", refusals[_i]);
    cl_program program =
        clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &binary, &status, &error);
    cl_expect(error, _i == 2 ? CL_INVALID_BINARY : CL_SUCCESS);
    cl_expect(status, error);
    if (program) {
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(told), &told, NULL));
        ck_assert_uint_eq(told, size);
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(place), &place, NULL));
        ck_assert_mem_eq(back, own, size);
        cl_ok(clBuildProgram(program, 0, NULL, "-DOF_ITS=own", NULL, NULL));
        ck_assert_uint_ge(calls("options=\"-DOF_ITS=own\""), 1);
        expect_adds(program);
        ck_assert_uint_eq(calls("clCreateProgramWithSource"), 0);
        cl_ok(clReleaseProgram(program));
    }
    close_log();
}
END_TEST

static void CL_CALLBACK print(const char *text, size_t size, size_t complete, void *data)
{
    (void)text;
    (void)size;
    (void)complete;
    (void)data;
}

static void CL_CALLBACK told(const char *text, const void *data, size_t size, void *user)
{
    (void)text;
    (void)data;
    (void)size;
    (void)user;
}

/* An empty range is a marker, as of OpenCL 2.1, which the device says it is; drivers older than that refuse.
 */
START_TEST(empty_range)
{
    const size_t zero = 0, some[2] = {16, 0};
    cl_event events[3];
    open_with("STUB_VERSION", _i ? "3.0" : "2.0");
    cl_kernel kernel = cl_kernel_of("kernel void stub_inc(global int *a) {}", "stub_inc");
    cl_mem mem = cl_buffer(0, 64, NULL);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, NULL, NULL, 0, NULL, &events[0]));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &zero, NULL, 1, &events[0], &events[1]));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, some, NULL, 0, NULL, &events[2]));
    cl_ok(clWaitForEvents(3, events));
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel"), 0);
    for (int e = 0; e < 3; e++)
        cl_ok(clReleaseEvent(events[e]));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    close_log();
}
END_TEST

/* A work-group of more work-items than can be counted, each of its sizes allowed. */
START_TEST(huge_group)
{
    const size_t huge[3] = {1 << 22, 1 << 22, 1 << 22};
    open_with("STUB_GROUP", "4194304");
    cl_kernel kernel = cl_kernel_of("kernel void stub_inc(global int *a) {}", "stub_inc");
    cl_mem mem = cl_buffer(0, 64, NULL);
    cl_set_mem(kernel, 0, mem);
    cl_expect(clEnqueueNDRangeKernel(cl.queue, kernel, 3, NULL, huge, huge, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel"), 0);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    close_log();
}
END_TEST

/* The program's function for what kernels print reaches every device. */
START_TEST(printf_callback)
{
    const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM,
                                          (cl_context_properties)print,
                                          CL_PRINTF_BUFFERSIZE_ARM,
                                          1 << 20,
                                          CL_CONTEXT_PLATFORM,
                                          0,
                                          0};
    cl_context_properties properties[sizeof(list) / sizeof(*list)];
    char extensions[1024] = "";
    cl_int error;
    int data;
    open_with("STUB_EXTENSIONS", _i ? "cl_khr_fp64" : "cl_arm_printf");
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    ck_assert((strstr(extensions, "cl_arm_printf") != NULL) == (_i == 0));
    memcpy(properties, list, sizeof(list));
    properties[5] = (cl_context_properties)cl.platform;
    cl_context context = clCreateContext(properties, 1, &cl.device, told, &data, &error);
    cl_expect(error, _i ? CL_INVALID_PROPERTY : CL_SUCCESS);
    ck_assert_uint_eq(calls(" prints"), _i ? 0 : 2);
    if (context)
        cl_ok(clReleaseContext(context));
    close_log();
}
END_TEST

/* A variable of the program lives on the first device: when that one refuses a launch, nobody runs it
 * elsewhere, as happens with others. */
START_TEST(program_variables)
{
    static const char *const texts[] = {
        "global int calls;\n"
        "kernel void stub_inc(global int *a) { calls++; a[get_global_id(0)] += 1; }\n",
        "kernel void stub_inc(global int *a) { a[get_global_id(0)] += 1; }\n",
    };
    cl_int a[16] = {0}, error;
    size_t items = 16;
    cl_event event;
    setenv("COEXEC_SPLIT", "never", 1);
    open_with("STUB_FAIL", "clEnqueueNDRangeKernel:2:-5");
    cl_program program = cl_build(texts[_i], "-cl-std=CL2.0");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_kernel kernel = clCreateKernel(program, "stub_inc", &error);
    cl_ok(error);
    usleep(1000000); /* the analysis */
    cl_set_mem(kernel, 0, mem);
    cl_launch(kernel, items);
    cl_ok(clFinish(cl.queue));
    error = clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event);
    if (error == CL_SUCCESS) {
        error = clWaitForEvents(1, &event);
        cl_ok(clReleaseEvent(event));
    }
    ck_assert((error == CL_SUCCESS) == (_i == 1));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    cl_read(mem, a, sizeof(a));
    ck_assert_int_eq(a[0], _i ? 3 : 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseProgram(program));
    cl_folder_remove();
}
END_TEST

/* A recorded launch that fails once it runs: so does the enqueue of its command buffer, and the next one may
 * follow. */
START_TEST(recorded_failure)
{
    cl_int a[16] = {0}, status = 77;
    size_t items = 16;
    cl_event event;
    setenv("COEXEC_SPLIT", "never", 1);
    setenv("COEXEC_DEVICES", "0", 1);
    open_with("STUB_FAIL", "clEnqueueNDRangeKernel:2:-5");
    cl_recorded_find();
    cl_kernel kernel =
        cl_kernel_of("kernel void stub_inc(global int *a) { a[get_global_id(0)] += 1; }", "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_set_mem(kernel, 0, mem);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    cl_ok(recorded.kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    cl_ok(recorded.finalize(buffer));
    for (int i = 0; i < 3; i++) {
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, &event));
        cl_expect(clWaitForEvents(1, &event),
                  i == 1 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        ck_assert(i == 1 ? status < 0 : status == CL_COMPLETE);
        cl_ok(clReleaseEvent(event));
    }
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_folder_remove();
}
END_TEST

/* Why a launch runs whole that another device cannot take: its work-groups are too large for that, or there
 * is no program for it. */
START_TEST(reported_why_whole)
{
    static const char *const why[] = {"no other device takes work-groups of this size",
                                      "the other devices' compilers have refused the program"};
    const size_t items = 1 << 12, local = _i ? 64 : 256;
    setenv("COEXEC_SPLIT", "always", 1);
    set_variable("analysis_wait", "60000");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("STUB_GROUP", "256,128", 1);
    open_with(_i ? "STUB_FAIL" : "STUB_UNITS", _i ? "clBuildProgram:2:-11" : "4,1");
    cl_kernel kernel =
        cl_kernel_of("kernel void stub_inc(global int *a) { a[get_global_id(0)] += 1; }", "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, items * sizeof(cl_int), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), why[_i]), 1);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("offers");
    TCase *tests = tcase_create("offers");
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, intermediate_language);
    tcase_add_test(tests, one_takes_it);
    tcase_add_test(tests, the_fastest_takes_none);
    tcase_add_test(tests, specialization);
    tcase_add_test(tests, built_in);
    tcase_add_test(tests, common_built_in);
    tcase_add_loop_test(tests, sub_groups, 0, 3);
    tcase_add_test(tests, no_native_kernels);
    tcase_add_loop_test(tests, asked_of_images, 0, 3);
    tcase_add_loop_test(tests, argument_info, 0, 2);
    tcase_add_test(tests, refused_binary);
    tcase_add_loop_test(tests, foreign_binary, 0, 3);
    tcase_add_loop_test(tests, program_variables, 0, 2);
    tcase_add_loop_test(tests, empty_range, 0, 2);
    tcase_add_test(tests, huge_group);
    tcase_add_loop_test(tests, printf_callback, 0, 2);
    tcase_add_test(tests, recorded_failure);
    tcase_add_loop_test(tests, reported_why_whole, 0, 2);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* Errors of programs. */
#include "negative.h"

static const char good[] = "__kernel void run(__global int *a) { a[get_global_id(0)] = 1; }\n";
static const char bad[] = "__kernel void run(__global int *a) { this is no C }\n";

static cl_program source_of(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    return program;
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program;
    (void)data;
}

START_TEST(creation)
{
    cl_int *code = &negative_code, status;
    const char *text = good, *none = NULL;
    const unsigned char junk[64] = "no binary", *binary = junk, *no_binary = NULL;
    const size_t size = sizeof(junk), nothing = 0;
    cl_device_id other = (cl_device_id)cl.queue;

    ROW(CL_INVALID_CONTEXT, MADE(clCreateProgramWithSource(NULL, 1, &text, NULL, code)));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES,
             MADE(clCreateProgramWithSource((cl_context)cl.queue, 1, &text, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithSource(cl.context, 0, &text, NULL, code)));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, MADE(clCreateProgramWithSource(cl.context, 1, NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithSource(cl.context, 1, &none, NULL, code)));

#define BINARY(context, count, devices, lengths, binaries)                                                   \
    MADE(clCreateProgramWithBinary(context, count, devices, lengths, binaries, &status, code))
    ROW(CL_INVALID_CONTEXT, BINARY(NULL, 1, &cl.device, &size, &binary));
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 0, &cl.device, &size, &binary));
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 1, NULL, &size, &binary));
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 1, &cl.device, NULL, &binary));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, BINARY(cl.context, 1, &cl.device, &size, NULL));
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 1, &cl.device, &nothing, &binary));
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 1, &cl.device, &size, &no_binary));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, BINARY(cl.context, 1, &other, &size, &binary));
    ROW(CL_INVALID_BINARY, BINARY(cl.context, 1, &cl.device, &size, &binary));

    status = CL_SUCCESS;
    ROW(CL_INVALID_BINARY, BINARY(cl.context, 1, &cl.device, &size, &binary));
    ROW(CL_INVALID_BINARY, status);
    status = CL_SUCCESS;
    ROW(CL_INVALID_VALUE, BINARY(cl.context, 1, &cl.device, &size, &no_binary));
    ROW_POCL(CL_INVALID_VALUE, ANY, status);
    ROW(CL_INVALID_CONTEXT, MADE(clCreateProgramWithIL(NULL, junk, size, code)));
    ROW_POCL(negative_takes_il() ? CL_INVALID_VALUE : CL_INVALID_OPERATION, CL_INVALID_VALUE,
             MADE(clCreateProgramWithIL(cl.context, junk, size, code)));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateProgramWithBuiltInKernels(NULL, 1, &cl.device, "a", code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithBuiltInKernels(cl.context, 0, &cl.device, "a", code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithBuiltInKernels(cl.context, 1, NULL, "a", code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, NULL, code)));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             MADE(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "", code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "a;b", code)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             MADE(clCreateProgramWithBuiltInKernels(cl.context, 1, &other, "a", code)));
    negative_end();
}
END_TEST

/* NVIDIA's driver tells unknown options as a failure. */
static cl_int refused(cl_int code)
{
    switch (code) {
    case CL_BUILD_PROGRAM_FAILURE:
        return CL_INVALID_BUILD_OPTIONS;
    case CL_COMPILE_PROGRAM_FAILURE:
        return CL_INVALID_COMPILER_OPTIONS;
    case CL_LINK_PROGRAM_FAILURE:
        return CL_INVALID_LINKER_OPTIONS;
    default:
        return code;
    }
}

START_TEST(builds)
{
    cl_program program = source_of(good), broken = source_of(bad);
    cl_device_id other = (cl_device_id)cl.queue;
    cl_int error, data;
    const char *name = "a.h";

#define BUILD(program, count, devices, options, notify, data)                                                \
    clBuildProgram(program, count, devices, options, notify, data)
    ROW(CL_INVALID_PROGRAM, BUILD(NULL, 1, &cl.device, "", NULL, NULL));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, BUILD((cl_program)cl.queue, 1, &cl.device, "", NULL, NULL));
    ROW(CL_INVALID_VALUE, BUILD(program, 1, NULL, "", NULL, NULL));
    ROW(CL_INVALID_VALUE, BUILD(program, 0, &cl.device, "", NULL, NULL));
    ROW(CL_INVALID_VALUE, BUILD(program, 1, &cl.device, "", NULL, &data));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, BUILD(program, 1, &other, "", NULL, NULL));
    ROW(CL_INVALID_BUILD_OPTIONS, refused(BUILD(program, 1, &cl.device, "-no-such-option", NULL, NULL)));
    ROW(CL_BUILD_PROGRAM_FAILURE, BUILD(broken, 1, &cl.device, "", NULL, NULL));

#define COMPILE(program, count, devices, options, headers, list, names)                                      \
    clCompileProgram(program, count, devices, options, headers, list, names, NULL, NULL)
    ROW(CL_INVALID_PROGRAM, COMPILE(NULL, 1, &cl.device, "", 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, COMPILE(program, 1, NULL, "", 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, COMPILE(program, 0, &cl.device, "", 0, NULL, NULL));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, COMPILE(program, 1, &cl.device, "", 1, NULL, NULL));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, COMPILE(program, 1, &cl.device, "", 1, &program, NULL));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, COMPILE(program, 1, &cl.device, "", 1, NULL, &name));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, COMPILE(program, 1, &cl.device, "", 0, &program, &name));
    const cl_program no_header = NULL, plain = source_of("int one(void);\n");
    const char *no_name = NULL;
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, COMPILE(program, 1, &cl.device, "", 1, &no_header, &name));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES,
             COMPILE(program, 1, &cl.device, "", 1, (const cl_program *)&cl.queue, &name));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, COMPILE(program, 1, &cl.device, "", 1, &plain, &no_name));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, COMPILE((cl_program)cl.queue, 1, &cl.device, "", 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clCompileProgram(program, 1, &cl.device, "", 0, NULL, NULL, NULL, &data));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, COMPILE(program, 1, &other, "", 0, NULL, NULL));
    ROW(CL_INVALID_COMPILER_OPTIONS,
        refused(COMPILE(program, 1, &cl.device, "-no-such-option", 0, NULL, NULL)));
    ROW(CL_COMPILE_PROGRAM_FAILURE, COMPILE(broken, 1, &cl.device, "", 0, NULL, NULL));

    /* a binary has no source to compile */
    size_t size = 0;
    cl_program whole = cl_build(good, "");
    cl_ok(clGetProgramInfo(whole, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    cl_ok(clGetProgramInfo(whole, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_program loaded = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size,
                                                  (const unsigned char **)&binary, NULL, &error);
    cl_ok(error);
    ROW(CL_INVALID_OPERATION, COMPILE(loaded, 1, &cl.device, "", 0, NULL, NULL));
    ROW(CL_SUCCESS, BUILD(loaded, 1, &cl.device, "", NULL, NULL));
    cl_ok(clReleaseProgram(loaded));
    cl_ok(clReleaseProgram(whole));
    cl_ok(clReleaseProgram(plain));
    free(binary);

    /* with a kernel on it, a program cannot be built anew */
    cl_ok(BUILD(program, 1, &cl.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    ROW(CL_INVALID_OPERATION, BUILD(program, 1, &cl.device, "", NULL, NULL));
    ROW(CL_INVALID_OPERATION, COMPILE(program, 1, &cl.device, "", 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    ROW(CL_SUCCESS, BUILD(program, 1, &cl.device, "", NULL, NULL));
    cl_ok(clReleaseProgram(broken));
    cl_ok(clReleaseProgram(program));
    negative_end();
}
END_TEST

START_TEST(links)
{
    cl_program plain = source_of(good), object = source_of(good), whole = cl_build(good, "");
    cl_program none = NULL, other = (cl_program)cl.queue;
    cl_device_id wrong = (cl_device_id)cl.queue;
    cl_int *code = &negative_code, data;
    cl_ok(clCompileProgram(object, 1, &cl.device, "", 0, NULL, NULL, NULL, NULL));
    cl_program mixed[] = {object, plain}, twice[] = {object, object};

#define LINK(context, count, devices, options, inputs, list)                                                 \
    MADE(clLinkProgram(context, count, devices, options, inputs, list, NULL, NULL, code))
    ROW(CL_INVALID_CONTEXT, LINK(NULL, 1, &cl.device, "", 1, &object));
    ROW(CL_INVALID_VALUE, LINK(cl.context, 1, NULL, "", 1, &object));
    ROW(CL_INVALID_VALUE, LINK(cl.context, 0, &cl.device, "", 1, &object));
    ROW(CL_INVALID_VALUE, LINK(cl.context, 1, &cl.device, "", 0, &object));
    ROW(CL_INVALID_VALUE, LINK(cl.context, 1, &cl.device, "", 1, NULL));
    ROW(CL_INVALID_VALUE, MADE(clLinkProgram(cl.context, 1, &cl.device, "", 1, &object, NULL, &data, code)));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, LINK(cl.context, 1, &cl.device, "", 1, &none));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, LINK(cl.context, 1, &cl.device, "", 1, &other));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, LINK(cl.context, 1, &wrong, "", 1, &object));
    ROW(CL_INVALID_OPERATION, LINK(cl.context, 1, &cl.device, "", 1, &plain));
    ROW(CL_INVALID_OPERATION, LINK(cl.context, 1, &cl.device, "", 1, &whole));
    ROW(CL_INVALID_OPERATION, LINK(cl.context, 1, &cl.device, "", 2, mixed));
    ROW(CL_INVALID_LINKER_OPTIONS, refused(LINK(cl.context, 1, &cl.device, "-no-such-option", 1, &object)));
    /* what was linked has no source to build or compile */
    cl_program linked = clLinkProgram(cl.context, 1, &cl.device, "", 1, &object, NULL, NULL, code);
    cl_ok(*code);
    ROW_POCL(CL_INVALID_OPERATION, ANY, clBuildProgram(linked, 1, &cl.device, "", NULL, NULL));
    ROW_POCL(CL_INVALID_OPERATION, ANY,
             clCompileProgram(linked, 1, &cl.device, "", 0, NULL, NULL, NULL, NULL));
    ROW(CL_INVALID_OPERATION, LINK(cl.context, 1, &cl.device, "", 1, &linked));
    ROW_POCL(CL_LINK_PROGRAM_FAILURE, ANY, LINK(cl.context, 1, &cl.device, "", 2, twice));
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, code);
    cl_ok(*code);
    ROW_POCL(CL_INVALID_PROGRAM, ANY, LINK(second, 1, &cl.device, "", 1, &object));
    cl_ok(clReleaseContext(second));
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(plain));
    cl_ok(clReleaseProgram(object));
    cl_ok(clReleaseProgram(whole));
    negative_end();
}
END_TEST

START_TEST(queries)
{
    cl_program program = source_of(good), broken = source_of(bad);
    char text[4096];
    size_t size;
    cl_uint value = 1;

    ROW(CL_INVALID_PROGRAM, clRetainProgram(NULL));
    ROW(CL_INVALID_PROGRAM, clReleaseProgram(NULL));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, clRetainProgram((cl_program)cl.queue));
    ROW_POCL(CL_INVALID_PROGRAM, CRASHES, clReleaseProgram((cl_program)cl.queue));
    ROW(CL_INVALID_PROGRAM, clGetProgramInfo(NULL, CL_PROGRAM_SOURCE, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetProgramInfo(program, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_SOURCE, 1, text, &size));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_PROGRAM,
             clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 1, text, &size));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_PROGRAM,
             clGetProgramInfo(program, CL_PROGRAM_BINARIES, 1, text, &size));
    ROW(CL_INVALID_PROGRAM_EXECUTABLE,
        clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(text), text, &size));
    ROW(CL_INVALID_PROGRAM_EXECUTABLE,
        clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, &size));
    ROW_POCL(CL_SUCCESS, ANY,
             clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof(text), text, &size));
    ROW_POCL(CL_SUCCESS, ANY,
             clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof(text), text, &size));
    ROW(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(text), text, &size));

#define TELL(program, device, what, room) clGetProgramBuildInfo(program, device, what, room, text, &size)
    ROW(CL_INVALID_PROGRAM, TELL(NULL, cl.device, CL_PROGRAM_BUILD_LOG, sizeof(text)));
    ROW(CL_INVALID_DEVICE, TELL(program, NULL, CL_PROGRAM_BUILD_LOG, sizeof(text)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             TELL(program, (cl_device_id)cl.queue, CL_PROGRAM_BUILD_LOG, sizeof(text)));
    ROW(CL_INVALID_VALUE, TELL(program, cl.device, 0xffff, sizeof(text)));
    ROW(CL_INVALID_VALUE, TELL(program, cl.device, CL_PROGRAM_BUILD_STATUS, 1));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_PROGRAM, TELL(program, cl.device, CL_PROGRAM_BUILD_LOG, 0));
    cl_expect(clBuildProgram(broken, 1, &cl.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    ROW(CL_INVALID_VALUE, TELL(broken, cl.device, CL_PROGRAM_BUILD_LOG, 1));

    ROW_POCL(CL_INVALID_PROGRAM, ANY, clSetProgramSpecializationConstant(NULL, 1, sizeof(value), &value));
    /* no device takes an intermediate language, or the program is none */
    ROW_POCL(negative_takes_il() ? CL_INVALID_PROGRAM : CL_INVALID_OPERATION, CRASHES,
             clSetProgramSpecializationConstant(program, 1, sizeof(value), &value));
    ROW(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(NULL, built, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, clSetProgramReleaseCallback(program, NULL, NULL));
    ROW_POCL(CL_INVALID_OPERATION, ANY, clSetProgramReleaseCallback(program, built, NULL));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(broken));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative program");
    TCase *tests = cl_case(suite, "program");
    tcase_add_test(tests, creation);
    tcase_add_test(tests, builds);
    tcase_add_test(tests, links);
    tcase_add_test(tests, queries);
    return tap_run(suite);
}

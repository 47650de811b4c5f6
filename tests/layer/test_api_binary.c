/* SPDX-License-Identifier: MIT */
/* Programs saved as binaries and loaded again, as programs that keep a cache of their own do. */
#include "cl_fixture.h"

static const char text[] = "__kernel void run(__global int *a) { a[get_global_id(0)] = FACTOR; }\n";

static unsigned char *binary_of(cl_program program, size_t *size)
{
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
    ck_assert_uint_gt(*size, 0);
    unsigned char *binary = malloc(*size), *nothing = NULL;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    if (cl_is_coexec()) /* PoCL 3.1 crashes */
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(nothing), &nothing, NULL));
    return binary;
}

static cl_program load(const unsigned char *binary, size_t size, cl_int expected)
{
    cl_int error = 1, status = 1;
    cl_program program =
        clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &binary, &status, &error);
    cl_expect(error, expected);
    cl_expect(status, expected);
    ck_assert((program != NULL) == (expected == CL_SUCCESS));
    return program;
}

static void expect_writes(cl_program program, cl_int value)
{
    cl_int error, got = 0;
    cl_mem mem = cl_buffer(0, sizeof(got), NULL);
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_launch(kernel, 1);
    cl_read(mem, &got, sizeof(got));
    ck_assert_int_eq(got, value);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}

/* A binary keeps the options it was built with, whatever options its own build is given. */
START_TEST(saved_and_loaded)
{
    size_t size, again;
    cl_program first = cl_build(text, "-DFACTOR=41");
    unsigned char *binary = binary_of(first, &size);
    cl_ok(clReleaseProgram(first));

    cl_program second = load(binary, size, CL_SUCCESS);
    cl_ok(clBuildProgram(second, 1, &cl.device, cl_is_coexec() ? "-DFACTOR=42" : "", NULL, NULL));
    expect_writes(second, 41);
    unsigned char *copy = binary_of(second, &again);
    if (cl_is_coexec()) {
        ck_assert_uint_eq(size, again);
        ck_assert_mem_eq(binary, copy, size);
        cl_expect(clCompileProgram(second, 1, &cl.device, "", 0, NULL, NULL, NULL, NULL),
                  CL_INVALID_OPERATION);
    }
    cl_ok(clReleaseProgram(second));
    free(binary);
    free(copy);
}
END_TEST

START_TEST(no_binary)
{
    const char *source = text;
    size_t size = 1;
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    cl_ok(error);
    if (cl_is_coexec()) {
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        ck_assert_uint_eq(size, 0);
        cl_expect(clBuildProgram(program, 1, &cl.device, "-DFACTOR=?", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        ck_assert_uint_eq(size, 0);
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Every byte that changes and every length but the right one is noticed. */
START_TEST(damaged)
{
    size_t size;
    if (!cl_is_coexec())
        return;
    cl_program program = cl_build(text, "-DFACTOR=1");
    unsigned char *binary = binary_of(program, &size), *longer = calloc(1, size + 1);
    for (size_t i = 0; i < size; i++) {
        binary[i] ^= 1;
        load(binary, size, CL_INVALID_BINARY);
        binary[i] ^= 1;
    }
    for (size_t i = 1; i < size; i++)
        load(binary, i, CL_INVALID_BINARY);
    memcpy(longer, binary, size);
    load(longer, size + 1, CL_INVALID_BINARY);
    load(binary, 0, CL_INVALID_VALUE);
    load(NULL, size, CL_INVALID_VALUE);
    free(longer);
    free(binary);
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(wrong_arguments)
{
    const unsigned char *binary = (const unsigned char *)text;
    size_t size = sizeof(text);
    cl_int error = 1;
    if (!cl_is_coexec()) /* PoCL 3.1 crashes */
        return;
    ck_assert_ptr_null(clCreateProgramWithBinary(NULL, 1, &cl.device, &size, &binary, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateProgramWithBinary(cl.context, 0, NULL, &size, &binary, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, NULL, &binary, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &binary, NULL, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("binary");
    TCase *tests = cl_case(suite, "binary");

    tcase_add_test(tests, saved_and_loaded);
    tcase_add_test(tests, no_binary);
    tcase_add_test(tests, damaged);
    tcase_add_test(tests, wrong_arguments);
    return cl_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* Programs saved as binaries and loaded again, as programs that keep a cache of their own do. */
#include "cl_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

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

/* What a program is that was loaded and not built yet. */
static void expect_loaded(cl_program program, cl_program_binary_type expected)
{
    cl_program_binary_type type = 0;
    cl_build_status status = 1;
    char options[64] = "none";
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, expected);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_NONE);
    cl_ok(
        clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(options), options, NULL));
    ck_assert_str_eq(options, "");
}

/* A binary keeps the options it was built with, whatever options its own build is given. */
START_TEST(saved_and_loaded)
{
    size_t size, again;
    cl_program first = cl_build(text, "-DFACTOR=41");
    unsigned char *binary = binary_of(first, &size);
    cl_ok(clReleaseProgram(first));

    cl_program second = load(binary, size, CL_SUCCESS);
    expect_loaded(second, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
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

/* Bytes that change and lengths but the right one are noticed: all near the begin, some of the rest. */
START_TEST(damaged)
{
    size_t size;
    if (!cl_is_coexec())
        return;
    cl_program program = cl_build(text, "-DFACTOR=1");
    unsigned char *binary = binary_of(program, &size), *longer = calloc(1, size + 1);
    for (size_t i = 0; i < size; i += i < 200 ? 1 : 1 + cl_roll((unsigned)(size / 50))) {
        binary[i] ^= 1;
        load(binary, size, CL_INVALID_BINARY);
        binary[i] ^= 1;
    }
    for (size_t i = 1; i < size; i += i < 200 ? 1 : 1 + cl_roll((unsigned)(size / 50)))
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

static cl_program reloaded(cl_program program)
{
    size_t size;
    unsigned char *binary = binary_of(program, &size);
    cl_ok(clReleaseProgram(program));
    program = load(binary, size, CL_SUCCESS);
    free(binary);
    return program;
}

static cl_program compiled(const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clCompileProgram(program, 1, &cl.device, options, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* Objects, libraries and what is linked of them. */
START_TEST(parts_and_whole)
{
    static const char helper[] = "int scale(int x) { return x * FACTOR; }\n";
    static const char kernel[] = "int scale(int x);\n"
                                 "__kernel void run(__global int *a) { a[get_global_id(0)] = scale(7); }\n";
    cl_int error;
    if (!cl_is_coexec()) /* PoCL 3.1 takes a loaded object for an executable */
        return;
    cl_program object = reloaded(compiled(helper, "-DFACTOR=6"));
    expect_loaded(object, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program library =
        clLinkProgram(cl.context, 0, NULL, "-create-library", 1, &object, NULL, NULL, &error);
    cl_ok(error);
    library = reloaded(library);
    expect_loaded(library, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program inputs[] = {library, reloaded(compiled(kernel, ""))};
    cl_program program = clLinkProgram(cl.context, 0, NULL, "", 2, inputs, NULL, NULL, &error);
    cl_ok(error);
    expect_writes(program, 42);
    program = reloaded(program);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_writes(program, 42);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(inputs[0]));
    cl_ok(clReleaseProgram(inputs[1]));
    cl_ok(clReleaseProgram(object));
}
END_TEST

/* The file that a text includes is not needed any more; its launches are split as before. */
START_TEST(without_its_header)
{
    static const char includer[] = "#include \"factor.h\"\n"
                                   "__kernel void run(__global int *a) { a[get_global_id(0)] = FACTOR; }\n";
    char folder[] = "/tmp/coexec-test-XXXXXX", path[64], options[64];
    cl_int a[64];
    cl_int error;
    size_t items = 64, group = 4;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/factor.h", folder);
    snprintf(options, sizeof(options), "-I%s", folder);
    FILE *header = fopen(path, "w");
    ck_assert_ptr_nonnull(header);
    fprintf(header, "#define FACTOR 5\n");
    fclose(header);
    cl_program program = cl_build(includer, options);
    expect_writes(program, 5); /* waits for the analysis */
    program = reloaded(program);
    unlink(path);
    rmdir(folder);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_mem mem = cl_buffer(0, sizeof(a), NULL);
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(a[i], 5);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* PoCL has one that adds bytes. */
START_TEST(built_in_kernels)
{
    char names[4096] = "";
    unsigned char a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {1, 1, 1, 1, 1, 1, 1, 1}, c[8] = {0};
    cl_int error;
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "nobody's", &error));
    cl_expect(error, CL_INVALID_VALUE);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_BUILT_IN_KERNELS, sizeof(names), names, NULL));
    if (!strstr(names, "pocl.add.i8"))
        return;
    cl_program program = clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "pocl.add.i8", &error);
    cl_ok(error);
    error = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    if (error != CL_SUCCESS) { /* Debian's PoCL lacks the files that its kernels are made of */
        cl_expect(error, CL_BUILD_PROGRAM_FAILURE);
        ck_assert_ptr_null(clCreateKernel(program, "pocl.add.i8", &error));
        cl_expect_either(error, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME);
        cl_ok(clReleaseProgram(program));
        return;
    }
    cl_mem mem[3] = {cl_buffer(CL_MEM_COPY_HOST_PTR, 8, a), cl_buffer(CL_MEM_COPY_HOST_PTR, 8, b),
                     cl_buffer(CL_MEM_COPY_HOST_PTR, 8, c)};
    cl_kernel add = clCreateKernel(program, "pocl.add.i8", &error);
    cl_ok(error);
    for (cl_uint i = 0; i < 3; i++)
        cl_set_mem(add, i, mem[i]);
    cl_launch(add, 8);
    cl_read(mem[2], c, sizeof(c));
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(c[i], a[i] + 1);
    cl_ok(clReleaseKernel(add));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mem[i]));
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

static atomic_bool over;

/* Whole binaries, or none while the program is being built. */
static void *ask_for_binary(void *data)
{
    const cl_program program = data;
    enum { ROOM = 4 << 20 };
    unsigned char *binary = malloc(ROOM);
    size_t size;
    while (!atomic_load(&over)) {
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        ck_assert_uint_lt(size, ROOM);
        cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    }
    free(binary);
    return NULL;
}

/* One thread asks for the binary while another builds the program anew. */
START_TEST(asked_while_built)
{
    enum { BUILDS = 60 };
    if (!cl_is_coexec()) /* PoCL 3.1 gives the binary of the build under way */
        return;
    pthread_t thread;
    char options[32];
    cl_program program = cl_build(text, "-DFACTOR=0");
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_for_binary, program), 0);
    for (int i = 0; i < BUILDS; i++) {
        snprintf(options, sizeof(options), "-DFACTOR=%d", i % 3);
        cl_ok(clBuildProgram(program, 1, &cl.device, options, NULL, NULL));
        if (i % 4 == 0)
            usleep(2000);
    }
    atomic_store(&over, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    expect_writes(program, (BUILDS - 1) % 3);
    cl_ok(clReleaseProgram(program));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("binary");
    TCase *tests = cl_case(suite, "binary");

    tcase_add_test(tests, saved_and_loaded);
    tcase_add_test(tests, no_binary);
    tcase_add_test(tests, damaged);
    tcase_add_test(tests, parts_and_whole);
    tcase_add_test(tests, without_its_header);
    tcase_add_test(tests, built_in_kernels);
    tcase_add_test(tests, wrong_arguments);
    tcase_add_test(tests, asked_while_built);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* Separate compilation through the API: embedded headers, linking, libraries, callbacks, and the errors. */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char helper_text[] = "#include \"scale.h\"\nint scale(int x) { return x * FACTOR; }\n";
static const char kernel_text[] =
    "#include <scale.h>\n__kernel void run(__global int *a)\n"
    "{ size_t i = get_global_id(0); a[i] = scale(a[i]) + (int)get_group_id(0); }\n";
static const char header_text[] = "#define FACTOR 3\nint scale(int x);\n";

static cl_program source_of(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    return program;
}

static cl_program compiled(const char *text)
{
    const char *name = "scale.h";
    cl_program header = source_of(header_text);
    cl_program program = source_of(text);
    cl_ok(clCompileProgram(program, 1, &cl.device, "", 1, &header, &name, NULL, NULL));
    cl_ok(clReleaseProgram(header));
    return program;
}

static cl_program linked(const char *options, cl_uint count, const cl_program *inputs, cl_int expected)
{
    cl_int error = 1;
    cl_program program = clLinkProgram(cl.context, 0, NULL, options, count, inputs, NULL, NULL, &error);
    ck_assert_msg(error == expected, "%s", cl_code_name(error));
    return program;
}

static void expect_type(cl_program program, cl_program_binary_type expected, cl_build_status status)
{
    cl_program_binary_type type = 0;
    cl_build_status got = 1;
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(got), &got, NULL));
    if (cl_is_coexec()) /* PoCL 3.1 calls a failed compilation an object */
        ck_assert_uint_eq(type, expected);
    ck_assert_int_eq(got, status);
}

/* Runs the kernel of a linked program on 16 items in groups of 4. */
static void expect_runs(cl_program program)
{
    cl_int a[16], error;
    size_t items = 16, group = 4;

    for (int i = 0; i < 16; i++)
        a[i] = i;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(a[i], 3 * i + i / 4);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}

START_TEST(two_objects)
{
    cl_program parts[] = {compiled(helper_text), compiled(kernel_text)};
    char names[64] = "";
    cl_int error;

    expect_type(parts[0], CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_BUILD_SUCCESS);
    ck_assert_ptr_null(clCreateKernel(parts[1], "run", &error));
    cl_expect_either(error, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME);
    cl_program program = linked("", 2, parts, CL_SUCCESS);
    expect_type(program, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_BUILD_SUCCESS);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
    ck_assert_str_eq(names, "run");
    /* the parts are not needed any more */
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
    expect_runs(program);
    if (cl_is_coexec())
        cl_expect(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Whether the log, where there is one, says that the kernel was split. */
static bool said_split(void)
{
    const char *path = getenv("COEXEC_LOG_FILE");
    return !path || cl_lines_with(path, "run runs split") || !cl_is_coexec();
}

/* Objects whose texts, with the headers embedded in them, make one are analysed and split like a program of
 * one text. */
static const struct {
    const char *text[3];
    bool shelved, split; /* through a library; split where all is */
} joined[] = {
    {{"#include \"scale.h\"\nint scale(int x) { return x * FACTOR; }\n"
      "__kernel void run(__global int *a)\n"
      "{ size_t i = get_global_id(0); a[i] = scale(a[i]) + (int)get_group_id(0); }\n"},
     false,
     true},
    {{helper_text, kernel_text}, false, true},
    {{helper_text, kernel_text}, true, true},
    /* macros that end with their object, and functions of its own */
    {{"#define X 3\nstatic int f(int x) { return x * X; }\nint scale(int x);\n"
      "int scale(int x) { return f(x); }\n",
      "#ifdef X\n#error\n#endif\n#define X + (int)get_group_id(0)\n#include \"scale.h\"\n"
      "__kernel void run(__global int *a) { size_t i = get_global_id(0); a[i] = scale(a[i]) X; }\n"},
     false,
     true},
    /* a name that is the object's own here, and a built-in function there */
    {{"int scale(int x);\nstatic int max3(int x, int y) { return 3 * x + y; }\n"
      "int scale(int x) { return max3(x, 0); }\nstatic int mul24_(int x) { return x; }\n",
      "#include \"scale.h\"\n#define max3 mul24_\nint mul24_(int x);\n"
      "__kernel void run(__global int *a)\n"
      "{ size_t i = get_global_id(0); a[i] = scale(a[i]) + max3((int)get_group_id(0)); }\n",
      "int mul24_(int x);\nint mul24_(int x) { return x; }\n"},
     false,
     false},
};

START_TEST(joined_objects)
{
    cl_uint count = 0;
    cl_program objects[3], program, shelf;
    cl_folder_make("link");
    if (getenv("COEXEC_LOG_FILE")) /* one of this test's own; the layer has not read it yet */
        setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    while (count < 3 && joined[_i].text[count]) {
        objects[count] = compiled(joined[_i].text[count]);
        count++;
    }
    if (joined[_i].shelved) {
        shelf = linked("-create-library", 1, objects, CL_SUCCESS);
        cl_ok(clReleaseProgram(objects[0]));
        objects[0] = shelf;
    }
    program = linked("", count, objects, CL_SUCCESS);
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clReleaseProgram(objects[i]));
    expect_runs(program);
    ck_assert(said_split() == joined[_i].split || !getenv("COEXEC_LOG_FILE"));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* One thread compiles an object again and again while another links it, among so many that looking at them
 * takes a while: it is either compiled or linked, never both. */
enum { TIMES = 500, LINKS = 2 };
static atomic_bool linked_enough;

static void *compile_often(void *data)
{
    while (!atomic_load(&linked_enough)) {
        cl_int error = clCompileProgram(data, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
        ck_assert_int_eq(error, error == CL_INVALID_OPERATION ? CL_INVALID_OPERATION : CL_SUCCESS);
        if (error == CL_SUCCESS)
            usleep(300); /* the time in which a link may begin */
    }
    return NULL;
}

START_TEST(link_while_compiled)
{
    cl_program objects[] = {source_of("int twice(int x);\nint twice(int x) { return 2 * x; }\n"),
                            source_of("int three(void);\nint three(void) { return 3; }\n")};
    static cl_program inputs[TIMES];
    pthread_t thread;
    if (!cl_is_coexec())
        return;
    for (int i = 0; i < 2; i++)
        cl_ok(clCompileProgram(objects[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    for (int i = 0; i < TIMES; i++)
        inputs[i] = objects[i > 0];
    ck_assert_int_eq(pthread_create(&thread, NULL, compile_often, objects[0]), 0);
    for (int i = 0; i < LINKS;) {
        cl_int error = 1;
        cl_program program = clLinkProgram(cl.context, 0, NULL, "", TIMES, inputs, NULL, NULL, &error);
        if (error == CL_INVALID_OPERATION) { /* it is being compiled */
            usleep(20);
            continue;
        }
        ck_assert_int_ne(error, CL_SUCCESS); /* one definition too many */
        if (program)
            cl_ok(clReleaseProgram(program));
        i++;
    }
    atomic_store(&linked_enough, true);
    pthread_join(thread, NULL);
    cl_ok(clCompileProgram(objects[0], 0, NULL, "", 0, NULL, NULL, NULL, NULL)); /* nothing is attached */
    cl_ok(clReleaseProgram(objects[0]));
    cl_ok(clReleaseProgram(objects[1]));
}
END_TEST

/* Threads that link the same objects at once, and run what comes out beside each other. */
enum { LINKERS = 3, ROUNDS = 2 };

static void *link_often(void *objects)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        cl_program program = linked("", 2, objects, CL_SUCCESS);
        expect_runs(program);
        cl_ok(clReleaseProgram(program));
    }
    return NULL;
}

START_TEST(link_side_by_side)
{
    cl_program objects[] = {compiled(helper_text), compiled(kernel_text)}, header = source_of(header_text);
    const char *name = "scale.h";
    pthread_t thread[LINKERS];
    if (!cl_is_coexec()) /* PoCL 3.1 promises nothing of the kind */
        return;
    for (unsigned t = 0; t < LINKERS; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, link_often, objects), 0);
    for (unsigned t = 0; t < LINKERS; t++)
        pthread_join(thread[t], NULL);
    for (unsigned i = 0; i < 2; i++) { /* nothing is attached any more */
        cl_ok(clCompileProgram(objects[i], 0, NULL, "", 1, &header, &name, NULL, NULL));
        cl_ok(clReleaseProgram(objects[i]));
    }
    cl_ok(clReleaseProgram(header));
}
END_TEST

/* The program, which is released, made anew of its binary. */
static cl_program reloaded(cl_program program)
{
    size_t size = 0;
    cl_int error;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary,
                                        NULL, &error);
    cl_ok(error);
    free(binary);
    return program;
}

/* Objects and libraries that were saved link with those that were not, in any order. */
enum { HELPER_SAVED = 1, KERNEL_SAVED = 2, KERNEL_FIRST = 4, SHELVED = 8 };
static const unsigned saved[] = {
    HELPER_SAVED,
    KERNEL_SAVED,
    HELPER_SAVED | KERNEL_FIRST,
    KERNEL_SAVED | KERNEL_FIRST,
    HELPER_SAVED | KERNEL_SAVED,
    HELPER_SAVED | SHELVED,
    KERNEL_SAVED | SHELVED,
    HELPER_SAVED | SHELVED | KERNEL_FIRST,
    KERNEL_SAVED | SHELVED | KERNEL_FIRST,
};

START_TEST(saved_objects)
{
    cl_program helper = compiled(helper_text), kernel = compiled(kernel_text);
    if (saved[_i] & SHELVED) {
        cl_program shelf = linked("-create-library", 1, &helper, CL_SUCCESS);
        cl_ok(clReleaseProgram(helper));
        helper = shelf;
    }
    helper = saved[_i] & HELPER_SAVED ? reloaded(helper) : helper;
    kernel = saved[_i] & KERNEL_SAVED ? reloaded(kernel) : kernel;
    const bool swapped = saved[_i] & KERNEL_FIRST;
    cl_program parts[] = {swapped ? kernel : helper, swapped ? helper : kernel};

    cl_program program = linked("", 2, parts, CL_SUCCESS);
    expect_runs(program);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(helper));
    cl_ok(clReleaseProgram(kernel));
}
END_TEST

/* The binary of what is linked has the objects' texts joined: so it can be analysed, and built for other
 * devices, by a process that has neither a cache nor the objects. */
START_TEST(saved_program)
{
    cl_program parts[] = {compiled(helper_text), compiled(kernel_text)};
    cl_program program = reloaded(linked("", 2, parts, CL_SUCCESS));
    char text[4096] = "";
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, NULL));
    ck_assert(strstr(text, "void run(") || !cl_is_coexec());
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_type(program, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_BUILD_SUCCESS);
    expect_runs(program);
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(library)
{
    cl_program object = compiled(helper_text);
    cl_program shelf = linked("-create-library", 1, &object, CL_SUCCESS);
    cl_program parts[] = {shelf, compiled(kernel_text)};

    expect_type(shelf, CL_PROGRAM_BINARY_TYPE_LIBRARY, CL_BUILD_SUCCESS);
    cl_program program = linked("", 2, parts, CL_SUCCESS);
    expect_runs(program);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(parts[1]));
    cl_ok(clReleaseProgram(shelf));
    cl_ok(clReleaseProgram(object));
}
END_TEST

/* The compiled object is attached to the link only while that runs: it can be compiled anew afterwards. */
START_TEST(compile_again)
{
    cl_program parts[] = {compiled(helper_text), compiled(kernel_text)};
    cl_program header = source_of(header_text);
    const char *name = "scale.h";

    cl_program first = linked("", 2, parts, CL_SUCCESS);
    cl_ok(clCompileProgram(parts[0], 0, NULL, "-DX", 1, &header, &name, NULL, NULL));
    cl_program second = linked("", 2, parts, CL_SUCCESS);
    expect_runs(first);
    expect_runs(second);
    cl_ok(clReleaseProgram(first));
    cl_ok(clReleaseProgram(second));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
    cl_ok(clReleaseProgram(header));
}
END_TEST

START_TEST(compile_errors)
{
    cl_program program = source_of("#include \"nowhere.h\"\n__kernel void k(void) {}\n");
    cl_program header = source_of(header_text);
    const char *name = "scale.h";
    char log[4096] = "";
    size_t size = 0;

    cl_expect(clCompileProgram(program, 0, NULL, "", 1, &header, &name, NULL, NULL),
              CL_COMPILE_PROGRAM_FAILURE);
    expect_type(program, CL_PROGRAM_BINARY_TYPE_NONE, CL_BUILD_ERROR);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    ck_assert_uint_le(size, sizeof(log));
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "nowhere.h"));
    cl_expect(clCompileProgram(program, 0, NULL, "", 1, NULL, &name, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clCompileProgram(program, 0, NULL, "", 1, &header, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clCompileProgram(program, 0, NULL, "", 0, &header, &name, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clCompileProgram(program, 1, NULL, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, log), CL_INVALID_VALUE);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(header));
}
END_TEST

START_TEST(link_errors)
{
    cl_program object = compiled(kernel_text), plain = source_of(kernel_text);
    cl_int error = 0;

    ck_assert_ptr_null(linked("", 0, NULL, CL_INVALID_VALUE));
    ck_assert_ptr_null(linked("", 1, NULL, CL_INVALID_VALUE));
    ck_assert_ptr_null(linked("", 1, &plain, CL_INVALID_OPERATION));
    if (cl_is_coexec()) {
        cl_program wrong[] = {object, (cl_program)cl.queue};
        ck_assert_ptr_null(linked("", 2, wrong, CL_INVALID_PROGRAM));
    }
    ck_assert_ptr_null(clLinkProgram(NULL, 0, NULL, "", 1, &object, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    cl_ok(clReleaseProgram(object));
    cl_ok(clReleaseProgram(plain));
}
END_TEST

static void CL_CALLBACK linked_now(cl_program program, void *data)
{
    (void)program;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

START_TEST(link_with_callback)
{
    cl_program parts[] = {compiled(helper_text), compiled(kernel_text)};
    int done = 0;
    cl_int error = 1;

    cl_program program = clLinkProgram(cl.context, 1, &cl.device, "", 2, parts, linked_now, &done, &error);
    cl_ok(error);
    for (int i = 0; i < 2000 && !__atomic_load_n(&done, __ATOMIC_ACQUIRE); i++)
        usleep(10000);
    ck_assert_int_eq(done, 1);
    expect_runs(program);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
}
END_TEST

/* A hint: what was compiled stays good, and more can be. */
START_TEST(unload_compiler)
{
    cl_program parts[2];
    cl_ok(clUnloadPlatformCompiler(cl.platform));
    parts[0] = compiled(helper_text);
    cl_ok(clUnloadPlatformCompiler(cl.platform));
    parts[1] = compiled(kernel_text);
    cl_ok(clUnloadCompiler());
    cl_program program = linked("", 2, parts, CL_SUCCESS);
    cl_ok(clUnloadPlatformCompiler(cl.platform));
    expect_runs(program);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link");
    TCase *tests = cl_case(suite, "link");

    TCase *logged = tcase_create("logged");

    tcase_set_timeout(logged, 120);
    suite_add_tcase(suite, logged);
    test_add_some(logged, joined_objects, sizeof(joined) / sizeof(*joined));
    tcase_add_test(tests, two_objects);
    tcase_add_test(tests, library);
    test_add_some(tests, saved_objects, sizeof(saved) / sizeof(*saved));
    tcase_add_test(tests, saved_program);
    tcase_add_test(tests, compile_again);
    tcase_add_test(tests, compile_errors);
    tcase_add_test(tests, link_errors);
    tcase_add_test(tests, link_with_callback);
    tcase_add_test(tests, link_while_compiled);
    tcase_add_test(tests, link_side_by_side);
    tcase_add_test(tests, unload_compiler);
    return tap_run(suite);
}

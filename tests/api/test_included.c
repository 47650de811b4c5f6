/* SPDX-License-Identifier: MIT */
/*
 * Programs whose text includes a file, built from it or loaded from a binary: their launches are split where
 * that needs another variant of the text, too, but only while the file says what it said when the program was
 * built. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 4096, ITEMS = 256, LOCAL = 16 };

/* Strided by the range: a package needs a variant. */
static const char includer[] =
    "#include \"factor.h\"\n"
    "__kernel void run(__global int *a, int n)\n"
    "{ for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = i * FACTOR; }\n";

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(cl_folder_path(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void expect_fives(cl_program program)
{
    static cl_int a[N];
    const size_t items = ITEMS, local = LOCAL;
    cl_int error, wrong = 0;
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(0, sizeof(a), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, N);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < N; i++)
        wrong += a[i] != 5 * i;
    ck_assert_int_eq(wrong, 0);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}

/* Another object of the program's binary, built. */
static cl_program reloaded(cl_program program)
{
    size_t size;
    cl_int error;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *given = binary;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &given, NULL, &error);
    cl_ok(error);
    free(binary);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return program;
}

static const struct {
    const char *text; /* of the file, after the binary was made; NULL: it is gone */
    unsigned split;   /* launches, of two */
} cases[] = {{"#define FACTOR 5\n", 2}, {"#define FACTOR 6\n", 1}, {NULL, 1}};

START_TEST(file_afterwards)
{
    char options[512];
    cl_folder_make("included");
    snprintf(options, sizeof(options), "-I%s", cl_folder_path(""));
    setenv("COEXEC_LOG", "plan:info,program:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    write_file("factor.h", "#define FACTOR 5\n");
    cl_open();
    cl_program program = cl_build(includer, options);
    expect_fives(program);
    program = reloaded(program);
    if (cases[_i].text)
        write_file("factor.h", cases[_i].text);
    else
        unlink(cl_folder_path("factor.h"));
    expect_fives(program);
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "run runs split"), cases[_i].split);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "cannot be built"), 2 - cases[_i].split);
    cl_folder_remove();
}
END_TEST

/* The same program built from its text: how it includes the file, what happens to that as soon as it is built
 * and before it is analysed, whether launches may be split, and with which more options. */
#define UNCHANGED "#define FACTOR 5\n"
#define QUOTES    "-D TEXT(x)=#x -D QUOTED(x)=TEXT(x) -D STEM=factor"
static const struct {
    const char *include, *text;
    bool split;
    const char *options;
} built[] = {
    {"#include \"factor.h\"\n", UNCHANGED, true, ""},
    {"#include \"factor.h\"\n", "#define FACTOR 6\n", false, ""},
    {"#include \"factor.h\"\n", NULL, false, ""},
    {"#include <outer.h>\n", UNCHANGED, true, ""},
    {"#include <outer.h>\n", "#define FACTOR 7\n", false, ""},
    {"/* an #include of no file */ # /**/ include /* this */ \"factor.h\"\n", UNCHANGED, false, ""},
    {"#define WHERE \"factor.h\"\n#include WHERE\n", UNCHANGED, true, ""},
    {"#define WHERE \"factor.h\"\n#include WHERE\n", "#define FACTOR 6\n", false, ""},
    {"#include QUOTED(STEM.h)\n", UNCHANGED, true, QUOTES},
    {"#include QUOTED(STEM.h)\n", "#define FACTOR 6\n", false, QUOTES},
    {"#define STEM2 STEM.h\n#include \"outer.h\"\n#include QUOTED(STEM2)\n", UNCHANGED, true, QUOTES},
    {"#define WHERE TEXT(x)##x\n#ifdef OTHER\n#include WHERE\n#endif\n#include \"factor.h\"\n", UNCHANGED,
     false, QUOTES},
};

START_TEST(file_after_build)
{
    char options[512], text[1024];
    cl_folder_make("included");
    snprintf(options, sizeof(options), "-I%s %s", cl_folder_path(""), built[_i].options);
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    write_file("factor.h", "#define FACTOR 5\n");
    write_file("outer.h", "#include \"factor.h\"\n");
    snprintf(text, sizeof(text), "%s%s", built[_i].include, strchr(includer, '\n') + 1);
    cl_open();
    cl_program program = cl_build(text, options);
    if (!built[_i].text)
        unlink(cl_folder_path("factor.h"));
    else if (strcmp(built[_i].text, UNCHANGED) != 0) /* builds that read it meanwhile would see it empty */
        write_file("factor.h", built[_i].text);
    expect_fives(program);
    expect_fives(program);
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "run runs split"), built[_i].split ? 2 : 0);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "compilers have refused"), 0);
    cl_folder_remove();
}
END_TEST

/* Behind macros put aside the names of work-item functions could hide from the check of a variant. */
START_TEST(macros_put_aside)
{
    cl_folder_make("included");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    cl_program program =
        cl_build("#pragma push_macro(\"get_global_id\")\n#undef get_global_id\n"
                 "size_t first(void) { return get_global_id(0); }\n#pragma pop_macro(\"get_global_id\")\n"
                 "__kernel void run(__global int *a, int n)\n"
                 "{ for (int i = first(); i < n; i += get_global_size(0)) a[i] = i * 5; }\n",
                 "");
    expect_fives(program);
    expect_fives(program);
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "run runs split"), 0);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("included");
    TCase *tc = tcase_create("included");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, file_afterwards, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_loop_test(tc, file_after_build, 0, sizeof(built) / sizeof(*built));
    tcase_add_test(tc, macros_put_aside);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * Texts with their files put in: the C preprocessor makes the same of them without the files as of the
 * program's own text with them; or nothing is put in.
 */
#include "layer/source/include_hash.h"
#include "tests/file.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *file[6]; /* name, text */
    const char *source, *options;
    bool resolved;
} cases[] = {
    {{"a.h", "int a;\n"}, "#include \"a.h\"\nint b;\n", "-Iin", true},
    {{"a.h", "int a;"}, "  #  include <a.h>\nint b;", "-I in", true},
    {{"a.h", "int a;\n#include \"b.h\"\nint c;\n", "b.h", "int b;\n"}, "#include \"a.h\"", "-Iin", true},
    {{"a.h", "#pragma once\nint a;\n"}, "#include \"a.h\"\n#include \"a.h\"\n", "-Iin", true},
    {{"a.h", "int a;\n#pragma once\n"}, "#include \"a.h\"\n#include \"a.h\"\n", "-Iin", true},
    {{"a.h", "#if 1\n#pragma once\n#endif\n"}, "#include \"a.h\"\n", "-Iin", false},
    {{"a.h", "#ifndef A\n#define A\nint a;\n#endif\n"},
     "#include \"a.h\"\n#include \"a.h\"\nint b;\n",
     "-Iin",
     true},
    {{"a.h", "int N;\n"},
     "#define N n\n#if 1\n#include \"a.h\" // why\n#else\n#include \"a.h\"\n#endif\n",
     "-Iin",
     true},
    {{"a.h", "int a;\n"}, "#include \"a.h\" /* one */\nint b;\n", "-Iin", true},
    {{"a.h", "int a;\n"}, "#include \"a.h\" /* one\n two */\nint b;\n", "-Iin", false},
    {{"a.h", "int a;\n"}, "/* #include \"a.h\"\n#include \"none.h\" */ int b;\n", "-Iin", true},
    {{"a.h", "int a;\n"}, "#include HEADER\n", "-Iin -DHEADER='\"a.h\"'", true},
    {{"a.h", "int a;\n", "b.h", "int b;\n"},
     "#ifdef A\n#define H \"a.h\"\n#else\n#define H \"b.h\"\n#endif\n#include H\n",
     "-Iin",
     false},
    {{"a.h", "int a = __LINE__;\n"}, "#include \"a.h\"\n", "-Iin", false},
    {{"a.h", "int a;\n"}, "#include \"a.h\"\n#if __has_include(\"b.h\")\nint b;\n#endif\n", "-Iin", false},
    {{"a.h", "#include \"a.h\"\n"}, "#include \"a.h\"\n", "-Iin", false},
    /* files that are nowhere, in parts that are skipped */
    {{"a.h", "int a;\n"}, "#if 0\n#include \"none.h\"\n#endif\n#include \"a.h\"\n", "-Iin", true},
    {{"a.h", "#ifdef M\n#include <none>\nint m;\n#endif\nint a;\n"},
     "#include \"a.h\"\nint b;\n",
     "-Iin",
     true},
    {{"a.h", "int a;\n", "more/a.h", "int other;\n"}, "#include \"a.h\"\n", "-Iin/more -Iin", false},
    {{"more/a.h", "#include \"b.h\"\n", "more/b.h", "int b;\n"}, "#include \"more/a.h\"\n", "-Iin", true},
    {{"a.h", "int a;\\\nint b;\n"}, "#define F(x) \\\n  x\n#include \"a.h\"\nF(1)\n", "-Iin", true},
};

/* What the preprocessor makes of a text; free() it. */
static char *preprocessed(const char *text, const char *options)
{
    char command[256];
    FILE *file = fopen("text.c", "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    snprintf(command, sizeof(command), "cc -E -P %s text.c 2>err.txt | grep '[^ ]' > out.txt", options);
    ck_assert_int_eq(system(command), 0);
    return file_read("out.txt", NULL);
}

START_TEST(as_the_preprocessor)
{
    char folder[] = "/tmp/coexec-test-XXXXXX";
    unsigned char sum[CX_INCLUDE_HASH_SIZE];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(system("mkdir -p in/more"), 0);
    for (unsigned i = 0; i < 6 && cases[_i].file[i]; i += 2) {
        char path[64];
        snprintf(path, sizeof(path), "in/%s", cases[_i].file[i]);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fputs(cases[_i].file[i + 1], file);
        ck_assert_int_eq(fclose(file), 0);
    }
    ck_assert(cx_include_hash_sum(cases[_i].source, cases[_i].options, sum));
    char *text = cx_include_hash_resolve(cases[_i].source, cases[_i].options, sum);
    ck_assert_msg((text != NULL) == cases[_i].resolved, "case %d: %s", _i, text ? text : "nothing");
    if (text) {
        char *before = preprocessed(cases[_i].source, cases[_i].options);
        ck_assert_int_eq(system("rm -r in"), 0);
        char *after = preprocessed(text, "");
        ck_assert_str_eq(before, after);
        free(before);
        free(after);
        sum[0]++;
        ck_assert_ptr_null(cx_include_hash_resolve(cases[_i].source, cases[_i].options, sum));
    }
    free(text);
    ck_assert_int_eq(chdir("/"), 0);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A message of the compiler names the program's own file and line. */
START_TEST(lines_are_the_programs)
{
    char folder[] = "/tmp/coexec-test-XXXXXX", path[64], options[64];
    unsigned char sum[CX_INCLUDE_HASH_SIZE];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.h", folder);
    snprintf(options, sizeof(options), "-I%s", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("int a;\n", file);
    ck_assert_int_eq(fclose(file), 0);
    const char *source = "int x;\n#include \"a.h\"\nint y;\n";
    ck_assert(cx_include_hash_sum(source, options, sum));
    char *text = cx_include_hash_resolve(source, options, sum);
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, "int x;\n\n#line 1 \"a.h\"\nint a;\n\n#line 3 \"\"\nint y;\n");
    free(text);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("include text");
    TCase *tcase = tcase_create("resolve");
    tcase_add_loop_test(tcase, as_the_preprocessor, 0, sizeof(cases) / sizeof(cases[0]));
    tcase_add_test(tcase, lines_are_the_programs);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

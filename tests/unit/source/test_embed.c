/* SPDX-License-Identifier: MIT */
/* embedded_headers.c: headers put into the text that includes them. */
#include "layer/source/embedded_headers.h"
#include "tap.h"

#include <stdlib.h>

static const char *const names[] = {"a.h", "deep/b.h", "self.h", "open.h"};
static const char *const sources[] = {"A", "#include \"a.h\"\nB\n", "#include <self.h>\n", "/* x */ O /* y"};
static const struct cx_embedded_headers headers = {4, names, sources};

static const struct {
    const char *text, *whole; /* NULL: none */
} cases[] = {
    {"", ""},
    {"x", "x"},
    {"x\n", "x\n"},
    {"#include \"a.h\"\nx\n", "#line 1 \"a.h\"\nA\n#line 2 \"\"\nx\n"},
    {"y\n#include <a.h>\nx\n", "y\n#line 1 \"a.h\"\nA\n#line 3 \"\"\nx\n"},
    {"  #\tinclude  \"a.h\" // why\nx", "#line 1 \"a.h\"\nA\n#line 2 \"\"\nx"},
    {"#include \"a.h\"", "#line 1 \"a.h\"\nA\n#line 2 \"\"\n"},
    {"#include \"deep/b.h\"\n",
     "#line 1 \"deep/b.h\"\n#line 1 \"a.h\"\nA\n#line 2 \"deep/b.h\"\nB\n\n#line 2 \"\"\n"},
    {"#include \"other.h\"\n", "#include \"other.h\"\n"},
    {"#include \"a.hh\"\n", "#include \"a.hh\"\n"},
    {"#include \"a.h\n", "#include \"a.h\n"},
    {"#include NAME\n", "#include NAME\n"},
    {"x #include \"a.h\"\n", "x #include \"a.h\"\n"},
    {"/*\n#include \"a.h\"\n*/\n", "/*\n#include \"a.h\"\n*/\n"},
    {"/* x */ // /*\n#include \"a.h\"\n", "/* x */ // /*\n#line 1 \"a.h\"\nA\n#line 3 \"\"\n"},
    {"\"/*\" '\"'\n#include \"a.h\"\n", "\"/*\" '\"'\n#line 1 \"a.h\"\nA\n#line 3 \"\"\n"},
    {"\"\\\"/*\"\n#include \"a.h\"\n", "\"\\\"/*\"\n#line 1 \"a.h\"\nA\n#line 3 \"\"\n"},
    {"#include \"self.h\"\n", NULL},
};

START_TEST(texts)
{
    char *whole = cx_embedded_headers_insert(cases[_i].text, &headers);
    ck_assert((whole != NULL) == (cases[_i].whole != NULL));
    if (whole)
        ck_assert_str_eq(whole, cases[_i].whole);
    free(whole);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("embed");
    TCase *tests = tcase_create("embed");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, texts, 0, sizeof(cases) / sizeof(*cases));
    return tap_run(suite);
}

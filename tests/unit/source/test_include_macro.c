/* SPDX-License-Identifier: MIT */
/*
 * Names of files by macros: each case with all that it may mean, or "" where nothing can be told.
 */
#include "layer/source/include_macros.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options' definitions, "-" before those that are taken away; the directive's words; the text's
 * definitions, likewise; the names, one a line. */
static const struct {
    const char *define[5], *words, *text[3], *names;
} cases[] = {
    {{"HEADER=\"a.h\""}, " HEADER", {NULL}, "a.h"},
    {{"HEADER=<a/b.h>"}, "HEADER ", {NULL}, "a/b.h"},
    {{"A=B", "B=\"b.h\""}, "A", {NULL}, "b.h"},
    {{"A=\"a.h\"", "A=\"b.h\""}, "A\nint i;", {NULL}, "b.h"},
    {{"A=\"a.h\"", "-A"}, "A", {NULL}, ""},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/usr/some-thing/x86_64"},
     "Q(DIR/a.h)",
     {NULL},
     "/usr/some-thing/x86_64/a.h"},
    {{"X(x)=#x", "DIR=/usr"}, "X(DIR/a.h)", {NULL}, "DIR/a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "F(a, b)=a/b.h", "N=n"}, "Q( F(one,N) )", {NULL}, "one/n.h"},
    {{"Q(a,b)=<a/b>", "A=a"}, "Q(A,c.h)", {NULL}, "a/c.h"},
    {{"Q(x)=#x", "P()=p"}, "Q(P())", {NULL}, "P()"},
    {{"X(x)=#x", "Q(x)=X(x)", "P()=p"}, "Q(P().h)", {NULL}, "p.h"},
    /* a macro within itself: which of its names are looked at again is left to compilers */
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=DIR/more"}, "Q(DIR/a.h)", {NULL}, ""},
    {{"Q(x)=<x>", "DIR=DIR/more"}, "Q(DIR/a.h)", {NULL}, ""},
    {{"A=B", "B=A"}, "A", {NULL}, ""},
    /* the text's: each of its definitions may count, or none */
    {{NULL}, "A", {"A \"a.h\" // why"}, "a.h"},
    {{NULL}, "A", {"A /* why */ \"a.h\""}, ""},
    {{NULL}, "A", {"A \"a.h\"", "A \"b.h\" /* why */"}, "a.h\nb.h"},
    {{"A=\"a.h\""}, "A", {"A \"b.h\"", "-A"}, "a.h\nb.h"},
    {{"A=\"a.h\""}, "A", {"B", "AA \"b.h\""}, "a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "Q(DIR/a.h)", {"DIR /usr"}, "/opt/a.h\n/usr/a.h\nDIR/a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt/thing"}, "Q(DIR/a.h)", {"thing it"}, "/opt/it/a.h\n/opt/thing/a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "Q(DIR/a.h)", {"other it"}, "/opt/a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "A", {"A Q(DIR/a.h)"}, "/opt/a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "A", {"A Q(DIR/a.h)", "A Q(DIR/b.h)"}, "/opt/a.h\n/opt/b.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "Q(DIR/a.h)", {"Q(x) x##y"}, ""},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/opt"}, "Q(DIR/a.h)", {"Q(x...) x"}, ""},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/usr/linux"}, "Q(DIR/a.h)", {NULL}, ""},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/usr/__x"}, "Q(DIR/a.h)", {NULL}, ""},
    {{NULL}, "HEADER", {NULL}, ""},
    /* a function's name gets its arguments from behind what it is the end of */
    {{"S(x)=#x"}, "Q(a.h)", {"Q S", "Q(x) \"d.h\""}, ""},
    {{"S(x)=#x", "F(x)=x(a.h)"}, "F(S)", {NULL}, ""},
    {{"S(x)=#x", "N=5"}, "S(a.h)", {NULL}, "a.h"},
    {{"X(x)=#x", "Q(x)=X(x)", "N=5"}, "Q(dir/1.N/.3e+N/N.h)", {NULL}, "dir/1.N/.3e+N/5.h"},
    {{"A==\"a.h\""}, "A", {NULL}, ""},
    {{NULL}, "H", {"H \"a.h\";", "H \"b.h\""}, ""},
    {{NULL}, "H", {"H <a.h> x", "H \"b.h\""}, ""},
    {{NULL}, "H", {"H \xc3\xa9", "H \"b.h\""}, ""},
    {{NULL}, "H", {"H a$b", "H \"b.h\""}, ""},
    {{"X=<a##b.h>"}, "X", {NULL}, ""},
    /* what compilers may differ in, and what is no name */
    {{"A=\"a .h\""}, "A", {NULL}, ""},
    {{"A=\"a\\\\b.h\""}, "A", {NULL}, ""},
    {{"A=\"a.h\" \"b.h\""}, "A", {NULL}, ""},
    {{"A=\"\""}, "A", {NULL}, ""},
    {{"A=a.h"}, "A", {NULL}, ""},
    {{"X(x)=#x", "Q(x)=X(x)", "DIR=/usr//a"}, "Q(DIR/a.h)", {NULL}, ""},
    {{"A=\"a.h\""}, "A /* why */", {NULL}, ""},
    {{"A(x)=a##x", "aB=\"b.h\""}, "A(B)", {NULL}, ""},
    {{"Q(...)=#x"}, "Q(a.h)", {NULL}, ""},
    {{"Q(x)=#y"}, "Q(a.h)", {NULL}, ""},
    {{"Q(x)=#x"}, "Q(a.h", {NULL}, ""},
    {{"Q(x)=#x"}, "Q(a.h,b)", {NULL}, ""},
    {{"Q(x)=#x"}, "Q", {NULL}, ""},
    {{"Q(x)=#x"}, "Q(\"a.h\")", {NULL}, ""},
};

/* One file a line, each once. */
static void take(void *data, const char *name)
{
    char *all = data, line[128], seen[1024];
    snprintf(line, sizeof(line), "\n%s\n", name);
    snprintf(seen, sizeof(seen), "\n%s\n", all);
    if (!strstr(seen, line))
        snprintf(all + strlen(all), 512 - strlen(all), "%s%s", *all ? "\n" : "", name);
}

static void define_in_text(struct cx_include_macros *macros, const char *text)
{
    ck_assert(*text == '-' ? cx_include_macros_undefine(macros, text + 1)
                           : cx_include_macros_define(macros, text));
}

START_TEST(names)
{
    struct cx_include_macros *macros = cx_include_macros_new();
    char all[512];
    bool replies = false;
    ck_assert_ptr_nonnull(macros);
    for (unsigned i = 0; i < sizeof(cases[0].define) / sizeof(char *) && cases[_i].define[i]; i++) {
        const char *define = cases[_i].define[i];
        ck_assert(cx_include_macros_option(macros, *define == '-' ? 'U' : 'D', define + (*define == '-')));
    }
    /* the text is gone through until there is no more, as include_hash.c does */
    unsigned passes = 0;
    do {
        ck_assert_uint_lt(++passes, 8);
        for (unsigned i = 0; i < sizeof(cases[0].text) / sizeof(char *) && cases[_i].text[i]; i++)
            define_in_text(macros, cases[_i].text[i]);
        *all = 0;
        replies = cx_include_macros_names(macros, cases[_i].words, take, all);
    } while (cx_include_macros_more(macros));
    ck_assert_str_eq(replies ? all : "", cases[_i].names);
    cx_include_macros_free(macros);
}
END_TEST

START_TEST(no_definitions)
{
    struct cx_include_macros *macros = cx_include_macros_new();
    char all[512] = "";
    ck_assert(!cx_include_macros_option(macros, 'D', ""));
    ck_assert(!cx_include_macros_option(macros, 'D', "=1"));
    ck_assert(!cx_include_macros_option(macros, 'U', "1A"));
    ck_assert(cx_include_macros_define(macros, ""));
    ck_assert(cx_include_macros_undefine(macros, "(x)"));
    ck_assert(!cx_include_macros_names(macros, "", take, all));
    cx_include_macros_free(macros);
    cx_include_macros_free(NULL);
}
END_TEST

/* Names with many meanings each: given up, not tried for ever. */
START_TEST(too_many_ways)
{
    struct cx_include_macros *macros = cx_include_macros_new();
    char all[512] = "", text[32];
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 60; i++) {
            snprintf(text, sizeof(text), "%c%u %c%u", 'A' + i % 3, 0, 'A' + i % 3, i);
            define_in_text(macros, text);
        }
        ck_assert_int_eq(cx_include_macros_names(macros, "<A0/B0/C0>", take, all), !pass);
    }
    cx_include_macros_free(macros);
}
END_TEST

/* What a compiler need not look at, as its condition is false, is given up soon. */
START_TEST(far_too_much)
{
    enum { DEEP = 20000 };
    struct cx_include_macros *macros = cx_include_macros_new();
    char all[512] = "", text[64], *deep = malloc(3 * DEEP + 8), *long_ = malloc(60000);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(text, sizeof(text), "A%u=A%u A%u", i, i + 1, i + 1);
        ck_assert(cx_include_macros_option(macros, 'D', text));
    }
    ck_assert(cx_include_macros_option(macros, 'D', "F(x)=x"));
    ck_assert(cx_include_macros_option(macros, 'D', "G(x)=x x x x x x x x x x x x x x x x"));
    ck_assert(!cx_include_macros_names(macros, "A0", take, all));
    for (unsigned i = 0; i < DEEP; i++) {
        memcpy(deep + 2 * i, "F(", 2);
        deep[2 * DEEP + 1 + i] = ')';
    }
    deep[2 * DEEP] = 'a';
    deep[3 * DEEP + 1] = 0;
    ck_assert(!cx_include_macros_names(macros, deep, take, all));
    memset(long_, 'x', 59999);
    memcpy(long_, "G(G(G(G(G(", 10);
    memcpy(long_ + 59990, ")))))", 6);
    ck_assert(!cx_include_macros_names(macros, long_, take, all));
    free(long_);
    free(deep);
    cx_include_macros_free(macros);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("include macro");
    TCase *tc = tcase_create("include macro");
    tcase_add_loop_test(tc, names, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_test(tc, no_definitions);
    tcase_add_test(tc, too_many_ways);
    tcase_add_test(tc, far_too_much);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}

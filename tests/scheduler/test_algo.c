/* SPDX-License-Identifier: MIT */
/*
 * algo.c: texts that say which policy shares out which kernel's launches, good and bad ones of every kind.
 */
#include "scheduler/algo.h"
#include "scheduler/params.h"
#include "tests/tap.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cx_algos *read_good(const char *text)
{
    struct cx_algo_problem problem = {"", ""};
    struct cx_algos *algos = cx_algos_create(text, NULL, &problem);
    ck_assert_msg(algos != NULL, "%s: %s", text, problem.wrong);
    ck_assert_str_eq(algos->text, text);
    return algos;
}

START_TEST(one_policy)
{
    for (unsigned i = 0; cx_policy_get(i); i++) {
        struct cx_algos *algos = read_good(cx_policy_get(i)->name);
        ck_assert_ptr_eq(algos->all.policy, cx_policy_get(i));
        ck_assert_int_eq(memcmp(&algos->all.params, &cx_balancer_defaults, sizeof cx_balancer_defaults), 0);
        ck_assert_ptr_eq(cx_algos_for(algos, "k"), &algos->all);
        cx_algos_destroy(algos);
    }
}
END_TEST

START_TEST(parameters)
{
    struct cx_algos *algos = read_good("sigmoid:p=0,k_regular=1.5e0,l=.5");
    const struct cx_balancer_params *params = &algos->all.params;
    ck_assert_double_eq(params->sigmoid_p, 0);
    ck_assert_double_eq(params->sigmoid_k_regular, 1.5);
    ck_assert_double_eq(params->sigmoid_l, 0.5);
    ck_assert_double_eq(params->sigmoid_d, cx_balancer_defaults.sigmoid_d);
    ck_assert_double_eq(params->hguided_k, cx_balancer_defaults.hguided_k);
    cx_algos_destroy(algos);
}
END_TEST

START_TEST(kernels)
{
    struct cx_algos *algos = read_good("hguided:k=4;step=static;other=sigmoid:p=0.1,d=1;third=hguided");
    ck_assert_uint_eq(algos->nkernels, 3);
    ck_assert_str_eq(cx_algos_for(algos, "step")->policy->name, "static");
    ck_assert_str_eq(cx_algos_for(algos, "other")->policy->name, "sigmoid");
    ck_assert_double_eq(cx_algos_for(algos, "other")->params.sigmoid_d, 1);
    ck_assert_double_eq(cx_algos_for(algos, "third")->params.hguided_k, 2); /* the default, not all's */
    ck_assert_double_eq(cx_algos_for(algos, "ste")->params.hguided_k, 4);
    ck_assert_ptr_eq(cx_algos_for(algos, "steps"), &algos->all);
    cx_algos_destroy(algos);
    /* Without one for all these get the default; and it may stand anywhere. */
    algos = read_good("step=static");
    ck_assert_str_eq(cx_algos_for(algos, "other")->policy->name, "auto");
    cx_algos_destroy(algos);
    algos = read_good("step=static;single");
    ck_assert_str_eq(cx_algos_for(algos, "other")->policy->name, "single");
    cx_algos_destroy(algos);
}
END_TEST

START_TEST(many_kernels)
{
    enum { KERNELS = 1000 };
    char *text = malloc(KERNELS * 32), name[32];
    size_t length = 0;
    ck_assert_ptr_nonnull(text);
    for (unsigned i = 0; i < KERNELS; i++)
        length += (size_t)sprintf(text + length, "%sk%u=hguided:k=%u", i ? ";" : "", i, i + 1);
    struct cx_algos *algos = read_good(text);
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof name, "k%u", i);
        ck_assert_double_eq(cx_algos_for(algos, name)->params.hguided_k, i + 1);
    }
    cx_algos_destroy(algos);
    free(text);
}
END_TEST

START_TEST(given_defaults)
{
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_algo_problem problem;
    params.hguided_k = 7;
    params.sigmoid_p = 0.5;
    struct cx_algos *algos = cx_algos_create("hguided:k=3;a=hguided;b=sigmoid", &params, &problem);
    ck_assert_ptr_nonnull(algos);
    ck_assert_double_eq(cx_algos_for(algos, "c")->params.hguided_k, 3);
    ck_assert_double_eq(cx_algos_for(algos, "a")->params.hguided_k, 7);
    ck_assert_double_eq(cx_algos_for(algos, "b")->params.sigmoid_p, 0.5);
    cx_algos_destroy(algos);
}
END_TEST

#define BALANCERS "single, static, dynamic, hguided, adaptive, sigmoid, logfit, concord, hdss, marrow, auto"
#define FORM      "BALANCER;KERNEL=BALANCER;..."
#define ABOVE     "a number above 0"

static const struct {
    const char *text, *wrong, *accepted;
} bad[] = {
    {"", "an empty part", FORM},
    {";", "an empty part", FORM},
    {"auto;", "an empty part", FORM},
    {";k=static", "an empty part", FORM},
    {"auto;;k=static", "an empty part", FORM},
    {"foo", "no balancer 'foo'", BALANCERS},
    {"Auto", "no balancer 'Auto'", BALANCERS},
    {"stat", "no balancer 'stat'", BALANCERS},
    {"statics", "no balancer 'statics'", BALANCERS},
    {" static", "no balancer ' static'", BALANCERS},
    {"static,hguided", "no balancer 'static,hguided'", BALANCERS},
    {":p=1", "no balancer ''", BALANCERS},
    {"k=", "no balancer ''", BALANCERS},
    {"k=foo", "no balancer 'foo'", BALANCERS},
    {"a=b=static", "no balancer 'b=static'", BALANCERS},
    {"=static", "no kernel before '=static'", "KERNEL=BALANCER"},
    {"auto;static", "'static' is a second balancer for all kernels", "KERNEL=BALANCER"},
    {"auto;sigmoid:p=1", "'sigmoid:p=1' is a second balancer for all kernels", "KERNEL=BALANCER"},
    {"k=static;k=static", "kernel k twice", "each kernel once"},
    {"sigmoid:", "'' behind sigmoid:", "NAME=VALUE,..."},
    {"sigmoid:p", "'p' behind sigmoid:", "NAME=VALUE,..."},
    {"sigmoid:p=0.1,", "'' behind sigmoid:", "NAME=VALUE,..."},
    {"sigmoid:,p=0.1", "'' behind sigmoid:", "NAME=VALUE,..."},
    {"sigmoid:q=1", "sigmoid has no parameter 'q'", "k_regular, k_irregular, p, d, l, published"},
    {"sigmoid:P=1", "sigmoid has no parameter 'P'", "k_regular, k_irregular, p, d, l, published"},
    {"sigmoid:=1", "sigmoid has no parameter ''", "k_regular, k_irregular, p, d, l, published"},
    {"static:k=1", "static has no parameter 'k'", "none"},
    {"k=hguided:p=1", "hguided has no parameter 'p'", "k, published"},
    {"sigmoid:p=0.1,p=0.1", "sigmoid:p twice", "each parameter once"},
    {"sigmoid:p=", "sigmoid:p=", "a number from 0 to 1"},
    {"sigmoid:p=1.0001", "sigmoid:p=1.0001", "a number from 0 to 1"},
    {"sigmoid:p=-0.1", "sigmoid:p=-0.1", "a number from 0 to 1"},
    {"sigmoid:p=0,1", "'1' behind sigmoid:", "NAME=VALUE,..."},
    {"auto:first=0", "auto:first=0", "a number above 0, at most 1"},
    {"auto:first=1.5", "auto:first=1.5", "a number above 0, at most 1"},
    {"dynamic:size=-1", "dynamic:size=-1", "0 or a number above it"},
    {"hguided:k=0", "hguided:k=0", ABOVE},
    {"hguided:k=nan", "hguided:k=nan", ABOVE},
    {"hguided:k=inf", "hguided:k=inf", ABOVE},
    {"hguided:k=0x2", "hguided:k=0x2", ABOVE},
    {"hguided:k=1e999", "hguided:k=1e999", ABOVE},
    {"hguided:k=1e301", "hguided:k=1e301", ABOVE},
    {"hguided:k=1e-320", "hguided:k=1e-320", ABOVE},
    {"hguided:k=2 ", "hguided:k=2 ", ABOVE},
    {"hguided:k=2=3", "hguided:k=2=3", ABOVE},
    {"hguided:k=--2", "hguided:k=--2", ABOVE},
    {"hguided:k=e", "hguided:k=e", ABOVE},
};

START_TEST(bad_texts)
{
    struct cx_algo_problem problem;
    ck_assert_ptr_null(cx_algos_create(bad[_i].text, NULL, &problem));
    ck_assert_str_eq(problem.wrong, bad[_i].wrong);
    ck_assert_str_eq(problem.accepted, bad[_i].accepted);
}
END_TEST

START_TEST(long_bad_texts)
{
    struct cx_algo_problem problem;
    char text[4096] = "sigmoid:p=";
    memset(text + strlen(text), '1', sizeof text - 1 - strlen(text));
    text[sizeof text - 1] = '\0';
    ck_assert_ptr_null(cx_algos_create(text, NULL, &problem));
    ck_assert_ptr_null(cx_algos_create(text + 10, NULL, &problem));
    ck_assert_uint_lt(strlen(problem.wrong), 100);
}
END_TEST

/* Every row belongs to a policy, has a default within its bounds, and its field is its own. */
START_TEST(rows)
{
    const struct cx_param_row *row;
    struct cx_balancer_params params = cx_balancer_defaults;
    for (unsigned i = 0; (row = cx_param_get(i)); i++) {
        char text[64];
        ck_assert_ptr_nonnull(cx_policy_find(row->policy));
        ck_assert_double_eq(*(double *)((char *)&params + row->offset), row->fallback);
        snprintf(text, sizeof text, "%.17g", row->fallback);
        ck_assert(cx_param_set(&params, row, text));
        ck_assert_double_eq(*(double *)((char *)&params + row->offset), row->fallback);
        for (unsigned j = 0; j < i; j++)
            ck_assert_uint_ne(cx_param_get(j)->offset, row->offset);
    }
    ck_assert_ptr_null(cx_param_get(UINT32_MAX));
}
END_TEST

START_TEST(point_in_any_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) /* nothing to see here without it */
        setlocale(LC_NUMERIC, "");
    struct cx_algos *algos = read_good("sigmoid:p=0.5");
    ck_assert_double_eq(algos->all.params.sigmoid_p, 0.5);
    cx_algos_destroy(algos);
}
END_TEST

static const struct {
    const char *list;
    size_t length;
} lists[] = {
    {"", 0},
    {"auto", 4},
    {"auto,static", 4},
    {"sigmoid:p=0.1,l=3,static", 17},
    {"sigmoid:p=0.1,hguided:k=2", 13},
    {"auto;k=static,hguided", 13},
    {"auto;k=sigmoid:p=1,d=2;l=static,auto", 31},
    {"auto,,static", 4},
    {",auto", 0},
};

START_TEST(list_parts)
{
    ck_assert_uint_eq(cx_algo_length(lists[_i].list), lists[_i].length);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algo");
    TCase *tcase = tcase_create("texts");
    tcase_add_test(tcase, one_policy);
    tcase_add_test(tcase, parameters);
    tcase_add_test(tcase, kernels);
    tcase_add_test(tcase, many_kernels);
    tcase_add_test(tcase, given_defaults);
    tcase_add_loop_test(tcase, bad_texts, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, long_bad_texts);
    tcase_add_test(tcase, rows);
    tcase_add_test(tcase, point_in_any_locale);
    tcase_add_loop_test(tcase, list_parts, 0, sizeof lists / sizeof *lists);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* The interface of layer/access/access.h: launches that do not fit, NULL buffers, caching, kernels nothing is
 * known of. */
#include "layer/access/access.h"
#include "suites.h"

#include <string.h>

/* out[gid(0)] = in[gid(0)], if gid(0) < n */
static struct cx_expr expr[] = {
    {CX_EXPR_GLOBAL_ID, 64, 0, -1, 0}, {CX_EXPR_TRUNC, 32, 0, -1, 0}, {CX_EXPR_SEXT, 64, 1, -1, 0},
    {CX_EXPR_CONST, 64, -1, -1, 4},    {CX_EXPR_MUL, 64, 2, 3, 0},    {CX_EXPR_ARG, 32, 2, -1, 0},
};
static struct cx_guard guard[] = {{CX_PRED_SLT, 0, 1, 5}};
static struct cx_summary_arg arg[] = {
    {"out", "float*", 0, 4, 4, CX_ARG_GLOBAL, CX_TOUCH_WRITE},
    {"in", "float*", 0, 4, 0, CX_ARG_GLOBAL, CX_TOUCH_READ},
    {"n", "int", 4, 0, 0, CX_ARG_VALUE, 0},
};
static struct cx_access_record record[] = {
    {0, CX_MODE_WRITE, CX_ATOMIC_NONE, CX_ACCESS_MUST, 4, 4, -1, 0, 4, 0, 1, 7, 1, 1, 0},
    {1, CX_MODE_READ, CX_ATOMIC_NONE, CX_ACCESS_MUST, 4, 4, -1, 0, 4, 0, 1, 7, 0, 0, 0},
};
static struct cx_summary_kernel kernel = {.name = "copy",
                                          .narg = 3,
                                          .nexpr = 6,
                                          .nguard = 1,
                                          .naccess = 2,
                                          .arg = arg,
                                          .expr = expr,
                                          .guard = guard,
                                          .access = record};

static int32_t n;
static struct cx_access_arg args[3];
static struct cx_access_geometry geometry;

static void setup(void)
{
    n = 1000;
    args[0] = (struct cx_access_arg){.object = 1, .bytes = 4096};
    args[1] = (struct cx_access_arg){.object = 2, .bytes = 4096};
    args[2] = (struct cx_access_arg){.value = &n, .size = 4};
    geometry = (struct cx_access_geometry){.work_dim = 1, .global = {1024}, .local = {64}};
}

static enum cx_summary_reason reason(void)
{
    struct cx_access_verdict v;

    cx_access_choose(&kernel, &geometry, args, NULL, &v);
    ck_assert(v.separable == (v.reason == CX_REASON_NONE));
    return v.reason;
}

START_TEST(packages_follow_the_groups)
{
    struct cx_access_region regions[3];
    struct cx_access_verdict v;
    struct cx_access *a;

    ck_assert(cx_access_choose(&kernel, &geometry, args, &a, &v));
    ck_assert_uint_eq(v.groups, 16);
    ck_assert_uint_eq(v.granularity, 1);
    cx_access_package(a, 4, 8, regions);
    ck_assert(regions[0].write.lo == 1024 && regions[0].write.hi == 2048 && regions[0].write.exact);
    ck_assert(regions[0].read.lo == regions[0].read.hi && regions[0].read.known);
    ck_assert(regions[1].read.lo == 1024 && regions[1].read.hi == 2048 && !regions[1].read.exact);
    ck_assert(regions[2].read.known && regions[2].write.hi == 0);
    cx_access_whole(a, regions);
    ck_assert(regions[0].write.lo == 0 && regions[0].write.hi == 4000 && regions[0].write.exact);
    cx_access_destroy(&a);
    ck_assert_ptr_null(a);
    cx_access_destroy(&a);
    cx_access_destroy(NULL);
}
END_TEST

START_TEST(buffers_end_where_they_end)
{
    struct cx_access_region regions[3];
    struct cx_access_verdict v;
    struct cx_access *a;

    args[0].bytes = 1500;
    args[1].object = 0; /* a NULL buffer */
    ck_assert(cx_access_choose(&kernel, &geometry, args, &a, &v));
    cx_access_package(a, 4, 8, regions);
    ck_assert(regions[0].write.lo == 1024 && regions[0].write.hi == 1500);
    ck_assert(regions[1].read.hi == 0 && regions[1].read.known);
    cx_access_package(a, 8, 16, regions);
    ck_assert(regions[0].write.lo == 0 && regions[0].write.hi == 0 && !regions[0].write.exact);
    cx_access_destroy(&a);
}
END_TEST

START_TEST(launches_that_do_not_fit)
{
    struct cx_access_verdict v;
    struct cx_access *a;

    ck_assert_int_eq(reason(), CX_REASON_NONE);
    geometry.local[0] = 1024;
    ck_assert_int_eq(reason(), CX_REASON_ONE_GROUP);
    geometry.local[0] = 0;
    ck_assert_int_eq(reason(), CX_REASON_BAD_LAUNCH);
    setup();
    geometry.work_dim = 4;
    ck_assert_int_eq(reason(), CX_REASON_BAD_LAUNCH);
    setup();
    args[2].size = 2;
    ck_assert_int_eq(reason(), CX_REASON_BAD_LAUNCH);
    setup();
    args[2].value = NULL;
    ck_assert_int_eq(reason(), CX_REASON_BAD_LAUNCH);
    setup();
    geometry.global[0] = UINT64_MAX;
    ck_assert_int_eq(reason(), CX_REASON_BAD_LAUNCH);
    setup();
    ck_assert(!cx_access_separable(&kernel, &geometry, args, 1, 1, &a, &v));
    ck_assert_int_eq(v.reason, CX_REASON_BAD_LAUNCH);
    ck_assert_ptr_null(a);
    ck_assert(!cx_access_choose(NULL, &geometry, args, &a, &v));
    ck_assert_int_eq(v.reason, CX_REASON_NO_SUMMARY);
}
END_TEST

START_TEST(arguments_may_share_memory)
{
    ck_assert_int_eq(reason(), CX_REASON_NONE);
    args[1].object = 1; /* in place: each item its own */
    ck_assert_int_eq(reason(), CX_REASON_NONE);
    args[1].base = 4; /* each item its neighbour's */
    ck_assert_int_eq(reason(), CX_REASON_READ_OVERLAP);
    args[1].base = 4000; /* past all that is written */
    ck_assert_int_eq(reason(), CX_REASON_NONE);
}
END_TEST

START_TEST(a_cache_finds_its_launches)
{
    struct cx_access_verdict v;
    struct cx_access *a;
    uint64_t hash = cx_access_hash(&kernel, &geometry, args);

    cx_access_choose(&kernel, &geometry, args, &a, &v);
    ck_assert(cx_access_matches(a, &kernel, &geometry, args));
    ck_assert_uint_eq(cx_access_hash(&kernel, &geometry, args), hash);
    n = 999;
    ck_assert(!cx_access_matches(a, &kernel, &geometry, args));
    ck_assert_uint_ne(cx_access_hash(&kernel, &geometry, args), hash);
    n = 1000;
    geometry.offset[0] = 64;
    ck_assert(!cx_access_matches(a, &kernel, &geometry, args));
    geometry.offset[0] = 0;
    geometry.global[1] = 77; /* past work_dim */
    ck_assert(cx_access_matches(a, &kernel, &geometry, args));
    ck_assert_uint_eq(cx_access_hash(&kernel, &geometry, args), hash);
    args[0].object = 2;
    ck_assert(!cx_access_matches(a, &kernel, &geometry, args));
    cx_access_destroy(&a);
}
END_TEST

START_TEST(unknown_kernels_touch_everything)
{
    static struct cx_summary_note note = {CX_REASON_POINTER_UNRESOLVED, -1, 3};
    struct cx_summary_kernel unknown = kernel;
    struct cx_access_region regions[3];
    struct cx_access_verdict v;
    struct cx_access *a;

    unknown.nnote = 1;
    unknown.note = &note;
    ck_assert(!cx_access_choose(&unknown, &geometry, args, &a, &v));
    ck_assert_int_eq(v.reason, CX_REASON_POINTER_UNRESOLVED);
    ck_assert_uint_eq(v.line, 3);
    cx_access_whole(a, regions);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(!regions[i].write.known && regions[i].write.hi == 4096 && !regions[i].write.exact);
        ck_assert(!regions[i].read.known && regions[i].read.hi == 4096);
    }
    cx_access_destroy(&a);
}
END_TEST

Suite *launch_suite(void)
{
    Suite *suite = suite_create("launch");
    TCase *launches = tcase_create("launches");

    tcase_add_checked_fixture(launches, setup, NULL);
    tcase_add_test(launches, packages_follow_the_groups);
    tcase_add_test(launches, buffers_end_where_they_end);
    tcase_add_test(launches, launches_that_do_not_fit);
    tcase_add_test(launches, arguments_may_share_memory);
    tcase_add_test(launches, a_cache_finds_its_launches);
    tcase_add_test(launches, unknown_kernels_touch_everything);
    suite_add_tcase(suite, launches);
    return suite;
}

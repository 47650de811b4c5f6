/* SPDX-License-Identifier: MIT */
/* verify_compare.c: element types, and what counts as equal. */
#include "layer/launch/verify_compare.h"
#include "tap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *type;
    struct cx_element element;
} types[] = {
    {"float*", {CX_ELEMENT_FLOAT, 4}},     {"float4*", {CX_ELEMENT_FLOAT, 4}},
    {"double16*", {CX_ELEMENT_DOUBLE, 8}}, {"half*", {CX_ELEMENT_HALF, 2}},
    {"int*", {CX_ELEMENT_INT, 4}},         {"uchar3*", {CX_ELEMENT_UINT, 1}},
    {"ulong *", {CX_ELEMENT_UINT, 8}},     {"float**", {CX_ELEMENT_UNKNOWN, 4}},
    {"real*", {CX_ELEMENT_UNKNOWN, 4}},    {"struct cell*", {CX_ELEMENT_UNKNOWN, 4}},
    {"", {CX_ELEMENT_UNKNOWN, 4}},         {"floaty*", {CX_ELEMENT_UNKNOWN, 4}},
};

START_TEST(element_types)
{
    struct cx_element got = cx_verify_element_of(types[_i].type);
    ck_assert_msg(got.kind == types[_i].element.kind && got.size == types[_i].element.size,
                  "%s: kind %d, %u bytes", types[_i].type, got.kind, got.size);
}
END_TEST

static bool close_floats(float a, float b, enum cx_compare_by by)
{
    struct cx_difference difference;
    return cx_verify_compare(&a, &b, sizeof(a), cx_verify_element_of("float*"), by, &difference);
}

static float step(float value, int steps)
{
    for (; steps > 0; steps--)
        value = nextafterf(value, INFINITY);
    return value;
}

START_TEST(floats)
{
    ck_assert(close_floats(1.0f, step(1.0f, 16), CX_COMPARE_ULPS));
    ck_assert(!close_floats(1.0f, step(1.0f, 17), CX_COMPARE_ULPS));
    ck_assert(!close_floats(1.0f, step(1.0f, 1), CX_COMPARE_BYTES));
    ck_assert(close_floats(-2.5f, -2.5f, CX_COMPARE_BYTES));
    ck_assert(!close_floats(2.5f, -2.5f, CX_COMPARE_ULPS));
    ck_assert(close_floats(0.0f, -0.0f, CX_COMPARE_ULPS));
    ck_assert(close_floats(0.0f, 1e-39f, CX_COMPARE_ULPS)); /* flushed to zero */
    ck_assert(!close_floats(0.0f, 1e-30f, CX_COMPARE_ULPS));
    ck_assert(close_floats(NAN, -NAN, CX_COMPARE_ULPS));
    ck_assert(!close_floats(NAN, 1.0f, CX_COMPARE_ULPS));
    ck_assert(close_floats(INFINITY, INFINITY, CX_COMPARE_ULPS));
    ck_assert(!close_floats(INFINITY, 3e38f, CX_COMPARE_ULPS));
    ck_assert(!close_floats(INFINITY, -INFINITY, CX_COMPARE_ULPS));
}
END_TEST

START_TEST(sums)
{
    const float a[] = {1000.0f, 1e-5f, -3.0f}, b[] = {1000.0f, 3e-5f, -3.0005f}, c[] = {1000.0f, 0.1f, -3.0f};
    struct cx_difference d;
    struct cx_element element = cx_verify_element_of("float*");
    ck_assert(cx_verify_compare(a, b, sizeof(a), element, CX_COMPARE_SUMS, &d));
    ck_assert(!cx_verify_compare(a, b, sizeof(a), element, CX_COMPARE_ULPS, &d));
    ck_assert(!cx_verify_compare(a, c, sizeof(a), element, CX_COMPARE_SUMS, &d));
    ck_assert_uint_eq(d.first, 4);
}
END_TEST

START_TEST(others)
{
    const uint16_t h1[] = {0x3c00, 0xbc00}, h4[] = {0x3c04, 0xbc00}, h5[] = {0x3c05, 0xbc00};
    const double d1 = 1.0, d2 = 1.0 + 16 * 0x1p-52, d3 = 1.0 + 17 * 0x1p-52;
    const int32_t i1[] = {5, 6, 7}, i2[] = {5, 7, 7};
    struct cx_difference d;
    ck_assert(cx_verify_compare(h1, h4, 4, cx_verify_element_of("half2*"), CX_COMPARE_ULPS, &d));
    ck_assert(!cx_verify_compare(h1, h5, 4, cx_verify_element_of("half2*"), CX_COMPARE_ULPS, &d));
    ck_assert(cx_verify_compare(&d1, &d2, 8, cx_verify_element_of("double*"), CX_COMPARE_ULPS, &d));
    ck_assert(!cx_verify_compare(&d1, &d3, 8, cx_verify_element_of("double*"), CX_COMPARE_ULPS, &d));
    ck_assert(!cx_verify_compare(i1, i2, 12, cx_verify_element_of("int*"), CX_COMPARE_ULPS, &d));
    ck_assert_uint_eq(d.first, 4);
    ck_assert_uint_eq(d.bytes, 1);
}
END_TEST

START_TEST(unknown_types)
{
    const float f1[] = {1.0f, 2.0f}, f2[] = {step(1.0f, 3), 2.0f};
    const double d1 = 1.0 / 3, d2 = 1.0 / 3 + 0x1p-53;
    const int32_t i1[] = {5, 6}, i2[] = {5, 7};
    struct cx_element element = cx_verify_element_of("struct thing*");
    struct cx_difference d;
    ck_assert(cx_verify_compare(f1, f2, 8, element, CX_COMPARE_ULPS, &d));
    ck_assert(cx_verify_compare(&d1, &d2, 8, element, CX_COMPARE_ULPS, &d));
    ck_assert(
        !cx_verify_compare(i1, i2, 8, element, CX_COMPARE_ULPS, &d)); /* small integers are no close floats */
    ck_assert(!cx_verify_compare(f1, f2, 8, element, CX_COMPARE_BYTES, &d));
    ck_assert(
        !cx_verify_compare("abcdef", "abcdeg", 6, element, CX_COMPARE_ULPS, &d)); /* a piece at the end */
    ck_assert_uint_eq(d.first, 4);
}
END_TEST

START_TEST(texts)
{
    char text[64];
    const int8_t c = -3;
    const uint64_t l = UINT64_MAX;
    const float f = 0.1f;
    const uint16_t h = 0xc000;
    cx_verify_element_text(text, sizeof(text), &c, 1, cx_verify_element_of("char*"));
    ck_assert_str_eq(text, "-3");
    cx_verify_element_text(text, sizeof(text), &l, 8, cx_verify_element_of("ulong*"));
    ck_assert_str_eq(text, "18446744073709551615");
    cx_verify_element_text(text, sizeof(text), &f, 4, cx_verify_element_of("float*"));
    ck_assert_str_eq(text, "0.100000001");
    cx_verify_element_text(text, sizeof(text), &h, 2, cx_verify_element_of("half*"));
    ck_assert_str_eq(text, "-2");
    cx_verify_element_text(text, sizeof(text), "\x01\xab", 2, cx_verify_element_of("float*"));
    ck_assert_str_eq(text, "0x01ab");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *tests = tcase_create("compare");
    tcase_add_loop_test(tests, element_types, 0, sizeof(types) / sizeof(*types));
    tcase_add_test(tests, floats);
    tcase_add_test(tests, sums);
    tcase_add_test(tests, others);
    tcase_add_test(tests, unknown_types);
    tcase_add_test(tests, texts);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}

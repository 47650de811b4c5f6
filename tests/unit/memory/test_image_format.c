/* SPDX-License-Identifier: MIT */
/*
 * Image formats: which there are, how large a texel is, and the texel of a colour, against values worked out
 * by hand and, for halves, the compiler's own.
 */
#include "layer/memory/image_format.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(cl_channel_order order, cl_channel_type type)
{
    const cl_image_format format = {order, type};
    return cx_image_format_bytes(&format);
}

START_TEST(sizes)
{
    ck_assert_uint_eq(bytes_of(CL_RGBA, CL_UNSIGNED_INT8), 4);
    ck_assert_uint_eq(bytes_of(CL_RGBA, CL_FLOAT), 16);
    ck_assert_uint_eq(bytes_of(CL_R, CL_HALF_FLOAT), 2);
    ck_assert_uint_eq(bytes_of(CL_RG, CL_SIGNED_INT16), 4);
    ck_assert_uint_eq(bytes_of(CL_BGRA, CL_UNORM_INT8), 4);
    ck_assert_uint_eq(bytes_of(CL_RGB, CL_UNORM_SHORT_565), 2);
    ck_assert_uint_eq(bytes_of(CL_RGBA, CL_UNORM_INT_101010_2), 4);
    ck_assert_uint_eq(bytes_of(CL_DEPTH, CL_UNORM_INT16), 2);
    ck_assert_uint_eq(bytes_of(CL_sRGBA, CL_UNORM_INT8), 4);
    ck_assert_uint_eq(bytes_of(CL_INTENSITY, CL_SIGNED_INT8), 0);
    ck_assert_uint_eq(bytes_of(CL_RGB, CL_UNORM_INT8), 0);
    ck_assert_uint_eq(bytes_of(CL_BGRA, CL_FLOAT), 0);
    ck_assert_uint_eq(bytes_of(CL_DEPTH, CL_UNORM_INT8), 0);
    ck_assert_uint_eq(bytes_of(CL_RGBA, 0x7777), 0);
    ck_assert_uint_eq(bytes_of(0x7777, CL_FLOAT), 0);
}
END_TEST

static void expect(cl_channel_order order, cl_channel_type type, const void *color, const void *texel,
                   size_t size)
{
    const cl_image_format format = {order, type};
    unsigned char got[CX_PIXEL_MAX];
    ck_assert_uint_eq(cx_image_format_pixel(&format, color, got), size);
    ck_assert_mem_eq(got, texel, size);
}

START_TEST(colours)
{
    const float color[4] = {1.0f, 0.5f, 0.25f, -1.0f}, beyond[4] = {2.0f, -2.0f, NAN, 0.499f};
    const int numbers[4] = {-129, 127, 70000, -70000};
    const unsigned naturals[4] = {300, 7, 70000, 0xffffffff};
    const unsigned char rgba[] = {255, 128, 64, 0}, bgra[] = {64, 128, 255, 0}, argb[] = {0, 255, 128, 64},
                        abgr[] = {0, 64, 128, 255}, clamped[] = {255, 0, 0, 127};
    const signed char snorm[] = {127, 64, 32, -127}, bytes[] = {-128, 127, 127, -128};
    const unsigned short words[] = {300, 7, 65535, 65535}, red = 31 << 11 | 32 << 5 | 8, alpha[] = {65535, 0};
    const unsigned ten = 1023u << 22 | 512 << 12 | 256 << 2;
    expect(CL_RGBA, CL_UNORM_INT8, color, rgba, 4);
    expect(CL_BGRA, CL_UNORM_INT8, color, bgra, 4);
    expect(CL_ARGB, CL_UNORM_INT8, color, argb, 4);
    expect(CL_ABGR, CL_UNORM_INT8, color, abgr, 4);
    expect(CL_RGBA, CL_UNORM_INT8, beyond, clamped, 4);
    expect(CL_RGBA, CL_SNORM_INT8, color, snorm, 4);
    expect(CL_RA, CL_UNORM_INT16, color, alpha, 4);
    expect(CL_RGBA, CL_SIGNED_INT8, numbers, bytes, 4);
    expect(CL_RGBA, CL_UNSIGNED_INT16, naturals, words, 8);
    expect(CL_RGBA, CL_FLOAT, beyond, beyond, 16);
    expect(CL_RGBA, CL_SIGNED_INT32, numbers, numbers, 16);
    expect(CL_A, CL_FLOAT, color, color + 3, 4);
    expect(CL_DEPTH, CL_FLOAT, color + 1, color + 1, 4);
    expect(CL_RGB, CL_UNORM_SHORT_565, color, &red, 2);
    expect(CL_RGBA, CL_UNORM_INT_101010_2, color, &ten, 4);
}
END_TEST

/* Rounded to the nearest half, ties to even: no other half is closer. */
START_TEST(halves)
{
    srand(1);
    for (unsigned i = 0; i < 200000; i++) {
        union {
            unsigned bits;
            float value;
        } from = {.bits = (unsigned)rand() << 1 ^ (unsigned)rand()};
        if (i % 2) /* where halves are */
            from.bits = (from.bits & 0x807fffff) | (100 + from.bits % 45) << 23;
        const float color[4] = {from.value};
        const cl_image_format format = {CL_R, CL_HALF_FLOAT};
        unsigned char texel[CX_PIXEL_MAX];
        unsigned short got;
        ck_assert_uint_eq(cx_image_format_pixel(&format, color, texel), 2);
        memcpy(&got, texel, 2);
        const int exponent = got >> 10 & 31, mantissa = got & 1023;
        const double value = (got & 0x8000 ? -1 : 1) *
                             (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
        if (isnan(from.value)) {
            ck_assert(exponent == 31 && mantissa);
        } else if (fabs((double)from.value) >= 65520) {
            ck_assert(exponent == 31 && !mantissa);
        } else {
            const double unit = ldexp(1, (exponent ? exponent : 1) - 25),
                         off = fabs((double)from.value - value);
            ck_assert_msg(off <= unit / 2 && (off < unit / 2 || mantissa % 2 == 0), "%a became %a",
                          from.value, value);
            ck_assert((got >> 15) == (from.bits >> 31));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image_format");
    TCase *tcase = tcase_create("formats");
    tcase_add_test(tcase, sizes);
    tcase_add_test(tcase, colours);
    tcase_add_test(tcase, halves);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}

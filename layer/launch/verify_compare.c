/* SPDX-License-Identifier: MIT */
/*
 * See verify_compare.h.
 */
#include "layer/launch/verify_compare.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ULPS = 16, HALF_ULPS = 4 };

/* ---- types ---- */

static const struct {
    const char *name;
    struct cx_element element;
} types[] = {
    {"char", {CX_ELEMENT_INT, 1}},         {"short", {CX_ELEMENT_INT, 2}},
    {"int", {CX_ELEMENT_INT, 4}},          {"long", {CX_ELEMENT_INT, 8}},
    {"uchar", {CX_ELEMENT_UINT, 1}},       {"ushort", {CX_ELEMENT_UINT, 2}},
    {"uint", {CX_ELEMENT_UINT, 4}},        {"ulong", {CX_ELEMENT_UINT, 8}},
    {"bool", {CX_ELEMENT_UINT, 1}},        {"half", {CX_ELEMENT_HALF, 2}},
    {"float", {CX_ELEMENT_FLOAT, 4}},      {"double", {CX_ELEMENT_DOUBLE, 8}},
    {"size_t", {CX_ELEMENT_UINT, 8}},      {"atomic_int", {CX_ELEMENT_INT, 4}},
    {"atomic_uint", {CX_ELEMENT_UINT, 4}},
};

struct cx_element cx_verify_element_of(const char *type)
{
    const char *end = type + strcspn(type, "0123456789* ");
    size_t name = (size_t)(end - type);
    end += strspn(end, "0123456789");
    end += strspn(end, " ");
    if (strcmp(end, "*") == 0)
        for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
            if (strlen(types[i].name) == name && memcmp(types[i].name, type, name) == 0)
                return types[i].element;
    return (struct cx_element){CX_ELEMENT_UNKNOWN, 4};
}

/* ---- numbers ---- */

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double value_of(const unsigned char *at, enum cx_element_kind kind)
{
    uint16_t half;
    float single;
    double wide;
    switch (kind) {
    case CX_ELEMENT_HALF:
        memcpy(&half, at, sizeof(half));
        return half_value(half);
    case CX_ELEMENT_FLOAT:
        memcpy(&single, at, sizeof(single));
        return single;
    default:
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
}

/* How far apart two numbers may be, the larger of which is this, or which stand for sums of such numbers. */
static double bound(double magnitude, enum cx_element_kind kind)
{
    int digits = kind == CX_ELEMENT_HALF ? 11 : kind == CX_ELEMENT_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG;
    int least = kind == CX_ELEMENT_HALF ? -14 : kind == CX_ELEMENT_FLOAT ? FLT_MIN_EXP - 1 : DBL_MIN_EXP - 1;
    int exponent = magnitude > 0 ? ilogb(magnitude) : least;
    double ulps = kind == CX_ELEMENT_HALF ? HALF_ULPS : ULPS;
    double smallest = ldexp(1, least); /* devices may flush what is below it to zero */
    double apart = ulps * ldexp(1, (exponent > least ? exponent : least) - digits + 1);
    return apart > smallest ? apart : smallest;
}

static bool close_numbers(double a, double b, double largest, enum cx_element_kind kind)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    double magnitude = fmax(fmax(fabs(a), fabs(b)), largest);
    return fabs(a - b) <= bound(magnitude, kind);
}

static bool ordinary(double value)
{
    return value == 0 || (fabs(value) > 1e-20 && fabs(value) < 1e20);
}

/* Bytes of unknown meaning around `at`: perhaps a float, perhaps a double. */
static bool close_bytes(const unsigned char *a, const unsigned char *b, size_t at, size_t size)
{
    double x = value_of(a + at, CX_ELEMENT_FLOAT), y = value_of(b + at, CX_ELEMENT_FLOAT);
    if (ordinary(x) && ordinary(y) && close_numbers(x, y, 0, CX_ELEMENT_FLOAT))
        return true;
    at &= ~(size_t)7;
    if (at + 8 > size)
        return false;
    x = value_of(a + at, CX_ELEMENT_DOUBLE);
    y = value_of(b + at, CX_ELEMENT_DOUBLE);
    return ordinary(x) && ordinary(y) && close_numbers(x, y, 0, CX_ELEMENT_DOUBLE);
}

static bool is_real(struct cx_element element)
{
    return element.kind >= CX_ELEMENT_HALF;
}

/* The largest finite magnitude in a buffer. */
static double largest_in(const unsigned char *bytes, size_t size, struct cx_element element)
{
    double largest = 0;
    for (size_t at = 0; at + element.size <= size; at += element.size) {
        double value = fabs(value_of(bytes + at, element.kind));
        if (isfinite(value) && value > largest)
            largest = value;
    }
    return largest;
}

/* ---- the comparison ---- */

bool cx_verify_compare(const void *first, const void *second, size_t size, struct cx_element element,
                       enum cx_compare_by by, struct cx_difference *difference)
{
    const unsigned char *a = first, *b = second;
    double largest = 0;

    *difference = (struct cx_difference){0, 0};
    if (memcmp(a, b, size) == 0)
        return true;
    if (by == CX_COMPARE_SUMS && is_real(element))
        largest = fmax(largest_in(a, size, element), largest_in(b, size, element));
    for (size_t at = 0; at < size; at += element.size) {
        size_t left = size - at < element.size ? size - at : element.size;
        if (memcmp(a + at, b + at, left) == 0)
            continue;
        if (by != CX_COMPARE_BYTES && left == element.size) {
            if (is_real(element) && close_numbers(value_of(a + at, element.kind),
                                                  value_of(b + at, element.kind), largest, element.kind))
                continue;
            if (element.kind == CX_ELEMENT_UNKNOWN && close_bytes(a, b, at, size))
                continue;
        }
        if (!difference->bytes)
            difference->first = at;
        for (size_t i = 0; i < left; i++)
            difference->bytes += a[at + i] != b[at + i];
    }
    return difference->bytes == 0;
}

static uint64_t integer_of(const unsigned char *at, struct cx_element element)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < element.size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    if (element.kind == CX_ELEMENT_INT && element.size < 8 && value >> (8 * element.size - 1))
        value |= ~UINT64_C(0) << 8 * element.size;
    return value;
}

void cx_verify_element_text(char *text, size_t room, const void *at, size_t left, struct cx_element element)
{
    const unsigned char *bytes = at;
    size_t used = 2;
    if (left < element.size || element.kind == CX_ELEMENT_UNKNOWN) {
        snprintf(text, room, "0x");
        for (size_t i = 0; i < element.size && i < left && used + 3 <= room; i++, used += 2)
            snprintf(text + used, room - used, "%02x", bytes[i]);
        return;
    }
    switch (element.kind) {
    case CX_ELEMENT_INT:
        snprintf(text, room, "%" PRId64, (int64_t)integer_of(bytes, element));
        break;
    case CX_ELEMENT_UINT:
        snprintf(text, room, "%" PRIu64, integer_of(bytes, element));
        break;
    default:
        snprintf(text, room, element.kind == CX_ELEMENT_DOUBLE ? "%.17g" : "%.9g",
                 value_of(bytes, element.kind));
    }
}

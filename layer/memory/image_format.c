/* SPDX-License-Identifier: MIT */
/*
 * Image formats. See image_format.h.
 */
#include "layer/memory/image_format.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- which there are ---- */

/* Data types, as sets. */
enum {
    NORMALISED = 1 << 0, /* UNORM and SNORM of 8 and 16 bits */
    FLOATS = 1 << 1,
    INTEGERS = 1 << 2,
    BYTES = 1 << 3, /* those of 8 bits */
    PACKED = 1 << 4,
    PACKED_ALPHA = 1 << 5,
    UNORM8 = 1 << 6,
    DEPTHS = 1 << 7,
};

static const struct {
    cl_channel_order order;
    unsigned channels, types;
} orders[] = {
    {CL_R, 1, NORMALISED | FLOATS | INTEGERS},
    {CL_Rx, 1, NORMALISED | FLOATS | INTEGERS},
    {CL_A, 1, NORMALISED | FLOATS | INTEGERS},
    {CL_INTENSITY, 1, NORMALISED | FLOATS},
    {CL_LUMINANCE, 1, NORMALISED | FLOATS},
    {CL_DEPTH, 1, DEPTHS},
    {CL_RG, 2, NORMALISED | FLOATS | INTEGERS},
    {CL_RGx, 2, NORMALISED | FLOATS | INTEGERS},
    {CL_RA, 2, NORMALISED | FLOATS | INTEGERS},
    {CL_RGB, 3, PACKED},
    {CL_RGBx, 3, PACKED},
    {CL_RGBA, 4, NORMALISED | FLOATS | INTEGERS | PACKED_ALPHA},
    {CL_BGRA, 4, BYTES},
    {CL_ARGB, 4, BYTES},
    {CL_ABGR, 4, BYTES},
    {CL_sRGB, 3, UNORM8},
    {CL_sRGBx, 4, UNORM8},
    {CL_sRGBA, 4, UNORM8},
    {CL_sBGRA, 4, UNORM8},
};

/* bytes: of a channel, or of a whole pixel where the type is packed */
static const struct {
    cl_channel_type type;
    unsigned bytes, sets;
    bool packed;
} types[] = {
    {CL_SNORM_INT8, 1, NORMALISED | BYTES, false},
    {CL_SNORM_INT16, 2, NORMALISED, false},
    {CL_UNORM_INT8, 1, NORMALISED | BYTES | UNORM8, false},
    {CL_UNORM_INT16, 2, NORMALISED | DEPTHS, false},
    {CL_UNORM_SHORT_565, 2, PACKED, true},
    {CL_UNORM_SHORT_555, 2, PACKED, true},
    {CL_UNORM_INT_101010, 4, PACKED, true},
    {CL_UNORM_INT_101010_2, 4, PACKED_ALPHA, true},
    {CL_SIGNED_INT8, 1, INTEGERS | BYTES, false},
    {CL_SIGNED_INT16, 2, INTEGERS, false},
    {CL_SIGNED_INT32, 4, INTEGERS, false},
    {CL_UNSIGNED_INT8, 1, INTEGERS | BYTES, false},
    {CL_UNSIGNED_INT16, 2, INTEGERS, false},
    {CL_UNSIGNED_INT32, 4, INTEGERS, false},
    {CL_HALF_FLOAT, 2, FLOATS, false},
    {CL_FLOAT, 4, FLOATS | DEPTHS, false},
};

enum { NORDERS = sizeof(orders) / sizeof(*orders), NTYPES = sizeof(types) / sizeof(*types) };

static bool look_up(const cl_image_format *format, unsigned *order, unsigned *type)
{
    for (*order = 0; *order < NORDERS; ++*order)
        if (orders[*order].order == format->image_channel_order)
            break;
    for (*type = 0; *type < NTYPES; ++*type)
        if (types[*type].type == format->image_channel_data_type)
            break;
    return *order < NORDERS && *type < NTYPES && orders[*order].types & types[*type].sets;
}

size_t cx_image_format_bytes(const cl_image_format *format)
{
    unsigned order, type;
    if (!look_up(format, &order, &type))
        return 0;
    return types[type].packed ? types[type].bytes : orders[order].channels * types[type].bytes;
}

/* ---- the pixel of a colour ---- */

/* Which of red, green, blue, alpha (0..3) each channel holds. */
static const unsigned char *channels_of(cl_channel_order order)
{
    static const unsigned char rgba[4] = {0, 1, 2, 3}, a[4] = {3}, ra[4] = {0, 3}, bgra[4] = {2, 1, 0, 3},
                               argb[4] = {3, 0, 1, 2}, abgr[4] = {3, 2, 1, 0};
    switch (order) {
    case CL_A:
        return a;
    case CL_RA:
        return ra;
    case CL_BGRA:
    case CL_sBGRA:
        return bgra;
    case CL_ARGB:
        return argb;
    case CL_ABGR:
        return abgr;
    default:
        return rgba;
    }
}

static double clamp(double value, double lo, double hi)
{
    return !(value >= lo) ? lo : value > hi ? hi : value; /* what is no number becomes the least */
}

/* A float's nearest half, ties to even. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    const double size = fabs((double)value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520.0)
        return sign | 0x7c00;
    if (size < 0x1p-14) /* subnormal: units of 2^-24; rounds up into the least normal number */
        return (uint16_t)(sign | (unsigned)rint(size * 0x1p24));
    int exponent;
    const double fraction = frexp(size, &exponent);              /* in [0.5, 1) */
    const unsigned mantissa = (unsigned)rint(fraction * 2048.0); /* 1024 .. 2048 */
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + mantissa - 1024));
}

static double srgb_of(double linear)
{
    linear = clamp(linear, 0, 1);
    return linear < 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static void put(unsigned char *at, uint32_t value, unsigned bytes)
{
    memcpy(at, &value, bytes); /* members are little-endian or the host is as they are */
}

static void put_float(unsigned char *at, cl_channel_type type, float value)
{
    switch (type) {
    case CL_SNORM_INT8:
        put(at, (uint32_t)(int32_t)rint(clamp(value * 127.0, -128, 127)), 1);
        break;
    case CL_SNORM_INT16:
        put(at, (uint32_t)(int32_t)rint(clamp(value * 32767.0, -32768, 32767)), 2);
        break;
    case CL_UNORM_INT8:
        put(at, (uint32_t)rint(clamp(value * 255.0, 0, 255)), 1);
        break;
    case CL_UNORM_INT16:
        put(at, (uint32_t)rint(clamp(value * 65535.0, 0, 65535)), 2);
        break;
    case CL_HALF_FLOAT:
        put(at, half_of(value), 2);
        break;
    default:
        memcpy(at, &value, sizeof(value));
    }
}

static void put_integer(unsigned char *at, cl_channel_type type, uint32_t bits)
{
    const int32_t number = (int32_t)bits;
    switch (type) {
    case CL_SIGNED_INT8:
        put(at, (uint32_t)(number < -128 ? -128 : number > 127 ? 127 : number), 1);
        break;
    case CL_SIGNED_INT16:
        put(at, (uint32_t)(number < -32768 ? -32768 : number > 32767 ? 32767 : number), 2);
        break;
    case CL_UNSIGNED_INT8:
        put(at, bits > 255 ? 255 : bits, 1);
        break;
    case CL_UNSIGNED_INT16:
        put(at, bits > 65535 ? 65535 : bits, 2);
        break;
    default:
        put(at, bits, 4);
    }
}

static uint32_t scaled(float value, unsigned bits)
{
    const double most = (double)((1u << bits) - 1);
    return (uint32_t)rint(clamp(value * most, 0, most));
}

static void put_packed(unsigned char *pixel, cl_channel_type type, const float color[4])
{
    uint32_t value;
    switch (type) {
    case CL_UNORM_SHORT_565:
        value = scaled(color[0], 5) << 11 | scaled(color[1], 6) << 5 | scaled(color[2], 5);
        break;
    case CL_UNORM_SHORT_555:
        value = scaled(color[0], 5) << 10 | scaled(color[1], 5) << 5 | scaled(color[2], 5);
        break;
    case CL_UNORM_INT_101010:
        value = scaled(color[0], 10) << 20 | scaled(color[1], 10) << 10 | scaled(color[2], 10);
        break;
    default:
        value = scaled(color[0], 10) << 22 | scaled(color[1], 10) << 12 | scaled(color[2], 10) << 2 |
                scaled(color[3], 2);
    }
    put(pixel, value, type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 ? 2 : 4);
}

size_t cx_image_format_pixel(const cl_image_format *format, const void *color,
                             unsigned char pixel[CX_PIXEL_MAX])
{
    unsigned order, type;
    float floats[4] = {0};
    uint32_t integers[4] = {0};
    if (!look_up(format, &order, &type))
        return 0;
    const bool depth = format->image_channel_order == CL_DEPTH;
    const cl_channel_type data = format->image_channel_data_type;
    memset(pixel, 0, CX_PIXEL_MAX);
    memcpy(floats, color, depth ? sizeof(float) : sizeof(floats));
    if (!depth)
        memcpy(integers, color, sizeof(integers));
    if (orders[order].types == UNORM8)
        for (unsigned c = 0; c < 3; c++)
            floats[c] = (float)srgb_of(floats[c]);
    if (types[type].packed) {
        put_packed(pixel, data, floats);
        return types[type].bytes;
    }
    const unsigned char *from = channels_of(format->image_channel_order);
    for (unsigned c = 0; c < orders[order].channels; c++) {
        unsigned char *at = pixel + c * types[type].bytes;
        if (types[type].sets & INTEGERS)
            put_integer(at, data, integers[from[c]]);
        else
            put_float(at, data, floats[from[c]]);
    }
    return orders[order].channels * types[type].bytes;
}

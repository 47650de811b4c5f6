/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */

/* what is only read may be an image too */
//! read_picture on 1024/64 splits 0
//! read_picture on 1024/64 part 1..2 out writes 1024..2048 exact
kernel void read_picture(read_only image2d_t picture, global float4 *out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(picture, s, (int2)(get_global_id(0), 0));
}

float4 fetch(read_only image2d_t picture, int x)
{
    return read_imagef(picture, (int2)(x, 0)) + get_image_width(picture);
}

//! picture_in_helper on 1024/64 splits 0
kernel void picture_in_helper(read_only image2d_t picture, global float4 *out)
{
    out[get_global_id(0)] = fetch(picture, get_global_id(0));
}

/* a row index and offsets that move together in some iterations only (OpenCV's way to give a work-item rows) */
//! rows_each on 64/16,16/1 rows=60,cols=64,step=256 splits 1
//! rows_each on 64/16,16/1 rows=60,cols=64,step=256 part 0..4 dst writes 0..4096
//! rows_each on 64/16,16/1 rows=60,cols=64,step=256 part 4..8 dst writes 4096..8192
//! rows_each on 64/16,16/1 rows=60,cols=64,step=256 part 12..16 dst writes 12288..15360
kernel void rows_each(global const uchar *src, global uchar *dst, int step, int rows, int cols)
{
    int x = get_global_id(0), y = get_global_id(1) * 4;
    if (x < cols) {
        int at = mad24(y, step, 4 * x);
        for (int i = 0; i < 4; i++) {
            if (y < rows) {
                dst[at] = src[at];
                dst[at + 3] = src[at] + 1;
                y++;
                at += step;
            }
        }
    }
}

/* the same with pointers, and with a select */
//! rows_by_pointer on 16/4 n=30 splits 0
//! rows_by_pointer on 16/4 n=30 part 1..2 dst writes 64..128
kernel void rows_by_pointer(global const int *src, global int *dst, int n)
{
    int at = get_global_id(0) * 4;
    global int *to = dst + at;
    for (int i = 0; i < 4; i++)
        if (src[at + i] > n)
            *to++ = src[at + i];
}

/* steps of unequal size */
//! mixed_steps on 16/4 splits 0
//! mixed_steps on 16/4 part 1..2 dst writes 128..253
kernel void mixed_steps(global const int *src, global char *dst)
{
    int at = get_global_id(0) * 32;
    for (int i = 0; i < 8; i++) {
        dst[at] = 1;
        at += src[i] ? 4 : src[i + 1] > 3 ? 1 : 2;
    }
}

/* a pointer that walks on through two loops */
//! walks on 64/8 width=12,height=3 splits 0
//! walks on 64/8 width=12,height=3 part 1..2 dst writes 1152..2304 exact
kernel void walks(global const float *src, global float *dst, int width, int height)
{
    global float *to = dst + get_global_id(0) * width * height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            *to++ = src[x];
}

/* with an inner bound of its own kind: down, unsigned, "or equal" */
//! walks_down on 64/8 width=12,height=3 splits 0
//! walks_down on 64/8 width=12,height=3 part 1..2 dst writes 1152..2304 exact
kernel void walks_down(global float *dst, uint width, uint height)
{
    uint at = get_global_id(0) * width * height;
    for (uint y = 0; y < height; y++)
        for (uint x = width; x > 0; x--)
            dst[at++] = x;
}

//! walks_equal on 64/8 n=3 splits 0
//! walks_equal on 64/8 n=3 part 1..2 dst writes 1568..3136 exact
kernel void walks_equal(global float *dst, int n)
{
    int at = get_global_id(0) * 49;
    for (int y = -n; y <= n; y++)
        for (int x = -n; x <= n; x++)
            dst[at++] = x;
}

/* what is left out of a row is part of the step */
//! pitched on 16/2 width=5,pitch=8,height=4 splits 0
//! pitched on 16/2 width=5,pitch=8,height=4 part 1..2 dst writes 256..500
kernel void pitched(global float *dst, int width, int pitch, int height)
{
    global float *to = dst + get_global_id(0) * pitch * height;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            *to++ = 1;
        to += pitch - width;
    }
}

/* an inner loop that may end early moves the pointer by no more than its bound */
//! ends_early on 16/2 n=8 splits 0
//! ends_early on 16/2 n=8 part 1..2 dst writes 256..512
kernel void ends_early(global const int *src, global float *dst, int n)
{
    int at = get_global_id(0) * n * 4;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < n; x++) {
            if (src[x] == y)
                break;
            dst[at++] = 1;
        }
}

/* an inner bound that depends on the outer counter is not followed */
//! triangle on 16/2 mended write-unknown
kernel void triangle(global float *dst)
{
    int at = get_global_id(0) * 100;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < y; x++)
            dst[at++] = 1;
}

//! steps_by_mad24 on 16/2 step=40,n=4 splits 0
//! steps_by_mad24 on 16/2 step=40,n=4 part 1..2 dst writes 256..484
kernel void steps_by_mad24(global const char *src, global char *dst, int step, int n)
{
    int at = get_global_id(0) * 128;
    for (int i = 0; i < 3; i++)
        if (src[i] < n) {
            dst[at] = i;
            at = mad24(1, step, at);
        }
    for (int i = 0; i < 3; i++)
        dst[get_global_id(0) * 128 + 99] = src[at = mad24(4, 1, at)];
}

/* components stored one by one are merged one by one, whole vectors as well */
//! one_component llvm 16 on 256/64 way out merge 4
kernel void one_component(global int4 *out, global const int *place)
{
    int i = place[get_global_id(0)];
    if (i & 1)
        out[i / 2].y = i;
    else
        out[i / 2].x = i;
}

struct pair {
    char a;
    int b;
};
struct pairs {
    int n;
    struct pair two[2];
};

/* a struct stored as one number of 8 bytes begins anywhere at multiples of 4 */
//! small_struct on 256/64 way out merge 4
kernel void small_struct(global struct pairs *out, global const int *place, struct pair value)
{
    int i = place[get_global_id(0)];
    out[i / 2].two[i & 1] = value;
}

struct __attribute__((packed)) packed {
    char a;
    int b;
};

//! packed_struct on 256/64 way out merge 1
kernel void packed_struct(global struct packed *out, global const int *place)
{
    out[place[get_global_id(0)]].b = 1;
}

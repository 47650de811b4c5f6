/* SPDX-License-Identifier: MIT */
/* Work-groups that touch rows of their own, not runs: apart, although their hulls overlap. */

/* every work-group has items everywhere */
//! grid_stride on 1024/64 n=4096 splits 0
//! grid_stride on 1024/64 n=4096 part 1..3 a writes in 256+512x4/4096!
//! grid_stride on 1024/64 n=4000 part 1..3 a writes in 256+512x4/4096!
//! grid_stride on 1024/64 n=4000 part 14..16 a writes in 3584+512x3/4096! 15872+128!
//! grid_stride on 1024/64 n=500 part 1..3 a writes 256..768 exact
kernel void grid_stride(global float *a, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = 0;
}

/* row and column of a number that goes on, together again: LLVM freezes it */
//! rows_together on 1024/64 n=4096,w=100 splits 0
//! rows_together on 1024/64 n=4096,w=100 part 1..3 a writes in 256+512x4/4096!
kernel void rows_together(global float *a, int n, int w)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        int row = i / w, column = i % w;
        a[row * w + column] = 0;
    }
}

//! interleaved on 1024/64 splits 0
//! interleaved on 1024/64 part 2..4 a writes in 8+8x64/64!
kernel void interleaved(global float *a)
{
    int i = get_local_id(0) * get_num_groups(0) + get_group_id(0);
    a[i] = 0;
}

//! planes on 1000/50 n=1000,p=4 splits 0
//! planes on 1000/50 n=1000,p=4 part 2..4 a writes in 400+400x4/4000!
//! planes on 1024/64 n=1000,p=4 part 14..16 a writes in 3584+416x4/4000!
//! planes on 1024/64 n=1000,p=4 part 0..16 a writes 0..16000 exact
//! planes on 1024/64 n=1000,p=1 part 14..16 a writes 3584..4000 exact
kernel void planes(global float *a, int n, int p)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    for (int k = 0; k < p; k++)
        a[k * n + i] = k;
}

/* the planes overlap by one element */
//! close_planes on 1000/50 n=999 mended write-overlap
kernel void close_planes(global float *a, int n)
{
    for (int k = 0; k < 4; k++)
        a[k * n + get_global_id(0)] = k;
}

//! colours on 1024/64 n=1024 splits 0
//! colours on 1024/64 n=1024 part 2..3 a writes in 512+256! 4608+256! 8704+256!
//! colours on 1024/64 n=1023 whole stores-race
kernel void colours(global float *a, int n)
{
    int i = get_global_id(0);
    a[i] = 1;
    a[n + i] = 2;
    a[2 * n + i] = 3;
}

/* contiguous along one dimension, in columns along the other: the first is taken, be it the lower one */
//! transposed on 64/16,64/16 n=64 splits 0
kernel void transposed(global const float *in, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

/* one group along the contiguous dimension */
//! columns on 64/64,64/16 h=64 splits 1
//! columns on 64/64,64/16 h=64 part 1..2 out writes in 64+64x64/256!
//! columns on 64/64,64/16 h=64 part 1..3 out writes in 64+128x64/256!
//! columns on 64/64,64/16 h=64 part 1..3 in reads 4096..12288
kernel void columns(global const float *in, global float *out, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * h + y] = in[y * 64 + x];
}

//! guarded_columns on 64/64,64/16 w=50,h=40 splits 1
//! guarded_columns on 64/64,64/16 w=50,h=40 part 2..4 out writes in 128+32x50/160!
//! guarded_columns on 64/64,64/16 w=50,h=40 part 3..4 out writes nothing
kernel void guarded_columns(global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[x * h + y] = 1;
}

/* 4 by 4 elements an item */
//! tiles on 16/4,16/4 w=64 splits 1
//! tiles on 16/4,16/4 w=64 part 1..2 a writes 4096..8192 exact
//! tiles on 16/4,4/4 w=64 splits 0
//! tiles on 16/4,4/4 w=64 part 1..2 a writes in 64+64x16/256!
kernel void tiles(global float *a, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            a[(y * 4 + j) * w + x * 4 + i] = 1;
}

/* column blocks of planes: two levels */
//! volume_columns on 64/16,8/8,4/4 w=64,h=8 splits 0
//! volume_columns on 64/16,8/8,4/4 w=64,h=8 part 1..2 a writes in 64+64x32/256!
//! volume_columns on 64/16,8/8,4/4 w=64,h=9 part 1..2 a writes in 64+64x8/256x4/2304!
kernel void volume_columns(global float *a, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    a[(z * h + y) * w + x] = 1;
}

/* a block of columns is read with one more on each side */
//! column_stencil on 64/16,8/8 w=64 splits 0
//! column_stencil on 64/16,8/8 w=64 part 1..2 out writes in 64+64x8/256!
//! column_stencil on 64/16,8/8 w=64 part 1..2 in reads in 316+72x8/256
kernel void column_stencil(global const float *in, global float *out, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * w + x] = in[(y + 1) * w + x] + in[(y + 1) * w + x - 1] + in[(y + 1) * w + x + 1];
}

//! plane_in_place on 1024/64 n=1024 splits 0
//! plane_in_place on 1024/64 n=1024 way a own
//! plane_in_place on 1024/64 n=1024 part 1..2 a reads in 256+256x4/4096
kernel void plane_in_place(global float *a, int n)
{
    for (int k = 0; k < 4; k++)
        a[k * n + get_global_id(0)] *= 2;
}

/* the next plane is that of the same item, but the next item is another group's */
//! next_plane on 1024/64 n=1024 splits 0
//! next_item on 1024/64 n=1024 mended read-overlap
kernel void next_plane(global float *a, int n)
{
    for (int k = 0; k < 4; k++)
        a[k * n + get_global_id(0)] = a[(k + 1) * n + get_global_id(0)];
}
kernel void next_item(global float *a, int n)
{
    for (int k = 0; k < 4; k++)
        a[k * n + get_global_id(0)] = a[k * n + get_global_id(0) + 1];
}

struct item {
    float mass;
    int kind;
    float2 at;
};
//! members on 256/64 splits 0
//! members on 256/64 part 1..2 a writes 1024..2048
kernel void members(global struct item *a)
{
    int i = get_global_id(0);
    a[i].mass = 1;
    a[i].at = (float2)(0, 1);
}

//! downwards on 64/16 n=64,p=4 splits 0
//! downwards on 64/16 n=64,p=4 part 0..1 a writes in 192+64x4/256!
kernel void downwards(global float *a, int n, int p)
{
    for (int k = 0; k < p; k++)
        a[k * n + n - 1 - (int)get_global_id(0)] = k;
}

/* a row that is longer than its place reaches into the next one's columns */
//! too_wide on 64/16 w=63 mended write-overlap
kernel void too_wide(global float *a, int w)
{
    for (int k = 0; k < 8; k++)
        a[k * w + get_global_id(0)] = k;
}

/* 32-bit rows that wrap around */
//! wrapped_rows on 64/16 w=1073741824 mended write-unknown
kernel void wrapped_rows(global char *a, uint w)
{
    for (uint k = 0; k < 8; k++)
        a[(uint)(k * w + get_global_id(0))] = k;
}

/* too many rows: merged, or cut along the rows */
//! many_rows on 262144/64,64/16 splits 0
//! many_rows on 262144/262144,64/16 mended write-overlap
kernel void many_rows(global float *a)
{
    a[get_global_id(0) * 64 + get_global_id(1)] = 1;
}

/* a part of each row: cut along the rows, boxes leave out the rest */
//! part_of_rows on 64/16,64/16 w=1024 splits 1
//! part_of_rows on 64/16,64/16 w=1024 part 1..3 out writes in 65536+256x32/4096!
//! part_of_rows on 64/16,64/16 w=1024 part 1..3 in reads in 61436+264x34/4096
//! part_of_rows on 60/20,64/1 w=1024 part 1..3 out writes in 4096+240x2/4096!
//! part_of_rows on 64/16,64/16 w=80 part 1..3 out writes 5120..15296
kernel void part_of_rows(global const float *in, global float *out, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * w + x] = in[y * w + x] + in[(y - 1) * w + x - 1] + in[(y + 1) * w + x + 1];
}

//! guarded_part on 64/16,64/16 w=1024,h=50 splits 1
//! guarded_part on 64/16,64/16 w=1024,h=50 part 2..4 out writes in 131072+160x18/4096!
//! guarded_part on 64/16,64/16 w=1024,h=20 part 2..4 out writes nothing
kernel void guarded_part(global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 40 && y < h)
        out[y * w + x] = 1;
}

/* rows of single elements are not worth it */
//! every_eighth on 1024/64 part 1..3 out writes 2048..6116
kernel void every_eighth(global float *out)
{
    out[get_global_id(0) * 8] = 1;
}

/* a block of rows of each plane: rows in two levels */
//! part_of_planes on 64/16,32/8,4/4 w=256,h=64 part 1..2 out writes in 8192+256x8/1024x4/65536!
kernel void part_of_planes(global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * h + y) * w + x] = 1;
}

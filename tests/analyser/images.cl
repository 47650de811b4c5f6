/* SPDX-License-Identifier: MIT */
/* Images: texels by whole coordinates are places in a layout of bytes, others are anywhere. */
//!! -cl-std=CL2.0

const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* each row belongs to one work-group, so rows are whole intervals */
//! fill on 64/16,64/16 image 64,64 splits 1
//! fill on 64/16,64/16 image 64,64 part 1..2 picture writes 4096..8192 exact
//! fill on 64/16,64/16 image 64,64 part 1..2 picture reads nothing
/* what lies outside is not written, and is no place in another row either */
//! fill on 64/16,64/16 image 50,40 splits 1
//! fill on 64/16,64/16 image 50,40 part 1..2 picture writes 3200..6400 exact
//! fill on 64/16,64/16 image 50,40 part 2..3 picture writes 6400..8000 exact
//! fill on 64/16,64/16 image 50,40 part 3..4 picture writes nothing
/* a wider image keeps the rest of its rows */
//! fill on 64/16,64/16 image 200,64 splits 1
//! fill on 64/16,64/16 image 200,64 part 1..2 picture writes in 12800+256x16/800!
/* one row of work-groups: columns */
//! fill on 64/16,16/16 image 64,16 splits 0
//! fill on 64/16,16/16 image 64,16 part 1..2 picture writes in 64+64x16/256!
kernel void fill(write_only image2d_t picture)
{
    write_imagef(picture, (int2)(get_global_id(0), get_global_id(1)), (float4)(1));
}

//! fill_line on 64/16 image 64 splits 0
//! fill_line on 64/16 image 64 part 1..3 line writes 64..192 exact
kernel void fill_line(write_only image1d_t line)
{
    write_imagei(line, get_global_id(0), (int4)(1));
}

//! fill_buffer on 64/16 image 60 part 2..4 line writes 128..240 exact
kernel void fill_buffer(write_only image1d_buffer_t line)
{
    write_imageui(line, get_global_id(0), (uint4)(1));
}

/* layers are slices */
//! fill_lines on 64/16,8/2 image 64,8 splits 1
//! fill_lines on 64/16,8/2 image 64,8 part 1..2 lines writes 512..1024 exact
//! fill_lines on 64/16,8/2 image 64,6 part 3..4 lines writes nothing
kernel void fill_lines(write_only image1d_array_t lines)
{
    write_imagef(lines, (int2)(get_global_id(0), get_global_id(1)), (float4)(0));
}

//! fill_pictures on 16/4,16/4,8/2 image 16,16,8 splits 2
//! fill_pictures on 16/4,16/4,8/2 image 16,16,8 part 1..2 pictures writes 2048..4096 exact
kernel void fill_pictures(write_only image2d_array_t pictures)
{
    write_imagef(pictures, (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0), (float4)(0));
}

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
//! fill_space on 16/4,16/4,8/2 image 16,16,8 splits 2
//! fill_space on 16/4,16/4,8/2 image 16,16,5 part 2..3 space writes 4096..5120 exact
//! fill_space on 16/4,16/4,1/1 image 16,16,8 splits 1
kernel void fill_space(write_only image3d_t space)
{
    write_imagef(space, (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0), (float4)(0));
}

/* all slices in a loop: rows of planes */
//! fill_planes on 16/4,16/4 image 16,16,8 splits 1
//! fill_planes on 16/4,16/4 image 16,16,8 part 1..2 space writes in 256+256x8/1024!
kernel void fill_planes(write_only image3d_t space)
{
    for (int z = 0; z < get_image_depth(space); z++)
        write_imagef(space, (int4)(get_global_id(0), get_global_id(1), z, 0), (float4)(0));
}

#pragma OPENCL EXTENSION cl_khr_depth_images : enable
//! fill_depth on 64/16,64/16 image 64,64 part 1..2 picture writes 4096..8192 exact
kernel void fill_depth(write_only image2d_depth_t picture)
{
    write_imagef(picture, (int2)(get_global_id(0), get_global_id(1)), 1.0f);
}

/* the sizes of an image as guards */
//! guarded on 64/16,64/16 image 50,40 part 2..3 picture writes 6400..8000 exact
kernel void guarded(write_only image2d_t picture)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(picture) || y >= get_image_height(picture))
        return;
    write_imagef(picture, (int2)(x, y), (float4)(1));
}

//! guarded_by_dim on 64/16,64/16 image 50,40 part 2..3 out writes 6400..8000 exact
kernel void guarded_by_dim(read_only image2d_t in, global int *out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(in);
    if (at.x >= size.x || at.y >= size.y)
        return;
    out[at.y * size.x + at.x] = read_imagei(in, at).x;
}

/* sizes in loops */
//! copy_rows on 64/16 image 100,64 splits 0
//! copy_rows on 64/16 image 100,64 part 1..2 to writes 6400..12800 exact
//! copy_rows on 64/16 image 100,64 part 1..2 from reads 6400..12800
kernel void copy_rows(read_only image2d_t from, write_only image2d_t to)
{
    int y = get_global_id(0);
    for (int x = 0; x < get_image_width(to); x++)
        write_imageui(to, (int2)(x, y), read_imageui(from, nearest, (int2)(x, y)));
}

/* reads next to the border are of texels at it; what is added to a clamped one counts on both sides */
//! blur on 64/16,64/16 image 64,64 splits 1
//! blur on 64/16,64/16 image 64,64 part 0..1 from reads 0..4608
//! blur on 64/16,64/16 image 64,64 part 1..2 from reads 3584..8704
//! blur on 64/16,64/16 image 64,64 part 3..4 from reads 11776..16384
kernel void blur(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int i = -1; i <= 1; i++)
        sum += read_imagef(from, nearest, at + (int2)(0, i));
    write_imagef(to, at, sum / 3);
}

/* floating-point coordinates may mean any texel */
//! warp on 64/16,64/16 image 64,64 splits 1
//! warp on 64/16,64/16 image 64,64 part 1..2 from reads 0..16384
//! warp on 64/16,64/16 image 64,64 part 1..2 to writes 4096..8192 exact
kernel void warp(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, linear, convert_float2(at) * 0.7f));
}

/* a column that is not known lies inside its row all the same */
//! within_row on 64/16,64/16 image 64,64 splits 1
//! within_row on 64/16,64/16 image 64,64 part 1..2 to writes 4096..8192
kernel void within_row(global const int *column, write_only image2d_t to)
{
    write_imagef(to, (int2)(column[get_global_id(0)], get_global_id(1)), (float4)(1));
}

//! scattered on 64/16,64/16 image 64,64 whole write-unknown here
kernel void scattered(global const int2 *place, write_only image2d_t to)
{
    write_imagef(to, place[get_global_id(1) * 64 + get_global_id(0)], (float4)(1)); // here
}

//! one_texel on 64/16,64/16 image 64,64 whole write-overlap here
kernel void one_texel(write_only image2d_t to)
{
    write_imagef(to, (int2)(0, 0), (float4)(1)); // here
}

/* neither rows nor columns are apart */
//! two_rows on 64/16,64/16 image 64,64 whole write-overlap here
kernel void two_rows(write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, (float4)(1)); // here
    write_imagef(to, at + (int2)(1, 1), (float4)(1)); // here
}

//! turned on 64/16,32/16 image 32,64 splits 0
//! turned on 64/16,32/16 image 32,64 part 1..2 to writes 2048..4096 exact
//! turned on 16/16,64/16 image 64,16 splits 1
//! turned on 16/16,64/16 image 64,16 part 1..2 to writes in 64+64x16/256!
kernel void turned(read_only image2d_t from, write_only image2d_t to)
{
    write_imagef(to, (int2)(get_global_id(1), get_global_id(0)),
                 read_imagef(from, nearest, (int2)(get_global_id(0), get_global_id(1))));
}

/* reads and writes of one image: whole where they are not apart */
//! in_place on 64/16,64/16 image 64,64 splits 1
kernel void in_place(read_write image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(picture, at, read_imagef(picture, at) * 2);
}

//! in_place_around on 64/16,64/16 image 64,64 whole read-overlap here
kernel void in_place_around(read_write image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(picture, at + (int2)(0, 1)); // here
    write_imagef(picture, at, v);
}

/* two arguments may be the same image */
//! from_to on 64/16,64/16 same to=from image 64,64 whole read-overlap
//! from_to on 64/16,64/16 image 64,64 splits 1
kernel void from_to(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, nearest, at + (int2)(0, -1)));
}

/* an image made of a buffer, and that buffer */
//! with_buffer on 64/16,64/16 image 64,64 same to=b whole read-overlap
//! with_buffer on 64/16,64/16 image 64,64 splits 1
kernel void with_buffer(global const int *b, write_only image2d_t to)
{
    write_imagei(to, (int2)(get_global_id(0), get_global_id(1)), (int4)(b[get_global_id(1) + 1]));
}

static void put(write_only image2d_t to, int x, int y, float v)
{
    write_imagef(to, (int2)(x, y), (float4)(v));
}

//! by_helper on 64/16,64/16 image 64,64 splits 1
kernel void by_helper(write_only image2d_t to)
{
    put(to, get_global_id(0), get_global_id(1), 1.0f);
}

/* formats choose a way that the launch decides */
//! by_format on 64/16 image 64,64 splits 0
//! by_format on 64/16 image 64,64 part 1..2 out writes 64..128 exact
kernel void by_format(read_only image2d_t in, global int *out)
{
    int i = get_global_id(0);
    if (get_image_channel_data_type(in) == CLK_UNSIGNED_INT8)
        out[i] = read_imagei(in, nearest, (int2)(i, 0)).x;
    else
        out[0] = 1;
}

/* offsets of the range move the texels */
//! fill on 64+16/16,64+8/16 image 200,100 part 0..1 picture writes in 6464+256x16/800!

/* coordinates below zero are none */
//! less on 64/16,64/16 image 200,64 splits 1
//! less on 64/16,64/16 image 200,64 part 1..2 to writes in 11200+240x16/800!
//! less on 64/16,64/16 image 200,64 part 0..4 to writes in 0+240x62/800!
kernel void less(write_only image2d_t to)
{
    write_imagef(to, (int2)(get_global_id(0) - 4, get_global_id(1) - 2), (float4)(1));
}

/* SPDX-License-Identifier: MIT */
/* An image that is read around the texels that are written. */
// expect: whole (work-groups read what others write)
// kernel: image_in_place_around
// run: no
// options: -cl-std=CL2.0
// dims: 2
// arg: image2d float4 X Y
// reason: read-overlap
__kernel void image_in_place_around(__read_write image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 left = read_imagef(picture, at - (int2)(1, 1)); // here
    write_imagef(picture, at, left);
}

/* SPDX-License-Identifier: MIT */
/* A volume is written, slice by slice. */
// expect: split
// kernel: image_slices
// dims: 2
// arg: image3d int4 X Y 5
// cut: 1 by 1
// part: 4..6 writes 0 16384..155648 boxed
// way: 0 own
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
__kernel void image_slices(__write_only image3d_t out)
{
    for (int z = 0; z < get_image_depth(out); z++)
        write_imagei(out, (int4)(get_global_id(0), get_global_id(1), z, 0), (int4)(get_global_id(0), get_global_id(1), z, 7));
}

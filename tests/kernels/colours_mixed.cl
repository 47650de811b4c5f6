/* SPDX-License-Identifier: MIT */
/* Three bytes a pixel to one, by vload3. */
// expect: split
// kernel: colours_mixed
// arg: buffer uchar X*3
// arg: buffer uchar X
// part: 1..2 reads 0 192..384
__kernel void colours_mixed(__global const uchar *rgb, __global uchar *grey)
{
    size_t i = get_global_id(0);
    uchar3 p = vload3(i, rgb);
    grey[i] = (uchar)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

/* SPDX-License-Identifier: MIT */
/*
 * Cuts a grey volume into white, grey and black by two thresholds, four voxels a work-item. From the Marrow
 * paper, which shares out whole planes. Regular, and bound by memory.
 */
__kernel void segmentation(__global const uchar4 *volume, __global uchar4 *segments, uint low, uint high)
{
    size_t width = get_global_size(0);
    size_t height = get_global_size(1);
    size_t i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    uint4 grey = convert_uint4(volume[i]);
    uint4 segment = select((uint4)(128), (uint4)(0), grey < low);
    segments[i] = convert_uchar4(select(segment, (uint4)(255), grey > high));
}

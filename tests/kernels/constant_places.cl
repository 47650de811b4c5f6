/* SPDX-License-Identifier: MIT */
/* Writes placed by a constant table at program scope. */
// arg: buffer int X*4
// kernel: constant_places
// expect: split
// way: 0 own
// part: 8..10 writes 0 8192..10240
__constant uchar constant_places_table[4] = {2, 0, 3, 1};
__kernel void constant_places(__global int *out)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        out[4 * i + constant_places_table[k]] = k;
}

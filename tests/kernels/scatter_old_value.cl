/* SPDX-License-Identifier: MIT */
/* Writes what is there already: no change to be found, and none needed. */
// expect: split
// kernel: scatter_old_value
// arg: buffer int X
// arg: buffer int X order
// writes: 0 unknown
// reads: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 4
__kernel void scatter_old_value(__global int *data, __global const int *index)
{
    int at = index[get_global_id(0)];
    if (data[at] > 0)
        data[at] = data[at];
    else
        data[at] = 0;
}

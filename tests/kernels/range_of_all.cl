/* SPDX-License-Identifier: MIT */
/* Two families on two buffers. */
// expect: split
// kernel: range_of_all
// arg: buffer int X
// arg: buffer int 1
// arg: buffer int 1
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..4
// part: 8..10 reads 1 0..4
// part: 8..10 writes 2 0..4
// part: 8..10 reads 2 0..4
// way: 1 private min 4
// way: 2 private max 4
__kernel void range_of_all(__global const int *in, __global int *low, __global int *high)
{
    int v = in[get_global_id(0)];
    atomic_min(low, v);
    atomic_max(high, v);
}

/* SPDX-License-Identifier: MIT */
/* A counter of its own for each item: no two packages meet. */
// expect: split
// kernel: own_counters
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 2048..2560
// part: 8..10 reads 1 2048..2560
// way: 1 own
__kernel void own_counters(__global const int *in, __global int *counters)
{
    size_t i = get_global_id(0);
    atomic_add(&counters[i], in[i]);
}

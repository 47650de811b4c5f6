/* SPDX-License-Identifier: MIT */
/* The result of an atomic is used, but each item has a counter of its own. */
// expect: split
// kernel: own_counters_seen
// arg: buffer int X
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void own_counters_seen(__global int *counters, __global int *old)
{
    size_t i = get_global_id(0);
    old[i] = atomic_add(&counters[i], 3);
}

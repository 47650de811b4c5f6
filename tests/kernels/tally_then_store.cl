/* SPDX-License-Identifier: MIT */
/* Additions and a plain store to one buffer. */
// expect: whole (atomics and stores of one buffer)
// kernel: tally_then_store
// arg: buffer int X below 9
// arg: buffer int 12
// reason: atomic-mixed
__kernel void tally_then_store(__global const int *in, __global int *bins)
{
    size_t i = get_global_id(0);
    atomic_add(&bins[in[i]], 1);
    if (i % 7 == 0)
        bins[9 + (in[i] & 1)] = 5;
}

/* SPDX-License-Identifier: MIT */
/* One bit an item, into words that neighbouring groups may share. */
// expect: split
// kernel: bits_packed
// arg: buffer int X
// arg: buffer uint X/32+1 zero
// on: 1000/20
// writes: 1 known
__kernel void bits_packed(__global const int *in, __global uint *words)
{
    uint i = get_global_id(0);
    if (in[i] < 0)
        atomic_or(&words[i / 32], 1u << (i % 32));
}

/* SPDX-License-Identifier: MIT */
/* One buffer as two arguments, both for additions. */
// expect: split
// kernel: tally_twice_aliased
// arg: buffer int X below 30
// arg: buffer uint 30
// arg: same 1
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// writes: 2 unknown
// reads: 2 unknown
// way: 1 private add 4
// way: 2 private add 4
__kernel void tally_twice_aliased(__global const int *in, __global uint *a, __global uint *b)
{
    int v = in[get_global_id(0)];
    atomic_inc(&a[v]);
    atomic_add(&b[29 - v], 3u);
}

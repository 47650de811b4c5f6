/* SPDX-License-Identifier: MIT */
/* Two windows of one buffer that overlap, both for additions. */
// expect: split
// kernel: tally_windows
// arg: buffer uint 96 zero
// arg: window 0 0 64
// arg: window 0 32 64
// arg: buffer int X
// way: 0 private add 4
// part: 8..10 writes 1 0..256
// part: 8..10 reads 1 0..256
// part: 8..10 writes 2 0..256
// part: 8..10 reads 2 0..256
// part: 8..10 reads 3 2048..2560
// way: 1 private add 4
// way: 2 private add 4
__kernel void tally_windows(__global const uint *unused, __global uint *a, __global uint *b, __global const int *in)
{
    int v = in[get_global_id(0)];
    atomic_inc(&a[v & 63]);
    atomic_inc(&b[(v >> 8) & 63]);
}

/* SPDX-License-Identifier: MIT */
/* The greatest values, by a buffer and by windows into it that lie apart, overlap, and end before it does. */
// expect: split
// kernel: tally_whole_and_windows
// arg: buffer uint 160
// arg: window 0 32 64
// arg: window 0 64 96
// arg: window 0 96 32
// arg: buffer uint X*2
// part: 8..10 writes 0 0..640
// part: 8..10 reads 0 0..640
// part: 8..10 writes 1 0..256
// part: 8..10 reads 1 0..256
// way: 2 private umax 4
// part: 8..10 writes 2 0..384
// part: 8..10 reads 2 0..384
// part: 8..10 writes 3 0..128
// part: 8..10 reads 3 0..128
// part: 8..10 reads 4 4096..5120
// way: 0 private umax 4
// way: 1 private umax 4
// way: 3 private umax 4
__kernel void tally_whole_and_windows(__global uint *all, __global uint *a, __global uint *b, __global uint *c,
                                      __global const uint *in)
{
    size_t i = get_global_id(0);
    uint v = in[2 * i], w = in[2 * i + 1];
    switch (w & 3) {
    case 0:
        atomic_max(&all[v % 160], w);
        break;
    case 1:
        atomic_max(&a[v % 64], w);
        break;
    case 2:
        atomic_max(&b[v % 96], w);
        break;
    default:
        atomic_max(&c[v % 32], w);
        break;
    }
}

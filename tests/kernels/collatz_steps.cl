/* SPDX-License-Identifier: MIT */
/* A loop as long as the data say, known places. */
// expect: split
// kernel: collatz_steps
// arg: buffer uint X below 1000
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 2048..2560 exact
// way: 1 own
__kernel void collatz_steps(__global const uint *in, __global int *steps)
{
    size_t i = get_global_id(0);
    uint v = in[i];
    int n = 0;
    for (; v > 1 && n < 500; n++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    steps[i] = n;
}

/* SPDX-License-Identifier: MIT */
/* A step of an odd-even sort. */
// expect: split
// kernel: odd_even_step
// arg: buffer int X*2+2
// arg: int 1
// way: 0 own
// part: 8..10 writes 0 4100..5124 exact
// part: 8..10 reads 0 4100..5124
// before: no 0
__kernel void odd_even_step(__global int *data, int phase)
{
    size_t at = 2 * get_global_id(0) + phase;
    int a = data[at], b = data[at + 1];
    data[at] = min(a, b);
    data[at + 1] = max(a, b);
}

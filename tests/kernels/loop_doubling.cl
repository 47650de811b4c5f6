/* SPDX-License-Identifier: MIT */
/* A counter that doubles. */
// expect: split
// kernel: loop_doubling
// arg: buffer int X*64
// way: 0 merge 4
// part: 8..10 writes 0 0..163840
__kernel void loop_doubling(__global int *a)
{
    int i = get_global_id(0);
    for (int k = 1; k < 64; k <<= 1)
        a[i * 64 + k] = k + i;
}

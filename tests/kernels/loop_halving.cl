/* SPDX-License-Identifier: MIT */
/* A counter that is halved. */
// expect: split
// kernel: loop_halving
// llvm: 16
// arg: buffer int X*64
// way: 0 merge 4
// part: 8..10 writes 0 130824..163840
__kernel void loop_halving(__global int *a)
{
    int i = get_global_id(0);
    for (int k = 63; k > 0; k /= 2)
        a[i * 64 + k] = k + i;
}

/* SPDX-License-Identifier: MIT */
/* Steps that are read. */
// expect: split
// kernel: loop_step_read
// arg: buffer int X*16
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 32768..40948
// part: 8..10 reads 1 2048..2560
__kernel void loop_step_read(__global int *a, __global const int *in)
{
    int i = get_global_id(0);
    int at = i * 16;
    for (int k = 0; k < 5; k++) {
        a[at] = k;
        at += (in[i] >> k) & 1 ? 3 : 1;
    }
}

/* SPDX-License-Identifier: MIT */
/* Steps that grow. */
// expect: split
// kernel: loop_growing_step
// arg: buffer int X*16
// way: 0 merge 4
// writes: 0 unknown
__kernel void loop_growing_step(__global int *a)
{
    int i = get_global_id(0);
    int at = i * 16, step = 1;
    for (int k = 0; k < 5; k++) {
        a[at] = k;
        at += step;
        step++;
    }
}

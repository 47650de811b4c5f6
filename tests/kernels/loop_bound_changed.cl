/* SPDX-License-Identifier: MIT */
/* The bound changes within the loop. */
// expect: split
// kernel: loop_bound_changed
// arg: buffer int X*16
// way: 0 merge 4
// writes: 0 unknown
__kernel void loop_bound_changed(__global int *a)
{
    int i = get_global_id(0), n = 4;
    for (int k = 0; k < n; k++) {
        if (k == 2)
            n = 9;
        a[i * 16 + k] = k;
    }
}

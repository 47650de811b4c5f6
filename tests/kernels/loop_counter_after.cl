/* SPDX-License-Identifier: MIT */
/* What the counter is after its loop. */
// expect: split
// kernel: loop_counter_after
// arg: buffer int X*16+16
// way: 0 own
// part: 8..10 writes 0 32768..40948
__kernel void loop_counter_after(__global int *a)
{
    int i = get_global_id(0);
    int k;
    for (k = 0; k < 10; k += 4)
        a[i * 16 + k] = k;
    a[i * 16 + k] = 77;
}

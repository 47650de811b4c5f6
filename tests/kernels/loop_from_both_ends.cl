/* SPDX-License-Identifier: MIT */
/* Two counters that approach each other. */
// expect: split
// kernel: loop_from_both_ends
// arg: buffer int X*32
// way: 0 own
// part: 8..10 writes 0 65536..81920
__kernel void loop_from_both_ends(__global int *a)
{
    int i = get_global_id(0);
    for (int k = 0, m = 31; k < m; k += 2, m -= 3) {
        a[i * 32 + k] = k;
        a[i * 32 + m] = m;
    }
}

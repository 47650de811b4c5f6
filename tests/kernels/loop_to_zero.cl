/* SPDX-License-Identifier: MIT */
/* Counts down to zero without a sign. */
// expect: split
// kernel: loop_to_zero
// arg: buffer int X*8
// way: 0 own
// part: 8..10 writes 0 16384..20480 exact
__kernel void loop_to_zero(__global int *a)
{
    size_t i = get_global_id(0);
    for (uint k = 8; k-- > 0;)
        a[i * 8 + k] = (int)(k * i);
}

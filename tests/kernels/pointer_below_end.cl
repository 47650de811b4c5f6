/* SPDX-License-Identifier: MIT */
/* Backwards from the end, by negative offsets. */
// expect: any
// kernel: pointer_below_end
// arg: buffer int X*4+4
// way: 0 own
// part: 8..10 writes 0 6144..8192 exact
__kernel void pointer_below_end(__global int *a)
{
    size_t n = get_global_size(0) + get_global_offset(0);
    __global int *p = a + n * 4;
    for (int k = 1; k <= 4; k++)
        p[-(long)(get_global_id(0) * 4) - k] = k + (int)get_global_id(0);
}

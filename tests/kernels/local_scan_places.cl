/* SPDX-License-Identifier: MIT */
/* Places of a scan in local memory. */
// expect: split
// kernel: local_scan_places
// local: 16
// offset: no
// arg: buffer int X zero
// arg: buffer int X
// arg: buffer int X/16+1
// way: 0 merge 4
// writes: 0 unknown
// part: 8..10 reads 1 512..640
// way: 2 own
// part: 8..10 writes 2 32..40 exact
__kernel void local_scan_places(__global int *o, __global const int *in, __global int *n)
{
    __local int at[17];
    int l = get_local_id(0), g = get_group_id(0);
    int keep = in[get_global_id(0)] & 1;
    at[l + 1] = keep;
    if (l == 0)
        at[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        for (int k = 1; k < 17; k++)
            at[k] += at[k - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep)
        o[g * 16 + at[l]] = in[get_global_id(0)];
    if (l == 15)
        n[g] = at[16];
}

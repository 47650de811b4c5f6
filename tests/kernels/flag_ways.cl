/* SPDX-License-Identifier: MIT */
/* A flag set on two ways below one condition. */
// expect: split
// kernel: flag_ways
// local: 16
// offset: no
// arg: buffer int X
// arg: buffer int X
// arg: int X-5
// cut: 0 by 1
// way: 0 own
// part: 4..6 writes 0 256..384
// part: 15..16 reads 1 960..1004
__kernel void flag_ways(__global int *out, __global int *in, int n)
{
    __local int line[16];
    const int i = get_global_id(0), l = get_local_id(0);
    int inside = 0;

    line[l] = 0;
    if (i < n && in[i] != 7) {
        inside = 1;
        line[l] = in[i];
        if (l == 3 && line[l] != 9)
            in[i] = 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside)
        out[i] = line[l ^ 1] + 1;
}

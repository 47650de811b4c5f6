/* SPDX-License-Identifier: MIT */
/* A flag set on one of two ways, with a barrier between the way and the store. */
// expect: split
// kernel: flag_way
// local: 16
// offset: no
// arg: buffer int X
// arg: buffer int X
// arg: int X-5
// cut: 0 by 1
// way: 0 own
// part: 4..6 writes 0 256..384
__kernel void flag_way(__global int *out, __global const int *in, int n)
{
    __local int line[16];
    const int i = get_global_id(0), l = get_local_id(0);
    bool inside = false;

    line[l] = 0;
    if (i < n && in[i] != 7) {
        inside = true;
        line[l] = in[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside)
        out[i] = line[l ^ 1] + 1;
}

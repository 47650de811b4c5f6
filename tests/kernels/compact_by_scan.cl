/* SPDX-License-Identifier: MIT */
/* Stream compaction with places from a scan: disjoint, but only the data know. */
// expect: split
// kernel: compact_by_scan
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X zero
// way: 2 merge 4
__kernel void compact_by_scan(__global const int *in, __global const int *place, __global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] % 3 == 0)
        out[place[i]] = in[i];
}

/* SPDX-License-Identifier: MIT */
/* Stream compaction with places from a scan: disjoint, but only the data know. */
// expect: split
// kernel: compact_by_scan
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X zero
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void compact_by_scan(__global const int *in, __global const int *place, __global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] % 3 == 0)
        out[place[i]] = in[i];
}

/* SPDX-License-Identifier: MIT */
/* Packages write the same value over each other everywhere. */
// expect: split
// kernel: merged_all_same
// arg: buffer int 500
// writes: 0 unknown
// way: 0 merge 4
__kernel void merged_all_same(__global int *out)
{
    for (int i = 0; i < 500; i += 1 + (int)get_local_id(0))
        out[i] = i * 3;
}

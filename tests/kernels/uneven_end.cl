/* SPDX-License-Identifier: MIT */
/* A smaller last group, where the device and the version have that. */
// expect: split
// kernel: uneven_end
// uneven: yes
// arg: buffer uint X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void uneven_end(__global uint *out)
{
    out[get_global_id(0)] = get_local_size(0) * 1000 + get_local_id(0) + get_group_id(0) * 100000;
}

/* SPDX-License-Identifier: MIT */
/* Only one item of each plane writes: the third dimension is the one to split. */
// expect: split
// kernel: planes
// dims: 3
// arg: buffer int Z*50
// arg: int 50
// cut: 2 by 1
// way: 0 own
// part: 2..4 writes 0 800..1600 exact
__kernel void planes(__global int *out, int n)
{
    int z = get_global_id(2);
    if (get_global_id(0) == get_global_offset(0) && get_global_id(1) == get_global_offset(1))
        for (int i = 0; i < n; i++)
            out[z * n + i] = z * 1000 + i;
}

/* SPDX-License-Identifier: MIT */
/* In place, from the same element of the next plane: each item stays in its own column. */
// expect: split
// part: 8..10 writes 0 2048..10752 boxed
// part: 8..10 reads 0 2048..14848 boxed
// way: 0 own
// before: no 0
// kernel: planes_next
// arg: buffer int X*4
// arg: int X
__kernel void planes_next(__global int *a, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        a[k * n + i] += a[(k + 1) * n + i];
}

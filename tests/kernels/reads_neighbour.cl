/* SPDX-License-Identifier: MIT */
/* Odd elements read even ones of the same buffer, in the next group at a border. */
// expect: split
// kernel: reads_neighbour
// arg: buffer int X*2
// arg: int X
// way: 0 own
// part: 8..10 writes 0 2048..2560
// part: 8..10 reads 0 2052..2564
__kernel void reads_neighbour(__global int *data, int n)
{
    int i = get_global_id(0);
    if (i % 2)
        data[i] = data[(i + 1) % n] + 1;
}

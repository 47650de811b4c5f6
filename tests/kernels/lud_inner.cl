/* SPDX-License-Identifier: MIT */
/* The inner step of a blocked decomposition: a tile from its row's and column's tiles. */
// expect: split
// kernel: lud_inner
// dims: 2
// size: 48,48
// local: 8,8
// arg: buffer float 56*56
// arg: int 56
// arg: int 0
// cut: 1 by 1
// way: 0 own
// part: 3..5 writes 0 7200..10752
// part: 3..5 reads 0 32..10752 boxed
// before: no 0
__kernel void lud_inner(__global float *m, int pitch, int first)
{
    __local float row[8][8], column[8][8];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = first + ((int)get_group_id(0) + 1) * 8 + lx, y = first + ((int)get_group_id(1) + 1) * 8 + ly;
    row[ly][lx] = m[(first + ly) * pitch + x];
    column[ly][lx] = m[y * pitch + first + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += column[ly][k] * row[k][lx];
    m[y * pitch + x] -= sum;
}

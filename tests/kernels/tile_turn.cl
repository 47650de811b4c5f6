/* SPDX-License-Identifier: MIT */
/* A transposition through a tile: writes are placed by group number. */
// expect: split
// kernel: tile_turn
// dims: 2
// local: 8,8
// offset: no
// arg: buffer int X*Y
// arg: buffer int X*Y
// arg: int X
// arg: int Y
// cut: 0 by 1
// part: 4..6 reads 0 128..16320 boxed
// way: 1 own
// part: 4..6 writes 1 8192..12288 exact
__kernel void tile_turn(__global const int *in, __global int *out, int width, int height)
{
    __local int tile[8][9];
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(0) * 8 + ly, y = get_group_id(1) * 8 + lx;
    out[x * height + y] = tile[lx][ly];
}

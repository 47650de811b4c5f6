/* SPDX-License-Identifier: MIT */
/* A box blur with a local tile and its halo. */
// expect: split
// kernel: box_blur_tiles
// dims: 2
// local: 8,8
// offset: no
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 6904..13576
// way: 1 own
// part: 4..6 writes 1 8192..12288 exact
__kernel void box_blur_tiles(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[10][10];
    int lx = get_local_id(0), ly = get_local_id(1), x0 = get_group_id(0) * 8 - 1, y0 = get_group_id(1) * 8 - 1;
    for (int i = ly * 8 + lx; i < 100; i += 64) {
        int x = clamp(x0 + i % 10, 0, width - 1), y = clamp(y0 + i / 10, 0, height - 1);
        tile[i / 10][i % 10] = in[y * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += tile[ly + dy][lx + dx];
    out[get_global_id(1) * width + get_global_id(0)] = sum / 9.0f;
}

/* SPDX-License-Identifier: MIT */
/* Tiles that overlap, computed for a few rounds: an inner part of them is still right after the last one, which
 * a flag says. */
// expect: split
// kernel: flag_last_round
// dims: 2
// size: 64,96
// local: 8,8
// offset: no
// arg: buffer float W*H/4
// arg: buffer float W*H/4
// arg: int 2
// arg: int W/2-3
// arg: int H/2-2
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 1856..2784
// part: 4..6 reads 1 1624..3016
__kernel void flag_last_round(__global float *out, __global const float *in, int rounds, int width, int height)
{
    __local float now[8][8], next[8][8];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = (8 - 2 * rounds) * (int)get_group_id(0) - rounds;
    const int top = (8 - 2 * rounds) * (int)get_group_id(1) - rounds;
    const int right = left + 7, bottom = top + 7, x = left + lx, y = top + ly;
    const int least_x = left < 0 ? -left : 0, least_y = top < 0 ? -top : 0;
    const int most_x = right > width - 1 ? 7 - (right - width + 1) : 7;
    const int most_y = bottom > height - 1 ? 7 - (bottom - height + 1) : 7;
    const int w = lx - 1 < least_x ? least_x : lx - 1, e = lx + 1 > most_x ? most_x : lx + 1;
    const int n = ly - 1 < least_y ? least_y : ly - 1, s = ly + 1 > most_y ? most_y : ly + 1;
    bool computed;

    if (x >= 0 && x <= width - 1 && y >= 0 && y <= height - 1)
        now[ly][lx] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < rounds; i++) {
        computed = false;
        if (lx >= i + 1 && lx <= 6 - i && ly >= i + 1 && ly <= 6 - i && lx >= least_x && lx <= most_x &&
            ly >= least_y && ly <= most_y) {
            computed = true;
            next[ly][lx] = 0.25f * (now[n][lx] + now[s][lx] + now[ly][w] + now[ly][e]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == rounds - 1)
            break;
        if (computed)
            now[ly][lx] = next[ly][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        out[y * width + x] = next[ly][lx];
}

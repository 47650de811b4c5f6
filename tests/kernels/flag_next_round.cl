/* SPDX-License-Identifier: MIT */
/* A line of tiles that overlap; the loop ends where the next round would be one too many, and the flag is an int. */
// expect: split
// kernel: flag_next_round
// local: 16
// offset: no
// arg: buffer int G*10
// arg: buffer int G*10
// arg: int 3
// arg: int G*10-4
// cut: 0 by 1
// way: 0 own
// part: 4..6 writes 0 160..240
__kernel void flag_next_round(__global int *out, __global const int *in, int rounds, int width)
{
    __local int now[16], next[16];
    const int lx = get_local_id(0), left = (16 - 2 * rounds) * (int)get_group_id(0) - rounds, x = left + lx;
    const int least = left < 0 ? -left : 0, most = left + 15 > width - 1 ? width - 1 - left : 15;
    int i = 0, computed = 0;

    now[lx] = x >= 0 && x < width ? in[x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (i < rounds) {
        computed = 0;
        if (lx > i && lx < 15 - i && lx >= least && lx <= most) {
            computed = 1;
            next[lx] = min(now[lx], min(now[max(lx - 1, least)], now[min(lx + 1, most)])) + 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i + 1 == rounds)
            break;
        if (computed)
            now[lx] = next[lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        i++;
    }
    if (computed)
        out[x] = next[lx];
}

/* SPDX-License-Identifier: MIT */
/* As stream_choices, in signed numbers and two dimensions, by the results of comparisons. */
// expect: split
// kernel: stream_choices_signed
// dims: 2
// size: 24,20
// local: 8,2
// arg: buffer short W*H*5
// arg: int W
// arg: int H
// arg: int 0
// way: 0 own
// before: no 0
__kernel void stream_choices_signed(__global short *f, int nx, int ny, int parity)
{
    const int x = get_global_id(0), y = get_global_id(1), n = x + nx * y, cells = nx * ny;
    const int xp = x + 1 - (x + 1 >= nx) * nx, yp = y < ny - 1 ? y + 1 : 0, ym = y > 0 ? y - 1 : ny - 1;
    const int own = (1 + (parity == 0)) * cells + n, other = (2 - (parity == 0)) * cells + xp + nx * yp;
    const int far = (3 + (parity == 0)) * cells + n, across = (4 - (parity == 0)) * cells + xp + nx * ym;
    const short here = f[own], there = f[other];
    f[own] = there;
    f[other] = here;
    f[n] += f[far];
    f[across] ^= 5;
}

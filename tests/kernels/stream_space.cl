/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring in three dimensions: the slots of three diagonals change places, in 16-bit cells. */
// expect: split
// kernel: stream_space
// dims: 3
// size: 12,8,10
// local: 4,2,1
// arg: buffer ushort W*H*D*7
// arg: int W
// arg: int H
// arg: int D
// arg: int 0
// way: 0 own
// before: no 0
// cut: 2 by 1
__kernel void stream_space(__global ushort *f, int nx, int ny, int nz, int parity)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz)
        return;
    const int xp = (x + 1) % nx, xm = (x - 1 + nx) % nx, yp = (y + 1) % ny, ym = (y - 1 + ny) % ny, zp = (z + 1) % nz;
    const long cells = (long)nx * ny * nz, n = x + (long)nx * (y + (long)ny * z);
    const long ahead = xp + (long)nx * (yp + (long)ny * zp), across = xm + (long)nx * (yp + (long)ny * zp);
    const long below = xp + (long)nx * (ym + (long)ny * zp);
#define PAIR(i, to)                                                                                   \
    {                                                                                                 \
        const long own = (parity ? i : i + 1) * cells + n, other = (parity ? i + 1 : i) * cells + to; \
        const ushort here = f[own], there = f[other];                                                 \
        f[own] = there + 1;                                                                           \
        f[other] = here - 1;                                                                          \
    }
    f[n] += 3;
    PAIR(1, ahead)
    PAIR(3, across)
    PAIR(5, below)
}

/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring whose coordinates wrap by choices: where they are at the end, below it, or beyond. */
// expect: split
// kernel: stream_choices
// size: 1950
// local: 65
// arg: buffer float X*9
// arg: int 15
// arg: int 10
// arg: int X/150
// arg: int 1
// way: 0 own
// before: no 0
__kernel void stream_choices(__global float *f, uint nx, uint ny, uint nz, uint parity)
{
    const uint n = get_global_id(0), cells = nx * ny * nz;
    if (n >= cells)
        return;
    const uint x = n % nx, y = n / nx % ny, z = n / (nx * ny);
    const uint xp = x + 1 == nx ? 0 : x + 1, yp = y < ny - 1 ? y + 1 : 0, ym = y == 0 ? ny - 1 : y - 1;
    const uint zp = z + 1 - (z + 1 >= nz ? nz : 0);
    uint zm = z + nz - 1;
    if (zm >= nz)
        zm -= nz;
#define CELL(x, y, z) ((x) + nx * ((y) + ny * (z)))
#define PAIR(i, to)                                                                                                    \
    {                                                                                                                  \
        const size_t own = (size_t)(parity ? i : i + 1) * cells + n, other = (size_t)(parity ? i + 1 : i) * cells + to; \
        const float here = f[own], there = f[other];                                                                   \
        f[own] = there + 1;                                                                                            \
        f[other] = here - 1;                                                                                           \
    }
    f[n] *= 0.5f;
    PAIR(1, CELL(xp, y, z))
    PAIR(3, CELL(x, yp, z))
    PAIR(5, CELL(xp, ym, zp))
    PAIR(7, CELL(x, yp, zm))
}

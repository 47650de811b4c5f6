/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring in all dimensions: slots of 19 directions change places with the parity of the step. */
// expect: split
// kernel: stream_nineteen
// size: 1950
// local: 65
// arg: buffer float X*19
// arg: buffer uchar X
// arg: int 15
// arg: int 10
// arg: int X/150
// arg: int 1
// way: 0 own
// before: no 0
__kernel void stream_nineteen(__global float *f, __global const uchar *solid, uint nx, uint ny, uint nz, uint parity)
{
    const uint n = get_global_id(0), cells = nx * ny * nz;
    if (n >= cells || solid[n] > 200)
        return;
    const uint x = n % nx, y = n / nx % ny, z = n / (nx * ny);
    const uint xp = (x + 1u) % nx, yp = (y + 1u) % ny, zp = (z + 1u) % nz;
    const uint ym = (y + ny - 1u) % ny, zm = (z + nz - 1u) % nz;
#define CELL(x, y, z) ((x) + nx * ((y) + ny * (z)))
#define PAIR(i, to)                                                                                                    \
    {                                                                                                                  \
        const size_t own = (size_t)(parity ? i : i + 1) * cells + n, other = (size_t)(parity ? i + 1 : i) * cells + to; \
        const float here = f[own], there = f[other], mean = 0.5f * (here + there);                                     \
        f[own] = there + 0.25f * (mean - there);                                                                       \
        f[other] = here + 0.25f * (mean - here);                                                                       \
    }
    f[n] *= 0.5f;
    PAIR(1, CELL(xp, y, z))
    PAIR(3, CELL(x, yp, z))
    PAIR(5, CELL(x, y, zp))
    PAIR(7, CELL(xp, yp, z))
    PAIR(9, CELL(xp, y, zp))
    PAIR(11, CELL(x, yp, zp))
    PAIR(13, CELL(xp, ym, z))
    PAIR(15, CELL(xp, y, zm))
    PAIR(17, CELL(x, yp, zm))
}

/* SPDX-License-Identifier: MIT */
/*
 * A lattice-Boltzmann step in place: 19 directions, relaxation towards equilibrium, a grid that is a ring in
 * x and z. Populations of a pair of opposite directions are exchanged between a cell and its neighbour in
 * slots that change places with each step, so that one copy of all is enough (Lehmann 2022, "Esoteric Pull").
 * Solid cells do nothing: what streams into one comes back two steps later. Cells of the lid also push.
 */
#pragma OPENCL FP_CONTRACT OFF

enum { SOLID = 1, LID = 2 };

#define AXIS     (1.0f / 18.0f)
#define DIAGONAL (1.0f / 36.0f)

/* The first direction of each pair, its place among all, its weight. */
#define PAIRS(DO)            \
    DO(1, 1, 0, 0, AXIS)       \
    DO(3, 0, 1, 0, AXIS)       \
    DO(5, 0, 0, 1, AXIS)       \
    DO(7, 1, 1, 0, DIAGONAL)   \
    DO(9, 1, 0, 1, DIAGONAL)   \
    DO(11, 0, 1, 1, DIAGONAL)  \
    DO(13, 1, -1, 0, DIAGONAL) \
    DO(15, 1, 0, -1, DIAGONAL) \
    DO(17, 0, 1, -1, DIAGONAL)

uint around(uint x, int by, uint size)
{
    if (by > 0)
        return x + 1 == size ? 0 : x + 1;
    return by < 0 ? (x == 0 ? size - 1 : x - 1) : x;
}

uint cell_at(uint x, uint y, uint z, uint side)
{
    return x + side * (y + side * z);
}

/* Of a pair: where the cell's own slot begins, and the one at its neighbour. */
#define OWN(i)   ((size_t)(odd ? i : i + 1) * cells)
#define OTHER(i) ((size_t)(odd ? i + 1 : i) * cells)

#define AHEAD(ex, ey, ez)  cell_at(around(x, ex, side), around(y, ey, side), around(z, ez, side), side)
#define BEHIND(ex, ey, ez) AHEAD(-(ex), -(ey), -(ez))

#define PLACE(i, ex, ey, ez, w) const uint to##i = AHEAD(ex, ey, ez);

/* What arrives at the cell, pushed by the lid where it comes from there. */
#define LOAD(i, ex, ey, ez, w)                                                                   \
    const float push##i = 6.0f * w * (ex) * lid;                                                 \
    const float ahead##i = f[OWN(i) + n] + (flags[BEHIND(ex, ey, ez)] == LID ? push##i : 0.0f);  \
    const float back##i = f[OTHER(i) + to##i] - (flags[to##i] == LID ? push##i : 0.0f);

#define SUM(i, ex, ey, ez, w)                 \
    density += ahead##i + back##i;            \
    vx += (ex) * (ahead##i - back##i);        \
    vy += (ey) * (ahead##i - back##i);        \
    vz += (ez) * (ahead##i - back##i);

/* The two leave crosswise: ahead into the neighbour's slot, back into the cell's own. */
#define RELAX(i, ex, ey, ez, w)                                                             \
    {                                                                                       \
        const float along = 3.0f * ((ex) * vx + (ey) * vy + (ez) * vz);                     \
        const float even = w * density * (1.0f + 0.5f * along * along - rest), uneven = w * density * along; \
        f[OTHER(i) + to##i] = ahead##i + rate * (even + uneven - ahead##i);                 \
        f[OWN(i) + n] = back##i + rate * (even - uneven - back##i);                         \
    }

__kernel void lattice(__global float *f, __global const uchar *flags, uint side, float rate, float lid, uint odd)
{
    const uint n = get_global_id(0), cells = side * side * side;
    if (n >= cells || flags[n])
        return;
    const uint x = n % side, y = n / side % side, z = n / (side * side);
    PAIRS(PLACE)
    PAIRS(LOAD)
    const float still = f[n];
    float density = still, vx = 0.0f, vy = 0.0f, vz = 0.0f;
    PAIRS(SUM)
    vx /= density;
    vy /= density;
    vz /= density;
    const float rest = 1.5f * (vx * vx + vy * vy + vz * vz);
    f[n] = still + rate * (density * (1.0f - rest) / 3.0f - still);
    PAIRS(RELAX)
}

/* Before the first step: at rest everywhere. */
__kernel void fill(__global float *f, uint side)
{
    const uint n = get_global_id(0), cells = side * side * side;
    if (n >= cells)
        return;
    f[n] = 1.0f / 3.0f;
    for (uint i = 1; i < 19; i++)
        f[(size_t)i * cells + n] = i < 7 ? AXIS : DIAGONAL;
}

/* Speed along x of what arrives at each cell. */
__kernel void flow(__global const float *f, __global const uchar *flags, uint side, float lid, uint odd,
                   __global float *speed)
{
    const uint n = get_global_id(0), cells = side * side * side;
    if (n >= cells)
        return;
    const uint x = n % side, y = n / side % side, z = n / (side * side);
    PAIRS(PLACE)
    PAIRS(LOAD)
    float density = f[n], vx = 0.0f, vy = 0.0f, vz = 0.0f;
    PAIRS(SUM)
    speed[n] = flags[n] ? 0.0f : vx / density;
}

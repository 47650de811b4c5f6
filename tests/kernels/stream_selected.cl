/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring whose coordinates wrap by select(). */
// expect: split
// kernel: stream_selected
// dims: 2
// size: 24,20
// local: 8,2
// arg: buffer int W*H*3
// arg: int W
// arg: int H
// way: 0 own
// before: no 0
__kernel void stream_selected(__global int *f, uint nx, uint ny)
{
    const uint x = get_global_id(0), y = get_global_id(1), n = x + nx * y;
    const uint xp = select(x + 1, 0u, (uint)(x + 1 == nx)), ym = select(y - 1, ny - 1, (uint)(y == 0));
    const uint own = nx * ny + n, other = 2 * nx * ny + xp + nx * ym;
    const int here = f[own];
    f[own] = f[other] + 1;
    f[other] = here;
    f[n] ^= 5;
}

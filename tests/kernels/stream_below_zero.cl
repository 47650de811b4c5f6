/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring whose signed coordinates wrap where they are below zero, or at the end. */
// expect: split
// kernel: stream_below_zero
// size: 1950
// local: 65
// arg: buffer float X*9
// arg: int 15
// arg: int 10
// arg: int X/150
// arg: int 1
// way: 0 own
// before: no 0
int stream_around(int x, int by, int size)
{
    x += by;
    if (x < 0)
        x += size;
    if (x >= size)
        x -= size;
    return x;
}

__kernel void stream_below_zero(__global float *f, int nx, int ny, int nz, int parity)
{
    const int n = get_global_id(0), cells = nx * ny * nz, x = n % nx, y = n / nx % ny, z = n / (nx * ny);
    int to[4], xm = x - 1, yp = y + 1;
    if (xm < 0)
        xm = nx - 1;
    if (yp >= ny)
        yp = 0;
    to[0] = stream_around(x, 1, nx) + nx * (y + ny * z);
    to[1] = xm + nx * (yp + ny * z);
    to[2] = stream_around(x, -1, nx) + nx * (stream_around(y, -1, ny) + ny * stream_around(z, 1, nz));
    to[3] = x + nx * (y + ny * stream_around(z, -1, nz));
    f[n] *= 0.5f;
    for (int i = 0; i < 4; i++) {
        const int own = (2 * i + (parity ? 1 : 2)) * cells + n, other = (2 * i + (parity ? 2 : 1)) * cells + to[i];
        const float here = f[own], there = f[other];
        f[own] = there + 1;
        f[other] = here - 1;
    }
}

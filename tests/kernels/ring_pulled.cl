/* SPDX-License-Identifier: MIT */
/* Slots of five directions are pulled from neighbours on a ring: of each a plane and a border are read. */
// expect: split
// kernel: ring_pulled
// size: 6400
// local: 64
// arg: buffer float X*5
// arg: buffer float X*5
// arg: int 16
// arg: int 8
// arg: int X/128
// on: 6400/64
// way: 1 own
// part: 4..8 reads 0 1024..104448 boxed
__kernel void ring_pulled(__global const float *from, __global float *to, uint nx, uint ny, uint nz)
{
    const uint n = get_global_id(0), cells = nx * ny * nz;
    if (n >= cells)
        return;
    const uint x = n % nx, y = n / nx % ny, z = n / (nx * ny);
    to[n] = from[n];
    to[cells + n] = from[cells + x + nx * (y + ny * ((z + nz - 1) % nz))];
    to[2 * cells + n] = from[2 * cells + x + nx * (y + ny * ((z + 1) % nz))];
    to[3 * cells + n] = from[3 * cells + x + nx * ((y + ny - 1) % ny + ny * z)];
    to[4 * cells + n] = from[4 * cells + (x + 1) % nx + nx * (y + ny * z)];
}

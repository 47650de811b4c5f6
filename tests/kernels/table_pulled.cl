/* SPDX-License-Identifier: MIT */
/* Five directions from tables, pulled into another buffer: of each slot a package reads its rows and a border. */
// expect: split
// kernel: table_pulled
// size: 2016
// local: 56
// arg: buffer float X*5
// arg: buffer float X*5
// arg: int 28
// arg: int X/28
// way: 1 own
// part: 12..18 reads 0 2688..36400 boxed
__constant char pulled_x[5] = {0, 1, -1, 0, 0}, pulled_y[5] = {0, 0, 0, 1, -1};
__kernel void table_pulled(__global const float *from, __global float *to, uint nx, uint ny)
{
    const uint n = get_global_id(0), x = n % nx, y = n / nx;
    for (uint i = 0; i < 5; i++)
        to[i * nx * ny + n] = from[i * nx * ny + (x + nx - pulled_x[i]) % nx + nx * ((y + ny - pulled_y[i]) % ny)];
}

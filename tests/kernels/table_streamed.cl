/* SPDX-License-Identifier: MIT */
/* Nine directions from tables, in place: what arrives from behind leaves ahead, so that each item has its places. */
// expect: split
// kernel: table_streamed
// size: 2016
// local: 56
// arg: buffer float X*9
// arg: int 28
// arg: int X/28
// way: 0 own
// before: no 0
__constant int streamed_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int streamed_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant int streamed_back[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__kernel void table_streamed(__global float *f, int nx, int ny)
{
    const int n = get_global_id(0), x = n % nx, y = n / nx;
    float here[9], sum = 0.0f;
    for (int i = 0; i < 9; i++) {
        const int behind = (x - streamed_x[i] + nx) % nx + nx * ((y - streamed_y[i] + ny) % ny);
        here[i] = f[streamed_back[i] * nx * ny + behind];
        sum += here[i];
    }
    for (int i = 0; i < 9; i++) {
        const int ahead = (x + streamed_x[i] + nx) % nx + nx * ((y + streamed_y[i] + ny) % ny);
        f[i * nx * ny + ahead] = 0.75f * here[i] + sum / 36.0f;
    }
}

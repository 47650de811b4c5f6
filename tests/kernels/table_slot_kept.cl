/* SPDX-License-Identifier: MIT */
/* As table_streamed, but what arrives is read from the slot it leaves by: an item reads what others write. */
// expect: any
// kernel: table_slot_kept
// size: 2016
// local: 56
// arg: buffer float X*5
// arg: int 28
// arg: int X/28
// compare: no 0
// before: 0
// reason: read-overlap
__constant char kept_x[5] = {0, 1, 0, -1, 0}, kept_y[5] = {0, 0, 1, 0, -1};
__kernel void table_slot_kept(__global float *f, int nx, int ny)
{
    const int n = get_global_id(0), x = n % nx, y = n / nx;
    float here[5];
    for (int i = 0; i < 5; i++)
        here[i] = f[i * nx * ny + (x - kept_x[i] + nx) % nx + nx * ((y - kept_y[i] + ny) % ny)];
    for (int i = 0; i < 5; i++)
        f[i * nx * ny + (x + kept_x[i] + nx) % nx + nx * ((y + kept_y[i] + ny) % ny)] = here[i] + 1.0f;
}

/* SPDX-License-Identifier: MIT */
/* Seven points in space, the rim left alone. */
// expect: split
// kernel: heat_space
// dims: 3
// arg: buffer float X*Y*Z
// arg: buffer float X*Y*Z
// arg: int X
// arg: int Y
// arg: int Z
// cut: 2 by 1
// part: 2..4 reads 0 1540..4028
// way: 1 own
// part: 2..4 writes 1 2116..3516
__kernel void heat_space(__global const float *in, __global float *out, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x > nx - 2 || y > ny - 2 || z > nz - 2)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] -
                             6.0f * in[i]);
}

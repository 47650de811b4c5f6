/* SPDX-License-Identifier: MIT */
/* An image doubled in both directions by repetition. */
// expect: split
// kernel: image_scaled
// dims: 2
// arg: buffer uint X*Y
// arg: buffer uint X*Y*4
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 4096..6144
// way: 1 own
// part: 4..6 writes 1 16384..24576 exact
__kernel void image_scaled(__global const uint *in, __global uint *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint v = in[y * width + x];
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++)
            out[(2 * y + dy) * 2 * width + 2 * x + dx] = v;
}

/* SPDX-License-Identifier: MIT */
/* Edges of an image of bytes. */
// expect: split
// kernel: sobel_edges
// dims: 2
// arg: buffer uchar X*Y
// arg: buffer uchar X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 960..1600
// way: 1 own
// part: 4..6 writes 1 1024..1536
__kernel void sobel_edges(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = 0;
        return;
    }
    __global const uchar *p = in + y * width + x;
    int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
    int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    out[y * width + x] = (uchar)min((uint)(abs(gx) + abs(gy)), 255u);
}

/* SPDX-License-Identifier: MIT */
/* A guard in both dimensions. */
// expect: split
// kernel: guard_plane
// dims: 2
// arg: buffer uchar X*Y
// arg: int X-2
// arg: int Y-1
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 1024..1534
__kernel void guard_plane(__global uchar *out, int width, int height, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        out[y * pitch + x] = (uchar)(x ^ y);
}

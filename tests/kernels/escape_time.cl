/* SPDX-License-Identifier: MIT */
/* Cost depends on the place. */
// expect: split
// kernel: escape_time
// dims: 2
// arg: buffer ushort X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 2048..3072 exact
__kernel void escape_time(__global ushort *out, int width, int height)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = (float)px / width * 3.0f - 2.0f, cy = (float)py / height * 2.0f - 1.0f, x = 0.0f, y = 0.0f;
    ushort n = 0;
    while (x * x + y * y < 4.0f && n < 200) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}

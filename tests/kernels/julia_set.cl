/* SPDX-License-Identifier: MIT */
/* A Julia set. */
// expect: split
// kernel: julia_set
// dims: 2
// arg: buffer uchar X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 1024..1536 exact
__kernel void julia_set(__global uchar *out, int width)
{
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float x = (float)px * 0.03f - 1.5f, y = (float)py * 0.03f - 1.5f;
    for (; n < 60 && x * x + y * y < 4.0f; n++) {
        float t = x * x - y * y - 0.4f;
        y = 2.0f * x * y + 0.6f;
        x = t;
    }
    out[py * width + px] = (uchar)n;
}

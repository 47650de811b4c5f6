/* SPDX-License-Identifier: MIT */
/* Gradient noise from a table of permutations. */
// expect: split
// kernel: noise_plane
// dims: 2
// arg: buffer uchar 256
// arg: buffer float X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 0..256
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
float noise_plane_corner(__constant uchar *p, int x, int y, float dx, float dy)
{
    int h = p[(p[x & 255] + y) & 255];
    return (h & 1 ? dx : -dx) + (h & 2 ? dy : -dy);
}
__kernel void noise_plane(__constant uchar *p, __global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1), cx = x / 8, cy = y / 8;
    float fx = (float)(x & 7) / 8.0f, fy = (float)(y & 7) / 8.0f;
    float a = mix(noise_plane_corner(p, cx, cy, fx, fy), noise_plane_corner(p, cx + 1, cy, fx - 1.0f, fy), fx);
    float b = mix(noise_plane_corner(p, cx, cy + 1, fx, fy - 1.0f),
                  noise_plane_corner(p, cx + 1, cy + 1, fx - 1.0f, fy - 1.0f), fx);
    out[y * width + x] = mix(a, b, fy);
}

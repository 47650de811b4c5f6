/* SPDX-License-Identifier: MIT */
/* A radix-2 step of a Fourier transform, out of place. */
// expect: split
// kernel: fourier_step
// arg: buffer float2 X*2
// arg: buffer float2 X*2
// arg: int X
// part: 8..10 reads 0 4096..13312 boxed
// way: 1 own
// part: 8..10 writes 1 8192..10240 exact
__kernel void fourier_step(__global const float2 *in, __global float2 *out, int half_size)
{
    int i = get_global_id(0);
    float2 a = in[i], b = in[i + half_size];
    float angle = -3.14159265f * (float)(i & 7) / 8.0f, c = native_cos(angle), s = native_sin(angle);
    float2 d = a - b;
    out[2 * i] = a + b;
    out[2 * i + 1] = (float2)(d.x * c - d.y * s, d.x * s + d.y * c);
}

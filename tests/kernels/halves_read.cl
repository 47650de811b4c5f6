/* SPDX-License-Identifier: MIT */
/* Half precision from memory by vload_half. */
// expect: split
// kernel: halves_read
// arg: buffer short X
// arg: buffer int X
// part: 1..2 reads 0 128..256
__kernel void halves_read(__global const half *in, __global int *out)
{
    size_t i = get_global_id(0);
    float v = vload_half(i, in);
    out[i] = isnan(v) ? 7 : (int)clamp(v, -1000.0f, 1000.0f);
}

/* SPDX-License-Identifier: MIT */
/* vload and vstore of three: 12 bytes each. */
// expect: split
// kernel: store_three
// arg: buffer float X*3
// arg: buffer float X*3
// part: 8..10 reads 0 6144..7680
// way: 1 own
// part: 8..10 writes 1 6144..7680 exact
__kernel void store_three(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    float3 v = vload3(i, in);
    vstore3(v.zxy + 1.0f, i, out);
}

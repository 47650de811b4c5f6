/* SPDX-License-Identifier: MIT */
/* Unknown writes to one buffer, known ones to another. */
// expect: split
// kernel: scatter_known_beside
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// arg: buffer float X
// way: 2 merge 4
// way: 3 own
// writes: 3 known
__kernel void scatter_known_beside(__global const int *in, __global const int *index, __global int *out,
                                   __global float *scaled)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
    scaled[i] = (float)(in[i] & 0xffff) * 0.5f;
}

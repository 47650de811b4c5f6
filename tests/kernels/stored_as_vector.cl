/* SPDX-License-Identifier: MIT */
/* A cast from scalars to vectors of four. */
// expect: split
// kernel: stored_as_vector
// arg: buffer int X*4
// part: 8..10 writes 0 8192..10240 exact
// way: 0 own
__kernel void stored_as_vector(__global int *out)
{
    __global int4 *vectors = (__global int4 *)out;
    int i = get_global_id(0);
    vectors[i] = (int4)(i) + (int4)(0, 1, 2, 3);
}

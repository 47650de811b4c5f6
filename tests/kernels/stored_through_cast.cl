/* SPDX-License-Identifier: MIT */
/* Floats stored as integers through a cast pointer. */
// expect: split
// kernel: stored_through_cast
// arg: buffer float X
// way: 0 own
// part: 1..2 writes 0 256..512 exact
__kernel void stored_through_cast(__global float *out)
{
    __global uint *bits = (__global uint *)out;
    size_t i = get_global_id(0);
    bits[i] = 0x3f800000u + (uint)(i << 8);
}

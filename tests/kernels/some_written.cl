/* SPDX-License-Identifier: MIT */
/* Which elements are written depends on data: the others must keep what they held. */
// expect: split
// kernel: some_written
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560
__kernel void some_written(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] > 0)
        out[i] = in[i];
}

/* SPDX-License-Identifier: MIT */
/* Two items share an input. */
// expect: split
// kernel: halved_index
// arg: buffer int X/2+1
// arg: buffer int X
// part: 2..4 reads 0 256..512
__kernel void halved_index(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i / 2] + (int)(i % 2);
}

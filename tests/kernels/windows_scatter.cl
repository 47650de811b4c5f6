/* SPDX-License-Identifier: MIT */
/* Unknown places in a window; the rest of the buffer is read. */
// expect: split
// kernel: windows_scatter
// arg: buffer int X*64
// arg: window 0 X*32 X
// arg: buffer int X order
// way: 0 merge 4
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// part: 8..10 reads 2 2048..2560
// way: 1 merge 4
__kernel void windows_scatter(__global const int *in, __global int *out, __global const int *index)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i] >> 3;
}

/* SPDX-License-Identifier: MIT */
/* Each item its element of three planes: a package owns three runs. */
// expect: split
// part: 8..10 writes 0 512..2688 boxed
// part: 8..10 reads 1 2048..2560
// way: 0 own
// before: no 0
// kernel: colour_planes
// arg: buffer uchar X*3
// arg: buffer uint X
// arg: int X
__kernel void colour_planes(__global uchar *out, __global const uint *in, int n)
{
    int i = get_global_id(0);
    uint v = in[i];
    for (int k = 0; k < 3; k++)
        out[k * n + i] = v >> (8 * k);
}

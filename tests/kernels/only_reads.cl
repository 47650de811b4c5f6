/* SPDX-License-Identifier: MIT */
/* Nothing is written at all. */
// expect: split
// kernel: only_reads
// arg: buffer int X
// way: 0 none
__kernel void only_reads(__global const int *in)
{
    int v = in[get_global_id(0)];
    if (v == 12345)
        v++;
}

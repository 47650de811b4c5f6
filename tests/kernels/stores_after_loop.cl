/* SPDX-License-Identifier: MIT */
/* A loop leaves marks behind it, the end writes one over what others may have marked. */
// expect: whole (stores that race)
// kernel: stores_after_loop
// arg: buffer int X
// arg: buffer int X*2+9
// compare: no 1
// reason: stores-race
__kernel void stores_after_loop(__global const int *in, __global int *out)
{
    int i = get_global_id(0), k = i, end = i + (in[i] & 7);
    for (; k < end; k++)
        out[k] = 1; // here
    out[k] = in[i]; // there
}

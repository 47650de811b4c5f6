/* SPDX-License-Identifier: MIT */
/* Pointers kept in local memory. */
// expect: whole (pointers in memory)
// kernel: pointer_kept
// local: 16
// arg: buffer int X
// note: pointer-stored
typedef __global int *pointer_kept_to;
__kernel void pointer_kept(__global int *out)
{
    __local pointer_kept_to places[16];
    int l = get_local_id(0);
    places[l] = out + get_global_id(0); // here
    barrier(CLK_LOCAL_MEM_FENCE);
    *places[15 - l] = l;
}

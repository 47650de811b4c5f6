/* SPDX-License-Identifier: MIT */
/* An address made from numbers in memory. */
// expect: whole (addresses)
// kernel: pointer_from_number
// run: no
// arg: buffer ulong X
// note: pointer-unresolved
__kernel void pointer_from_number(__global const ulong *where)
{
    __global int *p = (__global int *)where[get_global_id(0)];
    *p = 1; // here
}

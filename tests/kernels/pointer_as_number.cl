/* SPDX-License-Identifier: MIT */
/* An address used as a number. */
// expect: whole (addresses)
// kernel: pointer_as_number
// run: no
// arg: buffer int X
// arg: buffer ulong X
// note: pointer-integer
__kernel void pointer_as_number(__global int *a, __global ulong *out)
{
    out[get_global_id(0)] = (ulong)(a + get_global_id(0)); // here
}

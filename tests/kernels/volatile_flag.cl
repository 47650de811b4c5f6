/* SPDX-License-Identifier: MIT */
/* A volatile flag that another group raises. */
// expect: any (whole, or checked afterwards: volatile memory)
// kernel: volatile_flag
// arg: buffer int X
// arg: buffer int 1 zero
// arg: buffer int X
// note: volatile
// compare: no 2
__kernel void volatile_flag(__global const int *in, __global volatile int *stop, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = *stop ? 0 : in[i]; // here
    if (in[i] < -2000000000)
        *stop = 1; // here
}

/* SPDX-License-Identifier: MIT */
/* Prints, if only under a condition. */
// expect: whole (printf)
// kernel: printed
// arg: buffer int X
// note: printf
__kernel void printed(__global int *out)
{
    size_t i = get_global_id(0);
    out[i] = (int)i;
    if (i == 0x7fffffff)
        printf("never\n"); // here
}

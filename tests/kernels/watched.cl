/* SPDX-License-Identifier: MIT */
/* Volatile global memory, as used for flags between groups. */
// expect: whole (volatile memory)
// kernel: watched
// arg: buffer int X
// arg: buffer int X
// note: volatile
__kernel void watched(__global volatile int *flags, __global int *out)
{
    size_t i = get_global_id(0);
    flags[i] = (int)i;
    out[i] = flags[i] + 1;
}

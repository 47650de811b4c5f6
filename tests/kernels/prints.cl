/* SPDX-License-Identifier: MIT */
/* A printf that does not happen in this test. */
// expect: whole (printf)
// kernel: prints
// arg: buffer int X
// arg: int 0
// note: printf
__kernel void prints(__global int *out, int loud)
{
    size_t i = get_global_id(0);
    if (loud)
        printf("%d\n", out[i]);
    out[i] += 1;
}

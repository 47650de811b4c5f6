/* SPDX-License-Identifier: MIT */
/* A loop that is entered in its middle. */
// expect: whole (no loop as analysed)
// kernel: jumped_into_loop
// arg: buffer int X*8+8
// arg: int 5
// note: too-complex
__kernel void jumped_into_loop(__global int *out, int n)
{
    int i = get_global_id(0), k = 0;
    if (n > 3)
        goto middle;
again:
    out[i * 8 + k] = k;
    k += 1;
middle:
    out[i * 8 + k + 1] = i;
    k += 2;
    if (k < n)
        goto again;
}

/* SPDX-License-Identifier: MIT */
/* A helper prints. */
// expect: whole (printf)
// kernel: printed_by_helper
// arg: buffer int X
// note: printf
void printed_by_helper_say(int v)
{
    if (v == -12345)
        printf("%d\n", v); // here
}
__kernel void printed_by_helper(__global int *out)
{
    printed_by_helper_say((int)get_global_id(0));
    out[get_global_id(0)] = 1;
}

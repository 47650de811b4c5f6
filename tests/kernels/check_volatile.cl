/* SPDX-License-Identifier: MIT */
/* A flag that is stored to and looked at as volatile memory, after the work. */
// expect: any (whole, or checked afterwards: volatile memory may be seen by other work-groups)
// kernel: check_volatile
// arg: buffer int X below 4000
// arg: buffer int X
// arg: buffer int 1 zero
// note: volatile
// checked: 2
__kernel void check_volatile(__global const int *in, __global int *out, volatile __global int *flag)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 20; k++)
        sum = sum * 5 + in[i] + k;
    out[i] = sum;
    if (in[i] == 1 && *flag == 0) // here
        *flag = 1;
}

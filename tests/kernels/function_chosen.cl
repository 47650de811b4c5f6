/* SPDX-License-Identifier: MIT */
/* A function called through a pointer. */
// expect: whole (function pointer)
// kernel: function_chosen
// run: no
// options: -cl-std=CL2.0
// alone: yes
// arg: buffer int X
// note: indirect-call
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int function_chosen_one(int x)
{
    return x + 1;
}
int function_chosen_two(int x)
{
    return x * 2;
}
__kernel void function_chosen(__global int *out)
{
    int i = get_global_id(0);
    int (*choice)(int) = i & 1 ? function_chosen_one : function_chosen_two;
    out[i] = choice(i); // here
}

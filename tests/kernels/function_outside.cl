/* SPDX-License-Identifier: MIT */
/* A function that another program object has. */
// expect: whole (unknown function)
// kernel: function_outside
// run: no
// arg: buffer int X
// note: opaque-call
void function_outside_this(__global int *out);
__kernel void function_outside(__global int *out)
{
    function_outside_this(out + get_global_id(0)); // here
}

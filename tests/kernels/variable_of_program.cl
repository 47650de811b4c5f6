/* SPDX-License-Identifier: MIT */
/* A variable at program scope that the kernel writes. */
// expect: whole (program-scope variable)
// kernel: variable_of_program
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// note: program-variable
__global int variable_of_program_count;
__kernel void variable_of_program(__global int *out)
{
    out[get_global_id(0)] = variable_of_program_count; // here
    variable_of_program_count = 5; // here
}

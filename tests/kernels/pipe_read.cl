/* SPDX-License-Identifier: MIT */
/* A pipe. */
// expect: whole (pipes)
// kernel: pipe_read
// run: no
// options: -cl-std=CL2.0
// arg: null
// arg: buffer int X
// note: pipe
__kernel void pipe_read(__read_only pipe int in, __global int *out)
{
    int v = 0;
    read_pipe(in, &v); // here
    out[get_global_id(0)] = v;
}

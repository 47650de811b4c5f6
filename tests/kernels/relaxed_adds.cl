/* SPDX-License-Identifier: MIT */
/* Additions in the style of OpenCL 2.0, relaxed. */
// expect: split
// kernel: relaxed_adds
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X below 16
// arg: buffer int 16
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
__kernel void relaxed_adds(__global const int *in, __global atomic_int *bins)
{
    atomic_fetch_add_explicit(&bins[in[get_global_id(0)]], 1, memory_order_relaxed, memory_scope_device);
}

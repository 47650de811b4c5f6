/* SPDX-License-Identifier: MIT */
/* Two families on one buffer do not commute. */
// expect: whole (two kinds of atomics)
// kernel: min_and_max
// arg: buffer int X
// arg: buffer int 1
// compare: no 1
// reason: atomic-mixed
__kernel void min_and_max(__global const int *in, __global int *out)
{
    atomic_min(out, in[get_global_id(0)]);
    atomic_max(out, -in[get_global_id(0)]);
}

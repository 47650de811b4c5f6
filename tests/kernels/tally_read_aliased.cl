/* SPDX-License-Identifier: MIT */
/* One buffer as two arguments: updated by atomics through one, read through the other. */
// expect: whole (atomics and reads of one buffer)
// kernel: tally_read_aliased
// arg: buffer int X below 30
// arg: buffer uint 30
// arg: same 1
// arg: buffer uint X
// compare: no 3
// reason: atomic-mixed
__kernel void tally_read_aliased(__global const int *in, __global uint *bins, __global const uint *old,
                                 __global uint *out)
{
    size_t i = get_global_id(0);
    atomic_inc(&bins[in[i]]);
    out[i] = old[in[i]];
}

/* SPDX-License-Identifier: MIT */
/* Two families of maxima in one buffer. */
// expect: whole (atomic-mixed)
// kernel: highest_both_signs
// arg: buffer int 64
// arg: buffer int X
// reason: atomic-mixed
__kernel void highest_both_signs(__global int *h, __global const int *in)
{
    size_t i = get_global_id(0);
    atomic_max(&h[in[i] & 31], in[i]);
    atomic_max((__global uint *)&h[32 + (in[i] & 31)], (uint)in[i]);
}

/* SPDX-License-Identifier: MIT */
/* An exchange at each item's own place, whose result is used. */
// expect: split
// kernel: marked_own
// arg: buffer uint X
// arg: buffer uint X
// note: atomic-order
// way: 0 own
// way: 1 own
__kernel void marked_own(__global uint *marks, __global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = atomic_xchg(&marks[i], (uint)i) * 3; // here
}

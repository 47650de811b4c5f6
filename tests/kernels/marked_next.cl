/* SPDX-License-Identifier: MIT */
/* An exchange at each item's own place; the next one's place is read, which another group may have marked. */
// expect: whole (an exchange orders the items)
// kernel: marked_next
// arg: buffer uint X
// arg: buffer uint X
// note: atomic-order
__kernel void marked_next(__global uint *marks, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = atomic_xchg(&marks[i], (uint)i) + marks[(i + 1) % n]; // here
}

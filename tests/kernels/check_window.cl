/* SPDX-License-Identifier: MIT */
/* The counter lies in a buffer of which another part is read: all of that buffer has copies. */
// expect: any (whole, or checked afterwards: the result of an atomic is used)
// kernel: check_window
// arg: buffer uint X
// arg: buffer uint 2048 below 900
// arg: window 1 1024 1024
// offset: no
// reason: atomic-result-used
// checked: 1 2
__kernel void check_window(__global uint *out, __global const uint *table, __global uint *counts)
{
    size_t i = get_global_id(0);
    out[i] = table[i & 511] * 7;
    if (table[i & 511] == 3 && atomic_inc(counts + 5) < 9) // here
        counts[6] = 1;
}

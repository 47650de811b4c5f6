/* SPDX-License-Identifier: MIT */
/* The best pair of two halves in one word, by a compare-exchange that is tried again after it failed. */
// expect: any (whole, or checked afterwards: an exchange orders the items)
// kernel: check_retried
// arg: buffer uint X below 60000
// arg: buffer uint 1 zero
// note: atomic-order
// checked: 1
__kernel void check_retried(__global const uint *in, __global uint *best)
{
    size_t i = get_global_id(0);
    uint value = in[i] << 16 | ((uint)i & 0xffff), old;
    if (in[i] < 59950)
        return;
    do {
        old = *best;
    } while (atomic_cmpxchg(best, old, max(old, value)) != old); // here
}

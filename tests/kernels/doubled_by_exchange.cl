/* SPDX-License-Identifier: MIT */
/* Looks like an addition by compare and exchange, but adds what is there: no order is like another. */
// expect: whole (the result of an atomic)
// kernel: doubled_by_exchange
// arg: buffer int 64
// arg: buffer int X
// note: atomic-order
__kernel void doubled_by_exchange(__global int *sums, __global const int *in)
{
    int old, at = in[get_global_id(0)] & 63;
    do {
        old = sums[at];
    } while (atomic_cmpxchg(&sums[at], old, old + old) != old); // here
}

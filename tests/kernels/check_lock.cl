/* SPDX-License-Identifier: MIT */
/* A lock that is tried, not waited for, around two buffers; it is given back. */
// expect: any (whole, or checked afterwards: an exchange orders the items)
// kernel: check_lock
// arg: buffer uint X below 3000
// arg: buffer uint 1 zero
// arg: buffer uint 3 zero
// arg: buffer uint 2 zero
// note: atomic-order
// checked: 1 2 3
__kernel void check_lock(__global const uint *in, __global uint *lock, __global uint *a, __global uint *b)
{
    size_t i = get_global_id(0);
    if (in[i] == 5 && atomic_xchg(lock, 1) == 0) { // here
        a[0] += 1;
        b[0] += in[i];
        atomic_xchg(lock, 0);
    }
}

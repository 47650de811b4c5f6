/* SPDX-License-Identifier: MIT */
/* What every group borrows of a buffer it puts back: no copy of it is changed. */
// expect: any (whole, or checked afterwards: an exchange orders the items)
// kernel: check_put_back
// arg: buffer uint X below 20
// arg: buffer uint 2 zero
// arg: buffer uint X
// note: atomic-order
// checked: 1
__kernel void check_put_back(__global const uint *in, __global uint *lock, __global uint *out)
{
    size_t i = get_global_id(0);
    if (in[i] == 5 && atomic_xchg(lock, 1) == 0) // here
        atomic_xchg(lock, 0);
    out[i] = in[i] + 1;
}

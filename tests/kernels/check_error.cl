/* SPDX-License-Identifier: MIT */
/* The first error is kept: the result of a compare-exchange tells the others that there was one. */
// expect: any (whole, or checked afterwards: an exchange orders the items)
// kernel: check_error
// arg: buffer int X below 5000
// arg: buffer int X
// arg: buffer int 2 zero
// note: atomic-order
// checked: 2
__kernel void check_error(__global const int *in, __global int *out, __global int *error)
{
    size_t i = get_global_id(0);
    if (in[i] == 0) {
        if (atomic_cmpxchg(error, 0, -7) != 0) // here
            atomic_inc(error + 1);
        return;
    }
    out[i] = 1000000 / in[i];
}

/* SPDX-License-Identifier: MIT */
/* An exchange without a look at the result: the last one wins. */
// expect: whole (an exchange orders the items)
// kernel: exchanged
// arg: buffer int X
// arg: buffer int 1
// compare: no 1
// note: atomic-order
__kernel void exchanged(__global const int *in, __global int *last)
{
    atomic_xchg(last, in[get_global_id(0)]); // here
}

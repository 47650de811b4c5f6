/* SPDX-License-Identifier: MIT */
/* An atomic store that releases. */
// expect: whole (orders the groups)
// kernel: ordered_store
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// arg: buffer int 1
// note: atomic-order
__kernel void ordered_store(__global int *out, __global atomic_int *flag)
{
    out[get_global_id(0)] = 1;
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); // here
}

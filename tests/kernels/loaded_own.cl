/* SPDX-License-Identifier: MIT */
/* Each item's own place is loaded and stored by atomics, which acquire and release. */
// expect: split
// kernel: loaded_own
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// arg: buffer int X
// note: atomic-order
// way: 1 own
__kernel void loaded_own(__global int *out, __global atomic_int *flags)
{
    size_t i = get_global_id(0);
    out[i] = atomic_load_explicit(&flags[i], memory_order_acquire, memory_scope_device); // here
    atomic_store_explicit(&flags[i], 1, memory_order_release, memory_scope_device);
}

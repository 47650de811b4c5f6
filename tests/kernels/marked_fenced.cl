/* SPDX-License-Identifier: MIT */
/* As marked_own, with a fence: it might tell another kernel that all before it is done. */
// expect: whole (a fence orders the groups)
// kernel: marked_fenced
// run: no
// options: -cl-std=CL2.0
// arg: buffer uint X
// arg: buffer uint X
// note: atomic-order
__kernel void marked_fenced(__global uint *marks, __global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = i;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_xchg(&marks[i], 1);
}

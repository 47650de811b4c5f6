/* SPDX-License-Identifier: MIT */
/* A fence that orders work-groups. */
// expect: whole (a fence)
// kernel: fence_of_device
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// note: atomic-fence
__kernel void fence_of_device(__global int *out)
{
    out[get_global_id(0)] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device); // here
}

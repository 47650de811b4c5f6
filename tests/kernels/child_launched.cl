/* SPDX-License-Identifier: MIT */
/* Enqueues work itself. */
// expect: whole (device-side enqueue)
// kernel: child_launched
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// note: device-enqueue
__kernel void child_launched(__global int *out)
{
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{
            out[get_global_id(0)] = 1;
        });
}

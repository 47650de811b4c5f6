/* SPDX-License-Identifier: MIT */
/* A place in a queue by an atomic: the result is used. */
// expect: whole (the result of an atomic is used)
// kernel: queue_places
// arg: buffer int X
// arg: buffer int X zero
// arg: buffer int 1 zero
// compare: sorted 1
// reason: atomic-result-used
// size: 640
// local: 32
__kernel void queue_places(__global const int *in, __global int *queue, __global int *end)
{
    int v = in[get_global_id(0)];
    if (v > 0) {
        int at = atomic_inc(end); // here
        if (at < (int)get_global_size(0))
            queue[at] = v;
    }
}

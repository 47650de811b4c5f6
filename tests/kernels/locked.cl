/* SPDX-License-Identifier: MIT */
/* A lock around a plain sum. */
// expect: whole (groups wait for each other)
// kernel: locked
// run: no
// arg: buffer int X
// arg: buffer int 1 zero
// arg: buffer int 1 zero
// note: groups-wait
__kernel void locked(__global const int *in, volatile __global int *lock, __global int *sum)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0) // here
        ;
    *sum += in[get_global_id(0)];
    atomic_xchg(lock, 0);
}

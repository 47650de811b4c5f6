/* SPDX-License-Identifier: MIT */
/* Float sums by compare and exchange into many places; whole numbers, so any order will do. */
// expect: any
// kernel: float_sums_many
// arg: buffer int X below 16
// arg: buffer int X below 100
// arg: buffer float 16 zero
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// way: 2 private fadd 4
// writes: 2 unknown
// reads: 2 unknown
void float_sums_many_add(volatile __global uint *at, float v)
{
    uint old = *at, seen;
    do {
        seen = old;
        old = atomic_cmpxchg(at, seen, as_uint(as_float(seen) + v));
    } while (old != seen);
}
__kernel void float_sums_many(__global const int *place, __global const int *in, __global float *sums)
{
    size_t i = get_global_id(0);
    float_sums_many_add((volatile __global uint *)&sums[place[i]], (float)in[i]);
}

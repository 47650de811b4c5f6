/* SPDX-License-Identifier: MIT */
/* Addition of small whole floats by compare and exchange. */
// expect: whole (compare and exchange)
// kernel: float_adds
// arg: buffer int X below 9
// arg: buffer float 1 zero
// note: atomic-order
__kernel void float_adds(__global const int *in, __global float *sum)
{
    __global volatile int *bits = (__global volatile int *)sum;
    int seen, wanted;
    do {
        seen = *bits;
        wanted = as_int(as_float(seen) + (float)in[get_global_id(0)]);
    } while (atomic_cmpxchg(bits, seen, wanted) != seen);
}

/* SPDX-License-Identifier: MIT */
/* Two floats in one word, added to by exchanges: no sum of the word. */
// expect: any (whole: an atomic orders work-items; but for eight items, whose places are apart)
// kernel: lanes_added
// arg: buffer ulong 8 zero
// reason: atomic-order
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void lanes_added(__global ulong *sums)
{
    size_t g = get_global_id(0);
    __global ulong *sum = sums + (g & 7);
    float2 more = (float2)(1.0f, (float)(g & 3));
    ulong old, got = *sum;
    do {
        old = got;
        got = atom_cmpxchg(sum, old, as_ulong(as_float2(old) + more));
    } while (got != old);
}

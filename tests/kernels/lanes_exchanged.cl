/* SPDX-License-Identifier: MIT */
/* Two floats in one word, added to by pairs of exchanges. */
// expect: any (whole: an atomic orders work-items; but for eight items, whose places are apart)
// kernel: lanes_exchanged
// arg: buffer ulong 8 zero
// reason: atomic-order
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void lanes_exchanged(__global ulong *sums)
{
    size_t g = get_global_id(0);
    __global ulong *sum = sums + (g & 7);
    ulong rest = as_ulong((float2)(1.0f, (float)(g & 3)));
    do {
        rest = atom_xchg(sum, as_ulong(as_float2(atom_xchg(sum, 0ul)) + as_float2(rest)));
    } while (rest != 0ul);
}

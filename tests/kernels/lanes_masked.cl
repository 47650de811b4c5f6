/* SPDX-License-Identifier: MIT */
/* Two words in one, bits of which are cleared by exchanges: the same as of the whole. */
// expect: split
// way: 0 private and 8
// kernel: lanes_masked
// arg: buffer ulong 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void lanes_masked(__global ulong *masks)
{
    size_t g = get_global_id(0);
    __global ulong *mask = masks + (g & 7);
    uint2 keep = (uint2)(~(1u << (g & 31)), ~(uint)g);
    ulong old, got = *mask;
    do {
        old = got;
        got = atom_cmpxchg(mask, old, as_ulong(as_uint2(old) & keep));
    } while (got != old);
}

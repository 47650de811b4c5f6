/* SPDX-License-Identifier: MIT */
/* Four counters in one word, none of which carries into the next. */
// expect: any (whole: an atomic orders work-items; but for eight items, whose places are apart)
// kernel: lanes_packed
// arg: buffer uint 8
// reason: atomic-order
__kernel void lanes_packed(__global uint *counts)
{
    size_t g = get_global_id(0);
    __global uint *count = counts + (g & 7);
    uchar4 more = (uchar4)(0x71, 3, (uchar)(g & 3), 200);
    uint old, got;
    do {
        old = *count;
        got = atomic_cmpxchg(count, old, as_uint(as_uchar4(old) + more));
    } while (got != old);
}

/* SPDX-License-Identifier: MIT */
/* A search that counts what it found and keeps the first place: few work-groups find anything. */
// expect: any (whole, or checked afterwards: the result of an atomic is used)
// kernel: check_found
// arg: buffer uint X below 3000
// arg: buffer uint X
// arg: buffer uint 1 zero
// arg: buffer uint 4 zero
// arg: uint 77
// reason: atomic-result-used
// order: what it keeps depends on the order of work-groups
// checked: 2 3
__kernel void check_found(__global const uint *in, __global uint *sum, volatile __global uint *found,
                          __global uint *place, uint wanted)
{
    size_t i = get_global_id(0);
    sum[i] = sum[i] * 3 + in[i];
    if (in[i] == wanted && atomic_inc(found) == 0) // here
        place[1] = (uint)i;
}

/* SPDX-License-Identifier: MIT */
/* A short list of structs that few work-groups append to. */
// expect: any (whole, or checked afterwards: the result of an atomic is used)
// kernel: check_list
// arg: buffer uint X below 2000
// arg: buffer uint 1 zero
// arg: buffer uint 64 zero
// reason: atomic-result-used
// order: what it keeps depends on the order of work-groups
// checked: 1 2
struct check_entry { uint item, value; };
__kernel void check_list(__global const uint *in, __global uint *count, __global struct check_entry *list)
{
    size_t i = get_global_id(0);
    if (in[i] < 2) {
        uint at = atomic_inc(count) & 31; // here
        list[at].item = (uint)i;
        list[at].value = in[i] * 3;
    }
}

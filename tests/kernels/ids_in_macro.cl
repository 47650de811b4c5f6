/* SPDX-License-Identifier: MIT */
/* Ids behind macros. */
// expect: split
// kernel: ids_in_macro
// arg: buffer uint X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
#define IDS_IN_MACRO_SELF get_global_id(0)
#define IDS_IN_MACRO_ASK(f, d) f(d)
__kernel void ids_in_macro(__global uint *out)
{
    out[IDS_IN_MACRO_SELF] = IDS_IN_MACRO_ASK(get_group_id, 0) * 3 + IDS_IN_MACRO_ASK(get_num_groups, 0);
}

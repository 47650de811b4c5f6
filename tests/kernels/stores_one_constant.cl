/* SPDX-License-Identifier: MIT */
/* Two stores at places that are not known write one value. */
// expect: split
// kernel: stores_one_constant
// arg: buffer int X below X
// arg: buffer int X zero
// arg: buffer int X
// arg: int 5
// way: 1 merge 4
// way: 2 merge 4
__kernel void stores_one_constant(__global const int *index, __global int *seen, __global int *given, int value)
{
    int i = get_global_id(0);
    seen[index[i]] = 1;
    seen[i / 2] = 1;
    given[index[i]] = value;
    given[i] = value;
}

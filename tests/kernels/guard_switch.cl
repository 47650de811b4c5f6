/* SPDX-License-Identifier: MIT */
/* Cases that run into each other; all store one value. */
// expect: split
// kernel: guard_switch
// arg: buffer int X+8
// way: 0 merge 4
// part: 8..10 writes 0 2052..2568
__kernel void guard_switch(__global int *o)
{
    int i = get_global_id(0);
    switch (i) {
    case 0:
        o[5] = 7;
        break;
    case 1:
        o[0] = 7;
    case 2:
        o[i + 1] = 7;
        break;
    case 3:
        break;
    default:
        o[i + 2] = 7;
    }
}

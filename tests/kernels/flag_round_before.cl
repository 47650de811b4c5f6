/* SPDX-License-Identifier: MIT */
/* The loop ends a round later than the flag's guard would have it: items of neighbouring tiles write one place. */
// expect: split
// kernel: flag_round_before
// local: 16
// offset: no
// arg: buffer int G*10+6
// arg: buffer int X
// arg: int 3
// compare: no 0
// way: 0 merge 4
__kernel void flag_round_before(__global int *out, __global const int *in, int rounds)
{
    __local int now[16];
    const int lx = get_local_id(0);
    bool computed = false;

    now[lx] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < rounds; i++) {
        if (i == rounds - 1)
            break;
        computed = false;
        if (lx > i && lx < 15 - i) {
            computed = true;
            now[lx] += i;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        out[(16 - 2 * rounds) * get_group_id(0) + lx] = now[lx];
}

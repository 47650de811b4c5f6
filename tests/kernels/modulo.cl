/* SPDX-License-Identifier: MIT */
/* A rotation by three with wrap-around. */
// expect: split
// kernel: modulo
// arg: buffer int X
// arg: int X
// way: 0 own
// part: 8..10 writes 0 2060..2572
__kernel void modulo(__global int *out, int n)
{
    int i = get_global_id(0);
    out[(i + 3) % n] = i;
}

/* SPDX-License-Identifier: MIT */
/* For check_verify.py: a permutation that the analysis cannot see through, and its inverse's kin. */
// expect: any
// kernel: permuted
// local: 16
// size: 4096
// offset: no
// arg: buffer int X
// arg: buffer int X zero
// arg: int X
__kernel void permuted(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    out[(int)((i * 1103L + 7) % n)] = in[i];
}

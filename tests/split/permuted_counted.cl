/* SPDX-License-Identifier: MIT */
/* For check_verify.py: as permuted.cl, with an atomic whose result is used. */
// expect: any
// kernel: permuted_counted
// local: 16
// size: 4096
// offset: no
// arg: buffer int X
// arg: buffer int X zero
// arg: buffer int 1 zero
// arg: int X
__kernel void permuted_counted(__global const int *in, __global int *out, __global int *found, int n)
{
    int i = get_global_id(0);
    out[(int)((i * 1103L + 7) % n)] = in[i];
    if (i == 77 && atomic_inc(found) == 0)
        out[0] = in[i];
}

/* SPDX-License-Identifier: MIT */
/* Largest floats by an exchange that is repeated until it holds. */
// expect: split
// kernel: float_maxima
// arg: buffer float X
// arg: buffer int 4 zero
// part: 8..10 reads 0 2048..2560
// way: 1 private max 4
// part: 8..10 writes 1 0..16
// part: 8..10 reads 1 0..16
__kernel void float_maxima(__global const float *in, __global int *top)
{
    size_t i = get_global_id(0);
    float v = fabs(in[i]);
    atomic_max(&top[i & 3], as_int(v)); /* floats above zero are ordered as their bits */
}

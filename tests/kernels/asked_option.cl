/* SPDX-License-Identifier: MIT */
/* Build options that name macros of the compiler's own. */
// expect: split
// kernel: asked_option
// options: -DVERSION=__OPENCL_C_VERSION__ -D MAKER=__clang_major__ -cl-mad-enable
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
#if VERSION >= 120 && MAKER > 3
#define PLACE(i) (i)
#elif VERSION >= 100
#define PLACE(i) ((i) + 0)
#else
#define PLACE(i) 0
#endif
__kernel void asked_option(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[PLACE(i)] = in[i] + VERSION * MAKER;
}

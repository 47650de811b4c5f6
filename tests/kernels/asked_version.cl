/* SPDX-License-Identifier: MIT */
/* Versions of the language and of the compiler, in conditions and in the code. */
// expect: split
// kernel: asked_version
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
#if __OPENCL_VERSION__ < CL_VERSION_1_2
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#endif
#if __OPENCL_C_VERSION__ >= 200 && defined(__opencl_c_generic_address_space)
#define POINTER int *
#else
#define POINTER __global int *
#endif
#if defined(__clang_major__) && __clang_major__ * 100 + __clang_minor__ > 1600
#define EXTRA 5
#else
#define EXTRA 6
#endif
__kernel void asked_version(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    POINTER to = out + i;
    *to = in[i] + EXTRA + __OPENCL_VERSION__ + __ENDIAN_LITTLE__;
}

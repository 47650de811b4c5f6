/* SPDX-License-Identifier: MIT */
/* Guards around extensions and features: pragmas alone, types, and helper functions. */
// expect: split
// kernel: asked_extension
// arg: buffer float X
// arg: buffer float X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#elif defined(cl_amd_fp64)
#pragma OPENCL EXTENSION cl_amd_fp64 : enable
typedef double real;
#else
typedef float real;
#endif
#ifdef __IMAGE_SUPPORT__
#define HAS_IMAGES 1
#else
#define HAS_IMAGES 0
#endif
#if defined(FP_FAST_FMAF) && defined(FP_FAST_FMA)
#define TIMES(a, b, c) fma(a, b, c)
#else
#define TIMES(a, b, c) mad(a, b, c)
#endif
#ifdef clamp
#define LIMIT(a) clamp(a, (real)-1e30, (real)1e30)
#else
#define LIMIT(a) min(max(a, (real)-1e30), (real)1e30)
#endif
#ifdef cl_khr_subgroups
#define GROUPS sub_groups
#else
#define GROUPS work_groups
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
real JOIN(GROUPS, add)(real a) { return a + HAS_IMAGES; }
__kernel void asked_extension(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = (float)LIMIT(TIMES((real)in[i], (real)2, JOIN(GROUPS, add)((real)1)));
}

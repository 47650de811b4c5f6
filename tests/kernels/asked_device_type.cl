/* SPDX-License-Identifier: MIT */
/* Code chosen by macros that each vendor's compiler defines for itself. */
// expect: split
// kernel: asked_device_type
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
#if defined(__NV_CL_C_VERSION) || defined(__GPU__)
#define STEP 2
#elif defined(__CPU__) || defined(__POCL__) || __INTEL_COMPILER > 100
#define STEP 3
#else
#define STEP 4
#endif
__kernel void asked_device_type(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * STEP;
}

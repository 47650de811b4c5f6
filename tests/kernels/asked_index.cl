/* SPDX-License-Identifier: MIT */
/* A compiler's macro in an index and as an array's size; others redefined, undefined, nested. */
// expect: split
// kernel: asked_index
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
#undef __GNUC__
#ifdef __GNUC__
#error it was undefined
#endif
#ifndef __SPIR_WIDTH__
#define __SPIR_WIDTH__ 4
#endif
#if defined __CPU__ && !defined(__GPU__) || (__NOTHING + 0)
#ifdef __SSE2__
#define __WIDTH 2
#else
#define __WIDTH 1
#endif
#else
#define __WIDTH 1
#endif
#ifdef get_sub_group_size
#define SHIFT 1
#else
#define SHIFT 0
#endif
__kernel void asked_index(__global const int *in, __global int *out)
{
    int kept[__SPIR_WIDTH__ * __ENDIAN_LITTLE__];
    size_t i = get_global_id(0);
    for (int k = 0; k < __SPIR_WIDTH__; k++)
        kept[k] = in[i] + k * __WIDTH;
    out[i + SHIFT] = kept[0] ^ kept[__SPIR_WIDTH__ - 1];
}

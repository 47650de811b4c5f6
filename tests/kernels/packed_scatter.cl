/* SPDX-License-Identifier: MIT */
/* Numbers at odd addresses, merged byte by byte. */
// expect: split
// kernel: packed_scatter
// arg: buffer char X*5+8
// arg: buffer int X order
// way: 0 merge 1
// writes: 0 unknown
// part: 8..10 reads 1 2048..2560
typedef struct __attribute__((packed)) {
    char a;
    int b;
} packed_scatter_packed;
__kernel void packed_scatter(__global char *o, __global const int *in)
{
    size_t i = get_global_id(0);
    __global packed_scatter_packed *p = (__global packed_scatter_packed *)o;
    p[in[i]].b = (int)i * 0x01010101 + 0x11223344;
}

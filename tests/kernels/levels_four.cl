/* SPDX-License-Identifier: MIT */
/* Planes of rows of blocks: strides of four levels. */
// expect: split
// kernel: levels_four
// dims: 2
// local: 4,4
// offset: no
// arg: buffer int X*Y*4
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4096..14336 boxed
__kernel void levels_four(__global int *o)
{
    size_t W = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 2; a++)
            o[(b * get_global_size(1) + y) * W * 2 + a * W + x] = (int)(x + y + a + b);
}

/* SPDX-License-Identifier: MIT */
/* Two places of a private array that one store in a loop filled: they need not hold the same. Where all work-items
 * meet at one place, they leave the same there. */
// expect: split
// kernel: loaded_twice
// arg: buffer int X*3
// arg: buffer int X+8
// arg: int X
// arg: int 0
// writes: 0 unknown
// part: 8..10 reads 1 0..32
// way: 0 merge 4
__kernel void loaded_twice(__global int *out, __global const int *in, int n, int zero)
{
    int i = get_global_id(0), t[8], apart;
    for (int k = 0; k < 8; k++)
        t[k] = in[k + zero] > 0 ? n : i;
    apart = t[1 + zero] - t[zero];
    out[i + n + apart] = 3 * (i + n + apart);
}

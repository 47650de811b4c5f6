/* SPDX-License-Identifier: MIT */
/* Two pointers of a private array that one store in a loop filled: they may differ. */
// expect: whole (stores that race)
// kernel: loaded_pointers
// arg: buffer int X*3
// arg: buffer int X+8
// arg: int X
// arg: int 0
// writes: 0 unknown
// part: 8..10 reads 1 0..32
// reason: stores-race
__kernel void loaded_pointers(__global int *out, __global const int *in, int n, int zero)
{
    int i = get_global_id(0);
    __global int *p[8], *a, *b;
    for (int k = 0; k < 8; k++)
        p[k] = out + (in[k + zero] > 0 ? n : i);
    a = p[zero];
    b = p[1 + zero];
    if (a != b)
        out[2 * n + i] = 1; // here
    if (in[0] > in[1])
        *p[2 + zero] = 2; // there
}

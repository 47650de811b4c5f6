/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */

constant int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
//! from_table on 64/8 a=1,b=2 splits 0
//! from_table on 64/8 a=1,b=2 part 1..2 out writes 228..448
//! from_table on 64/8 a=1,b=2 part 1..2 in reads 48..80
kernel void from_table(global const int *in, global int *out, int a, int b)
{
    int i = get_global_id(0);
    out[i * 7 + table[a][b]] = in[i + table[1][0]];
}

typedef struct {
    short dx, dy;
    int more;
} tap;
constant tap taps[3] = {{0, 100, 2}, {1, 200, 3}, {-1, 300, 5}};
/* one member's values, not the others' */
//! from_members on 64/8 n=3 part 1..2 in reads 36..88
kernel void from_members(global const int *in, global int *out, int n)
{
    int x = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++)
        s += in[x + taps[k].dx + taps[k].more];
    out[x] = s;
}

constant char2 steps[4] = {(char2)(0, 1), (char2)(3, 0), (char2)(0, -1), (char2)(-2, 0)};
//! from_vectors on 64/8 part 1..2 in reads 24..76
kernel void from_vectors(global const int *in, global int *out)
{
    int x = get_global_id(0), s = 0;
    for (int k = 0; k < 4; k++)
        s += in[x + steps[k].x];
    out[x] = s;
}

//! private_table on 64/8 part 1..2 in reads 32..100
kernel void private_table(global const int *in, global int *out)
{
    const int at[4] = {0, 3, 5, 9};
    int x = get_global_id(0), s = 0;
    for (int k = 0; k < 4; k++)
        s += in[x + at[k]];
    out[x] = s;
}

/* computed from arguments: neighbours in a plane */
//! neighbours on 64/8 stride=16 part 2..3 in reads 0..164
kernel void neighbours(global const int *in, global int *out, int stride)
{
    const int at[8] = {-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1};
    int x = get_global_id(0), s = 0;
    for (int k = 0; k < 8; k++)
        s += in[x + at[k]];
    out[x] = s;
}

/* what is stored in a loop was another work-item's number, or another round's: not known */
//! stored_in_loop on 64/8 mended write-unknown
kernel void stored_in_loop(global const int *in, global int *out, global const int *which)
{
    int at[4];
    for (int k = 0; k < 4; k++)
        at[k] = get_global_id(0) * 4 + k;
    for (int k = 0; k < 4; k++)
        out[at[which[k] & 3]] = in[k];
}

//! pointers on 64/8 n=9 splits 0
//! pointers on 64/8 n=9 part 1..2 b reads 32..64
kernel void pointers(global const int *a, global const int *b, global const int *c, global int *out, int n)
{
    global const int *from[3] = {a, b, c};
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++)
        s += from[k % 3][i];
    out[i] = s;
}

/* either place: written by more than one group */
//! two_places on 64/8 mended write-overlap
kernel void two_places(global float *a, global const ulong *b)
{
    global float *p[2] = {a, a + 5};
    int i = get_global_id(0);
    p[b[i] & 1][i] = 0;
}

/* volatile or not, a private variable is nobody else's (CLBlast has such, against a compiler's fault) */
//! volatile_index on 64/8 splits 0
//! volatile_index on 64/8 part 1..2 out writes 64..96 exact
kernel void volatile_index(global float *out)
{
    volatile int i = get_global_id(0) + 8;
    out[i] = 1;
}

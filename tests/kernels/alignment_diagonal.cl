/* SPDX-License-Identifier: MIT */
/* A Smith-Waterman diagonal from the two before it. */
// expect: split
// kernel: alignment_diagonal
// arg: buffer int X+1 below 50
// arg: buffer int X+1 below 50
// arg: buffer int X+1
// arg: buffer uchar X below 4
// arg: buffer uchar X below 4
// arg: int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2564
// way: 2 own
// part: 8..10 writes 2 2052..2564 exact
// part: 8..10 reads 3 512..640
// part: 8..10 reads 4 384..512
__kernel void alignment_diagonal(__global const int *before, __global const int *last, __global int *out,
                                 __global const uchar *a, __global const uchar *b, int n)
{
    int i = get_global_id(0);
    int match = before[i] + (a[i] == b[n - 1 - i] ? 2 : -1);
    out[i + 1] = max(max(match, 0), max(last[i], last[i + 1]) - 1);
}

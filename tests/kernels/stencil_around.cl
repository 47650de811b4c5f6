/* SPDX-License-Identifier: MIT */
/* In place, reads both neighbours: a race that some solvers live with. */
// expect: split
// kernel: stencil_around
// arg: buffer float X
// arg: int X
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 0 2044..2564
// way: 0 own
// before: 0
// compare: no 0
__kernel void stencil_around(__global float *data, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i + 1 < n)
        data[i] = 0.25f * (data[i - 1] + 2.0f * data[i] + data[i + 1]);
}

/* SPDX-License-Identifier: MIT */
/* In place, reads the next element: what is read is old, whoever runs first. */
// expect: split
// kernel: stencil_ahead
// arg: buffer float X+1
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 0 2048..2564
// way: 0 own
// before: 0
// compare: no 0
__kernel void stencil_ahead(__global float *data)
{
    size_t i = get_global_id(0);
    data[i] = 0.5f * (data[i] + data[i + 1]);
}

/* SPDX-License-Identifier: MIT */
/* Vectors of three have the room of four: what becomes of the fourth component is open. */
// expect: split
// kernel: vectors_three
// arg: buffer int X*4
// compare: no 0
// part: 8..10 writes 0 8192..10240 exact
// part: 8..10 reads 0 8192..10236
// way: 0 own
__kernel void vectors_three(__global int3 *data)
{
    size_t i = get_global_id(0);
    data[i] = data[i].zyx + 1;
}

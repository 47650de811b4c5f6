/* SPDX-License-Identifier: MIT */
/* In place, odd elements from even ones: no race: the even ones are never written. */
// expect: split
// kernel: red_black
// arg: buffer int X*2+2
// part: 8..10 writes 0 4100..5120
// part: 8..10 reads 0 4096..5124
// way: 0 own
// before: no 0
__kernel void red_black(__global int *data)
{
    size_t i = get_global_id(0);
    data[2 * i + 1] = (data[2 * i] + data[2 * i + 2]) / 2;
}

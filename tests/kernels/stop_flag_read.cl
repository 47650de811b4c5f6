/* SPDX-License-Identifier: MIT */
/* A flag that is read too: a hint for others to skip work that changes nothing. */
// expect: split
// kernel: stop_flag_read
// arg: buffer int X
// arg: buffer int 1 zero
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..4
// part: 8..10 reads 1 0..4
// way: 1 merge 4
__kernel void stop_flag_read(__global const int *in, __global int *found)
{
    size_t i = get_global_id(0);
    if (*found == 0 && in[i] > 0)
        *found = 1;
}

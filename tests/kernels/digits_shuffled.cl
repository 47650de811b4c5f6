/* SPDX-License-Identifier: MIT */
/*
 * Places made of an id's digits in another order: what a package writes of the middle digit's rows, cut off by
 * the highest one, has one level of strides more than a whole row tells.
 */
// expect: any
// kernel: digits_shuffled
// size: 1024
// local: 4
// arg: buffer int X*8
// way: 0 merge 4
__kernel void digits_shuffled(__global int *f)
{
    uint i = get_global_id(0), low = i % 2, middle = i / 2 % 16, high = i / 32;
    uint place = low * 2 + high * 6 + middle * 6 * 32;
    f[place] = f[place] * 3 + i;
}

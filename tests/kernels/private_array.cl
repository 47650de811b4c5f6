/* SPDX-License-Identifier: MIT */
/* Places kept in a private array. */
// arg: buffer int X*4
// kernel: private_array
// expect: split
// way: 0 own
__kernel void private_array(__global int *out)
{
    int place[4];
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        place[k] = 4 * i + (k ^ 1);
    for (int k = 0; k < 4; k++)
        out[place[k]] = k + i;
}

/* SPDX-License-Identifier: MIT */
/* Columns of a plane after another, sixteen a group: two groups have written whole rows. */
// expect: split
// kernel: columns_sixteen
// local: 64
// size: 8192
// offset: no
// arg: buffer float2 65536
// cut: 0 by 4
// way: 0 own
// part: 64..72 writes 0 262144..294912
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void columns_sixteen(__global float2 *a)
{
    uint me = get_local_id(0), c = get_group_id(0) * 16 + me / 4;
    uint at = (c / 1024) * 32768 + ((c % 1024) / 32) * 1024 + c % 32;
    for (int k = 0; k < 8; k++)
        a[at + (me % 4) * 256 + k * 32] = (float2)(c, k);
}

/* SPDX-License-Identifier: MIT */
/* Half of the places rotate to the upper end. */
// expect: split
// kernel: index_rotated
// arg: buffer int 8192 zero
// arg: buffer int 4096
// way: 0 merge 4
// part: 8..10 writes 0 0..32764
__kernel void index_rotated(__global int *o, __global int *p)
{
    uint i = get_global_id(0);
    uint r = rotate(i & 4095u, 31u);
    o[(r >> 20) + (r & 4095u)] = 5;
    p[i & 4095u] = (int)(i & 4095u);
}

/* SPDX-License-Identifier: MIT */
/* Row-major 2-D: only rows are contiguous. */
// expect: split
// kernel: fill_rows
// dims: 2
// arg: buffer uint X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4096..6144 exact
__kernel void fill_rows(__global uint *out, int width)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = x * 3 + y * 1001;
}

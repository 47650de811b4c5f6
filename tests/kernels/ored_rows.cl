/* SPDX-License-Identifier: MIT */
/* Row and column joined by or, not by add. */
// expect: split
// kernel: ored_rows
// arg: buffer int 4096
// dims: 2
// size: 64,64
// local: 8,4
// cut: 1 by 1
// part: 8..10 writes 0 8192..10240 exact
// way: 0 own
__kernel void ored_rows(__global int *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[(y << 6) | x] = (int)(x * y);
}

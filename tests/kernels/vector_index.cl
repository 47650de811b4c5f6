/* SPDX-License-Identifier: MIT */
/* Coordinates kept in an int2. */
// expect: split
// kernel: vector_index
// dims: 2
// arg: buffer int X*Y
// arg: ints X Y
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4096..6144 exact
__kernel void vector_index(__global int *out, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at >= size))
        return;
    out[at.y * size.x + at.x] = at.x - at.y;
}

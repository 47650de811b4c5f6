/* SPDX-License-Identifier: MIT */
/* As ring_pulled, by choices, where packages cut rows: whole rows around them are read, and not all. */
// expect: split
// kernel: ring_pulled_rows
// size: 15680
// local: 64
// arg: buffer float 15625*5
// arg: buffer float X*5
// arg: int 25
// on: 15680/64
// way: 1 own
// part: 50..150 reads 0 12800..285900 boxed
__kernel void ring_pulled_rows(__global const float *from, __global float *to, uint side)
{
    const uint n = get_global_id(0), cells = side * side * side;
    if (n >= cells)
        return;
    const uint x = n % side, y = n / side % side, z = n / (side * side);
    const uint xp = x + 1 == side ? 0 : x + 1, yp = y + 1 == side ? 0 : y + 1, zm = z == 0 ? side - 1 : z - 1;
    to[n] = from[n];
    to[cells + n] = from[cells + xp + side * (yp + side * z)];
    to[2 * cells + n] = from[2 * cells + x + side * (yp + side * zm)];
    to[3 * cells + n] = from[3 * cells + xp + side * (y + side * zm)];
    to[4 * cells + n] = from[4 * cells + x + side * (y + side * zm)];
}

/* SPDX-License-Identifier: MIT */
/* As array_nine_words, but one neighbour is on a ring that is too small: two rows have the same. */
// expect: any
// kernel: array_no_ring
// llvm: 16
// size: 2048
// local: 64
// arg: buffer int X*9
// arg: uint 1
// arg: int 32
// arg: int X/32
// compare: no 0
// way: 0 merge 4
void array_no_ring_around(const uint n, const uint nx, const uint ny, uint *to)
{
    const uint x = n % nx, y = n / nx;
    to[0] = n;
    to[1] = (x + 1) % nx + y * nx;
    to[2] = x + (y + 1) % ny * nx;
    to[3] = (x + 1) % nx + (y + 1) % (ny - 1) * nx;
    to[4] = (x + nx - 1) % nx + (y + 1) % ny * nx;
}

__kernel void array_no_ring(__global int *f, uint odd, int width, int height)
{
    const uint n = get_global_id(0), cells = (uint)(width * height);
    uint to[5];
    array_no_ring_around(n, (uint)width, (uint)height, to);
    for (uint i = 1; i < 5; i++) {
        const int here = f[(2 * i - odd) * cells + n], there = f[(2 * i - 1 + odd) * cells + to[i]];
        f[(2 * i - 1 + odd) * cells + to[i]] = here + 1;
        f[(2 * i - odd) * cells + n] = there + 2;
    }
}

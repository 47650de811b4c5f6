/* SPDX-License-Identifier: MIT */
/* As array_nine_words, but the last pair does not look at the step's parity: its two directions have one slot. */
// expect: whole
// kernel: array_slots_meet
// size: 2048
// local: 64
// arg: buffer int X*9
// arg: uint 1
// arg: int 32
// arg: int X/32
// reason: stores-race
void array_slots_around(const uint n, const uint nx, const uint ny, uint *to)
{
    const uint x = n % nx, y = n / nx;
    to[0] = n;
    to[1] = (x + 1) % nx + y * nx;
    to[2] = x + (y + 1) % ny * nx;
    to[3] = (x + 1) % nx + (y + 1) % ny * nx;
    to[4] = (x + nx - 1) % nx + (y + 1) % ny * nx;
}

__kernel void array_slots_meet(__global int *f, uint odd, int width, int height)
{
    const uint n = get_global_id(0), cells = (uint)(width * height);
    uint to[5];
    array_slots_around(n, (uint)width, (uint)height, to);
    for (uint i = 1; i < 5; i++) {
        const uint own = 2 * i - odd, other = i < 4 ? 2 * i - 1 + odd : 2 * i - odd;
        const int here = f[own * cells + n], there = f[other * cells + to[i]];
        f[other * cells + to[i]] = here + 1;
        f[own * cells + n] = there + 2;
    }
}

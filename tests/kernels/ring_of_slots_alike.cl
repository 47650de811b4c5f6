/* SPDX-License-Identifier: MIT */
/* Both slots are one: a step that forgets to look at the parity reads what its neighbour writes. */
// expect: whole
// kernel: ring_of_slots_alike
// size: 4096
// local: 64
// arg: buffer float X*2
// arg: int 32
// arg: int 1
// reason: stores-race
__kernel void ring_of_slots_alike(__global float *f, uint width, uint parity)
{
    const uint n = get_global_id(0), x = n % width, y = n / width, cells = 4096;
    const size_t own = (size_t)(parity ? 1 : 0) * cells + n;
    const size_t other = (size_t)(parity ? 1 : 0) * cells + x + (y + 1) % 128 * width;
    const float here = f[own], there = f[other];
    f[own] = there;
    f[other] = here;
}

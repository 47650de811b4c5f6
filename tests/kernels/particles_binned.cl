/* SPDX-License-Identifier: MIT */
/* Particles counted into cells. */
// expect: split
// kernel: particles_binned
// arg: buffer float2 X
// arg: buffer uint 64 zero
// part: 8..10 reads 0 4096..5120
// part: 8..10 writes 1 0..256
// part: 8..10 reads 1 0..256
// way: 1 private add 4
__kernel void particles_binned(__global const float2 *p, __global uint *cells)
{
    float2 at = (p[get_global_id(0)] + 2.0f) * 2.0f;
    int x = clamp((int)at.x, 0, 7), y = clamp((int)at.y, 0, 7);
    atomic_inc(&cells[y * 8 + x]);
}

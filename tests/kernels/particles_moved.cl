/* SPDX-License-Identifier: MIT */
/* Particles as a struct of arrays, moved and reflected. */
// expect: split
// kernel: particles_moved
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: float 0.25
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 2048..2560
// part: 8..10 reads 2 2048..2560
// way: 3 own
// part: 8..10 writes 3 2048..2560
// part: 8..10 reads 3 2048..2560
__kernel void particles_moved(__global float *x, __global float *y, __global float *vx, __global float *vy, float dt)
{
    size_t i = get_global_id(0);
    float nx = x[i] + dt * vx[i], ny = y[i] + dt * vy[i];
    if (fabs(nx) > 2.0f)
        vx[i] = -vx[i];
    if (fabs(ny) > 2.0f)
        vy[i] = -vy[i];
    x[i] = nx;
    y[i] = ny;
}

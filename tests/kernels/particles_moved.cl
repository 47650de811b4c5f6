/* SPDX-License-Identifier: MIT */
/* Particles as a struct of arrays, moved and reflected. */
// expect: split
// kernel: particles_moved
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: float 0.25
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

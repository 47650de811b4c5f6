/* SPDX-License-Identifier: MIT */
/* The same with tiles in local memory and a struct of arrays. */
// expect: split
// kernel: bodies_tiled
// local: 16
// size: 256
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: int X
// part: 8..10 reads 0 0..1024
// part: 8..10 reads 1 0..1024
// way: 2 own
// part: 8..10 writes 2 512..640 exact
__kernel void bodies_tiled(__global const float *x, __global const float *mass, __global float *force, int n)
{
    __local float tx[16], tm[16];
    int i = get_global_id(0), l = get_local_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j += 16) {
        tx[l] = x[j + l];
        tm[l] = mass[j + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float d = tx[k] - x[i];
            sum += d * tm[k] / (fabs(d * d * d) + 0.1f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = sum;
}

/* SPDX-License-Identifier: MIT */
/* A tiled product with a required work-group size. */
// expect: split
// kernel: tiled_product
// dims: 2
// local: 4,4
// arg: buffer float X*16
// arg: buffer float 16*Y
// arg: buffer float X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 0..2048
// part: 4..6 reads 1 1024..1536
// way: 2 own
// part: 4..6 writes 2 2048..3072 exact
__kernel __attribute__((reqd_work_group_size(4, 4, 1)))
void tiled_product(__global const float *a, __global const float *b, __global float *c, int width)
{
    __local float at[4][4], bt[4][4];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < 16; k += 4) {
        at[ly][lx] = a[(k + ly) * width + x];
        bt[ly][lx] = b[y * 16 + k + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 4; i++)
            sum += bt[ly][i] * at[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * width + x] = sum;
}

/* SPDX-License-Identifier: MIT */
/*
 * The product of two square matrices, tile by tile through local memory. Regular: every work-group costs the
 * same; it reads a band of rows of a and of columns of b, and writes its own tile of c.
 */
#ifndef TILE
#define TILE 16
#endif

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul(__global const float *a, __global const float *b, __global float *c, uint n)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];
    size_t column_in_tile = get_local_id(0);
    size_t row_in_tile = get_local_id(1);
    size_t column = get_group_id(0) * TILE + column_in_tile;
    size_t row = get_group_id(1) * TILE + row_in_tile;

    float sum = 0.0f;
    for (size_t start = 0; start < n; start += TILE) {
        size_t a_column = start + column_in_tile;
        size_t b_row = start + row_in_tile;
        a_tile[row_in_tile][column_in_tile] = row < n && a_column < n ? a[row * n + a_column] : 0.0f;
        b_tile[row_in_tile][column_in_tile] = b_row < n && column < n ? b[b_row * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < TILE; k++)
            sum += a_tile[row_in_tile][k] * b_tile[k][column_in_tile];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

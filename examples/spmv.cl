/* SPDX-License-Identifier: MIT */
/*
 * y = A x for a sparse matrix in compressed rows: LANES neighbouring work-items share a row, read it side by
 * side and add up what they have in local memory. From the OmpSs and the LogFit paper. Irregular: a row costs
 * what it holds, which varies from row to row or, in a triangular profile, grows from the first row to the
 * last; and x is read wherever the columns say.
 */
#ifndef LANES
#define LANES 16
#endif
#ifndef LOCAL_SIZE
#define LOCAL_SIZE 128
#endif

__kernel __attribute__((reqd_work_group_size(LOCAL_SIZE, 1, 1))) void
spmv(__global const uint *first, __global const uint *columns, __global const float *values, uint rows,
     __global const float *x, __global float *y)
{
    __local float sums[LOCAL_SIZE];
    uint item = get_local_id(0);
    uint lane = item % LANES;
    uint row = get_global_id(0) / LANES;

    float sum = 0.0f;
    if (row < rows) {
        uint end = first[row + 1];
        for (uint i = first[row] + lane; i < end; i += LANES)
            sum += values[i] * x[columns[i]];
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_lanes = LANES / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes)
            sums[item] += sums[item + half_lanes];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    /* The first work-items write the group's rows side by side. */
    uint row_here = (get_global_id(0) - item) / LANES + item;
    if (item < LOCAL_SIZE / LANES && row_here < rows)
        y[row_here] = sums[item * LANES];
}

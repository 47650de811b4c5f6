/* SPDX-License-Identifier: MIT */
/*
 * Prices of European call options by binomial lattices, four options a work-group, one leaf of the lattice a
 * work-item; the lattice is folded step by step in local memory. From the Sigmoid and the OmpSs paper.
 * Regular: every work-group folds a lattice of the same height.
 */
#ifndef STEPS
#define STEPS 255
#endif

__kernel __attribute__((reqd_work_group_size(STEPS + 1, 1, 1))) void
binomial(__global const float4 *spots, __global const float4 *strikes, __global const float4 *years,
         float rate, float volatility, __global float4 *prices)
{
    __local float4 values[2][STEPS + 1];
    size_t group = get_group_id(0);
    int leaf = get_local_id(0);

    float4 step = years[group] / (float)STEPS;
    float4 jump = volatility * sqrt(step);
    float4 up = exp(jump), down = 1.0f / up;
    float4 growth = exp(rate * step);
    float4 rise = (growth - down) / (up - down);
    float4 from_above = rise / growth, from_below = (1.0f - rise) / growth;

    float4 value = max(spots[group] * exp(jump * (float)(2 * leaf - STEPS)) - strikes[group], 0.0f);
    for (int height = STEPS; height > 0; height--) {
        __local float4 *row = values[height & 1];
        row[leaf] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (leaf < height)
            value = from_above * row[leaf + 1] + from_below * value;
    }
    if (leaf == 0)
        prices[group] = value;
}

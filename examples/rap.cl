/* SPDX-License-Identifier: MIT */
/*
 * One step of the resource allocation problem by dynamic programming, for many independent problems side by
 * side: the best profit for each budget when one more activity may take part of it. From the Sigmoid and the
 * OmpSs paper. Irregular in a steady way: a row of work-items, one budget, tries as many parts as the budget
 * has, so that each package costs more than the one before.
 */
/* pitch: numbers from one budget's row to the next; at least problems. */
__kernel void rap(__global const uint *profits, __global const uint *best_before, __global uint *best,
                  uint pitch, uint problems, uint budgets)
{
    size_t problem = get_global_id(0);
    size_t budget = get_global_id(1);
    if (problem >= problems || budget >= budgets)
        return;

    uint most = 0;
    for (size_t part = 0; part <= budget; part++) {
        uint profit = profits[part * pitch + problem] + best_before[(budget - part) * pitch + problem];
        most = max(most, profit);
    }
    best[budget * pitch + problem] = most;
}

/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search by levels, two kernels a level. Which nodes a work-item writes to is known only from
 * the graph, and several may write the same node: always the same value, so their order does not matter.
 * Irregular: a work-item costs nothing where its node is not of the level, else by the node's edges. From no paper.
 */

/* Nodes of this level give their neighbours that nobody has seen the next level's number, and mark them. */
__kernel void visit(__global const uint *first, __global const uint *neighbour,
                    __global const uchar *frontier, __global const uchar *seen, __global uchar *next,
                    __global int *level, uint nodes, int number)
{
    size_t node = get_global_id(0);
    if (node >= nodes || !frontier[node])
        return;
    for (uint e = first[node]; e < first[node + 1]; e++) {
        uint to = neighbour[e];
        if (!seen[to]) {
            level[to] = number;
            next[to] = 1;
        }
    }
}

/* What was marked is the next frontier; tells whether there is one. */
__kernel void advance(__global uchar *frontier, __global uchar *seen, __global uchar *next,
                      __global int *more, uint nodes)
{
    size_t node = get_global_id(0);
    if (node >= nodes)
        return;
    frontier[node] = next[node];
    if (next[node]) {
        seen[node] = 1;
        next[node] = 0;
        *more = 1;
    }
}

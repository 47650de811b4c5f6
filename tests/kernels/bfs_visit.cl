/* SPDX-License-Identifier: MIT */
/* One level of a breadth-first search: marks and costs of neighbours, all writers agree. */
// expect: split
// kernel: bfs_visit
// arg: buffer int X+1 rising I*3
// arg: buffer int I*3+1 below W
// arg: buffer uchar X below 2
// arg: buffer uchar X zero
// arg: buffer uchar X below 2
// arg: buffer int X zero
// arg: int 5
// offset: no
// size: 480
// way: 3 merge 1
// way: 5 merge 4
// reads: 1 unknown
// way: 2 own
__kernel void bfs_visit(__global const int *first, __global const int *edges, __global uchar *frontier,
                        __global uchar *next, __global const uchar *visited, __global int *cost, int level)
{
    size_t i = get_global_id(0);
    if (!frontier[i])
        return;
    frontier[i] = 0;
    for (int e = first[i]; e < first[i + 1]; e++) {
        int to = edges[e];
        if (!visited[to]) {
            cost[to] = level;
            next[to] = 1;
        }
    }
}

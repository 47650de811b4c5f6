/* SPDX-License-Identifier: MIT */
/* The other half of a search: the next frontier, and whether there is one. */
// expect: split
// kernel: bfs_advance
// arg: buffer uchar X below 2
// arg: buffer uchar X below 2
// arg: buffer uchar X below 2
// arg: buffer uchar 1 zero
// part: 8..10 writes 0 512..640
// way: 1 own
// part: 8..10 writes 1 512..640
// part: 8..10 reads 1 512..640
// part: 8..10 writes 2 512..640
// part: 8..10 writes 3 0..1
// way: 0 own
// way: 2 own
// way: 3 merge 1
__kernel void bfs_advance(__global uchar *frontier, __global uchar *next, __global uchar *visited,
                          __global uchar *more)
{
    size_t i = get_global_id(0);
    if (next[i]) {
        frontier[i] = 1;
        visited[i] = 1;
        *more = 1;
        next[i] = 0;
    }
}

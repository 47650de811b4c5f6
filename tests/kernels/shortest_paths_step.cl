/* SPDX-License-Identifier: MIT */
/* Floyd and Warshall, one step: row and column k are read, and stay what they were. */
// expect: split
// kernel: shortest_paths_step
// dims: 2
// arg: buffer int W*H below 1000
// arg: int W
// arg: int 5
// size: 64,64
// local: 8,4
// cut: 1 by 1
// way: 0 own
// part: 8..10 writes 0 8192..10240
// part: 8..10 reads 0 1280..10240 boxed
// before: 0
__kernel void shortest_paths_step(__global int *d, int n, int k)
{
    int x = get_global_id(0), y = get_global_id(1);
    int through = d[y * n + k] + d[k * n + x];
    if (x != k && y != k && through < d[y * n + x])
        d[y * n + x] = through;
}

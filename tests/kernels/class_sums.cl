/* SPDX-License-Identifier: MIT */
/* k-means: nearest of eight centres, sums and counts by class. */
// expect: split
// kernel: class_sums
// arg: buffer int X*2 below 1000
// arg: buffer int 16 below 1000
// arg: buffer int 16 zero
// arg: buffer int 8 zero
// arg: buffer int X
// part: 8..10 reads 0 4096..5120
// part: 8..10 reads 1 0..64
// writes: 2 unknown
// reads: 2 unknown
// writes: 3 unknown
// reads: 3 unknown
// part: 8..10 writes 4 2048..2560 exact
// way: 2 private add 4
// way: 3 private add 4
// way: 4 own
__kernel void class_sums(__global const int *points, __global const int *centres, __global int *sums,
                         __global int *counts, __global int *classes)
{
    size_t i = get_global_id(0);
    int x = points[2 * i], y = points[2 * i + 1], best = 0, least = INT_MAX;
    for (int c = 0; c < 8; c++) {
        int dx = x - centres[2 * c], dy = y - centres[2 * c + 1], d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    classes[i] = best;
    atomic_add(&sums[2 * best], x);
    atomic_add(&sums[2 * best + 1], y);
    atomic_inc(&counts[best]);
}

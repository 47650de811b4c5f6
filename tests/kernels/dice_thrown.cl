/* SPDX-License-Identifier: MIT */
/* A Monte Carlo estimate: hits counted by atomics. */
// expect: split
// kernel: dice_thrown
// arg: buffer uint 1 zero
// arg: uint 1234
// part: 8..10 writes 0 0..4
// part: 8..10 reads 0 0..4
// way: 0 private add 4
__kernel void dice_thrown(__global uint *hits, uint seed)
{
    uint s = seed + get_global_id(0) * 2654435761u, own = 0;
    for (int k = 0; k < 50; k++) {
        s = s * 1664525u + 1013904223u;
        uint x = s >> 16;
        s = s * 1664525u + 1013904223u;
        uint y = s >> 16;
        own += x * x + y * y < 0x80000000u;
    }
    atomic_add(hits, own);
}

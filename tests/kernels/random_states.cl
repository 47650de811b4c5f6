/* SPDX-License-Identifier: MIT */
/* A random generator's states, advanced and used. */
// expect: split
// kernel: random_states
// arg: buffer uint X*4
// arg: buffer float X*5
// way: 0 own
// part: 8..10 writes 0 8192..10240 exact
// part: 8..10 reads 0 8192..10240
// way: 1 own
// part: 8..10 writes 1 10240..12800 exact
__kernel void random_states(__global uint4 *states, __global float *out)
{
    size_t i = get_global_id(0);
    uint4 s = states[i];
    for (int k = 0; k < 5; k++) {
        uint t = s.x ^ (s.x << 11);
        s = (uint4)(s.yzw, s.w ^ (s.w >> 19) ^ t ^ (t >> 8));
        out[5 * i + k] = (float)(s.w >> 8) / 16777216.0f;
    }
    states[i] = s;
}

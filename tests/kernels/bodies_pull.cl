/* SPDX-License-Identifier: MIT */
/* Every body pulls every other one. */
// expect: split
// kernel: bodies_pull
// arg: buffer float4 X
// arg: buffer float4 X
// arg: int X
// size: 256
// local: 16
// part: 8..10 reads 0 0..4096
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
// part: 8..10 reads 1 2048..2560
__kernel void bodies_pull(__global const float4 *at, __global float4 *speed, int n)
{
    int i = get_global_id(0);
    float4 self = at[i], sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 d = at[j] - self;
        float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
        sum += d * (at[j].w / (r * sqrt(r)));
    }
    speed[i] += 0.01f * sum;
}

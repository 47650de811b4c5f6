/* SPDX-License-Identifier: MIT */
/* Forces from a list of neighbours of fixed length. */
// expect: split
// kernel: neighbours_forces
// arg: buffer float4 X
// arg: buffer int X*8 below X
// arg: buffer float4 X
// arg: int X
// reads: 0 unknown
// reads: 1 known
__kernel void neighbours_forces(__global const float4 *at, __global const int *list, __global float4 *force, int n)
{
    int i = get_global_id(0);
    float4 sum = 0.0f;
    for (int j = 0; j < 8; j++) {
        float4 d = at[i] - at[list[j * n + i]];
        sum += d * native_recip(1.0f + dot(d, d));
    }
    force[i] = sum;
}

/* SPDX-License-Identifier: MIT */
/* A number below 0 that is no sentinel: what was found last, if anything was, is written to. */
// expect: any (merged, or whole)
// kernel: sentinel_last_seen
// arg: buffer uint X below 9
// arg: buffer uint X*8
// way: 1 merge 4
__kernel void sentinel_last_seen(__global const uint *in, __global uint *out)
{
    int seen = -1, at = (int)get_global_id(0);
    for (int k = 0; k < 8; k++) {
        seen = in[at] == (uint)k ? at * 8 + k : seen < 0 ? -1 : seen + 1;
        if (seen >= 0 && seen < at * 8 + 8)
            out[seen] = (uint)k;
    }
}

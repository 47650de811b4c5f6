/* SPDX-License-Identifier: MIT */
/* Sixty rounds of mixing over blocks of sixteen words. */
// expect: split
// kernel: digests_mixed
// arg: buffer uint X*16
// arg: buffer uint X*4
// part: 8..10 reads 0 32768..40960
// way: 1 own
// part: 8..10 writes 1 8192..10240 exact
uint digests_mixed_round(uint a, uint b, uint c, uint w)
{
    return rotate(a + ((b & c) | (~b & a)) + w + 0x5a827999u, 7u) ^ b;
}
__kernel void digests_mixed(__global const uint *in, __global uint *out)
{
    size_t i = get_global_id(0);
    uint w[16], a = 1, b = 2, c = 3, d = 4;
    for (int k = 0; k < 16; k++)
        w[k] = in[16 * i + k];
    for (int k = 0; k < 60; k++) {
        uint t = digests_mixed_round(a, b, c, w[(k * 5 + 1) & 15]);
        a = d;
        d = c;
        c = b;
        b = t;
    }
    vstore4((uint4)(a, b, c, d), i, out);
}

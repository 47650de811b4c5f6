/* SPDX-License-Identifier: MIT */
/* Streams in place where sizes are powers of two, known when it is compiled, in 64-bit numbers. */
// expect: split
// kernel: stream_line_masked
// size: 4096
// arg: buffer int X*9
// arg: ulong 1
// way: 0 own
// before: no 0
#define NX 32ul
#define NY 128ul
__kernel void stream_line_masked(__global int *f, ulong step)
{
    const ulong n = get_global_id(0);
    if (n >= NX * NY)
        return;
    const ulong x = n & (NX - 1), y = n / NX;
    const ulong to[4] = {((x + 1) & (NX - 1)) + NX * y, x + NX * ((y + 1) & (NY - 1)),
                         ((x + 1) & (NX - 1)) + NX * ((y + 1) & (NY - 1)), ((x + 1) & (NX - 1)) + NX * ((y - 1) & (NY - 1))};
#define PAIR(i)                                                                                \
    {                                                                                          \
        const ulong own = (step % 2 ? 2 * i + 1 : 2 * i + 2) * NX * NY + n;                    \
        const ulong other = (step % 2 ? 2 * i + 2 : 2 * i + 1) * NX * NY + to[i];              \
        const int here = f[own];                                                               \
        f[own] = f[other] + 1;                                                                 \
        f[other] = here - 1;                                                                   \
    }
    f[n] ^= 1;
    PAIR(0)
    PAIR(1)
    PAIR(2)
    PAIR(3)
}

/* SPDX-License-Identifier: MIT */
/* Nine directions in a plane that is a line of items; its sizes are macros, one of them a power of two. */
// expect: split
// kernel: array_nine
// size: 1600
// local: 50
// arg: buffer float X*9
// arg: int 0
// way: 0 own
// before: no 0
#define NINE_NX 64u
#define NINE_NY 25u
__kernel void array_nine(__global float *f, int odd)
{
    const uint n = get_global_id(0), x = n % NINE_NX, y = n / NINE_NX;
    const uint xp = (x + 1u) % NINE_NX, xm = (x + NINE_NX - 1u) % NINE_NX;
    const uint yp = (y + 1u) % NINE_NY * NINE_NX, ym = (y + NINE_NY - 1u) % NINE_NY * NINE_NX;
    const uint to[9] = {n,       xp + y * NINE_NX, xm + y * NINE_NX, x + yp, x + ym,
                        xp + yp, xm + ym,          xp + ym,          xm + yp};
    float here[9], sum = 0.0f;
    for (uint i = 0u; i < 9u; i++) {
        const uint slot = i == 0u ? 0u : i % 2u ? (odd ? i : i + 1u) : (odd ? i : i - 1u);
        here[i] = f[slot * NINE_NX * NINE_NY + (i > 0u && i % 2u == 0u ? to[i - 1u] : n)];
        sum += here[i];
    }
    f[n] = 0.5f * here[0] + sum / 18.0f;
    for (uint i = 1u; i < 9u; i += 2u) {
        f[(odd ? i + 1u : i) * NINE_NX * NINE_NY + to[i]] = 0.5f * here[i] + sum / 18.0f;
        f[(odd ? i : i + 1u) * NINE_NX * NINE_NY + n] = 0.5f * here[i + 1u] + sum / 18.0f;
    }
}

/* SPDX-License-Identifier: MIT */
/* As array_nineteen: sizes of the ring are macros, cells are halves, neighbours have 64 bits. */
// expect: split
// kernel: array_nineteen_halves
// size: 1365
// local: 65
// arg: buffer ushort X*19
// arg: buffer uchar X
// arg: ulong 4
// way: 0 own
// before: no 0
#define HALVES_NX 15u
#define HALVES_NY 13u
#define HALVES_NZ 7u
#define HALVES_CELLS 1365ul
void array_halves_at(const ulong n, uint *x, uint *y, uint *z)
{
    const uint rest = (uint)(n % (HALVES_NX * HALVES_NY));
    *x = rest % HALVES_NX;
    *y = rest / HALVES_NX;
    *z = (uint)(n / (HALVES_NX * HALVES_NY));
}

void array_halves_around(const ulong n, ulong *to)
{
    uint x, y, z;
    array_halves_at(n, &x, &y, &z);
    const ulong row = HALVES_NX, plane = HALVES_NX * HALVES_NY;
    const ulong x0 = x, xp = (x + 1u) % HALVES_NX, xm = (x + HALVES_NX - 1u) % HALVES_NX;
    const ulong y0 = y * row, yp = (y + 1u) % HALVES_NY * row, ym = (y + HALVES_NY - 1u) % HALVES_NY * row;
    const ulong z0 = z * plane, zp = (z + 1u) % HALVES_NZ * plane, zm = (z + HALVES_NZ - 1u) % HALVES_NZ * plane;
    to[0] = n;
    to[1] = xp + y0 + z0, to[2] = xm + y0 + z0;
    to[3] = x0 + yp + z0, to[4] = x0 + ym + z0;
    to[5] = x0 + y0 + zp, to[6] = x0 + y0 + zm;
    to[7] = xp + yp + z0, to[8] = xm + ym + z0;
    to[9] = xp + y0 + zp, to[10] = xm + y0 + zm;
    to[11] = x0 + yp + zp, to[12] = x0 + ym + zm;
    to[13] = xp + ym + z0, to[14] = xm + yp + z0;
    to[15] = xp + y0 + zm, to[16] = xm + y0 + zp;
    to[17] = x0 + yp + zm, to[18] = x0 + ym + zp;
}

float array_halves_get(const __global half *f, const ulong at)
{
    return vload_half(at, f);
}

void array_halves_put(__global half *f, const ulong at, const float value)
{
    vstore_half_rte(value, at, f);
}

void array_halves_load(const ulong n, float *here, const __global half *f, const ulong *to, const ulong step)
{
    here[0] = array_halves_get(f, n);
    for (uint i = 1u; i < 19u; i += 2u) {
        here[i] = array_halves_get(f, (step % 2ul ? i : i + 1u) * HALVES_CELLS + n);
        here[i + 1u] = array_halves_get(f, (step % 2ul ? i + 1u : i) * HALVES_CELLS + to[i]);
    }
}

void array_halves_store(const ulong n, const float *here, __global half *f, const ulong *to, const ulong step)
{
    array_halves_put(f, n, here[0]);
    for (uint i = 1u; i < 19u; i += 2u) {
        array_halves_put(f, (step % 2ul ? i + 1u : i) * HALVES_CELLS + to[i], here[i]);
        array_halves_put(f, (step % 2ul ? i : i + 1u) * HALVES_CELLS + n, here[i + 1u]);
    }
}

__kernel void array_nineteen_halves(__global half *f, __global const uchar *solid, ulong step)
{
    const ulong n = get_global_id(0);
    if (n >= HALVES_CELLS || solid[n] > 200)
        return;
    ulong to[19];
    float here[19], mean = 0.0f;
    array_halves_around(n, to);
    array_halves_load(n, here, f, to, step);
    for (uint i = 0u; i < 19u; i++)
        mean += clamp(here[i], -4.0f, 4.0f);
    mean /= 19.0f;
    for (uint i = 0u; i < 19u; i++)
        here[i] = fma(0.25f, mean - clamp(here[i], -4.0f, 4.0f), clamp(here[i], -4.0f, 4.0f));
    array_halves_store(n, here, f, to, step);
}

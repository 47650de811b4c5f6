/* SPDX-License-Identifier: MIT */
/* Streams in place on a ring by a private array of neighbours, which loops over pairs of directions index. */
// expect: split
// kernel: array_nineteen
// llvm: 16
// size: 1950
// local: 65
// arg: buffer float X*19
// arg: buffer uchar X
// arg: ulong 1
// arg: uint 15
// arg: uint 10
// arg: uint X/150
// way: 0 own
// before: no 0
void array_nineteen_around(const uint n, const uint nx, const uint ny, const uint nz, uint *to)
{
    const uint plane = nx * ny, rest = n % plane, x = rest % nx, y = rest / nx, z = n / plane;
    const uint xp = (x + 1u) % nx, xm = (x + nx - 1u) % nx;
    const uint yo = y * nx, yp = (y + 1u) % ny * nx, ym = (y + ny - 1u) % ny * nx;
    const uint zo = z * plane, zp = (z + 1u) % nz * plane, zm = (z + nz - 1u) % nz * plane;
    to[0] = n;
    to[1] = xp + yo + zo;
    to[2] = xm + yo + zo;
    to[3] = x + yp + zo;
    to[4] = x + ym + zo;
    to[5] = x + yo + zp;
    to[6] = x + yo + zm;
    to[7] = xp + yp + zo;
    to[8] = xm + ym + zo;
    to[9] = xp + yo + zp;
    to[10] = xm + yo + zm;
    to[11] = x + yp + zp;
    to[12] = x + ym + zm;
    to[13] = xp + ym + zo;
    to[14] = xm + yp + zo;
    to[15] = xp + yo + zm;
    to[16] = xm + yo + zp;
    to[17] = x + yp + zm;
    to[18] = x + ym + zp;
}

ulong array_nineteen_place(const uint n, const uint slot, const ulong cells)
{
    return (ulong)slot * cells + (ulong)n;
}

__kernel void array_nineteen(__global float *f, __global const uchar *solid, ulong step, uint nx, uint ny, uint nz)
{
    const uint n = get_global_id(0);
    const ulong cells = (ulong)nx * ny * nz;
    if (n >= (uint)cells || solid[n] > 200)
        return;
    uint to[19];
    float here[19], mean = 0.0f;
    array_nineteen_around(n, nx, ny, nz, to);
    here[0] = f[array_nineteen_place(n, 0, cells)];
    for (uint i = 1; i < 19; i += 2) {
        here[i] = f[array_nineteen_place(n, step % 2ul ? i : i + 1u, cells)];
        here[i + 1] = f[array_nineteen_place(to[i], step % 2ul ? i + 1u : i, cells)];
    }
    for (uint i = 0; i < 19; i++)
        mean += here[i];
    mean /= 19.0f;
    for (uint i = 0; i < 19; i++)
        here[i] += 0.25f * (mean - here[i]);
    f[array_nineteen_place(n, 0, cells)] = here[0];
    for (uint i = 1; i < 19; i += 2) {
        f[array_nineteen_place(to[i], step % 2ul ? i + 1u : i, cells)] = here[i];
        f[array_nineteen_place(n, step % 2ul ? i : i + 1u, cells)] = here[i + 1];
    }
}

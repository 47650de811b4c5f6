/* SPDX-License-Identifier: MIT */
/* Nine directions in a plane that is a line of items, slots by cell (all nine of a cell beside each other), in 16 bits. */
// expect: split
// kernel: array_nine_words
// size: 2048
// local: 64
// arg: buffer ushort X*9
// arg: uint 3
// arg: int 32
// arg: int X/32
// way: 0 own
// before: no 0
void array_nine_around(const uint n, const uint nx, const uint ny, uint *to)
{
    const uint x = n % nx, y = n / nx;
    const uint xp = x + 1 < nx ? x + 1 : 0, xm = x > 0 ? x - 1 : nx - 1;
    const uint yp = y + 1 < ny ? y + 1 : 0, ym = y > 0 ? y - 1 : ny - 1;
    to[0] = n;
    to[1] = xp + y * nx;
    to[2] = xm + y * nx;
    to[3] = x + yp * nx;
    to[4] = x + ym * nx;
    to[5] = xp + yp * nx;
    to[6] = xm + ym * nx;
    to[7] = xp + ym * nx;
    to[8] = xm + yp * nx;
}

__kernel void array_nine_words(__global ushort *f, uint step, int width, int height)
{
    const uint n = get_global_id(0), odd = step & 1u;
    uint to[9];
    int here[9], sum = 0;
    array_nine_around(n, (uint)width, (uint)height, to);
    here[0] = f[9 * n];
    for (int i = 1; i < 9; i += 2) {
        here[i] = f[9 * n + (odd ? i : i + 1)];
        here[i + 1] = f[9 * to[i] + (odd ? i + 1 : i)];
    }
    for (int i = 0; i < 9; i++)
        sum += here[i];
    f[9 * n] = (ushort)(here[0] + (sum / 9 - here[0]) / 4);
    for (int i = 1; i < 9; i += 2) {
        f[9 * to[i] + (odd ? i + 1 : i)] = (ushort)(here[i] + (sum / 9 - here[i]) / 4);
        f[9 * n + (odd ? i : i + 1)] = (ushort)(here[i + 1] + (sum / 9 - here[i + 1]) / 4);
    }
}

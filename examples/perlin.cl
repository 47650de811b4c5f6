/* SPDX-License-Identifier: MIT */
/*
 * Perlin's gradient noise as a cloudy picture: several octaves of noise in space, whose third coordinate is
 * the time of the frame. From the OmpSs paper. Regular: every pixel costs the same.
 */
#pragma OPENCL FP_CONTRACT OFF

static float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static float between(float t, float a, float b)
{
    return a + t * (b - a);
}

/* The product of (x, y, z) with one of the twelve directions to the middles of a cube's edges. */
static float slope(uint hash, float x, float y, float z)
{
    uint h = hash & 15;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

/* table: the numbers 0 to 255 in random order, twice. */
static float gradient_noise(__constant uchar *table, float x, float y, float z)
{
    float fx = floor(x), fy = floor(y), fz = floor(z);
    uint ix = (uint)(int)fx & 255, iy = (uint)(int)fy & 255, iz = (uint)(int)fz & 255;
    x -= fx;
    y -= fy;
    z -= fz;
    float u = fade(x), v = fade(y), w = fade(z);
    uint a = table[ix] + iy, b = table[ix + 1] + iy;
    uint aa = table[a] + iz, ab = table[a + 1] + iz;
    uint ba = table[b] + iz, bb = table[b + 1] + iz;
    float front =
        between(v, between(u, slope(table[aa], x, y, z), slope(table[ba], x - 1.0f, y, z)),
                between(u, slope(table[ab], x, y - 1.0f, z), slope(table[bb], x - 1.0f, y - 1.0f, z)));
    z -= 1.0f;
    float back = between(
        v, between(u, slope(table[aa + 1], x, y, z), slope(table[ba + 1], x - 1.0f, y, z)),
        between(u, slope(table[ab + 1], x, y - 1.0f, z), slope(table[bb + 1], x - 1.0f, y - 1.0f, z)));
    return between(w, front, back);
}

__kernel void perlin(__global uchar4 *picture, uint side, __constant uchar *table, int octaves, float time)
{
    size_t column = get_global_id(0);
    size_t row = get_global_id(1);
    if (column >= side || row >= side)
        return;

    float sum = 0.0f, scale = 1.0f / 64.0f, weight = 0.5f;
    for (int octave = 0; octave < octaves; octave++) {
        sum += weight * gradient_noise(table, (float)column * scale, (float)row * scale, time);
        scale *= 2.0f;
        weight *= 0.5f;
    }
    uchar level = (uchar)clamp(127.5f + 127.5f * sum, 0.0f, 255.0f);
    picture[row * side + column] = (uchar4)(level, level, 255, 255);
}

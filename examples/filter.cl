/* SPDX-License-Identifier: MIT */
/*
 * Three filters on one picture in place, from the Marrow paper: noise, solarize and mirror. Each work-item
 * handles two pixels of one line, so that whole lines can be shared out and what one filter left on a device
 * is what the next one needs there. Regular, and bound by memory.
 */
static uint scramble(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Adds one number to red, green and blue: the sum of four random bytes, which is nearly Gaussian. */
static uchar4 with_noise(uchar4 pixel, uint place, uint seed, int strength)
{
    uint bits = scramble(place ^ seed);
    int sum = (int)(bits & 255) + (int)(bits >> 8 & 255) + (int)(bits >> 16 & 255) + (int)(bits >> 24) - 510;
    int change = sum * strength / 256;
    int4 noisy = convert_int4(pixel) + (int4)(change, change, change, 0);
    return convert_uchar4_sat(noisy);
}

static uchar4 solarized(uchar4 pixel, uchar threshold)
{
    uchar4 negative = (uchar4)(255) - pixel;
    uchar4 changed = pixel > threshold ? negative : pixel;
    return (uchar4)(changed.xyz, pixel.w);
}

__kernel void noise(__global uchar4 *picture, uint width, uint height, uint seed, int strength)
{
    uint half_width = (width + 1) / 2;
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= half_width || y >= height)
        return;
    uint place = y * width + x;
    picture[place] = with_noise(picture[place], place, seed, strength);
    if (x + half_width < width)
        picture[place + half_width] =
            with_noise(picture[place + half_width], place + half_width, seed, strength);
}

__kernel void solarize(__global uchar4 *picture, uint width, uint height, uchar threshold)
{
    uint half_width = (width + 1) / 2;
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= half_width || y >= height)
        return;
    uint place = y * width + x;
    picture[place] = solarized(picture[place], threshold);
    if (x + half_width < width)
        picture[place + half_width] = solarized(picture[place + half_width], threshold);
}

__kernel void mirror(__global uchar4 *picture, uint width, uint height)
{
    uint half_width = (width + 1) / 2;
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= half_width || y >= height)
        return;
    uint left = y * width + x;
    uint right = y * width + (width - 1 - x);
    uchar4 pixel = picture[left];
    picture[left] = picture[right];
    picture[right] = pixel;
}

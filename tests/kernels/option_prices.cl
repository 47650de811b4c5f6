/* SPDX-License-Identifier: MIT */
/* Option prices by Black and Scholes. */
// expect: split
// kernel: option_prices
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// arg: buffer float X
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
// way: 3 own
// part: 8..10 writes 3 2048..2560 exact
float option_prices_normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float p = 1.0f - 0.39894228f * exp(-0.5f * x * x) * k * (0.31938153f + k * (-0.35656378f + k * 1.7814779f));
    return x < 0 ? 1.0f - p : p;
}
__kernel void option_prices(__global const float *stock, __global const float *strike, __global float *call,
                            __global float *put)
{
    size_t i = get_global_id(0);
    float s = fabs(stock[i]) + 1.0f, x = fabs(strike[i]) + 1.0f;
    float d1 = (log(s / x) + 0.065f) / 0.3f, d2 = d1 - 0.3f;
    float c = s * option_prices_normal(d1) - x * 0.98f * option_prices_normal(d2);
    call[i] = c;
    put[i] = c + x * 0.98f - s;
}

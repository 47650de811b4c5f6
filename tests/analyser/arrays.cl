/* SPDX-License-Identifier: MIT */
/* Loops through private arrays of indices, and how far they are unrolled. */

//! scattered on 1024/64 way out merge 4
/* One store that is repeated may still meet itself, as when its loop is one. */
kernel void scattered(global int *out, global const int *place)
{
    int at[4], i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        at[k] = place[4 * i + k];
    for (int k = 0; k < 4; k++)
        out[at[k]] = k + i;
}

//! nested on 1024/64 n=3 part 2..3 out writes 2048..3072 exact
//! nested on 1024/64 n=3 way out own
kernel void nested(global int *out, int n)
{
    int at[2][2], i = get_global_id(0);
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 2; k++)
            at[j][k] = 4 * i + (2 * j + k ^ n & 0);
    for (int j = 1; j >= 0; j--)
        for (int k = 0; k < 2; k++)
            out[at[j][1 - k]] = k;
}

//! walked on 1024/64 way out own
kernel void walked(global int *out)
{
    int at[6], i = get_global_id(0), k = 0;
    do {
        at[k] = 6 * i + (k + 1) % 6;
        k++;
    } while (k != 6);
    for (int j = 5; j > 0; j -= 2)
        out[at[j]] = out[at[j - 1]];
}

//! by_number on 1024/64 n=3 way out merge 4
/* Which of them is read depends on the launch. */
kernel void by_number(global int *out, uint n)
{
    int at[3], i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        at[k] = 3 * i + k * k % 3;
    out[at[n]] = i;
}

//! with_bound on 1024/64 n=3 way out merge 4
kernel void with_bound(global int *out, int n)
{
    int at[8], i = get_global_id(0);
    for (int k = 0; k < n; k++)
        at[k] = 8 * i + (k ^ 3);
    for (int k = 0; k < n; k++)
        out[at[k]] = i;
}

//! left_early on 1024/64 way out own
/* The loop may end before its count does. */
kernel void left_early(global int *out, global const int *last)
{
    int at[8], i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        at[k] = 8 * i + (k ^ 5);
    for (int k = 0; k < 8 && k < last[i]; k++)
        out[at[k]] = i;
}

//! very_often on 1024/64 way out merge 4
/* 64 times 64 copies are too many. */
kernel void very_often(global int *out)
{
    int at[64], i = get_global_id(0), sum = 0;
    for (int k = 0; k < 64; k++)
        at[k] = 64 * i + (k ^ 21);
    for (int j = 0; j < 64; j++)
        for (int k = 0; k < 64; k++)
            out[at[k]] = (sum += at[j]);
}

//! wraps_around on 1024/64 way out merge 4
/* The counter passes its end by, and is small again. */
kernel void wraps_around(global int *out)
{
    int at[4], i = get_global_id(0);
    for (uchar k = 0; k != 9; k += 2) {
        at[k & 3] = 4 * i + k;
        if (k > 100)
            break;
    }
    out[at[i & 1]] = i;
}

//! two_alike on 1024/64 way out merge 4
/* Items of different work-groups have one place. */
kernel void two_alike(global int *out)
{
    int at[3], i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        at[k] = 2 * i + k;
    for (int k = 0; k < 3; k++)
        out[at[k]] = i;
}

//! passed_on on 1024/64 n=9 way out own
/* A function of some size fills the array. */
void fill(int i, int n, int *at)
{
    int x = i % 16, y = i / 16, a = x + n, b = y + n, c = a * b, d = c - n, e = a ^ b, f = e - d;
    at[0] = 8 * i + 0 * (a + b + c + d + e + f + x + y);
    at[1] = 8 * i + 1 + 0 * (a - b + c - d + e - f + x - y);
    at[2] = 8 * i + 2 + 0 * (a * b + c * d + e * f + x * y);
    at[3] = 8 * i + 3 + 0 * (a ^ b + c ^ d + e ^ f + x ^ y);
    at[4] = 8 * i + 4 + 0 * (a | b + c | d + e | f + x | y);
    at[5] = 8 * i + 5 + 0 * (a & b + c & d + e & f + x & y);
    at[6] = 8 * i + 6 + 0 * (a + b + c + d + e + f + x + y);
    at[7] = 8 * i + 7 + 0 * (a + b + c + d + e + f + x + y);
}
kernel void passed_on(global int *out, int n)
{
    int at[8], i = get_global_id(0);
    fill(i, n, at);
    for (int k = 0; k < 8; k++)
        out[at[k ^ 1]] = k;
}

//! unrolled_elsewhere on 1024/64 way out own
//! unrolled_elsewhere on 1024/64 all in reads 0..400000
/* What the program asks to have unrolled stays a loop. */
kernel void unrolled_elsewhere(global int *out, global const int *in)
{
    int sum = 0, i = get_global_id(0);
#pragma unroll
    for (int k = 0; k < 100000; k++)
        sum += in[k];
    out[i] = sum;
}

constant char table_x[5] = {0, 1, 0, -1, 0}, table_y[5] = {0, 0, 1, 0, -1};
constant int table_back[5] = {0, 3, 4, 1, 2};

//! pulled_by_table on 2640/60 nx=60,ny=44 part 10..20 from reads in 2400+2400 12960+2400 23280+2400 33840+2880 44880+2400
kernel void pulled_by_table(global const float *from, global float *to, int nx, int ny)
{
    int n = get_global_id(0), x = n % nx, y = n / nx;
    float here[5];
    for (int i = 0; i < 5; i++) {
        int xn = (x - table_x[i] + nx) % nx, yn = (y - table_y[i] + ny) % ny;
        here[i] = from[(i * ny + yn) * nx + xn];
    }
    for (int i = 0; i < 5; i++)
        to[(i * ny + y) * nx + x] = here[i];
}

//! pushed_by_table on 2640/60 nx=60,ny=44 way to own
//! pushed_by_table on 2640/60 nx=60,ny=45 way to own
kernel void pushed_by_table(global const float *from, global float *to, int nx, int ny)
{
    int n = get_global_id(0), x = n % nx, y = n / nx;
    for (int i = 0; i < 5; i++) {
        int xn = (x + table_x[i] + nx) % nx, yn = (y + table_y[i] + ny) % ny;
        to[(i * ny + yn) * nx + xn] = from[(i * ny + y) * nx + x];
    }
}

//! in_place_by_table on 2640/60 nx=60,ny=44 way f own
//! in_place_by_table on 2640/60 nx=60,ny=44 splits 0
/* What arrives from behind goes on ahead: each item has all its places for itself. */
kernel void in_place_by_table(global float *f, int nx, int ny)
{
    int n = get_global_id(0), x = n % nx, y = n / nx;
    float here[5];
    for (int i = 0; i < 5; i++) {
        int xn = (x - table_x[i] + nx) % nx, yn = (y - table_y[i] + ny) % ny;
        here[i] = f[(table_back[i] * ny + yn) * nx + xn];
    }
    for (int i = 0; i < 5; i++) {
        int xn = (x + table_x[i] + nx) % nx, yn = (y + table_y[i] + ny) % ny;
        f[(i * ny + yn) * nx + xn] = here[i];
    }
}

//! wrong_slot_by_table on 2640/60 nx=60,ny=44 mended read-overlap
/* Reads the slots that it does not write: those of others. */
kernel void wrong_slot_by_table(global float *f, int nx, int ny)
{
    int n = get_global_id(0), x = n % nx, y = n / nx;
    float here[5];
    for (int i = 0; i < 5; i++) {
        int xn = (x - table_x[i] + nx) % nx, yn = (y - table_y[i] + ny) % ny;
        here[i] = f[(i * ny + yn) * nx + xn];
    }
    for (int i = 0; i < 5; i++) {
        int xn = (x + table_x[i] + nx) % nx, yn = (y + table_y[i] + ny) % ny;
        f[(i * ny + yn) * nx + xn] = here[i];
    }
}

//! below_zero on 2640/60 nx=60,ny=44 way g own
//! below_zero on 2640/60 nx=60,ny=44 splits 0
//! below_zero on 2640/60 nx=59,ny=44 way g merge 4
/* Coordinates that wrap by comparing with zero and with the size, one after the other. */
kernel void below_zero(global const float *f, global float *g, int nx, int ny)
{
    int n = get_global_id(0), x = n % 60, y = n / 60;
    for (int i = 1; i < 5; i++) {
        int xn = x + table_x[i], yn = y + table_y[i];
        if (xn < 0)
            xn += nx;
        if (xn >= nx)
            xn -= nx;
        if (yn < 0)
            yn += ny;
        if (yn >= ny)
            yn -= ny;
        g[(i * ny + yn) * 60 + xn] = f[n];
    }
}

//! last_or_before on 2640/60 nx=60,ny=44 way g own
//! last_or_before on 2640/60 nx=60,ny=43 way g merge 4
kernel void last_or_before(global float *g, int nx, int ny)
{
    int n = get_global_id(0), x = n % 60, y = n / 60;
    int xn = x + 1, yn = y - 1;
    if (xn >= nx)
        xn = 0;
    if (yn < 0)
        yn = ny - 1;
    g[yn * 60 + xn] = n;
}

/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */

//! vecadd on 1024/64 n=1024 splits 0
//! vecadd on 1024/64 n=1024 part 2..4 a reads 512..1024
//! vecadd on 1024/64 n=1024 part 2..4 c writes 512..1024 exact
//! vecadd on 1024/64 n=1000 part 14..16 c writes 3584..4000 exact
//! vecadd on 1024/64 n=500 part 9..16 c writes nothing
//! vecadd on 1024/64 n=0 part 0..16 c writes nothing
//! vecadd on 1000/64 n=2000 part 14..16 c writes 3584..4000
//! vecadd on 1024+100/64 n=2000 part 0..1 c writes 400..656 exact
kernel void vecadd(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

//! early_return on 1024/64 n=1000 splits 0
//! early_return on 1024/64 n=1000 part 14..16 c writes 3584..4000 exact
kernel void early_return(global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = 1.0f;
}

//! saxpy on 4096/128 splits 0
//! saxpy on 4096/128 part 1..2 y writes 512..1024 exact
//! saxpy on 4096/128 part 1..2 y reads 512..1024
kernel void saxpy(global float *y, global const float *x, float a)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}

/*
 * w and h are smaller than the range: rows in the last group are cut off. What clamp() may cut off elsewhere widens the rows read; with a
 * range that fits there is one row around.
 */
//! stencil on 64/16,64/16 w=60,h=50 splits 1
//! stencil on 64/16,64/16 w=60,h=50 part 1..2 out writes 3840..7680 exact
//! stencil on 64/16,64/16 w=60,h=50 part 1..2 in reads 0..8168
//! stencil on 64/16,64/16 w=64,h=64 part 1..2 in reads 3576..8712
//! stencil on 64/16,64/16 w=60,h=50 part 3..4 out writes 11520..12000 exact
//! stencil on 64/16,64/16 w=60,h=50 part 0..1 in reads 0..4328
kernel void stencil(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = clamp(x + dx, 0, w - 1), yy = clamp(y + dy, 0, h - 1);
            s += in[yy * w + xx];
        }
    out[y * w + x] = s / 9;
}

//! interior on 64/8,64/8 w=64,h=64 splits 1
//! interior on 64/8,64/8 w=64,h=64 part 0..1 out writes 260..2044
//! interior on 64/8,64/8 w=64,h=64 part 1..2 in reads 1796..4348
kernel void interior(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = in[(y - 1) * w + x] + in[(y + 1) * w + x] + in[y * w + x - 1] + in[y * w + x + 1];
}

//! matmul on 256/16,256/16 n=256 splits 1
//! matmul on 256/16,256/16 n=256 part 2..3 C writes 32768..49152 exact
//! matmul on 256/16,256/16 n=256 part 2..3 A reads 32768..49152
//! matmul on 256/16,256/16 n=256 part 2..3 B reads 0..262144
kernel void matmul(global const float *A, global const float *B, global float *C, int n)
{
    local float ta[16][16], tb[16][16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int row = get_group_id(1) * 16 + ly, col = get_group_id(0) * 16 + lx;
    float acc = 0;
    for (int t = 0; t < n / 16; t++) {
        ta[ly][lx] = A[row * n + t * 16 + lx];
        tb[ly][lx] = B[(t * 16 + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            acc += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = acc;
}

//! nbody on 1024/64 n=1024 splits 0
//! nbody on 1024/64 n=1024 part 0..8 p reads 0..16384
//! nbody on 1024/64 n=1024 part 0..8 v writes 0..8192 exact
//! nbody on 1024/64 n=1024 part 0..8 v reads 0..8192
kernel void nbody(global const float4 *p, global float4 *v, global float4 *np, int n, float dt)
{
    int i = get_global_id(0);
    float4 a = 0, me = p[i];
    for (int j = 0; j < n; j++) {
        float4 d = p[j] - me;
        a += d * rsqrt(dot(d, d) + 1e-3f);
    }
    v[i] += a * dt;
    np[i] = me + v[i] * dt;
}

//! mandelbrot on 640/32,480/8 width=640,limit=1000 splits 1
//! mandelbrot on 640/32,480/8 width=640,limit=1000 part 10..20 out writes 204800..409600 exact
kernel void mandelbrot(global uint *out, uint width, uint limit)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float cx = x * 0.001f, cy = y * 0.001f, zx = 0, zy = 0;
    uint it = 0;
    while (it < limit && zx * zx + zy * zy < 4) {
        float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        it++;
    }
    out[y * width + x] = it;
}

//! reduce on 4096/64 n=4000 splits 0
//! reduce on 4096/64 n=4000 part 8..16 out writes 32..64 exact
//! reduce on 4096/64 n=4000 part 56..64 in reads 14336..16000
kernel void reduce(global const float *in, global float *out, local float *tmp, int n)
{
    int i = get_global_id(0), l = get_local_id(0);
    tmp[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            tmp[l] += tmp[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tmp[0];
}

/* three dimensions, each with its own stride */
//! volume on 32/4,16/4,8/2 splits 2
//! volume on 32/4,16/4,8/2 part 1..2 v writes 4096..8192 exact
kernel void volume(global float *v)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    v[(z * get_global_size(1) + y) * get_global_size(0) + x] = 0;
}

//! linear on 64/8,32/4 splits 1
//! linear on 64/8,32/4 part 1..3 v writes 1024..3072 exact
kernel void linear(global float *v)
{
    size_t w = get_global_size(0);
    v[get_global_id(1) * w + get_global_id(0)] = w;
}

/* columns along the slow dimension: only the fast one separates */
//! transpose on 64/16,64/16 n=64 splits 0
//! transpose on 64/16,64/16 n=64 part 1..2 out writes 4096..8192 exact
//! transpose on 64/16,64/16 n=64 part 1..2 in reads 64..16256
kernel void transpose(global const float *in, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

/* each item writes four elements beside each other */
//! four on 256/64 splits 0
//! four on 256/64 part 1..2 out writes 1024..2048 exact
kernel void four(global float *out)
{
    int i = get_global_id(0) * 4;
    out[i] = 0;
    out[i + 1] = 1;
    out[i + 2] = 2;
    out[i + 3] = 3;
}

/* and here one of the four is left as it was */
//! three_of_four on 256/64 splits 0
//! three_of_four on 256/64 part 1..2 out writes 1024..2044
kernel void three_of_four(global float *out)
{
    int i = get_global_id(0) * 4;
    out[i] = 0;
    out[i + 1] = 1;
    out[i + 2] = 2;
}

//! row_loop on 128/16 w=100 splits 0
//! row_loop on 128/16 w=100 part 1..2 m writes 6400..12800 exact
//! row_loop on 128/16 w=100 part 1..2 v reads 0..400
kernel void row_loop(global float *m, global const float *v, int w)
{
    int y = get_global_id(0);
    for (int x = 0; x < w; x++)
        m[y * w + x] = v[x];
}

//! pointer_walk on 128/16 w=100 splits 0
//! pointer_walk on 128/16 w=100 part 1..2 m writes 6400..12800 exact
kernel void pointer_walk(global float *m, int w)
{
    global float *p = m + get_global_id(0) * w, *end = p + w;
    while (p < end)
        *p++ = 0;
}

//! backwards on 256/64 n=256 splits 0
//! backwards on 256/64 n=256 part 0..1 out writes 768..1024 exact
kernel void backwards(global int *out, int n)
{
    int i = get_global_id(0);
    out[n - 1 - i] = i;
}

//! triangle on 64/8 n=64 splits 0
//! triangle on 64/8 n=64 part 1..2 m reads 2048..4096
kernel void triangle(global const float *m, global float *s, int n)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int j = 0; j <= i; j++)
        sum += m[i * n + j];
    s[i] = sum;
}

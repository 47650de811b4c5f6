/* SPDX-License-Identifier: MIT */
/* How much work-items have to do at most. */

//! plain on 1024/64 steps 30..150
kernel void plain(global int *a)
{
    a[get_global_id(0)] += 1;
}

//! constant_times on 1024/64 steps 500..5000
kernel void constant_times(global float *a, global const float *b)
{
    float sum = 0;
    for (int i = 0; i < 100; i += 3)
        sum += b[i];
    a[get_global_id(0)] = sum;
}

//! nested_times on 1024/64 steps 160000..400000
kernel void nested_times(global float *a, global const float *b)
{
    float sum = 0;
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            sum += b[i * j];
    a[get_global_id(0)] = sum;
}

//! argument_times on 1024/64 n=100 steps 1600..20000
//! argument_times on 1024/64 n=100000 steps 1600000..20000000
kernel void argument_times(global float *a, global const float *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i];
    a[get_global_id(0)] = sum;
}

/* each work-item takes every 1024th element */
//! all_strides on 1024/64 n=102400 steps 3000..30000
kernel void all_strides(global float *a, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] *= 2;
}

/* the loop moves no index */
//! argument_times_apart on 1024/64 n=100 steps 100..30000
kernel void argument_times_apart(global float *a, int n)
{
    float x = a[get_global_id(0)];
    for (int i = 0; i < n; i++)
        x = x * x + 0.5f;
    a[get_global_id(0)] = x;
}

//! until_found on 1024/64 steps unknown
kernel void until_found(global int *a, global const int *b)
{
    int i = get_global_id(0), n = 0;
    while (b[i] > n && b[i] * n < 77)
        n = b[n + 1] ^ n;
    a[i] = n;
}

/* a tree in local memory: as many times as bits */
//! halved on 1024/64 steps 1000..20000
kernel void halved(global int *a, local int *sum)
{
    int l = get_local_id(0);
    sum[l] = a[get_global_id(0)];
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            sum[l] += sum[l + s];
    }
    if (l == 0)
        a[get_global_id(0)] = sum[0];
}

//! calls on 1024/64 steps 60..200
kernel void calls(global float *a)
{
    a[get_global_id(0)] = sin(a[get_global_id(0)]);
}

/* loops one after the other: the sum of both */
//! in_sequence on 1024/64 n=1000 steps 30000..200000
kernel void in_sequence(global float *a, global const float *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i];
    for (int i = 0; i < n; i++)
        sum *= b[n + i];
    a[get_global_id(0)] = sum;
}

/* what is done around a loop is not done in it */
//! around_another on 1024/64 n=100 steps 150000..600000
kernel void around_another(global float *a, global const float *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float in = b[i] + b[i + n] * b[i + 2 * n] - b[i + 3 * n] * b[i + 4 * n];
        for (int j = 0; j < n; j++)
            in = in * 0.5f + b[j];
        sum += in * b[i + 5 * n] + b[i + 6 * n] + b[i + 7 * n];
    }
    a[get_global_id(0)] = sum;
}

/* the outer loop runs a constant number of times and moves no index; the inner one does */
//! constant_around on 1024/64 n=1000 steps 200000..1000000
kernel void constant_around(global float *a, global const float *b, int n)
{
    float sum = 0;
    for (int i = 0; i < 10; i++) {
        sum = sum * 0.5f;
        for (int j = 0; j < n; j++)
            sum += b[j];
    }
    a[get_global_id(0)] = sum;
}

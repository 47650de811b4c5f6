/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */

/* which way round is known at the launch, whatever makes the choice */
//! turned on 64/8,64/8 t=0,n=64 splits 1
//! turned on 64/8,64/8 t=0,n=64 part 1..2 out writes 2048..4096 exact
//! turned on 64/8,64/8 t=-1,n=64 splits 0
//! turned on 64/8,64/8 t=-1,n=64 part 1..2 out writes 2048..4096 exact
kernel void turned(global int *out, int t, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    out[t ? i * n + j : j * n + i] = 1;
}

//! branches on 64/8,64/8 t=2,n=64 splits 1
//! branches on 64/8,64/8 t=3,n=64 splits 0
//! branches on 64/8,64/8 t=-2147483648,n=64 splits 1
//! branches on 64/8,64/8 t=2147483647,n=64 splits 0
kernel void branches(global int *out, int t, int n)
{
    int i = get_global_id(0), j = get_global_id(1), at;
    if (t > 2) {
        at = i * n + j;
    } else {
        at = j * n + i;
        n = 7;
    }
    out[at] = n;
}

//! both_flags on 64/8,64/8 a=1,b=5,n=64 splits 0
//! both_flags on 64/8,64/8 a=0,b=5,n=64 splits 1
//! both_flags on 64/8,64/8 a=1,b=4,n=64 splits 1
kernel void both_flags(global int *out, uint a, uint b, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    bool turn = a != 0 && b >= 5;
    out[turn ? i * n + j : j * n + i] = 1;
}

//! either_flag on 64/8,64/8 a=1,b=5,n=64 splits 0
//! either_flag on 64/8,64/8 a=0,b=5,n=64 splits 1
//! either_flag on 64/8,64/8 a=0,b=9000000000,n=64 splits 0
kernel void either_flag(global int *out, uint a, ulong b, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    out[a == 1 || b > 5 ? i * n + j : j * n + i] = 1;
}

/* a work-item's own choice stays open */
//! own_choice on 64/8 n=1000 mended write-overlap
kernel void own_choice(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    out[in[i] > n ? i : i + 64] = 1;
}

//! cases on 64/8 mode=0 part 1..2 out writes 32..64 exact
//! cases on 64/8 mode=1 splits 0
//! cases on 64/8 mode=1 part 1..2 out writes 64..124
//! cases on 64/8 mode=7 part 1..2 out writes 432..464 exact
kernel void cases(global int *out, int mode)
{
    int i = get_global_id(0);
    switch (mode) {
    case 0:
        out[i] = 1;
        break;
    case 1:
        out[2 * i] = 2;
        break;
    default:
        out[i + 100] = 3;
    }
}

/* two cases that meet say less than one */
//! shared_case on 64/8 mode=2 part 1..2 out writes 32..64
kernel void shared_case(global int *out, int mode)
{
    int i = get_global_id(0);
    switch (mode) {
    case 2:
    case 3:
        out[i] = 1;
    }
}

/* two choices between the same values are two values */
//! two_choices on 512/64 m=100 mended write-overlap
//! two_choices on 512/64 m=100 part 1..2 a writes 19584..37316
//! two_choices on 512/64 m=5 splits 0
kernel void two_choices(global int *a, global const int *c, int m)
{
    int g = get_global_id(0), i = m, j = m;
    if (c[g])
        i = 3 * m;
    if (c[g + 1])
        j = 3 * m;
    a[g * 64 + 1000 + (i - j)] = 1;
}

//! larger_choice on 512/64 part 0..1 a writes 0..2048
kernel void larger_choice(global int *a, global const int *c)
{
    int g = get_global_id(0), i = 0, j = 0;
    if (c[g])
        i = g;
    if (c[g + 1])
        j = g;
    a[max(i, j) - i] = 1;
}

/* so are two variables of a loop that start alike and fall, each at its own pace */
//! two_decays on 512/64 s=32 part 1..2 a writes 16384..32644
kernel void two_decays(global int *a, uint s)
{
    uint i = s, j = s;
    while (i > 0) {
        if (i > 4)
            a[j + get_global_id(0) * 64] = 1;
        i >>= 1;
        j >>= 2;
    }
}

/* limits set by comparisons */
//! limited on 512/64 n=100 part 0..1 b reads 0..400
//! limited on 512/64 n=100 part 0..1 a writes 0..256 exact
kernel void limited(global int *a, global const int *b, global const float *f, int n)
{
    int i = get_global_id(0), x = (int)floor(f[i]);
    if (x < 0)
        x = 0;
    if (x >= n)
        x = n - 1;
    a[i] = b[x];
}

/* one value's limit says nothing of another */
//! limited_other on 512/64 n=100 part 0..1 b reads unknown
kernel void limited_other(global int *a, global const int *b, global const int *f, int n)
{
    int i = get_global_id(0), x = f[i], y = f[i + 1];
    if (x < 0)
        y = 0;
    a[i] = b[y];
}

//! last_takes_rest on 4096/64 n=100000 way out own
//! last_takes_rest on 4096/64 n=100000 part 3..5 out writes 18744..31240
//! last_takes_rest on 4096/64 n=100000 part 62..64 out writes 387376..400000
/* A chunk for each work-group, and the rest for the last one. */
kernel void last_takes_rest(global const float *in, global float *out, int n)
{
    int g = get_group_id(0), chunks = get_num_groups(0), each = n / chunks;
    int from = g * each, to = g == chunks - 1 ? n : from + each;
    for (int i = from + get_local_id(0); i < to; i += get_local_size(0))
        out[i] = in[i];
}

//! item_takes_rest on 256/64 n=1000 way out own
//! item_takes_rest on 256/64 n=1000 part 3..4 out writes 2304..4756
kernel void item_takes_rest(global const float *in, global float *out, uint n)
{
    uint t = get_global_id(0), items = get_global_size(0), each = n / items, from = t * each;
    for (uint i = from; i < (t + 1 < items ? from + each : n); i++)
        out[i] = in[i];
}

//! first_takes_all on 4096/64 n=100000 way out merge 4
/* The first work-group's chunk is all that there is. */
kernel void first_takes_all(global const float *in, global float *out, int n)
{
    int g = get_group_id(0), each = n / get_num_groups(0), from = g * each, to = g == 0 ? n : from + each;
    for (int i = from + get_local_id(0); i < to; i += get_local_size(0))
        out[i] = in[i];
}

//! decided_in_ring on 2640/60 nx=60,ny=44,most=5000 way f own
//! decided_in_ring on 2640/60 nx=60,ny=44,most=5000 splits 0
//! decided_in_ring on 2640/60 nx=60,ny=44,most=2000 way f merge 4
/* All items are below `most`, or some are not. */
kernel void decided_in_ring(global float *f, uint nx, uint ny, uint most)
{
    uint i = get_global_id(0), x = i % nx, y = i / nx;
    f[(i < most ? (x + 1) % nx : x) + nx * ((y + 1) % ny)] = i;
}

/* SPDX-License-Identifier: MIT */
/* Control flow that an analysis may get wrong. */

struct box {
    int n;
    int at;
};
/* the kernel changes its copy: what was passed says nothing of later values */
//! changed_struct on 256/64 b@0:4=4,b@4:4=0 mended write-unknown
kernel void changed_struct(global int *a, struct box b, global const int *by)
{
    for (int i = 0; i < by[0]; i++)
        b.at += by[i];
    a[b.at + get_global_id(0)] = b.n;
}

//! read_struct on 256/64 b@0:4=4,b@4:4=100 splits 0
//! read_struct on 256/64 b@0:4=4,b@4:4=100 part 0..1 a writes 400..656 exact
kernel void read_struct(global int *a, struct box b)
{
    a[b.at + get_global_id(0)] = b.n;
}

/* one of seventeen places, after a loop that stops where the data says: the last one is the neighbour's first */
//! exit_value on 256/64 mended write-overlap
//! exit_value on 256/64 part 0..1 a writes 0..4100
kernel void exit_value(global int *a, global const int *in)
{
    int i = get_global_id(0), j;
    for (j = 0; j < 16; j++)
        if (in[j] == i)
            break;
    a[i * 16 + j] = 1;
}

//! exact_exit_value on 256/64 n=5 splits 0
//! exact_exit_value on 256/64 n=5 part 1..2 a writes 276..532
kernel void exact_exit_value(global int *a, int n)
{
    int j, sum = 0;
    for (j = 0; j < n; j++)
        sum += a[n + get_global_id(0)];
    a[get_global_id(0) + j] = sum;
}

//! switches on 256/64 k=2 splits 0
//! switches on 256/64 k=2 part 0..1 a writes 0..256 exact
//! switches on 256/64 k=5 part 0..1 a writes nothing
kernel void switches(global int *a, int k)
{
    int i = get_global_id(0);
    switch (k) {
    case 1:
        a[i] = 1;
        break;
    case 2:
        a[i] = 2;
        break;
    default:
        break;
    }
}

//! either_or on 256/64 n=100 splits 0
//! either_or on 256/64 n=100 part 0..1 a writes 0..256
kernel void either_or(global int *a, int n)
{
    int i = get_global_id(0);
    if (i < n || i > 200)
        a[i] = 1;
}

//! count_down on 256/64 n=4 splits 0
//! count_down on 256/64 n=4 part 0..1 a writes 0..1024 exact
kernel void count_down(global int *a, uint n)
{
    size_t i = get_global_id(0);
    while (n--)
        a[i * 4 + n] = 1;
}

//! do_while on 256/64 n=4 splits 0
//! do_while on 256/64 n=4 part 1..2 a writes 1024..2048 exact
//! do_while on 256/64 n=0 part 1..2 a writes 1024..2036
kernel void do_while(global int *a, int n)
{
    int j = 0;
    do {
        a[get_global_id(0) * 4 + j] = 1;
        j++;
    } while (j < n);
}

//! not_equal on 64/16 n=8 splits 0
//! not_equal on 64/16 n=8 part 1..2 a writes 512..1024 exact
//! not_equal on 64/16 n=-1 mended write-unknown
kernel void not_equal(global int *a, int n)
{
    for (int j = 0; j != n; j++)
        a[get_global_id(0) * 8 + j] = 1;
}

/* doubling may pass the sign bit */
//! doubling on 64/16 n=8 mended write-unknown
kernel void doubling(global int *a, int n)
{
    for (int j = 1; j < n; j *= 2)
        a[get_global_id(0) * 8 + j] = 1;
}

//! gotos refused too-complex
kernel void gotos(global int *a, int n)
{
    int j = get_global_id(0);
    if (n > 3)
        goto second;
first:
    a[j] = 1;
    j += 5;
second:
    a[j + 1] = 2;
    j -= a[j];
    if (j > n)
        goto first;
}

//! skips on 64/16 n=16 splits 0
//! skips on 64/16 n=16 part 0..1 a writes 0..1024
kernel void skips(global int *a, global const int *in, int n)
{
    for (int j = 0; j < n; j++) {
        if (in[j] > 3)
            continue;
        a[get_global_id(0) * 16 + j] = 1;
    }
}

//! nested on 64/16 n=4,m=4 splits 0
//! nested on 64/16 n=4,m=4 part 0..1 a writes 0..1024 exact
kernel void nested(global int *a, int n, int m)
{
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
            a[(get_global_id(0) * n + j) * m + k] = 1;
}

/* the inner loop moves the outer one's variable: not followed */
//! entangled on 64/16 n=4 mended write-unknown
kernel void entangled(global int *a, global const int *in, int n)
{
    int at = get_global_id(0);
    for (int j = 0; j < n; j++) {
        while (in[at] > j)
            at++;
        a[at] = 1;
    }
}

kernel void inner_kernel(global int *a, int at)
{
    a[get_global_id(0) + at] = 1;
}
//! outer_kernel on 256/64 splits 0
//! outer_kernel on 256/64 part 1..2 a writes 268..524 exact
kernel void outer_kernel(global int *a)
{
    inner_kernel(a, 3);
}

__attribute__((noinline)) global int *pick(global int *a, int which)
{
    return which ? a + 1000 : a;
}
//! picked on 64/16 k=1 splits 0
//! picked on 64/16 k=1 part 0..1 a writes 4000..4064 exact
kernel void picked(global int *a, int k)
{
    pick(a, k)[get_global_id(0)] = 1;
}

//! strided_copy on 256/64 splits 0
//! strided_copy on 256/64 part 0..1 out writes 0..1012
kernel void strided_copy(global int *out)
{
    local int tmp[64];
    tmp[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + get_group_id(0) * 255, tmp, 64, 4, 0);
    wait_group_events(1, &e);
}

/* the last item of a row may write into the next one's first: they do overlap */
//! ragged on 64/16,64/16 w=63 mended write-overlap
kernel void ragged(global int *a, int w)
{
    a[get_global_id(1) * w + get_global_id(0)] = 1;
}

/* a negative row length that is only known at the launch */
//! upwards on 64/16,64/16 w=-64 splits 1
//! upwards on 64/16,64/16 w=-64 part 3..4 a writes 16384..20480 exact
kernel void upwards(global int *a, int w)
{
    a[(int)get_global_id(1) * w + (int)get_global_id(0) + 8128] = 1;
}

/* 32-bit product past its range: rows from the middle on lie before the buffer, where nothing may be written */
//! big_rows on 64/16,65536/16 w=65536 splits 1 by 32
//! big_rows on 64/16,16384/16 w=65536 splits 1
kernel void big_rows(global char *a, int w)
{
    int y = get_global_id(1), x = get_global_id(0);
    a[y * w + x] = 1;
}

//! long_rows on 64/16,65536/16 w=65536 splits 1
kernel void long_rows(global char *a, long w)
{
    a[get_global_id(1) * w + get_global_id(0)] = 1;
}

/* the guard keeps an unsigned index from wrapping below zero */
//! left_neighbour on 256/64 splits 0
//! left_neighbour on 256/64 part 1..2 in reads 252..508
kernel void left_neighbour(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    if (i > 0)
        out[i] = in[i - 1];
}

//! swapped_halves on 256/64 h=128 mended read-overlap
kernel void swapped_halves(global int *a, int h)
{
    int i = get_global_id(0);
    int v = a[i ^ h];
    a[i] = v;
}

//! local_only on 256/64 splits 0
//! local_only on 256/64 part 0..1 a writes 0..256
kernel void local_only(global int *a, local int *tmp)
{
    int l = get_local_id(0);
    tmp[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tmp[63 - l] > 5)
        a[get_global_id(0)] = tmp[l];
}

/* comparisons of vectors as guards */
//! any_past on 64/16,64/16 size@0:4=50,size@4:4=40 splits 1
//! any_past on 64/16,64/16 size@0:4=50,size@4:4=40 part 1..2 b writes 3200..6400 exact
//! any_past on 64/16,64/16 size@0:4=50,size@4:4=40 part 3..4 b writes nothing
kernel void any_past(global float *b, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at >= size))
        return;
    b[at.y * size.x + at.x] = 1;
}

//! all_within on 64/16,64/16 size@0:4=50,size@4:4=40 part 1..2 b writes 3200..6400 exact
kernel void all_within(global float *b, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (all(at < size))
        b[at.y * size.x + at.x] = 1;
}

/* the contrary says nothing of a single lane */
//! all_past on 64/16,64/16 size@0:4=50,size@4:4=40 mended write-overlap
kernel void all_past(global float *b, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (!all(at >= size))
        b[at.y * size.x + at.x] = 1;
}

//! any_on_border on 64/16,64/16 size@0:4=50,size@4:4=40 part 0..1 b writes 408..3200
kernel void any_on_border(global float *b, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at < 2 || at >= size))
        return;
    b[at.y * size.x + at.x] = 1;
}

//! lanes_within on 64/16,64/16 size@0:4=50,size@4:4=40 part 1..2 b writes 3200..6400 exact
kernel void lanes_within(global float *b, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)), within = at < size;
    if (within.x && within.y)
        b[at.y * size.x + at.x] = 1;
}

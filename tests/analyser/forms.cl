/* SPDX-License-Identifier: MIT */
/* The ways in which kernels write down where they read and write. */

int twice(int x)
{
    return 2 * x;
}
void store(global float *p, int at, float v)
{
    p[at] = v;
}
//! helpers on 256/64 splits 0
//! helpers on 256/64 part 1..2 a writes 512..1020
kernel void helpers(global float *a)
{
    store(a, twice(get_global_id(0)), 1);
}

__attribute__((noinline)) int not_inlined(int x)
{
    return x + get_local_id(0) - get_local_id(0);
}
//! never_inline on 256/64 splits 0
kernel void never_inline(global int *a)
{
    a[not_inlined(get_global_id(0))] = 0;
}

struct shape {
    int first;
    float scale;
    short width[3];
    long stride;
};
//! by_value on 64/16 s@0:4=10,s@16:8=100 splits 0
//! by_value on 64/16 s@0:4=10,s@16:8=100 part 1..2 a writes 6440..12444
kernel void by_value(global float *a, struct shape s)
{
    a[s.first + get_global_id(0) * s.stride] = s.scale;
}

//! vectors on 64/16 splits 0
//! vectors on 64/16 part 1..2 a reads 256..512
//! vectors on 64/16 part 1..2 b writes 192..384 exact
//! vectors on 64/16 part 1..2 c writes 128..256 exact
kernel void vectors(global const float *a, global float *b, global half *c)
{
    size_t i = get_global_id(0);
    float4 v = vload4(i, a);
    vstore3(v.xyz, i, b);
    vstore_half4(v, i, c);
}

//! lanes on 64/16,32/8 w=64 splits 1
//! lanes on 64/16,32/8 w=64 part 1..2 a writes 2048..4096 exact
kernel void lanes(global float *a, int w)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int2 scaled = at * (int2)(1, w);
    a[scaled.x + scaled.y] = 0;
}

//! async on 1024/64 splits 0
//! async on 1024/64 part 2..3 in reads 512..768
//! async on 1024/64 part 2..3 out writes 512..768 exact
kernel void async(global const float *in, global float *out)
{
    local float tmp[64];
    event_t e = async_work_group_copy(tmp, in + get_group_id(0) * 64, 64, 0);
    wait_group_events(1, &e);
    tmp[get_local_id(0)] *= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * 64, tmp, 64, 0);
    wait_group_events(1, &e);
}

//! div_mod on 4096/64 w=64 splits 0
//! div_mod on 4096/64 w=64 part 1..2 out writes 256..512 exact
//! div_mod on 4096/64 w=64 part 4..5 in reads 768..1536
kernel void div_mod(global const float *in, global float *out, int w)
{
    int i = get_global_id(0), y = i / w, x = i % w;
    out[y * w + x] = in[(y - 1) * w + x] + in[(y + 1) * w + x];
}

//! quarter on 4096/64 splits 0 by 4
kernel void quarter(global float *out)
{
    if (get_local_id(0) == 0)
        out[get_group_id(0) / 4] = 1;
}

//! mapped on 1024/64 n=1000 splits 0
//! mapped on 1024/64 n=1000 part 15..16 in reads 3744..4000
kernel void mapped(global const float *in, global float *out, int n)
{
    int i = min((int)get_global_id(0), n - 1);
    out[get_global_id(0)] = in[i];
}

//! bits on 1024/64 splits 0
//! bits on 1024/64 part 0..1 out writes 0..512 exact
kernel void bits(global int *out)
{
    uint i = get_global_id(0);
    out[(i << 1) | 1] = 1;
    out[i << 1] = 2;
}

//! swizzle on 256/64 splits 0
//! swizzle on 256/64 part 1..2 out writes 256..512
kernel void swizzle(global int *out)
{
    uint i = get_global_id(0);
    out[(i & ~63u) + ((i & 63u) ^ 5u)] = 1;
}

constant int offsets[4] = {0, 3, 1, 2};
//! table on 256/64 splits 0
//! table on 256/64 part 1..2 out writes 1024..2048
kernel void table(global int *out, global const int *which)
{
    int i = get_global_id(0);
    out[i * 4 + offsets[which[i] & 3]] = 1;
}

//! choice on 256/64 flag=0 splits 0
//! choice on 256/64 flag=0 part 0..1 b writes nothing
//! choice on 256/64 flag=1 part 0..1 b writes 0..256 exact
//! choice on 256/64 flag=0 part 0..1 a writes 0..256 exact
kernel void choice(global int *a, global int *b, int flag)
{
    int i = get_global_id(0);
    if (flag)
        b[i] = i;
    else
        a[i] = i;
}

//! two_targets on 256/64 flag=1 splits 0
//! two_targets on 256/64 flag=1 part 0..1 a writes 0..256
//! two_targets on 256/64 flag=1 part 0..1 b writes 0..256
kernel void two_targets(global int *a, global int *b, int flag)
{
    global int *p = flag ? a : b;
    p[get_global_id(0)] = 1;
}

//! data_dependent on 256/64 splits 0
//! data_dependent on 256/64 part 0..1 out writes 0..256
kernel void data_dependent(global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] > 5)
        out[i] = 1;
}

//! early_break on 256/64 splits 0
//! early_break on 256/64 part 0..1 out writes 0..4096
kernel void early_break(global const int *in, global int *out)
{
    int i = get_global_id(0);
    for (int j = 0; j < 16; j++) {
        if (in[i] == j)
            break;
        out[i * 16 + j] = j;
    }
}

//! constants on 256/64 splits 0
//! constants on 256/64 part 0..1 c reads 0..256
kernel void constants(constant float *c, global float *out)
{
    out[get_global_id(0)] = c[get_global_id(0)];
}

//! same_buffer on 256/64 splits 0
//! same_buffer on 256/64 same b=a mended read-overlap
//! same_buffer on 256/64 same b=a+4096 splits 0
kernel void same_buffer(global const float *a, global float *b)
{
    int i = get_global_id(0);
    b[i] = a[i + 1];
}

//! two_views on 256/64 same b=a+1024 splits 0
//! two_views on 256/64 same b=a whole stores-race
kernel void two_views(global float *a, global float *b)
{
    int i = get_global_id(0);
    a[i] = 1;
    b[255 - i] = 2;
}

//! mad on 64/16,64/16 w=64 splits 1
//! mad on 64/16,64/16 w=64 part 1..2 a writes 4096..8192 exact
kernel void mad(global float *a, int w)
{
    a[mad24((int)get_global_id(1), w, (int)get_global_id(0))] = 0;
}

//! chars on 100/10 splits 0
//! chars on 100/10 part 3..4 a writes 30..40 exact
kernel void chars(global char *a)
{
    a[get_global_id(0)] = 1;
}

struct pair {
    char tag;
    int value;
};
//! padding on 64/16 splits 0
//! padding on 64/16 part 1..2 a writes 128..256
kernel void padding(global struct pair *a)
{
    a[get_global_id(0)].tag = 1;
    a[get_global_id(0)].value = 2;
}

//! whole_struct on 64/16 splits 0
kernel void whole_struct(global const struct pair *in, global struct pair *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}

//! nothing_written on 64/16 splits 0
kernel void nothing_written(global const int *in, local int *tmp)
{
    tmp[get_local_id(0)] = in[get_global_id(0)];
}

//! required on 64/16 splits 0
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void required(global int *a)
{
    a[get_global_id(0)] = get_num_groups(0);
}

//! group_base on 1024/64 splits 0
//! group_base on 1024/64 part 1..2 a writes 256..512 exact
kernel void group_base(global int *a)
{
    size_t base = get_global_id(0) - get_local_id(0);
    a[base + get_local_id(0)] = 1;
}

//! dynamic_dimension on 256/64 d=0 mended write-unknown
kernel void dynamic_dimension(global int *a, int d)
{
    a[get_global_id(d)] = 1;
}

//! sine on 256/64 splits 0
//! sine on 256/64 part 0..1 c writes 0..256
kernel void sine(global const float *a, global float *s, global float *c)
{
    int i = get_global_id(0);
    s[i] = sincos(a[i], c + i);
}

/* not all devices keep to the letter about a dimension that is not there: the size may be 0 */
//! fourth_size on 64/16 mended write-unknown
//! fourth_size on 64/16 part 1..2 a writes 64..132
kernel void fourth_size(global int *a)
{
    a[get_global_id(0) + get_local_size(3)] = 1;
}

/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

typedef union {
    uint bits;
    float number;
} both;

static void add_float(volatile global float *p, const float x)
{
    both old, now;
    do {
        old.number = *p;
        now.number = old.number + x;
    } while (atomic_cmpxchg((volatile global uint *)p, old.bits, now.bits) != old.bits);
}

//! by_union on 256/64 way sum private fadd 4
//! by_union on 256/64 way in none
kernel void by_union(global float *sum, global const float *in)
{
    add_float(&sum[get_global_id(0) & 7], in[get_global_id(0)]);
}

//! by_cast on 256/64 way sum private fadd 4
kernel void by_cast(volatile global uint *sum, float x)
{
    uint old, now;
    do {
        old = *sum;
        now = as_uint(as_float(old) + x);
    } while (atomic_cmpxchg(sum, old, now) != old);
}

/* the value found is the next one tried; compared as numbers */
//! found_next on 256/64 way sum private fadd 4
kernel void found_next(volatile global float *sum, global const float *in)
{
    both found, old, now;
    float x = in[get_global_id(0)];
    found.number = *sum;
    do {
        old.number = found.number;
        now.number = old.number - x * 2;
        found.bits = atomic_cmpxchg((volatile global uint *)sum, old.bits, now.bits);
    } while (found.number != old.number);
}

//! ends_inside on 256/64 way sum private fadd 4
kernel void ends_inside(global int *sum, float x)
{
    int old = sum[3];
    while (1) {
        int found = atomic_cmpxchg(sum + 3, old, as_int(mad(x, 2.0f, as_float(old))));
        if (found == old)
            break;
        old = found;
    }
}

//! by_exchange on 256/64 way sum private fadd 4
kernel void by_exchange(volatile global float *sum, float x)
{
    while ((x = atomic_xchg(sum, atomic_xchg(sum, 0.0f) + x)) != 0.0f)
        ;
}

//! wide on 256/64 way sum private fadd 8
kernel void wide(global double *sum, global const double *in)
{
    union {
        ulong bits;
        double number;
    } old, now;
    double x = in[get_global_id(0)];
    do {
        old.number = *sum;
        now.number = old.number + x;
    } while (atom_cmpxchg((volatile global ulong *)sum, old.bits, now.bits) != old.bits);
}

/* read by an atomic that adds nothing (darktable) */
//! read_by_atomic on 256/64 way sum private fadd 4
kernel void read_by_atomic(global float *sum, float x)
{
    volatile global uint *p = (volatile global uint *)sum;
    both old, now;
    do {
        old.bits = atomic_add(p, 0);
        now.number = old.number + x;
    } while (atomic_cmpxchg(p, old.bits, now.bits) != old.bits);
}

//! integers on 256/64 way sum private add 4
kernel void integers(global int *sum, int x)
{
    int old;
    do {
        old = *sum;
    } while (atomic_cmpxchg(sum, old, old + x) != old);
}

/* guarded, in a loop of its own, at a place of its own */
//! histogram on 256/64 n=100 way sum private fadd 4
kernel void histogram(global float *sum, global const int *at, global const float *in, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        if (in[i] > 0)
            add_float(sum + at[i], in[i]);
}

//! apart on 256/64 splits 0
//! apart on 256/64 part 1..2 sum writes 256..512
kernel void apart(global float *sum, global const float *in)
{
    add_float(sum + get_global_id(0), in[get_global_id(0)]);
}

//! longs on 256/64 way a private add 8
//! longs on 256/64 way b private max 8
//! longs on 256/64 way c private umin 8
//! longs on 256/64 way d private xor 8
//! longs on 256/64 way e private add 8
kernel void longs(global long *a, global long *b, global ulong *c, global ulong *d, global ulong *e)
{
    atom_add(a, 1);
    atom_sub(a, 2);
    atom_max(b, 3);
    atom_min(c, 4);
    atom_xor(d, 5);
    atom_inc(e);
    atom_dec(e);
}

typedef struct {
    int count;
    uint most;
    int flags[2];
} totals;

/* members are places of one object: families must not mix */
//! member on 256/64 way t private add 4
kernel void member(global totals *t)
{
    atomic_sub(&t[get_global_id(0) & 3].count, 1);
    atomic_inc(&t->flags[1]);
}

//! members on 256/64 whole atomic-mixed
kernel void members(global totals *t)
{
    atomic_inc(&t->count);
    atomic_max(&t->most, 3);
}

//! used_apart on 256/64 splits 0
kernel void used_apart(global int *count, global int *out)
{
    out[get_global_id(0)] = atomic_inc(&count[get_group_id(0)]);
}

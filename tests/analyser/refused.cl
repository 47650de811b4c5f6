/* SPDX-License-Identifier: MIT */
/* Kernels that must stay whole or need more than a change of owner, each for its own reason. */

//! histogram on 1024/64 mended write-overlap here
//! histogram on 1024/64 way bins private add 4
//! histogram on 1024/64 way in none
//! histogram on 1024/64 same in=bins whole atomic-mixed
kernel void histogram(global const uchar *in, global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]); // here
}

//! append on 1024/64 whole atomic-result-used here
kernel void append(global const int *in, global int *out, global int *count)
{
    int v = in[get_global_id(0)];
    if (v > 0)
        out[atomic_inc(count)] = v; // here
}

//! exchange refused groups-wait here
kernel void exchange(global int *lock, global int *data)
{
    while (atomic_cmpxchg(lock, 0, 1)) // here
        ;
    data[0]++;
    atomic_xchg(lock, 0);
}

/* what a compare-exchange loop adds must not depend on what was there, nor may anything else be done with it */
//! doubling refused atomic-order here
kernel void doubling(volatile global uint *sum)
{
    uint old, now;
    do {
        old = *sum;
        now = as_uint(as_float(old) + as_float(old));
    } while (atomic_cmpxchg(sum, old, now) != old); // here
}

//! sees_old refused atomic-order here
kernel void sees_old(volatile global uint *sum, global uint *out, float x)
{
    uint old, now;
    do {
        old = *sum;
        now = as_uint(as_float(old) + x);
    } while (atomic_cmpxchg(sum, old, now) != old); // here
    out[get_global_id(0)] = old;
}

//! stores_too refused atomic-order here
kernel void stores_too(volatile global uint *sum, global uint *out, float x)
{
    uint old, now;
    do {
        old = *sum;
        now = as_uint(as_float(old) + x);
        out[get_global_id(0)] = now;
    } while (atomic_cmpxchg(sum, old, now) != old); // here
}

//! other_place refused atomic-order here
kernel void other_place(volatile global uint *sum, float x)
{
    uint old, now;
    do {
        old = sum[1];
        now = as_uint(as_float(old) + x);
    } while (atomic_cmpxchg(sum, old, now) != old); // here
}

//! smallest refused atomic-order here
kernel void smallest(volatile global uint *least, float x)
{
    uint old, now;
    do {
        old = *least;
        now = as_uint(min(as_float(old), x));
    } while (atomic_cmpxchg(least, old, now) != old); // here
}

//! until_equal refused atomic-order here
kernel void until_equal(volatile global uint *sum, float x)
{
    uint old, now;
    do {
        old = *sum;
        now = as_uint(as_float(old) + x);
    } while (atomic_cmpxchg(sum, old, now) == old); // here
}

//! old_atomics on 256/64 whole atomic-mixed here
kernel void old_atomics(global int *a)
{
    atom_add(a, 2);
    atomic_max(a + 1, 3); // here
}

//! extrema on 256/64 way lo private min 4
//! extrema on 256/64 way hi private umax 4
//! extrema on 256/64 way seen private or 4
//! extrema on 256/64 way left private add 4
//! extrema on 256/64 same hi=lo whole atomic-mixed
//! extrema on 256/64 same left=in+4096 whole atomic-mixed
kernel void extrema(global const int *in, global int *lo, global uint *hi, global int *seen, global int *left)
{
    int v = in[get_global_id(0)];
    atomic_min(lo, v);
    atomic_max(hi, (uint)v);
    atomic_or(seen, 1 << (v & 31));
    atomic_dec(left);
    atomic_sub(left + 1, 3);
}

/* each group its own: no matter what becomes of the results */
//! own_counters on 1024/64 splits 0
//! own_counters on 1024/64 way count own
kernel void own_counters(global int *count)
{
    atomic_add(&count[get_group_id(0)], 1);
}

/* two views of one buffer that do not begin together have a private copy each, if their elements coincide */
//! two_counters on 256/64 way a private add 4
//! two_counters on 256/64 same b=a way b private add 4
//! two_counters on 256/64 same b=a+64 way b private add 4
//! two_counters on 256/64 same b=a+66 whole atomic-mixed
kernel void two_counters(global int *a, global int *b)
{
    atomic_inc(a);
    atomic_inc(b);
}

/* counted and read */
//! counted on 256/64 whole atomic-mixed
kernel void counted(global int *a, global int *out)
{
    atomic_inc(a);
    out[get_global_id(0)] = a[1];
}

//! local_atomics on 256/64 splits 0
kernel void local_atomics(global const uchar *in, global uint *out)
{
    local uint bins[64];
    bins[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[get_local_id(0)];
}

//! spin refused groups-wait here
kernel void spin(volatile global int *flag, global int *out)
{
    while (*flag == 0) // here
        ;
    out[get_global_id(0)] = 1;
}

//! raise refused volatile here
kernel void raise(volatile global int *flag)
{
    flag[get_global_id(0)] = 1; // here
}

//! print refused printf here
kernel void print(global int *out)
{
    out[get_global_id(0)] = 1;
    printf("%d\n", out[0]); // here
}

//! scatter on 1024/64 mended write-unknown here
kernel void scatter(global const int *index, global int *out)
{
    int i = get_global_id(0);
    out[index[i]] = i; // here
}

/* bounded, but where in the bounds is not known */
//! bounded_scatter on 1024/64 mended write-unknown here
//! bounded_scatter on 1024/64 all out writes 0..400
kernel void bounded_scatter(global const int *index, global int *out)
{
    int i = index[get_global_id(0)];
    if (i >= 0 && i < 100)
        out[i] = 1; // here
}

//! scatter on 1024/64 way out merge 4
//! scatter on 1024/64 way index none
//! scatter on 1024/64 same index=out way index merge 4
//! scatter8 on 1024/64 way out merge 1
kernel void scatter8(global const int *index, global char *out)
{
    out[index[get_global_id(0)]] = 1;
}

//! one_place on 1024/64 mended write-overlap here
kernel void one_place(global int *out)
{
    out[0] = get_global_id(0); // here
}

//! one_group_only on 1024/64 splits 0
//! one_group_only on 1024/64 part 0..1 out writes 0..4 exact
//! one_group_only on 1024/64 part 1..16 out writes nothing
kernel void one_group_only(global int *out)
{
    if (get_group_id(0) == 0)
        out[0] = 5;
}

//! stop_flag on 1024/64 mended write-overlap here
//! stop_flag on 1024/64 way out own
//! stop_flag on 1024/64 way stop merge 4
kernel void stop_flag(global const int *in, global int *out, global int *stop)
{
    int i = get_global_id(0);
    out[i] = in[i];
    if (in[i] > 3)
        *stop = 1; // here
}

//! halo on 1024/64 whole stores-race here there
kernel void halo(global int *out)
{
    int i = get_global_id(0);
    out[i] = 1; // here
    out[i + 1] = 2; // there
}

//! in_place_stencil on 1024/64 mended read-overlap here
//! in_place_stencil on 1024/64 way a before
kernel void in_place_stencil(global float *a)
{
    int i = get_global_id(0);
    float next = a[i + 1]; // here
    a[i] = next;
}

//! in_place on 1024/64 splits 0
kernel void in_place(global float *a)
{
    int i = get_global_id(0);
    a[i] = a[i] * a[i];
}

//! reverse_in_place on 512/64 n=1024 splits 0
kernel void reverse_in_place(global float *a, int n)
{
    int i = get_global_id(0);
    a[i] = a[n - 1 - i]; /* the upper half is only read */
}

//! gather_in_place on 1024/64 mended read-overlap here
kernel void gather_in_place(global int *a, global const int *index)
{
    int i = get_global_id(0);
    a[i] = a[index[i]]; // here
}

//! gather on 1024/64 splits 0
//! gather on 1024/64 part 0..1 a reads unknown
kernel void gather(global const int *a, global const int *index, global int *out)
{
    int i = get_global_id(0);
    out[i] = a[index[i]];
}

typedef global float *floats;
//! stored_pointer refused pointer-stored here
kernel void stored_pointer(global float *a, global ulong *b)
{
    local floats p[2];
    int i = get_global_id(0);
    p[i & 1] = a + i; // here
    barrier(CLK_LOCAL_MEM_FENCE);
    p[b[i] & 1][i] = 0;
}

//! address refused pointer-integer here
kernel void address(global float *a, global ulong *b)
{
    b[get_global_id(0)] = (ulong)a; // here
}

//! from_number refused pointer-unresolved here
kernel void from_number(global ulong *table)
{
    global float *p = (global float *)table[get_global_id(0)];
    *p = 1; // here
}

//! outside refused opaque-call here
void somewhere(global float *a);
kernel void outside(global float *a)
{
    somewhere(a); // here
}

int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
//! recursive refused recursion here
kernel void recursive(global int *a)
{
    a[get_global_id(0)] = ackermann(2, a[get_global_id(0)]); // here
}

//! assembly refused inline-asm here
kernel void assembly(global int *a)
{
    int x;
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(x)); // here
    a[get_global_id(0)] = x;
}

/* the number wraps: 2^31 items of 4 apart start again at zero */
//! wraps on 1024/64 step=67108864 mended write-unknown
kernel void wraps(global char *a, uint step)
{
    uint i = get_global_id(0) * step;
    a[i] = 0;
}

//! no_wrap on 1024/64 step=4194304 splits 0
kernel void no_wrap(global char *a, uint step)
{
    uint i = get_global_id(0) * step;
    a[i] = 0;
}

/* the upper half lies before the buffer, where nothing may be written */
//! signed_wrap on 1024/64 step=4194304 splits 0
kernel void signed_wrap(global char *a, int step)
{
    int i = (uint)get_global_id(0) * (uint)step;
    a[i] = 0;
}

//! unbounded on 1024/64 mended write-unknown here
kernel void unbounded(global int *a, global const int *b)
{
    int i = get_global_id(0), n = 0;
    for (int j = i; b[j] != 0; j = b[j]) {
        a[i * 4 + n] = j; // here
        n++;
    }
}

typedef struct {
    floats place[2];
    int count;
} places;
//! copied_pointers refused pointer-stored here
kernel void copied_pointers(global float *a, global places *out)
{
    places p;
    for (int i = 0; i < 2; i++)
        p.place[i] = a + get_global_id(i); // here
    p.count = 2;
    out[get_global_id(0)] = p;
}

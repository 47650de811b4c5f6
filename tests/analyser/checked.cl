/* SPDX-License-Identifier: MIT */
/* What is split first and checked afterwards, and what is not. */

//! search on 4096/64 n=1000 checked found place
//! search on 4096/64 n=1000 same place=out unchecked stores-race
__kernel void search(__global const uint *text, __global uint *out, volatile __global uint *found,
                     __global uint *place, uint wanted, uint n)
{
    size_t i = get_global_id(0);
    uint sum = 0;

    for (uint k = 0; k < n; k++) {
        sum += text[k] ^ (uint)i;
        if (sum == wanted && atomic_inc(found) == 0)
            *place = (uint)i;
    }
    out[i] = sum;
}

//! early on 4096/64 checked found
__kernel void early(__global const uint *text, __global uint *out, __global uint *found)
{
    size_t i = get_global_id(0);

    if (*found)
        return;
    out[i] = text[i] * 3;
    if (out[i] == 77)
        atomic_inc(found), atomic_max(found, 3);
}

//! list on 4096/64 checked count list
__kernel void list(__global const uint *in, __global uint *count, __global uint *list)
{
    size_t i = get_global_id(0);

    if (in[i] % 1000 == 1)
        list[atomic_inc(count)] = (uint)i;
}

//! list_of_fields on 4096/64 checked count list
struct entry { uint item, value; };
__kernel void list_of_fields(__global const uint *in, __global uint *count, __global struct entry *list)
{
    size_t i = get_global_id(0);

    if (in[i] % 1000 == 1) {
        uint at = atomic_inc(count);
        list[at].item = (uint)i;
        list[at].value = in[i];
    }
}

//! always on 4096/64 unchecked check-always here
__kernel void always(__global uint *count, __global uint *list)
{
    list[atomic_inc(count)] = get_global_id(0); // here
}

//! always_guarded on 4096/64 n=4000 unchecked check-always here
__kernel void always_guarded(__global uint *count, __global uint *list, uint n)
{
    if (get_global_id(0) < n)
        list[atomic_inc(count)] = get_global_id(0); // here
}

//! last_group on 4096/64 unchecked check-always
__kernel void last_group(__global uint *done, __global uint *sum)
{
    if (get_local_id(0) == 0 && atomic_inc(done) == get_num_groups(0) - 1)
        *sum = 1;
}

//! waits_for_flag on 4096/64 unchecked groups-wait
__kernel void waits_for_flag(volatile __global uint *flag, __global uint *out)
{
    while (*flag == 0)
        ;
    out[get_global_id(0)] = 1;
    if (out[get_global_id(0)] == 7)
        *flag = 1;
}

//! counts_to_flag on 4096/64 n=100 unchecked check-loop
__kernel void counts_to_flag(__global uint *flag, __global uint *out, uint n)
{
    for (uint k = 0; k < n && atomic_or(flag + k, 0) == 0; k++)
        out[get_global_id(0)] += k;
    if (out[get_global_id(0)] == 7)
        atomic_inc(flag);
}

//! times_from_flag on 4096/64 unchecked check-loop
__kernel void times_from_flag(__global uint *flag, __global uint *out)
{
    uint n = *flag;

    for (uint k = 0; k < n; k++)
        out[get_global_id(0)] += out[get_global_id(0)] * k;
    if (out[get_global_id(0)] == 7)
        atomic_cmpxchg(flag, 0, 1);
}

//! leaves_by_flag on 4096/64 n=100 unchecked check-loop
__kernel void leaves_by_flag(__global uint *flag, __global uint *out, uint n)
{
    uint go = 1;

    for (uint k = 0; k < n && go; k++) {
        out[get_global_id(0)] += k * out[get_global_id(0)];
        if (out[get_global_id(0)] == 5)
            go = atomic_inc(flag) != 3;
    }
}

//! counted_under_flag on 4096/64 n=100 unchecked check-loop
__kernel void counted_under_flag(__global uint *flag, __global uint *out, uint n)
{
    uint k = 0;

    while (k < n) {
        out[get_global_id(0)] += out[get_global_id(0)] * k;
        if (atomic_or(flag + out[get_global_id(0)], 0))
            k++;
    }
}

//! through_local on 4096/64 n=100 unchecked check-loop
__kernel void through_local(__global uint *flag, __global uint *out, uint n)
{
    __local uint stop;

    for (uint k = 0; k < n; k++) {
        if (get_local_id(0) == 0)
            stop = atomic_or(flag, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stop)
            break;
        out[get_global_id(0)] += out[get_global_id(0)] * k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (out[get_global_id(0)] == 7)
        atomic_inc(flag);
}

//! through_address on 4096/64 unchecked check-loop
__kernel void through_address(__global uint *flag, __global const uint *next, __global uint *out)
{
    uint at = *flag;

    while (next[at] != 0) {
        out[get_global_id(0)] += 3 * out[get_global_id(0)];
        at = next[at];
    }
    if (out[get_global_id(0)] == 7)
        atomic_cmpxchg(flag, 0, 1);
}

//! spins on 4096/64 unchecked check-loop
//! spins_masked on 4096/64 unchecked check-loop
__kernel void spins(__global uint *lock, __global uint *list, __global const uint *in)
{
    if (in[get_global_id(0)] == 3) {
        uint got = 0;
        while (!got)
            got = atomic_cmpxchg(lock + in[list[0]], get_global_id(0), 1) == get_global_id(0);
        list[1]++;
    }
}
__kernel void spins_masked(__global uint *lock, __global uint *list, __global const uint *in)
{
    if (in[get_global_id(0)] == 3) {
        uint old;
        do {
            old = *lock & ~1u;
        } while (atomic_cmpxchg(lock, old, old | 1) != old);
        list[1] = 9;
    }
}

//! retries on 4096/64 checked lock list
__kernel void retries(__global uint *lock, __global uint *list, __global const uint *in)
{
    if (in[get_global_id(0)] == 3) {
        uint old;
        do {
            old = *lock;
        } while (atomic_cmpxchg(lock, old, old * 3 + 1) != old);
        list[old] = 9;
    }
}

//! retries_found on 4096/64 checked lock list
__kernel void retries_found(__global uint *lock, __global uint *list, __global const uint *in)
{
    if (in[get_global_id(0)] == 3) {
        uint old = *lock, got;
        while ((got = atomic_cmpxchg(lock, old, old * 3 + 1)) != old)
            old = got;
        list[old] = 9;
    }
}

//! retries_if_flagged on 4096/64 unchecked check-loop
__kernel void retries_if_flagged(__global uint *lock, __global uint *flag, __global const uint *in)
{
    if (in[get_global_id(0)] == 3) {
        for (;;) {
            uint old = *lock;
            if (atomic_or(flag, 0) && atomic_cmpxchg(lock, old, old * 3 + 1) == old)
                break;
        }
    }
}

//! index_from_flag on 4096/64 checked flag out
__kernel void index_from_flag(__global uint *flag, __global uint *out)
{
    uint at = atomic_or(flag, 0) & 63;

    out[(get_global_id(0) << 6) + at] = 3;
    if (out[get_global_id(0) << 6] == 7)
        atomic_inc(flag);
}

//! reads_of_others on 4096/64 unchecked stores-race
//! reads_once on 4096/64 checked flag out
__kernel void reads_of_others(__global uint *flag, __global uint *out)
{
    out[get_global_id(0)] = out[get_global_id(0) ^ 64] + 1;
    if (out[get_global_id(0)] == 7 && atomic_inc(flag) == 3)
        out[0] = 1;
}

__kernel void reads_once(__global uint *flag, __global uint *out)
{
    out[get_global_id(0)] = out[4095 - get_global_id(0)] + 1;
    if (out[get_global_id(0)] == 7)
        atomic_cmpxchg(flag, 0, 1);
}

//! try_lock on 4096/64 checked lock a b
__kernel void try_lock(__global uint *lock, __global uint *a, __global uint *b, __global const uint *in)
{
    if (in[get_global_id(0)] == 3 && atomic_xchg(lock, 1) == 0) {
        a[0] += 1;
        b[0] += 2;
        atomic_xchg(lock, 0);
    }
}

//! volatile_flag on 4096/64 checked flag
__kernel void volatile_flag(volatile __global uint *flag, __global uint *out, __global const uint *in)
{
    if (*flag)
        return;
    out[get_global_id(0)] = in[get_global_id(0)];
    if (in[get_global_id(0)] == 3)
        *flag = 1;
}

//! image_written on 4096/64 unchecked check-image
__kernel void image_written(__global uint *flag, write_only image2d_t out, __global const uint *in)
{
    write_imagei(out, (int2)(get_global_id(0), 0), (int4)(1));
    if (in[get_global_id(0)] == 3 && atomic_inc(flag) == 0)
        atomic_inc(flag);
}

//! prints on 4096/64 unchecked printf
__kernel void prints(__global uint *flag, __global const uint *in)
{
    if (in[get_global_id(0)] == 3 && atomic_inc(flag) == 0)
        printf("found\n");
}

//! stored_pointers on 4096/64 unchecked pointer-stored
__kernel void stored_pointers(__global uint *flag, __global uint *__global *to, __global const uint *in)
{
    if (in[get_global_id(0)] == 3 && atomic_inc(flag) == 0)
        to[0] = flag;
}

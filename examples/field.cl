/* SPDX-License-Identifier: MIT */
/*
 * The kernels of field's shapes. What they compute means nothing: numbers are mixed so that a wrong, a late or
 * a missing one shows in the results. What counts is how long they are and which places they read and write.
 */

uint mix(uint x)
{
    x = x * 1664525u + 1013904223u;
    return x ^ (x >> 13);
}

uint mix_often(uint x, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        x = mix(x ^ r);
    return x;
}

/* ---- single launches ---- */

__kernel void blur2(__global const uint *in, __global uint *out, uint side, uint rounds)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x + 1 >= side || y + 1 >= side)
        return;
    uint sum = 0;
    for (uint dy = 0; dy < 3; dy++)
        for (uint dx = 0; dx < 3; dx++)
            sum += (3 * dy + dx + 1) * in[(y + dy - 1) * side + x + dx - 1];
    out[y * side + x] = mix_often(sum, rounds);
}

__kernel void blur3(__global const uint *in, __global uint *out, uint side, uint rounds)
{
    const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x == 0 || y == 0 || z == 0 || x + 1 >= side || y + 1 >= side || z + 1 >= side)
        return;
    uint sum = 0;
    for (uint dz = 0; dz < 3; dz++)
        for (uint dy = 0; dy < 3; dy++)
            for (uint dx = 0; dx < 3; dx++)
                sum += (9 * dz + 3 * dy + dx + 1) * in[((z + dz - 1) * side + y + dy - 1) * side + x + dx - 1];
    out[(z * side + y) * side + x] = mix_often(sum, rounds);
}

/* Few work-items with a long loop each: along a row, and down a column. */
__kernel void rows(__global const uint *a, __global const uint *x, __global uint *y, uint n)
{
    const uint i = get_global_id(0);
    uint sum = 0;
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++)
        sum += a[i * n + j] * x[j];
    y[i] = sum;
}

__kernel void columns(__global const uint *a, __global const uint *x, __global uint *y, uint n)
{
    const uint j = get_global_id(0);
    uint sum = 0;
    if (j >= n)
        return;
    for (uint i = 0; i < n; i++)
        sum += a[i * n + j] * x[i];
    y[j] = sum;
}

__kernel void multiply(__global const uint *a, __global const uint *b, __global uint *c, uint n)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    uint sum = 0;
    if (i >= n || j >= n)
        return;
    for (uint k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

/* ---- many launches, one after the other ---- */

__kernel void advance(__global const uint *in, __global uint *out, uint n)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = mix(in[i > 0 ? i - 1 : i] + 3 * in[i] + 5 * in[i + 1 < n ? i + 1 : i]);
}

/* Where a stage writes is known from data alone. */
#define STAGE(k)                                                                                             \
    __kernel void stage##k(__global const uint *from, __global uint *to, __global const uint *place, uint n) \
    {                                                                                                        \
        const uint i = get_global_id(0);                                                                     \
        if (i < n)                                                                                           \
            to[place[i]] = mix(from[i] + k);                                                                 \
    }
STAGE(0) STAGE(1) STAGE(2) STAGE(3) STAGE(4) STAGE(5) STAGE(6) STAGE(7) STAGE(8)
STAGE(9) STAGE(10) STAGE(11) STAGE(12) STAGE(13) STAGE(14) STAGE(15) STAGE(16) STAGE(17)
STAGE(18) STAGE(19) STAGE(20) STAGE(21) STAGE(22) STAGE(23) STAGE(24) STAGE(25) STAGE(26)

/* Each cell takes what its upper neighbour on the ring of planes has for it, and leaves there what it has for
 * that; the two halves of the buffer change places from step to step. */
__kernel void stream(__global uint *f, uint plane, uint planes, uint odd)
{
    const uint i = get_global_id(0), cells = plane * planes;
    if (i >= cells)
        return;
    const uint above = i % plane + (i / plane + 1) % planes * plane;
    __global uint *own = f + (odd ? 0 : cells) + i, *other = f + (odd ? cells : 0) + above;
    const uint here = *own, there = *other;
    *own = 3 * there + here;
    *other = 5 * here + there;
}

__kernel void factors(__global const uint *a, __global uint *factor, uint n, uint k)
{
    const uint i = get_global_id(0) + k + 1;
    if (i < n)
        factor[i] = a[i * n + k];
}

__kernel void eliminate(__global uint *a, __global const uint *factor, uint n, uint k)
{
    const uint j = get_global_id(0) + k, i = get_global_id(1) + k + 1;
    if (i < n && j < n)
        a[i * n + j] = a[i * n + j] * a[k * n + k] - factor[i] * a[k * n + j];
}

/* The cells (i, d - i) of a table, from its neighbours to the left and above. */
__kernel void wave(__global uint *table, __global const uint *word, uint n, uint d, uint first, uint count)
{
    const uint i = first + get_global_id(0), j = d - i, width = n + 1;
    if (get_global_id(0) >= count)
        return;
    const uint through = table[(i - 1) * width + j - 1] + (word[i] % 4 == word[n + j] % 4 ? 3 : 1);
    table[i * width + j] = max(through, max(table[(i - 1) * width + j], table[i * width + j - 1]) + 1);
}

/* Three fields on a grid, each from the others. */
__kernel void field_x(__global uint *x, __global const uint *z, uint side)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    if (j > 0 && j < side && i < side)
        x[i * side + j] += 3 * (z[i * side + j] - z[i * side + j - 1]);
}

__kernel void field_y(__global uint *y, __global const uint *z, uint side)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    if (j < side && i > 0 && i < side)
        y[i * side + j] += 5 * (z[i * side + j] - z[(i - 1) * side + j]);
}

__kernel void field_z(__global const uint *x, __global const uint *y, __global uint *z, uint side)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    if (j + 1 < side && i + 1 < side)
        z[i * side + j] -= x[i * side + j + 1] - x[i * side + j] + y[(i + 1) * side + j] - y[i * side + j];
}

/* ---- launches that the host waits for ---- */

__kernel void search_begin(__global uint *state, uint n, uint first)
{
    const uint i = get_global_id(0);
    if (i < n)
        state[i] = mix(first + i);
}

__kernel void search_loop(__global uint *state, uint n, uint rounds)
{
    const uint i = get_global_id(0);
    if (i < n)
        state[i] = mix_often(state[i], rounds);
}

/* found: how many, and which one last. */
__kernel void search_compare(__global const uint *state, uint n, uint wanted, __global uint *found)
{
    const uint i = get_global_id(0);
    if (i < n && state[i] == wanted) {
        atomic_inc(found);
        found[1] = i;
    }
}

/* One group adds up its part; the numbers are taken in turn. */
__kernel void reduce(__global const uint *in, uint n, __global uint *sum, __local uint *part)
{
    const uint me = get_local_id(0);
    uint own = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        own += in[i];
    part[me] = own;
    for (uint apart = get_local_size(0) / 2; apart > 0; apart /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < apart)
            part[me] += part[me + apart];
    }
    if (me == 0)
        sum[get_group_id(0)] = part[0];
}

/* How far each point is from the centre. */
__kernel void distances(__global const uint *point, __global const uint *centre, __global uint *distance,
                        uint n, uint dimensions)
{
    const uint i = get_global_id(0);
    uint sum = 0;
    if (i >= n)
        return;
    for (uint d = 0; d < dimensions; d++)
        sum += abs_diff(point[d * n + i], centre[d]) >> 8;
    distance[i] = sum;
}

__kernel void shade(__global const uint *in, __global uint *out, uint n, uint frame)
{
    const uint i = get_global_id(0);
    if (i < n)
        out[i] = mix(in[i] ^ frame);
}

/* Each number goes to the next place that is free: which one is nobody's but the device's that counts. */
__kernel void append(__global const uint *in, __global uint *out, __global uint *count, uint n, uint step, uint rounds)
{
    const uint i = get_global_id(0);
    if (i < n)
        out[atomic_inc(&count[step])] = mix_often(in[i], rounds);
}

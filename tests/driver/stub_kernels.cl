/* SPDX-License-Identifier: MIT */
/* The stub driver's kernels in OpenCL C, as kernels.c runs them. */
__kernel void stub_fill_gid(__global int *out)
{
    size_t i = get_global_id(0);
    out[i] = (int)i;
}

__kernel void stub_add(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}

__kernel void stub_copy(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}

__kernel void stub_inc(__global int *data)
{
    data[get_global_id(0)] += 1;
}

__kernel void stub_scale(__global const int *in, __global int *out, int factor)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * factor;
}

__kernel void stub_fill_2d(__global int *out, int width)
{
    size_t i = get_global_id(1) * width + get_global_id(0);
    out[i] = (int)i;
}

__kernel void stub_reverse(__global const int *in, __global int *out, int n)
{
    out[n - 1 - get_global_id(0)] = in[get_global_id(0)];
}

__kernel void stub_gather(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[index[i]];
}

__kernel void stub_scatter(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
}

__kernel void stub_count(__global const int *in, __global int *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}

/* Adds, and lists where there is a minus one. */
__kernel void stub_search(__global const int *in, __global int *sum, __global int *found)
{
    size_t i = get_global_id(0);
    sum[i] += in[i];
    if (in[i] == -1)
        found[1 + (atomic_inc(found) & 7)] = (int)i;
}

__kernel void stub_ramp(__global int *out)
{
    size_t i = get_global_id(0);
    out[i] = (int)i;
}

__kernel void stub_local(__global int *out, __local int *room)
{
    size_t i = get_global_id(0);
    room[get_local_id(0)] = (int)i;
    out[i] = room[get_local_id(0)];
}

__kernel void stub_smooth(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = (int)((uint)in[max(i - 1, 0)] + 2u * (uint)in[i] + (uint)in[min(i + 1, n - 1)]);
}

/* By its text it may take any time: where nothing is negative the loop ends at once. */
__kernel void stub_settle(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    int x = in[i];
    for (int j = 0; j < n && x < 0; j++)
        x = (int)((uint)x * 1664525u + 1013904223u);
    out[i] = (int)((uint)x + 1u);
}

/* The same, but by its text it takes n iterations. */
__kernel void stub_steps(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    uint x = 0;
    for (int j = 0; j < n; j++)
        x = x * 1664525u;
    out[i] = (int)((uint)in[i] + x + 1u);
}

/* By its text it takes no time. */
__kernel void stub_copy_plus(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = (int)((uint)in[i] + (n > 0 ? 1u : 0u));
}

/* The same as stub_settle, added to what is there. */
__kernel void stub_settle_own(__global const int *in, __global int *own, int n)
{
    int i = get_global_id(0);
    int x = in[i];
    for (int j = 0; j < n && x < 0; j++)
        x = (int)((uint)x * 1664525u + 1013904223u);
    own[i] = (int)((uint)own[i] + (uint)x + 1u);
}

/* The same as stub_settle, but most of it takes long. */
__kernel void stub_surge(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    int x = in[i];
    for (int j = 0; j < n && x < 0; j++)
        x = (int)((uint)x * 1664525u + 1013904223u);
    out[i] = (int)((uint)x + 1u);
}

/* All work-items count, so that one device alone can do it; by its text it takes n iterations. */
__kernel void stub_append(__global const int *in, __global int *out, __global int *count, int n)
{
    uint x = 0;
    for (int j = 0; j < n; j++)
        x = x * 1664525u;
    out[(uint)atomic_inc(count) % (uint)get_global_size(0)] = (int)((uint)in[get_global_id(0)] + x + 1u);
}

/* The same, but what is counted orders them, too. */
__kernel void stub_append_ordered(__global const int *in, __global int *out, __global int *count, int n)
{
    uint x = 0;
    for (int j = 0; j < n; j++)
        x = x * 1664525u;
    atomic_xchg(&count[1], n);
    out[(uint)atomic_inc(count) % (uint)get_global_size(0)] = (int)((uint)in[get_global_id(0)] + x + 1u);
}

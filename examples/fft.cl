/* SPDX-License-Identifier: MIT */
/*
 * Many independent complex transforms of 65536 points (512 KB each), as 256 columns and then 256 rows of 256
 * points, four of which a work-group transforms in local memory by Stockham's radix-4 algorithm. The spectrum
 * stays in transposed order, from which the inverse starts. From the Marrow paper, where one transform is the
 * least that can be shared out. Regular.
 */
#define POINTS     256
#define TRANSFORM  (POINTS * POINTS)
#define LINES      4
#define LINE_ITEMS (POINTS / 4)
#define LOCAL_SIZE (LINES * LINE_ITEMS)

static float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* roots[i] is exp(2 pi i / 65536); forward transforms take its conjugate: sign is -1 for them, 1 for inverse
 * ones. */
static float2 root(__global const float2 *roots, uint i, float sign)
{
    float2 r = roots[i];
    return (float2)(r.x, sign * r.y);
}

/* Four points, in place. */
static void butterfly(float2 *v, float sign)
{
    float2 even_sum = v[0] + v[2], even_difference = v[0] - v[2];
    float2 odd_sum = v[1] + v[3], odd_difference = v[1] - v[3];
    float2 turned = (float2)(-sign * odd_difference.y, sign * odd_difference.x);
    v[0] = even_sum + odd_sum;
    v[1] = even_difference + turned;
    v[2] = even_sum - odd_sum;
    v[3] = even_difference - turned;
}

/* A work-item holds points j, j + 64, j + 128 and j + 192 of its line before and after. */
static void transform_line(__local float2 *line, uint j, float2 *v, __global const float2 *roots, float sign)
{
    for (uint span = 1; span < POINTS; span *= 4) {
        uint k = j % span;
        for (uint r = 1; r < 4; r++)
            v[r] = times(v[r], root(roots, r * k * (TRANSFORM / 4 / span), sign));
        butterfly(v, sign);
        if (span < LINE_ITEMS) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint r = 0; r < 4; r++)
                line[(j - k) * 4 + k + r * span] = v[r];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint r = 0; r < 4; r++)
                v[r] = line[j + r * LINE_ITEMS];
        }
    }
}

/* Neighbouring work-items hold neighbouring columns. The turn between columns and rows is made here. */
__kernel __attribute__((reqd_work_group_size(LOCAL_SIZE, 1, 1))) void
columns(__global float2 *data, __global const float2 *roots, float sign, float scale)
{
    __local float2 lines[LINES * POINTS];
    uint line = get_local_id(0) % LINES;
    uint j = get_local_id(0) / LINES;
    uint column = get_group_id(0) * LINES + line;
    size_t place = get_global_id(1) * TRANSFORM + column;

    float2 v[4];
    for (uint r = 0; r < 4; r++) {
        uint row = j + r * LINE_ITEMS;
        v[r] = data[place + row * POINTS];
        if (sign > 0.0f)
            v[r] = times(v[r], root(roots, row * column, sign));
    }
    transform_line(lines + line * POINTS, j, v, roots, sign);
    for (uint r = 0; r < 4; r++) {
        uint row = j + r * LINE_ITEMS;
        if (sign < 0.0f)
            v[r] = times(v[r], root(roots, row * column, sign));
        data[place + row * POINTS] = v[r] * scale;
    }
}

__kernel __attribute__((reqd_work_group_size(LOCAL_SIZE, 1, 1))) void
rows(__global float2 *data, __global const float2 *roots, float sign)
{
    __local float2 lines[LINES * POINTS];
    uint line = get_local_id(0) / LINE_ITEMS;
    uint j = get_local_id(0) % LINE_ITEMS;
    size_t place = get_global_id(1) * TRANSFORM + (get_group_id(0) * LINES + line) * POINTS + j;

    float2 v[4];
    for (uint r = 0; r < 4; r++)
        v[r] = data[place + r * LINE_ITEMS];
    transform_line(lines + line * POINTS, j, v, roots, sign);
    for (uint r = 0; r < 4; r++)
        data[place + r * LINE_ITEMS] = v[r];
}

/* SPDX-License-Identifier: MIT */
/*
 * The first filter of BM3D denoising: for each reference block of 8 by 8 pixels the most similar blocks
 * around it are stacked, the stack is transformed (Walsh-Hadamard, exact in integers), small coefficients are
 * dropped, and the reference block is transformed back; a second kernel averages the overlapping blocks by
 * their weights. From the Sigmoid paper. Irregular: where the picture is smooth many blocks are similar and
 * must be compared to the end, ranked and filtered; where it is rough nearly all are given up after a few
 * rows.
 */
#pragma OPENCL FP_CONTRACT OFF

#define BLOCK      8
#define STEP       4
#define REACH      8
#define WINDOW     (2 * REACH + 1)
#define CANDIDATES (WINDOW * WINDOW)
#define MOST       16
#define PIXELS     (BLOCK * BLOCK)

static int block_place(int number, int side)
{
    return min(number * STEP, side - BLOCK);
}

/* 1 + the sum of squared differences, 0 for the block itself, UINT_MAX when it exceeds the limit or leaves
 * the picture. */
static uint block_distance(__global const uchar *picture, int side, __local const int *reference, int x,
                           int y, bool itself, uint limit)
{
    if (itself)
        return 0;
    if (x < 0 || y < 0 || x > side - BLOCK || y > side - BLOCK)
        return UINT_MAX;
    uint sum = 0;
    for (int row = 0; row < BLOCK && sum <= limit; row++) {
        int8 pixels = convert_int8(vload8(0, picture + (y + row) * side + x));
        int8 d = pixels - vload8(row, reference);
        d *= d;
        int4 half_sum = d.lo + d.hi;
        sum += half_sum.x + half_sum.y + half_sum.z + half_sum.w;
    }
    return sum <= limit ? sum + 1 : UINT_MAX;
}

/* Places of the most similar blocks by their rank; the rest of matches is left as it is. */
static void rank_candidates(__local const uint *distances, __local int *matches, int item)
{
    for (int c = item; c < CANDIDATES; c += PIXELS) {
        uint own = distances[c];
        if (own == UINT_MAX)
            continue;
        int rank = 0;
        for (int other = 0; other < CANDIDATES; other++)
            rank += distances[other] < own || (distances[other] == own && other < c);
        if (rank < MOST)
            matches[rank] = c;
    }
}

/* Sums and differences over the 64 pixels of each block of the stack: the plane Walsh-Hadamard transform. */
static void transform_planes(__local int *stack, int *v, int depth, int item)
{
    for (int bit = 1; bit < PIXELS; bit *= 2) {
        for (int k = 0; k < depth; k++)
            stack[k * PIXELS + item] = v[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < depth; k++) {
            int other = stack[k * PIXELS + (item ^ bit)];
            v[k] = item & bit ? other - v[k] : v[k] + other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* The same along the stack, for each pixel by itself. */
static void transform_stack(int *v, int depth)
{
    for (int bit = 1; bit < depth; bit *= 2) {
        for (int k = 0; k < depth; k++) {
            if (k & bit)
                continue;
            int low = v[k], high = v[k + bit];
            v[k] = low + high;
            v[k + bit] = low - high;
        }
    }
}

/* limits[i]: the largest coefficient dropped in a stack of 2^i blocks. */
__kernel __attribute__((reqd_work_group_size(PIXELS, 1, 1))) void
filter_blocks(__global const uchar *picture, int side, uint match_limit, __constant int *limits,
              __global float *estimates, __global float *weights)
{
    __local int reference[PIXELS];
    __local uint distances[CANDIDATES];
    __local int matches[MOST];
    __local int stack[MOST * PIXELS];
    int item = get_local_id(0);
    int block_x = get_group_id(0), block_y = get_group_id(1);
    int x = block_place(block_x, side), y = block_place(block_y, side);

    reference[item] = picture[(y + item / BLOCK) * side + x + item % BLOCK];
    if (item < MOST)
        matches[item] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = item; c < CANDIDATES; c += PIXELS)
        distances[c] = block_distance(picture, side, reference, x + c % WINDOW - REACH,
                                      y + c / WINDOW - REACH, c == CANDIDATES / 2, match_limit);
    barrier(CLK_LOCAL_MEM_FENCE);
    rank_candidates(distances, matches, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    int depth = 1, power = 0;
    while (depth < MOST && matches[2 * depth - 1] >= 0) {
        depth *= 2;
        power++;
    }
    int v[MOST];
    for (int k = 0; k < depth; k++) {
        int from_x = x + matches[k] % WINDOW - REACH, from_y = y + matches[k] / WINDOW - REACH;
        v[k] = picture[(from_y + item / BLOCK) * side + from_x + item % BLOCK];
    }
    transform_planes(stack, v, depth, item);
    transform_stack(v, depth);
    /* The reference block is the stack's first: back along the stack it is the sum of all. */
    int kept = 0, sum = 0;
    for (int k = 0; k < depth; k++) {
        bool keep = (int)abs(v[k]) > limits[power];
        kept += keep;
        sum += keep ? v[k] : 0;
    }
    transform_planes(stack, &sum, 1, item);

    stack[item] = kept;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = PIXELS / 2; left > 0; left /= 2) {
        if (item < left)
            stack[item] += stack[item + left];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int block = block_y * get_num_groups(0) + block_x;
    estimates[block * PIXELS + item] = (float)sum / (float)(PIXELS * depth);
    if (item == 0)
        weights[block] = 1.0f / (float)max(stack[0], 1);
}

__kernel void aggregate(__global const float *estimates, __global const float *weights, int side, int blocks,
                        __global uchar *result)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= side || y >= side)
        return;

    float sum = 0.0f, weight_sum = 0.0f;
    for (int j = max(y / STEP - 1, 0); j <= min(y / STEP + 1, blocks - 1); j++) {
        for (int i = max(x / STEP - 1, 0); i <= min(x / STEP + 1, blocks - 1); i++) {
            int in_x = x - block_place(i, side), in_y = y - block_place(j, side);
            if (in_x < 0 || in_y < 0 || in_x >= BLOCK || in_y >= BLOCK)
                continue;
            int block = j * blocks + i;
            sum += weights[block] * estimates[block * PIXELS + in_y * BLOCK + in_x];
            weight_sum += weights[block];
        }
    }
    result[y * side + x] = convert_uchar_sat_rte(sum / weight_sum);
}

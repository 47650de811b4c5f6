/* SPDX-License-Identifier: MIT */
/*
 * bm3d: the first filter of BM3D denoising on a noisy grey picture; two kernels, local memory, uneven cost.
 */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bm3d.cl.h"

enum { BLOCK = 8, STEP = 4, REACH = 8, WINDOW = 2 * REACH + 1, CANDIDATES = WINDOW * WINDOW, MOST = 16 };
enum { PIXELS = BLOCK * BLOCK, POWERS = 5, CHECKED_PIXELS = 1500 };
static const float sigma = 10.0f;
static const cl_uint match_limit = PIXELS * 400;

struct bm3d {
    cl_kernel filter, aggregate;
    cl_mem picture_buffer, limit_buffer, estimate_buffer, weight_buffer, result_buffer;
    cl_uchar *picture, *result;
    cl_int *limits;
    cl_int side, blocks;
};

/* Smooth above, ever rougher patterns below, with noise everywhere. */
static void fill_picture(struct run *run, struct bm3d *b)
{
    struct random random = random_seeded(23);
    double *waves = run_array(run, (size_t)b->side * sizeof(*waves));
    for (cl_int x = 0; x < b->side; x++)
        waves[x] = 50 * sin(x * 0.02);
    for (cl_int y = 0; y < b->side; y++) {
        const double place = (double)y / b->side, wave = cos(y * 0.015);
        for (cl_int x = 0; x < b->side; x++) {
            double level = 128 + waves[x] * wave;
            if (place > 0.5)
                level +=
                    (place - 0.5) * 200 * ((((unsigned)x * 7919u ^ (unsigned)y * 104729u) >> 3) % 3 - 1.0);
            float noise = 0;
            for (unsigned i = 0; i < 3; i++) /* variance 1 */
                noise += random_float(&random);
            b->picture[(size_t)y * (size_t)b->side + (size_t)x] =
                (cl_uchar)fmin(fmax(level + (double)(sigma * noise), 0), 255);
        }
    }
}

static void bm3d_setup(struct run *run, void *state)
{
    struct bm3d *b = state;
    if (run_size(run) < BLOCK)
        fail(STATUS_USAGE, "bm3d: --size %zu is too small: a block takes %d pixels", run_size(run), BLOCK);
    b->side = (cl_int)run_size(run);
    b->blocks = (b->side - BLOCK + STEP - 1) / STEP + 1;
    size_t pixels = run_size(run) * run_size(run), blocks = (size_t)b->blocks * (size_t)b->blocks;
    b->picture_buffer = run_buffer(run, CL_MEM_READ_ONLY, pixels);
    b->limit_buffer = run_buffer(run, CL_MEM_READ_ONLY, POWERS * sizeof(cl_int));
    b->estimate_buffer = run_buffer(run, CL_MEM_READ_WRITE, blocks * PIXELS * sizeof(float));
    b->weight_buffer = run_buffer(run, CL_MEM_READ_WRITE, blocks * sizeof(float));
    b->result_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, pixels);
    b->picture = run_input(run, b->picture_buffer, pixels);
    b->limits = run_input(run, b->limit_buffer, POWERS * sizeof(cl_int));
    b->result = run_output(run, b->result_buffer, pixels);
    fill_picture(run, b);
    for (unsigned power = 0; power < POWERS; power++)
        b->limits[power] = (cl_int)(2.7 * (double)sigma * sqrt(PIXELS << power));
    b->filter = run_kernel(run, "filter_blocks");
    SET_ARGS(b->filter, ARG(b->picture_buffer), ARG(b->side), ARG(match_limit), ARG(b->limit_buffer),
             ARG(b->estimate_buffer), ARG(b->weight_buffer));
    b->aggregate = run_kernel(run, "aggregate");
    SET_ARGS(b->aggregate, ARG(b->estimate_buffer), ARG(b->weight_buffer), ARG(b->side), ARG(b->blocks),
             ARG(b->result_buffer));
}

static void bm3d_enqueue(struct run *run, void *state)
{
    struct bm3d *b = state;
    size_t side = round_up((size_t)b->side, 16), blocks = (size_t)b->blocks;
    for (size_t i = 0; i < run_iterations(run); i++) {
        run_launch(run, b->filter, 2, (size_t[]){blocks * PIXELS, blocks}, (size_t[]){PIXELS, 1});
        run_launch(run, b->aggregate, 2, (size_t[]){side, side}, (size_t[]){16, 4});
    }
}

struct match {
    unsigned distance;
    int candidate;
};

static int compare_matches(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->candidate - y->candidate;
}

static int block_place(const struct bm3d *b, int number)
{
    return number * STEP < b->side - BLOCK ? number * STEP : b->side - BLOCK;
}

/* The blocks similar to the one at (x, y), best first; returns their number. */
static int find_matches(const struct bm3d *b, int x, int y, struct match *matches)
{
    int count = 0;
    for (int c = 0; c < CANDIDATES; c++) {
        int at_x = x + c % WINDOW - REACH, at_y = y + c / WINDOW - REACH;
        unsigned sum = c != CANDIDATES / 2; /* the block itself comes first */
        if (at_x < 0 || at_y < 0 || at_x > b->side - BLOCK || at_y > b->side - BLOCK)
            continue;
        for (int p = 0; p < PIXELS; p++) {
            int d = b->picture[(at_y + p / BLOCK) * b->side + at_x + p % BLOCK] -
                    b->picture[(y + p / BLOCK) * b->side + x + p % BLOCK];
            sum += (unsigned)(d * d);
        }
        if (sum <= match_limit + 1)
            matches[count++] = (struct match){sum, c};
    }
    qsort(matches, (size_t)count, sizeof(*matches), compare_matches);
    return count;
}

/* Walsh-Hadamard transform of count numbers, in place. */
static void transform(int *v, int count)
{
    for (int bit = 1; bit < count; bit *= 2) {
        for (int i = 0; i < count; i++) {
            if ((i & bit) == 0) {
                int low = v[i], high = v[i + bit];
                v[i] = low + high;
                v[i + bit] = low - high;
            }
        }
    }
}

/* The filtered block at (x, y), as sums of *depth * 64; returns its weight. */
static float filter_block(const struct bm3d *b, int x, int y, int *estimate, int *depth)
{
    struct match matches[CANDIDATES];
    int stack[MOST * PIXELS], count = find_matches(b, x, y, matches), power = 0, kept = 0;
    for (*depth = 1; *depth < MOST && 2 * *depth <= count; *depth *= 2)
        power++;
    for (int k = 0; k < *depth; k++) {
        int at_x = x + matches[k].candidate % WINDOW - REACH,
            at_y = y + matches[k].candidate / WINDOW - REACH;
        for (int p = 0; p < PIXELS; p++)
            stack[k * PIXELS + p] = b->picture[(at_y + p / BLOCK) * b->side + at_x + p % BLOCK];
    }
    transform(stack, *depth * PIXELS); /* both ways at once: the stack's index makes the high bits */
    memset(estimate, 0, PIXELS * sizeof(*estimate));
    for (int i = 0; i < *depth * PIXELS; i++) {
        if (abs(stack[i]) > b->limits[power]) {
            kept++;
            estimate[i % PIXELS] += stack[i];
        }
    }
    transform(estimate, PIXELS);
    return 1.0f / (float)(kept > 1 ? kept : 1);
}

static float pixel_at(const struct bm3d *b, int x, int y)
{
    float sum = 0, weight_sum = 0;
    for (int j = y / STEP - 1; j <= y / STEP + 1; j++) {
        for (int i = x / STEP - 1; i <= x / STEP + 1; i++) {
            int in_x = x - block_place(b, i), in_y = y - block_place(b, j), estimate[PIXELS], depth;
            if (i < 0 || j < 0 || i >= b->blocks || j >= b->blocks || in_x < 0 || in_y < 0 || in_x >= BLOCK ||
                in_y >= BLOCK)
                continue;
            float weight = filter_block(b, x - in_x, y - in_y, estimate, &depth);
            sum += weight * ((float)estimate[in_y * BLOCK + in_x] / (float)(PIXELS * depth));
            weight_sum += weight;
        }
    }
    return rintf(fminf(fmaxf(sum / weight_sum, 0.0f), 255.0f));
}

static bool bm3d_check(struct run *run, void *state)
{
    const struct bm3d *b = state;
    struct tally tally = {.name = run->example->name};
    size_t side = (size_t)b->side, stride = sample_stride(side * side, CHECKED_PIXELS, side);
    for (size_t i = 0; i < side * side; i += stride)
        tally_value(&tally, i, b->result[i], pixel_at(b, (int)(i % side), (int)(i / side)), 0);
    /* Averages that end in a half may be rounded the other way. */
    return tally_pass(&tally, tally.seen / 200);
}

static const struct example bm3d = {
    .name = "bm3d",
    .summary = "Filters the noise of a picture of size by size pixels by stacks of similar blocks.",
    .iterations = "launches of both kernels, all with the same result",
    .check_note = "a sample of 1500 pixels, of which one in 200 may differ.",
    .source = kernel_source,
    .size = 400,
    .size_max = 1 << 14,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 128},
                [PRESET_SMALL] = {.size = 800},
                [PRESET_LARGE] = {.size = 8192, .iterations = 8},
                [PRESET_PAPER] = {.size = 800}},
    .state_size = sizeof(struct bm3d),
    .setup = bm3d_setup,
    .enqueue = bm3d_enqueue,
    .check = bm3d_check,
};

int main(int argc, char **argv)
{
    return example_main(&bm3d, argc, argv);
}

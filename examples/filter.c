/* SPDX-License-Identifier: MIT */
/*
 * filter: a pipeline of three filters (noise, solarize, mirror) on one picture; bound by memory. What each
 * kernel leaves on a device is what the next one needs there.
 */
#include "common.h"

#include <string.h>

#include "filter.cl.h"

enum { LOCAL_WIDTH = 64 };
static const cl_int strength = 24;
static const cl_uchar threshold = 128;

/* The check filters at most about this many pixels. */
static const size_t check_budget = 50000000;

struct filter {
    cl_kernel noise, solarize, mirror;
    cl_mem buffer;
    cl_uchar4 *picture, *result;
    cl_uint side;
};

static void filter_setup(struct run *run, void *state)
{
    struct filter *f = state;
    f->side = (cl_uint)run_size(run);
    size_t pixels = (size_t)f->side * f->side, bytes = pixels * sizeof(cl_uchar4);
    f->buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    f->picture = run_input(run, f->buffer, bytes);
    f->result = run_output(run, f->buffer, bytes);
    struct random random = random_seeded(13);
    for (size_t i = 0; i < pixels; i++) {
        uint32_t four = random_u32(&random);
        memcpy(&f->picture[i], &four, sizeof(four));
    }
    f->noise = run_kernel(run, "noise");
    SET_ARGS(f->noise, ARG(f->buffer), ARG(f->side), ARG(f->side));
    SET_ARG(f->noise, 4, strength);
    f->solarize = run_kernel(run, "solarize");
    SET_ARGS(f->solarize, ARG(f->buffer), ARG(f->side), ARG(f->side), ARG(threshold));
    f->mirror = run_kernel(run, "mirror");
    SET_ARGS(f->mirror, ARG(f->buffer), ARG(f->side), ARG(f->side));
}

static void filter_enqueue(struct run *run, void *state)
{
    struct filter *f = state;
    size_t global[] = {round_up((f->side + 1) / 2, LOCAL_WIDTH), f->side}, local[] = {LOCAL_WIDTH, 1};
    for (size_t i = 0; i < run_iterations(run); i++) {
        cl_uint seed = (cl_uint)i;
        SET_ARG(f->noise, 3, seed);
        run_launch(run, f->noise, 2, global, local);
        run_launch(run, f->solarize, 2, global, local);
        run_launch(run, f->mirror, 2, global, local);
    }
}

static uint32_t scramble(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Noise and solarize for one pixel. */
static cl_uchar4 filtered(cl_uchar4 pixel, uint32_t place, uint32_t seed)
{
    uint32_t bits = scramble(place ^ seed);
    int sum = (int)(bits & 255) + (int)(bits >> 8 & 255) + (int)(bits >> 16 & 255) + (int)(bits >> 24) - 510;
    for (unsigned c = 0; c < 3; c++) {
        int value = pixel.s[c] + sum * strength / 256;
        value = value < 0 ? 0 : value > 255 ? 255 : value;
        pixel.s[c] = (cl_uchar)(value > threshold ? 255 - value : value);
    }
    return pixel;
}

/* Leaves the row filtered in result; spare is another row. */
static void filter_row(const struct filter *f, size_t y, size_t passes, cl_uchar4 *result, cl_uchar4 *spare)
{
    memcpy(result, f->picture + y * f->side, f->side * sizeof(*result));
    for (size_t pass = 0; pass < passes; pass++) {
        memcpy(spare, result, f->side * sizeof(*spare));
        for (size_t x = 0; x < f->side; x++)
            result[f->side - 1 - x] = filtered(spare[x], (uint32_t)(y * f->side + x), (uint32_t)pass);
    }
}

static bool filter_check(struct run *run, void *state)
{
    const struct filter *f = state;
    struct tally tally = {.name = run->example->name};
    cl_uchar4 *row = run_array(run, 2 * f->side * sizeof(*row));
    size_t stride = sample_stride(f->side, check_budget / f->side / run_iterations(run), 1);
    for (size_t y = 0; y < f->side; y += stride) {
        filter_row(f, y, run_iterations(run), row, row + f->side);
        for (size_t i = 0; i < 4 * (size_t)f->side; i++) {
            size_t place = y * f->side + i / 4;
            tally_value(&tally, 4 * place + i % 4, f->result[place].s[i % 4], row[i / 4].s[i % 4], 0);
        }
    }
    return tally_pass(&tally, 0);
}

static const struct example filter = {
    .name = "filter",
    .summary = "Passes a picture of size by size pixels through three filters: noise, solarize, mirror.",
    .iterations = "passes through all three filters",
    .check_note = "all bytes of a row must be equal; a sample of rows where pixels times iterations exceed\n"
                  "  50 million.",
    .source = kernel_source,
    .size = 1024,
    .size_max = 1 << 15,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 1024},
                [PRESET_SMALL] = {.size = 4096, .iterations = 2},
                [PRESET_LARGE] = {.size = 16384, .iterations = 4},
                [PRESET_PAPER] = {.size = 8192}},
    .state_size = sizeof(struct filter),
    .setup = filter_setup,
    .enqueue = filter_enqueue,
    .check = filter_check,
};

int main(int argc, char **argv)
{
    return example_main(&filter, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * histogram: counts values by bins with atomics on global memory.
 */
#include "common.h"

#include <string.h>

#include "histogram.cl.h"

enum { LOCAL_SIZE = 64, EXTRA_BINS = 0 };

struct histogram {
    cl_kernel kernel;
    cl_mem value_buffer, count_buffer;
    cl_uint *values, *counts, *zeros;
    size_t value_bytes, count_bytes;
    cl_uint bins;
};

static void histogram_setup(struct run *run, void *state)
{
    struct histogram *h = state;
    cl_ulong n = run_size(run);
    h->bins = (cl_uint)run_extra(run, EXTRA_BINS);
    h->value_bytes = n * sizeof(cl_uint);
    h->count_bytes = h->bins * sizeof(cl_uint);
    h->value_buffer = run_buffer(run, CL_MEM_READ_ONLY, h->value_bytes);
    h->count_buffer = run_buffer(run, CL_MEM_READ_WRITE, h->count_bytes);
    h->values = run_input(run, h->value_buffer, h->value_bytes);
    h->zeros = run_input(run, h->count_buffer, h->count_bytes);
    h->counts = run_output(run, h->count_buffer, h->count_bytes);
    memset(h->zeros, 0, h->count_bytes);
    struct random random = random_seeded(6);
    for (size_t i = 0; i < n; i++)
        h->values[i] = random_u32(&random);

    h->kernel = run_kernel(run, "histogram");
    SET_ARGS(h->kernel, ARG(h->value_buffer), ARG(n), ARG(h->count_buffer), ARG(h->bins));
}

static void histogram_enqueue(struct run *run, void *state)
{
    struct histogram *h = state;
    size_t global = round_up(run_size(run), LOCAL_SIZE), local = LOCAL_SIZE;
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, h->kernel, 1, &global, &local);
}

static bool histogram_check(struct run *run, void *state)
{
    const struct histogram *h = state;
    struct tally tally = {.name = run->example->name};
    cl_uint *expected = run_array(run, h->count_bytes);
    memset(expected, 0, h->count_bytes);
    for (size_t i = 0; i < run_size(run); i++)
        expected[((cl_ulong)h->values[i] * h->bins) >> 32] += (cl_uint)run_iterations(run);
    for (size_t i = 0; i < h->bins; i++)
        tally_value(&tally, i, h->counts[i], expected[i], 0);
    return tally_pass(&tally, 0);
}

static const struct example histogram = {
    .name = "histogram",
    .summary = "Counts size random 32-bit numbers by bins of equal width (counts modulo 2^32).",
    .iterations = "launches of the kernel, each adding to the last one's counts",
    .check_note = "every count must be equal.",
    .source = kernel_source,
    .size = 4000000,
    .size_max = (size_t)1 << 40,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 4000000},
                [PRESET_SMALL] = {.size = 40000000},
                [PRESET_LARGE] = {.size = 400000000},
                [PRESET_PAPER] = {.size = 100000000}},
    .extra = {{"bins", "number of bins", NULL, 1, 1 << 24, 256}},
    .state_size = sizeof(struct histogram),
    .setup = histogram_setup,
    .enqueue = histogram_enqueue,
    .check = histogram_check,
};

int main(int argc, char **argv)
{
    return example_main(&histogram, argc, argv);
}

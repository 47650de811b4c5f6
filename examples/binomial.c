/* SPDX-License-Identifier: MIT */
/*
 * binomial: prices of options by binomial lattices; long kernel, local memory, barriers, little data.
 */
#include "common.h"

#include <math.h>

#include "binomial.cl.h"

enum { STEPS = 255, OPTIONS_A_GROUP = 4 };
static const float rate = 0.02f, volatility = 0.3f;

/* The check folds at most about this many nodes of lattices. */
static const size_t check_budget = 200000000;

struct binomial {
    cl_kernel kernel;
    cl_mem spot_buffer, strike_buffer, year_buffer, price_buffer;
    float *spots, *strikes, *years, *prices;
};

static void binomial_setup(struct run *run, void *state)
{
    struct binomial *b = state;
    size_t n = round_up(run_size(run), OPTIONS_A_GROUP), bytes = n * sizeof(float);
    b->spot_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    b->strike_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    b->year_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    b->price_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, bytes);
    b->spots = run_input(run, b->spot_buffer, bytes);
    b->strikes = run_input(run, b->strike_buffer, bytes);
    b->years = run_input(run, b->year_buffer, bytes);
    b->prices = run_output(run, b->price_buffer, bytes);
    struct random random = random_seeded(10);
    for (size_t i = 0; i < n; i++) {
        b->spots[i] = 50.0f + 45.0f * random_float(&random);
        b->strikes[i] = 50.0f + 45.0f * random_float(&random);
        b->years[i] = 5.0f + 4.75f * random_float(&random);
    }
    b->kernel = run_kernel(run, "binomial");
    SET_ARGS(b->kernel, ARG(b->spot_buffer), ARG(b->strike_buffer), ARG(b->year_buffer), ARG(rate),
             ARG(volatility), ARG(b->price_buffer));
}

static void binomial_enqueue(struct run *run, void *state)
{
    struct binomial *b = state;
    size_t groups = round_up(run_size(run), OPTIONS_A_GROUP) / OPTIONS_A_GROUP;
    size_t local = STEPS + 1, global = groups * local;
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, b->kernel, 1, &global, &local);
}

/* Each device prices options of its own, from the start of its buffers: the kernel counts by group. */
static bool binomial_native(struct run *part, void *state, size_t step)
{
    struct binomial *b = state;
    size_t first, end, local = STEPS + 1;
    run_share(part, round_up(run_size(part), OPTIONS_A_GROUP), OPTIONS_A_GROUP, &first, &end);
    size_t bytes = (end - first) * sizeof(float), global = (end - first) / OPTIONS_A_GROUP * local;
    if (end == first)
        return false;
    run_write(part, b->spot_buffer, b->spots + first, bytes);
    run_write(part, b->strike_buffer, b->strikes + first, bytes);
    run_write(part, b->year_buffer, b->years + first, bytes);
    for (size_t i = 0; i < run_iterations(part); i++)
        run_launch(part, b->kernel, 1, &global, &local);
    run_read(part, b->price_buffer, bytes, b->prices + first);
    return false;
}

static double price(double spot, double strike, double years)
{
    double value[STEPS + 1], step = years / STEPS, jump = (double)volatility * sqrt(step);
    double up = exp(jump), growth = exp((double)rate * step);
    double rise = (growth - 1 / up) / (up - 1 / up);
    for (int i = 0; i <= STEPS; i++)
        value[i] = fmax(spot * exp(jump * (2 * i - STEPS)) - strike, 0);
    for (int height = STEPS; height > 0; height--) {
        for (int i = 0; i < height; i++)
            value[i] = (rise * value[i + 1] + (1 - rise) * value[i]) / growth;
    }
    return value[0];
}

static bool binomial_check(struct run *run, void *state)
{
    const struct binomial *b = state;
    struct tally tally = {.name = run->example->name};
    size_t stride = sample_stride(run_size(run), check_budget / (STEPS * STEPS / 2), 1);
    for (size_t i = 0; i < run_size(run); i += stride)
        tally_value(&tally, i, b->prices[i], price(b->spots[i], b->strikes[i], b->years[i]), 2e-3);
    return tally_pass(&tally, 0);
}

static const struct example binomial = {
    .name = "binomial",
    .summary = "Prices size options by binomial lattices of 255 steps.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note =
        "prices against double precision, relative tolerance 2e-3; a sample at even distance of more\n"
        "  than 6000 options.",
    .source = kernel_source,
    .build_options = "-DSTEPS=255",
    .size = 4096,
    .size_max = (size_t)1 << 30,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 512},
                [PRESET_SMALL] = {.size = 12288},
                [PRESET_LARGE] = {.size = 1 << 22, .iterations = 12},
                [PRESET_PAPER] = {.size = 32000}}, /* 2048000 work-items */
    .state_size = sizeof(struct binomial),
    .setup = binomial_setup,
    .enqueue = binomial_enqueue,
    .native = binomial_native,
    .check = binomial_check,
};

int main(int argc, char **argv)
{
    return example_main(&binomial, argc, argv);
}

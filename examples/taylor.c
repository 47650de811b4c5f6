/* SPDX-License-Identifier: MIT */
/*
 * taylor: a Taylor polynomial in two variables on a grid of points; 2-D, bound by computing.
 */
#include "common.h"

#include "taylor.cl.h"

enum { LOCAL_WIDTH = 32, LOCAL_HEIGHT = 4, EXTRA_DEGREE = 0 };
static const float reach = 0.75f;

/* The check computes at most about this many terms. */
static const size_t check_budget = 200000000;

struct taylor {
    cl_kernel kernel;
    cl_mem coefficient_buffer, value_buffer;
    float *coefficients, *values;
    cl_int degree;
    cl_uint side;
    size_t terms;
};

/* Of 1 / (2 - x - y) about the origin: binomial(i + j, i) / 2^(i + j + 1). */
static void fill_coefficients(struct taylor *t)
{
    float *at = t->coefficients;
    double first = 0.5; /* that of x^i y^0 */
    for (int i = 0; i <= t->degree; i++) {
        double value = first;
        for (int j = 0; j <= t->degree - i; j++) {
            *at++ = (float)value;
            value *= (double)(i + j + 1) / (2.0 * (j + 1));
        }
        first /= 2;
    }
}

static void taylor_setup(struct run *run, void *state)
{
    struct taylor *t = state;
    t->side = (cl_uint)run_size(run);
    t->degree = (cl_int)run_extra(run, EXTRA_DEGREE);
    t->terms = (size_t)(t->degree + 1) * (size_t)(t->degree + 2) / 2;
    size_t bytes = (size_t)t->side * t->side * sizeof(float);
    t->coefficient_buffer = run_buffer(run, CL_MEM_READ_ONLY, t->terms * sizeof(float));
    t->value_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, bytes);
    t->coefficients = run_input(run, t->coefficient_buffer, t->terms * sizeof(float));
    t->values = run_output(run, t->value_buffer, bytes);
    fill_coefficients(t);
    t->kernel = run_kernel(run, "taylor");
    SET_ARGS(t->kernel, ARG(t->coefficient_buffer), ARG(t->degree), ARG(reach), ARG(t->side),
             ARG(t->value_buffer));
}

static void taylor_enqueue(struct run *run, void *state)
{
    struct taylor *t = state;
    size_t global[] = {round_up(t->side, LOCAL_WIDTH), round_up(t->side, LOCAL_HEIGHT)};
    size_t local[] = {LOCAL_WIDTH, LOCAL_HEIGHT};
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, t->kernel, 2, global, local);
}

/* The kernel's computation for one point, rounded in the same places. */
static float value_at(const struct taylor *t, float x, float y)
{
    size_t term = t->terms;
    float sum = 0.0f;
    for (int power = t->degree; power >= 0; power--) {
        float in_y = 0.0f;
        for (int left = t->degree - power; left >= 0; left--)
            in_y = in_y * y + t->coefficients[--term];
        sum = sum * x + in_y;
    }
    return sum;
}

static bool taylor_check(struct run *run, void *state)
{
    const struct taylor *t = state;
    struct tally tally = {.name = run->example->name};
    size_t points = (size_t)t->side * t->side;
    size_t stride = sample_stride(points, check_budget / t->terms, t->side);
    float spacing = 2.0f * reach / (float)t->side;
    for (size_t i = 0; i < points; i += stride) {
        float x = (float)(i % t->side) * spacing - reach, y = (float)(i / t->side) * spacing - reach;
        tally_value(&tally, i, t->values[i], value_at(t, x, y), 1e-4);
    }
    return tally_pass(&tally, 0);
}

static const struct example taylor = {
    .name = "taylor",
    .summary = "Computes a Taylor polynomial in two variables at size by size points.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note =
        "values, relative tolerance 1e-4; a sample at even distance where points times terms exceed\n"
        "  200 million.",
    .source = kernel_source,
    .size = 512,
    .size_max = 1 << 24,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 256, .extra = {32}},
                [PRESET_SMALL] = {.size = 800, .extra = {48}},
                [PRESET_LARGE] = {.size = 4096, .iterations = 8, .extra = {255}},
                [PRESET_PAPER] = {.size = 800, .extra = {255}}},
    .extra = {{"degree", "degree of the polynomial", NULL, 0, 1023, 32}},
    .state_size = sizeof(struct taylor),
    .setup = taylor_setup,
    .enqueue = taylor_enqueue,
    .check = taylor_check,
};

int main(int argc, char **argv)
{
    return example_main(&taylor, argc, argv);
}

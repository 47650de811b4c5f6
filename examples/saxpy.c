/* SPDX-License-Identifier: MIT */
/*
 * saxpy: a scaled vector added to another in place, several times. Bound by memory.
 */
#include "common.h"

#include "saxpy.cl.h"

enum { LOCAL_SIZE = 64 };
static const float factor = 0.75f;

/* The check computes at most about this many sums. */
static const size_t check_budget = 400000000;

struct saxpy {
    cl_kernel kernel;
    cl_mem x_buffer, y_buffer;
    float *x, *y, *result;
};

static void saxpy_setup(struct run *run, void *state)
{
    struct saxpy *s = state;
    size_t n = run_size(run), bytes = n * sizeof(float);
    s->x_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    s->y_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    s->x = run_input(run, s->x_buffer, bytes);
    s->y = run_input(run, s->y_buffer, bytes);
    s->result = run_output(run, s->y_buffer, bytes);
    struct random random = random_seeded(2);
    for (size_t i = 0; i < n; i++) {
        s->x[i] = random_float(&random);
        s->y[i] = random_float(&random);
    }
    cl_ulong count = n;
    s->kernel = run_kernel(run, "saxpy");
    SET_ARGS(s->kernel, ARG(count), ARG(factor), ARG(s->x_buffer), ARG(s->y_buffer));
}

static void saxpy_enqueue(struct run *run, void *state)
{
    struct saxpy *s = state;
    size_t global = round_up(run_size(run), LOCAL_SIZE), local = LOCAL_SIZE;
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, s->kernel, 1, &global, &local);
}

/* Each device has elements of its own; nothing is exchanged. */
static bool saxpy_native(struct run *part, void *state, size_t step)
{
    struct saxpy *s = state;
    size_t first, end, local = LOCAL_SIZE;
    run_share(part, run_size(part), LOCAL_SIZE, &first, &end);
    if (end == first)
        return false;
    size_t global = round_up(end - first, LOCAL_SIZE);
    run_write_part(part, s->x_buffer, s->x, first * sizeof(float), end * sizeof(float));
    run_write_part(part, s->y_buffer, s->y, first * sizeof(float), end * sizeof(float));
    for (size_t i = 0; i < run_iterations(part); i++)
        run_launch_part(part, s->kernel, 1, &first, &global, &local);
    run_read_part(part, s->y_buffer, first * sizeof(float), end * sizeof(float), s->result);
    return false;
}

static bool saxpy_check(struct run *run, void *state)
{
    const struct saxpy *s = state;
    struct tally tally = {.name = run->example->name};
    size_t n = run_size(run), stride = sample_stride(n, check_budget / run_iterations(run), 1);
    for (size_t i = 0; i < n; i += stride) {
        float y = s->y[i];
        for (size_t k = 0; k < run_iterations(run); k++)
            y = factor * s->x[i] + y;
        tally_value(&tally, i, s->result[i], y, 1e-5);
    }
    return tally_pass(&tally, 0);
}

static const struct example saxpy = {
    .name = "saxpy",
    .summary = "Computes y = 0.75 * x + y on vectors of size floats.",
    .iterations = "launches of the kernel, each adding to the last one's y",
    .check_note = "every element, relative tolerance 1e-5; a sample at even distance where size times\n"
                  "  iterations exceeds 400 million.",
    .source = kernel_source,
    .size = 4000000,
    .size_max = (size_t)1 << 40,
    .default_iterations = 4,
    .presets = {[PRESET_TINY] = {.size = 10000000},
                [PRESET_SMALL] = {.size = 30000000, .iterations = 16},
                [PRESET_LARGE] = {.size = 300000000, .iterations = 1},
                [PRESET_PAPER] = {.size = 100000000, .iterations = 1}},
    .state_size = sizeof(struct saxpy),
    .setup = saxpy_setup,
    .enqueue = saxpy_enqueue,
    .native = saxpy_native,
    .check = saxpy_check,
};

int main(int argc, char **argv)
{
    return example_main(&saxpy, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * stencil: heat spreads on a plate, over many short launches between two buffers that change places.
 */
#include "common.h"

#include "stencil.cl.h"

enum { LOCAL_WIDTH = 64, LOCAL_HEIGHT = 4 };
static const float rate = 0.2f;

/* The check computes at most about this many cells, and looks into at most this many steps. */
static const size_t check_budget = 50000000, check_steps = 8;

struct stencil {
    cl_kernel kernel;
    cl_mem buffers[2];
    float *plate, *result;
    cl_int side;
};

static void stencil_setup(struct run *run, void *state)
{
    struct stencil *s = state;
    size_t cells = run_size(run) * run_size(run);
    run->output_bytes = cells * sizeof(float);
    s->side = (cl_int)run_size(run);
    s->buffers[0] = run_buffer(run, CL_MEM_READ_WRITE, run->output_bytes);
    s->buffers[1] = run_buffer(run, CL_MEM_READ_WRITE, run->output_bytes);
    s->plate = run_array(run, run->output_bytes);
    s->result = run_array(run, run->output_bytes);
    run->output = s->result;
    struct random random = random_seeded(23);
    for (size_t i = 0; i < cells; i++)
        s->plate[i] = 100.0f * random_float(&random);
    s->kernel = run_kernel(run, "stencil");
    SET_ARG(s->kernel, 2, s->side);
    SET_ARG(s->kernel, 3, rate);
}

/* Even steps go from the first buffer to the second, odd ones back. */
static void enqueue_step(struct run *run, struct stencil *s, size_t step)
{
    size_t global[] = {round_up(run_size(run), LOCAL_WIDTH), round_up(run_size(run), LOCAL_HEIGHT)};
    size_t local[] = {LOCAL_WIDTH, LOCAL_HEIGHT};
    SET_ARG(s->kernel, 0, s->buffers[step % 2]);
    SET_ARG(s->kernel, 1, s->buffers[(step + 1) % 2]);
    run_launch(run, s->kernel, 2, global, local);
}

static void stencil_enqueue(struct run *run, void *state)
{
    struct stencil *s = state;
    size_t steps = run_iterations(run);
    run_write(run, s->buffers[0], s->plate, run->output_bytes);
    for (size_t step = 0; step < steps; step++)
        enqueue_step(run, s, step);
    run_read(run, s->buffers[steps % 2], run->output_bytes, s->result);
}

/* The kernel's computation for one cell, rounded in the same places. */
static float spread(const struct stencil *s, const float *before, size_t x, size_t y)
{
    size_t side = (size_t)s->side;
    const float *row = before + y * side, *above = y > 0 ? row - side : row,
                *below = y + 1 < side ? row + side : row;
    float around = above[x] + below[x] + row[x > 0 ? x - 1 : x] + row[x + 1 < side ? x + 1 : x];
    return row[x] + rate * (around - 4.0f * row[x]);
}

/*
 * Runs the steps on the device once more, reads the plate before and after some of them, and compares those
 * with plain C that starts from the same plate. The end must be the timed run's end.
 */
static bool stencil_check(struct run *run, void *state)
{
    struct stencil *s = state;
    struct tally tally = {.name = run->example->name};
    size_t side = run_size(run), steps = run_iterations(run);
    size_t apart = steps > check_steps ? steps / check_steps : 1;
    size_t stride = sample_stride(side * side, check_budget / check_steps, side);
    float *before = run_array(run, run->output_bytes), *after = run_array(run, run->output_bytes);
    run_write(run, s->buffers[0], s->plate, run->output_bytes);
    for (size_t step = 0; step < steps; step++) {
        const bool looked_at = step % apart == 0 || step + 1 == steps;
        if (looked_at)
            run_read(run, s->buffers[step % 2], run->output_bytes, before);
        enqueue_step(run, s, step);
        if (!looked_at)
            continue;
        run_read(run, s->buffers[(step + 1) % 2], run->output_bytes, after);
        run_finish(run);
        for (size_t i = 0; i < side * side; i += stride)
            tally_value(&tally, i, after[i], spread(s, before, i % side, i / side), 1e-5);
    }
    for (size_t i = 0; i < side * side; i++)
        tally_value(&tally, i, s->result[i], after[i], 1e-5);
    return tally_pass(&tally, 0);
}

static const struct example stencil = {
    .name = "stencil",
    .summary = "Lets heat spread on a plate of size by size cells.",
    .iterations = "time steps",
    .check_note =
        "the steps are repeated on the device, and eight of them and the last one compared with plain C\n"
        "  that starts from the same plate (relative tolerance 1e-5), for a sample of cells where\n"
        "  size * size exceeds 6 million; then all cells with the timed run's.",
    .source = kernel_source,
    .size = 1024,
    .size_max = 1 << 16,
    .default_iterations = 20,
    .presets = {[PRESET_TINY] = {.size = 512, .iterations = 8},
                [PRESET_SMALL] = {.size = 2048, .iterations = 50},
                [PRESET_LARGE] = {.size = 16384, .iterations = 1000},
                [PRESET_PAPER] = {.size = 4096, .iterations = 1000}},
    .state_size = sizeof(struct stencil),
    .setup = stencil_setup,
    .enqueue = stencil_enqueue,
    .check = stencil_check,
};

int main(int argc, char **argv)
{
    return example_main(&stencil, argc, argv);
}

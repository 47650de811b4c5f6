/* SPDX-License-Identifier: MIT */
/*
 * nbody: bodies that attract each other, over several time steps. Each step reads all positions and writes
 * one position a work-item; two position buffers take turns.
 */
#include "common.h"

#include <math.h>

#include "nbody.cl.h"

enum { LOCAL_SIZE = 64 };
static const float dt = 0.01f, softening = 0.01f;

/* The check computes at most about this many pairs of bodies. */
static const size_t check_budget = 100000000;

struct nbody {
    cl_kernel kernel;
    cl_mem position_buffers[2], velocity_buffer;
    cl_float4 *start;       /* positions, then velocities */
    cl_float4 *result;      /* the same after the last step */
    cl_float4 *exchange[2]; /* hand-split: positions after even steps and after odd ones */
};

static void nbody_setup(struct run *run, void *state)
{
    struct nbody *b = state;
    size_t n = run_size(run), bytes = n * sizeof(cl_float4);
    b->position_buffers[0] = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    b->position_buffers[1] = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    b->velocity_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    b->start = run_array(run, 2 * bytes);
    b->result = run_array(run, 2 * bytes);
    for (unsigned i = 0; i < 2 && run_is_native(run); i++)
        b->exchange[i] = run_array(run, bytes);
    struct random random = random_seeded(3);
    for (size_t i = 0; i < 2 * n; i++) {
        for (unsigned k = 0; k < 3; k++)
            b->start[i].s[k] = random_float(&random);
        /* The masses add up to about 16 whatever the number of bodies; velocities have no fourth part. */
        b->start[i].s[3] = i < n ? (random_float(&random) + 1.5f) * 10.0f / (float)n : 0.0f;
    }
    cl_uint count = (cl_uint)n;
    b->kernel = run_kernel(run, "nbody_step");
    SET_ARG(b->kernel, 2, b->velocity_buffer);
    SET_ARG(b->kernel, 3, count);
    SET_ARG(b->kernel, 4, dt);
    SET_ARG(b->kernel, 5, softening);
    run->output = b->result;
    run->output_bytes = 2 * bytes;
}

/* One step from the first position buffer to the second for an even number, the other way for an odd one. */
static void enqueue_step(struct run *run, struct nbody *b, size_t step)
{
    size_t global = round_up(run_size(run), LOCAL_SIZE), local = LOCAL_SIZE;
    SET_ARG(b->kernel, 0, b->position_buffers[step % 2]);
    SET_ARG(b->kernel, 1, b->position_buffers[(step + 1) % 2]);
    run_launch(run, b->kernel, 1, &global, &local);
}

static void write_start(struct run *run, struct nbody *b)
{
    size_t n = run_size(run), bytes = n * sizeof(cl_float4);
    run_write(run, b->position_buffers[0], b->start, bytes);
    run_write(run, b->velocity_buffer, b->start + n, bytes);
}

static void read_bodies(struct run *run, struct nbody *b, size_t steps_done, cl_float4 *to)
{
    size_t n = run_size(run), bytes = n * sizeof(cl_float4);
    run_read(run, b->position_buffers[steps_done % 2], bytes, to);
    run_read(run, b->velocity_buffer, bytes, to + n);
}

static void nbody_enqueue(struct run *run, void *state)
{
    struct nbody *b = state;
    size_t steps = run_iterations(run);
    write_start(run, b);
    for (size_t step = 0; step < steps; step++)
        enqueue_step(run, b, step);
    read_bodies(run, b, steps, b->result);
}

/* Each device moves bodies of its own; before each step it gets the others' new positions. */
static bool nbody_native(struct run *part, void *state, size_t step)
{
    struct nbody *b = state;
    size_t n = run_size(part), bytes = n * sizeof(cl_float4), first, end, local = LOCAL_SIZE;
    bool more = step + 1 < run_iterations(part);
    cl_mem from = b->position_buffers[step % 2], to = b->position_buffers[(step + 1) % 2];
    run_share(part, n, LOCAL_SIZE, &first, &end);
    size_t global = round_up(end - first, LOCAL_SIZE), low = first * sizeof(cl_float4),
           high = end * sizeof(cl_float4);
    if (end == first)
        return more;
    if (step == 0) {
        run_write(part, from, b->start, bytes);
        run_write_part(part, b->velocity_buffer, b->start + n, low, high);
    } else {
        run_write_part(part, from, b->exchange[step % 2], 0, low);
        run_write_part(part, from, b->exchange[step % 2], high, bytes);
    }
    SET_ARG(b->kernel, 0, from);
    SET_ARG(b->kernel, 1, to);
    run_launch_part(part, b->kernel, 1, &first, &global, &local);
    run_read_part(part, to, low, high, more ? b->exchange[(step + 1) % 2] : b->result);
    if (!more)
        run_read_part(part, b->velocity_buffer, low, high, b->result + n);
    return more;
}

/* Body i after one step from the given bodies; sums in double precision. */
static void step_body(const cl_float4 *bodies, size_t n, size_t i, double position[3], double velocity[3])
{
    double sum[3] = {0};
    for (size_t j = 0; j < n; j++) {
        float d[3], r2 = softening;
        for (unsigned k = 0; k < 3; k++) {
            d[k] = bodies[j].s[k] - bodies[i].s[k];
            r2 += d[k] * d[k];
        }
        float pull = bodies[j].s[3] / (r2 * sqrtf(r2));
        for (unsigned k = 0; k < 3; k++)
            sum[k] += d[k] * pull;
    }
    for (unsigned k = 0; k < 3; k++) {
        velocity[k] = bodies[n + i].s[k] + sum[k] * dt;
        position[k] = bodies[i].s[k] + velocity[k] * dt;
    }
}

static void check_step(struct tally *tally, const cl_float4 *before, const cl_float4 *after, size_t n,
                       size_t stride)
{
    for (size_t i = 0; i < n; i += stride) {
        double position[3], velocity[3];
        step_body(before, n, i, position, velocity);
        for (unsigned k = 0; k < 3; k++) {
            tally_value(tally, i, after[i].s[k], position[k], 1e-5);
            tally_value(tally, n + i, after[n + i].s[k], velocity[k], 1e-4);
        }
    }
}

/*
 * Runs the steps on the device once more, reading the bodies after each one, and compares each step with
 * plain C that starts from the same bodies: so a sample will do for many bodies. The end must be the timed
 * run's end.
 */
static bool nbody_check(struct run *run, void *state)
{
    struct nbody *b = state;
    struct tally tally = {.name = run->example->name};
    size_t n = run_size(run), steps = run_iterations(run);
    cl_float4 *before = b->start;
    cl_float4 *after = run_array(run, run->output_bytes), *spare = run_array(run, run->output_bytes);
    size_t stride = sample_stride(n, check_budget / n / steps, 1);
    write_start(run, b);
    for (size_t step = 0; step < steps; step++) {
        enqueue_step(run, b, step);
        read_bodies(run, b, step + 1, after);
        run_finish(run);
        check_step(&tally, before, after, n, stride);
        cl_float4 *next = step == 0 ? spare : before;
        before = after;
        after = next;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        for (unsigned k = 0; k < 4; k++)
            tally_value(&tally, i, b->result[i].s[k], before[i].s[k], 1e-4);
    }
    return tally_pass(&tally, 0);
}

static const struct example nbody = {
    .name = "nbody",
    .summary = "Simulates size bodies that attract each other.",
    .iterations = "time steps",
    .check_note =
        "each step is repeated on the device and compared with plain C that starts from the same\n"
        "  bodies (relative tolerance 1e-5 for positions, 1e-4 for velocities), for a sample of bodies\n"
        "  where size * size * iterations exceeds 100 million; then all bodies with the timed run's.",
    .source = kernel_source,
    .size = 2048,
    .size_max = (size_t)1 << 31,
    .default_iterations = 8,
    .presets = {[PRESET_TINY] = {.size = 2048, .iterations = 4},
                [PRESET_SMALL] = {.size = 4096, .iterations = 12},
                [PRESET_LARGE] = {.size = 2097152, .iterations = 1},
                [PRESET_PAPER] = {.size = 51200, .iterations = 20}},
    .state_size = sizeof(struct nbody),
    .setup = nbody_setup,
    .enqueue = nbody_enqueue,
    .native = nbody_native,
    .check = nbody_check,
};

int main(int argc, char **argv)
{
    return example_main(&nbody, argc, argv);
}

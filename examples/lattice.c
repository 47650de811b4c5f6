/* SPDX-License-Identifier: MIT */
/*
 * lattice: a fluid in a box with obstacles, moved by its lid, over many launches that update one buffer in
 * place.
 */
#include "common.h"

#include "lattice.cl.h"

#include <string.h>

enum { LOCAL = 64, DIRECTIONS = 19, FLUID = 0, SOLID = 1, LID = 2 };
static const float relaxation = 1.6f, lid_speed = 0.1f;

/* Directions in pairs of opposite ones, the first of each as in the kernel. */
static const int direction[DIRECTIONS][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                             {0, 0, 1},   {0, 0, -1}, {1, 1, 0},   {-1, -1, 0}, {1, 0, 1},
                                             {-1, 0, -1}, {0, 1, 1},  {0, -1, -1}, {1, -1, 0},  {-1, 1, 0},
                                             {1, 0, -1},  {-1, 0, 1}, {0, 1, -1},  {0, -1, 1}};

struct lattice {
    cl_kernel fill, step, flow;
    cl_mem populations, flags, speed;
    cl_uchar *flag;
    float *result;
    size_t cells;
};

static float weight_of(unsigned i)
{
    return i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

/* A floor, a lid, and about one cell in fifty in between an obstacle. */
static void set_flags(struct lattice *s, size_t side)
{
    struct random random = random_seeded(31);
    for (size_t n = 0; n < s->cells; n++) {
        const size_t y = n / side % side;
        const bool obstacle = random_u32(&random) % 50 == 0;
        s->flag[n] = y == 0 ? SOLID : y + 1 == side ? LID : obstacle ? SOLID : FLUID;
    }
}

static void lattice_setup(struct run *run, void *state)
{
    struct lattice *s = state;
    const cl_uint side = (cl_uint)run_size(run);
    s->cells = (size_t)side * side * side;
    s->populations = run_buffer(run, CL_MEM_READ_WRITE, DIRECTIONS * s->cells * sizeof(float));
    s->flags = run_buffer(run, CL_MEM_READ_ONLY, s->cells);
    s->speed = run_buffer(run, CL_MEM_READ_WRITE, s->cells * sizeof(float));
    s->flag = run_input(run, s->flags, s->cells);
    s->result = run_output(run, s->speed, s->cells * sizeof(float));
    set_flags(s, side);
    s->fill = run_kernel(run, "fill");
    SET_ARG(s->fill, 0, s->populations);
    SET_ARG(s->fill, 1, side);
    s->step = run_kernel(run, "lattice");
    SET_ARG(s->step, 0, s->populations);
    SET_ARG(s->step, 1, s->flags);
    SET_ARG(s->step, 2, side);
    SET_ARG(s->step, 3, relaxation);
    SET_ARG(s->step, 4, lid_speed);
    s->flow = run_kernel(run, "flow");
    SET_ARG(s->flow, 0, s->populations);
    SET_ARG(s->flow, 1, s->flags);
    SET_ARG(s->flow, 2, side);
    SET_ARG(s->flow, 3, lid_speed);
    SET_ARG(s->flow, 5, s->speed);
}

static void lattice_enqueue(struct run *run, void *state)
{
    struct lattice *s = state;
    const size_t global = round_up(s->cells, LOCAL), local = LOCAL, steps = run_iterations(run);
    run_launch(run, s->fill, 1, &global, &local);
    for (size_t step = 0; step <= steps; step++) {
        const cl_uint odd = step % 2;
        cl_kernel kernel = step < steps ? s->step : s->flow;
        SET_ARG(kernel, step < steps ? 5 : 4, odd);
        run_launch(run, kernel, 1, &global, &local);
    }
}

/* The cell in that direction, on a ring in all dimensions. */
static size_t cell_beside(size_t n, const int *way, size_t side)
{
    const size_t x = (n % side + side + (size_t)way[0]) % side;
    const size_t y = (n / side % side + side + (size_t)way[1]) % side;
    const size_t z = (n / side / side + side + (size_t)way[2]) % side;
    return x + side * (y + side * z);
}

/* What arrives at a cell, the lid's push included; its density and speed. */
static float arrive(const struct lattice *s, const float *from, size_t n, size_t side, float *f, float *v)
{
    float density = 0.0f;
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        const int *way = direction[i], back[3] = {-way[0], -way[1], -way[2]};
        const bool pushed = i > 0 && s->flag[cell_beside(n, back, side)] == LID;
        f[i] = from[i * s->cells + n] + (pushed ? 6.0f * weight_of(i) * (float)way[0] * lid_speed : 0.0f);
        density += f[i];
        for (unsigned d = 0; d < 3; d++)
            v[d] += (float)way[d] * f[i];
    }
    for (unsigned d = 0; d < 3; d++)
        v[d] /= density;
    return density;
}

/* One step as in a textbook: from what arrives at each cell, in one array, to what arrives next, in another.
 */
static void stream(const struct lattice *s, const float *from, float *to, size_t side)
{
    for (size_t n = 0; n < s->cells; n++) {
        float f[DIRECTIONS], v[3];
        const float density = arrive(s, from, n, side, f, v);
        const float rest = 1.5f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (unsigned i = 0; i < DIRECTIONS; i++) {
            const int *way = direction[i];
            const float along = 3.0f * ((float)way[0] * v[0] + (float)way[1] * v[1] + (float)way[2] * v[2]);
            const float even = weight_of(i) * density * (1.0f + 0.5f * along * along - rest);
            const unsigned opposite = i == 0 ? 0 : ((i - 1) ^ 1) + 1;
            float leaves = f[i] + relaxation * (even + weight_of(i) * density * along - f[i]);
            if (s->flag[n] != FLUID) /* turned back as it came */
                leaves = from[opposite * s->cells + n];
            to[i * s->cells + cell_beside(n, way, side)] = leaves;
        }
    }
}

static bool lattice_check(struct run *run, void *state)
{
    struct lattice *s = state;
    struct tally tally = {.name = run->example->name};
    const size_t side = run_size(run), bytes = DIRECTIONS * s->cells * sizeof(float);
    float *from = run_array(run, bytes), *to = run_array(run, bytes);
    for (size_t i = 0; i < DIRECTIONS * s->cells; i++)
        from[i] = weight_of((unsigned)(i / s->cells));
    for (size_t step = 0; step < run_iterations(run); step++) {
        float *swap = to;
        stream(s, from, to, side);
        to = from;
        from = swap;
    }
    for (size_t n = 0; n < s->cells; n++) {
        float f[DIRECTIONS], v[3];
        arrive(s, from, n, side, f, v);
        tally_value(&tally, n, 1.0 + s->result[n], s->flag[n] == FLUID ? 1.0 + v[0] : 1.0, 1e-5);
    }
    return tally_pass(&tally, 0);
}

static const struct example lattice = {
    .name = "lattice",
    .summary = "Moves a fluid in a box of size by size by size cells by its lid, updating it in place.",
    .iterations = "time steps",
    .check_note =
        "all steps are computed in plain C, with two copies of all populations, and the speeds of all\n"
        "  cells compared (relative tolerance 1e-5 of a speed of 1). Takes long above a size of 128.",
    .source = kernel_source,
    .size = 64,
    .size_max = 640,
    .default_iterations = 20,
    .presets = {[PRESET_TINY] = {.size = 32, .iterations = 8},
                [PRESET_SMALL] = {.size = 64, .iterations = 50},
                [PRESET_LARGE] = {.size = 512, .iterations = 200},
                [PRESET_PAPER] = {.size = 256, .iterations = 1000}},
    .state_size = sizeof(struct lattice),
    .setup = lattice_setup,
    .enqueue = lattice_enqueue,
    .check = lattice_check,
};

int main(int argc, char **argv)
{
    return example_main(&lattice, argc, argv);
}

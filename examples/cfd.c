/* SPDX-License-Identifier: MIT */
/*
 * cfd: a gas that streams over a bump, on an unstructured mesh; many short launches, each of which may read
 * everything that the one before wrote.
 */
#include "common.h"

#include <math.h>
#include <stdlib.h>

#include "cfd.cl.h"

enum { LOCAL_SIZE = 64, SIDES = 4, STAGES = 3, WALL = -1, STREAM = -2, SHUFFLE = 256 };
static const float ratio = 1.4f, courant = 0.9f;

/* The check computes at most about this many fluxes of cells. */
static const size_t check_budget = 4000000;

struct cfd {
    cl_kernel step_sizes, fluxes, advance;
    cl_mem state_buffer, old_buffer, size_buffer, gain_buffer, neighbour_buffer, normal_buffers[2];
    cl_float4 *start, *result, *normals[2];
    cl_int4 *neighbours;
    cl_float4 stream;
    cl_uint width, height, cells;
};

/* Moves each number to a place near by, so that neighbours do not stand side by side. */
static cl_uint *shuffled(struct run *run, size_t count, struct random *random)
{
    cl_uint *numbers = run_array(run, count * sizeof(*numbers));
    for (size_t i = 0; i < count; i++)
        numbers[i] = (cl_uint)i;
    for (size_t i = 0; i < count; i++) {
        size_t span = count - i < SHUFFLE ? count - i : SHUFFLE, other = i + random_u32(random) % span;
        cl_uint number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
    return numbers;
}

/* Corners of a channel of 3 by 1 with a bump on its floor, moved a little at random inside. */
static cl_float2 *make_corners(struct run *run, const struct cfd *c, struct random *random)
{
    size_t columns = (size_t)c->width + 1, rows = (size_t)c->height + 1;
    cl_float2 *corners = run_array(run, columns * rows * sizeof(*corners));
    for (size_t y = 0; y < rows; y++) {
        for (size_t x = 0; x < columns; x++) {
            bool inside = x > 0 && y > 0 && x < c->width && y < c->height;
            float dx = inside ? 0.2f * random_float(random) : 0,
                  dy = inside ? 0.2f * random_float(random) : 0;
            float at = 3.0f * ((float)x + dx) / (float)c->width, up = ((float)y + dy) / (float)c->height;
            float bump = fmaxf(0, 0.1f - (at - 1.0f) * (at - 1.0f));
            corners[y * columns + x] = (cl_float2){{at, up + bump * (1 - up)}};
        }
    }
    return corners;
}

/* Sides in order: below, right, above, left. */
static void make_cell(struct cfd *c, const cl_uint *number, const cl_float2 *corners, size_t x, size_t y)
{
    size_t columns = (size_t)c->width + 1, cell = number[y * c->width + x];
    const cl_float2 *around[SIDES] = {&corners[y * columns + x], &corners[y * columns + x + 1],
                                      &corners[(y + 1) * columns + x + 1], &corners[(y + 1) * columns + x]};
    const cl_uint *here = &number[y * c->width + x];
    c->neighbours[cell] = (cl_int4){
        {y == 0 ? WALL : (cl_int)here[-(ptrdiff_t)c->width], x == c->width - 1 ? STREAM : (cl_int)here[1],
         y == c->height - 1 ? STREAM : (cl_int)here[c->width], x == 0 ? STREAM : (cl_int)here[-1]}};
    for (unsigned side = 0; side < SIDES; side++) {
        const float *from = around[side]->s, *to = around[(side + 1) % SIDES]->s;
        c->normals[0][cell].s[side] = to[1] - from[1];
        c->normals[1][cell].s[side] = from[0] - to[0];
    }
    c->start[cell] = c->stream;
}

static void make_mesh(struct run *run, struct cfd *c)
{
    struct random random = random_seeded(26);
    cl_uint *number = shuffled(run, c->cells, &random);
    cl_float2 *corners = make_corners(run, c, &random);
    for (size_t y = 0; y < c->height; y++) {
        for (size_t x = 0; x < c->width; x++)
            make_cell(c, number, corners, x, y);
    }
}

static void make_buffers(struct run *run, struct cfd *c)
{
    size_t bytes = c->cells * sizeof(cl_float4);
    c->state_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    c->old_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    c->gain_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    c->size_buffer = run_buffer(run, CL_MEM_READ_WRITE, c->cells * sizeof(float));
    c->neighbour_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    c->start = run_input(run, c->state_buffer, bytes);
    c->result = run_output(run, c->state_buffer, bytes);
    c->neighbours = run_input(run, c->neighbour_buffer, bytes);
    for (unsigned i = 0; i < 2; i++) {
        c->normal_buffers[i] = run_buffer(run, CL_MEM_READ_ONLY, bytes);
        c->normals[i] = run_input(run, c->normal_buffers[i], bytes);
    }
}

static void cfd_setup(struct run *run, void *state)
{
    struct cfd *c = state;
    c->width = (cl_uint)sqrt((double)run_size(run));
    c->height = (cl_uint)(run_size(run) / c->width);
    c->cells = c->width * c->height;
    /* Density 1.4 and pressure 1: sound has speed 1; the stream has 1.2, from the left. */
    c->stream = (cl_float4){{ratio, ratio * 1.2f, 0, 1 / (ratio - 1) + 0.5f * ratio * 1.44f}};
    make_buffers(run, c);
    make_mesh(run, c);
    c->step_sizes = run_kernel(run, "step_sizes");
    SET_ARGS(c->step_sizes, ARG(c->state_buffer), ARG(c->normal_buffers[0]), ARG(c->normal_buffers[1]),
             ARG(c->cells), ARG(courant), ARG(c->size_buffer));
    c->fluxes = run_kernel(run, "fluxes");
    SET_ARGS(c->fluxes, ARG(c->state_buffer), ARG(c->neighbour_buffer), ARG(c->normal_buffers[0]),
             ARG(c->normal_buffers[1]), ARG(c->cells), ARG(c->stream), ARG(c->gain_buffer));
    c->advance = run_kernel(run, "advance");
    SET_ARGS(c->advance, ARG(c->old_buffer), ARG(c->gain_buffer), ARG(c->size_buffer), ARG(c->cells));
    SET_ARG(c->advance, 5, c->state_buffer);
}

static void cfd_enqueue(struct run *run, void *state)
{
    struct cfd *c = state;
    size_t global = round_up(c->cells, LOCAL_SIZE), local = LOCAL_SIZE;
    for (size_t step = 0; step < run_iterations(run); step++) {
        cl_check(clEnqueueCopyBuffer(run->queue, c->state_buffer, c->old_buffer, 0, 0,
                                     c->cells * sizeof(cl_float4), 0, NULL, NULL),
                 "clEnqueueCopyBuffer");
        run_launch(run, c->step_sizes, 1, &global, &local);
        for (unsigned stage = 0; stage < STAGES; stage++) {
            float share = 1.0f / (float)(STAGES - stage);
            SET_ARG(c->advance, 4, share);
            run_launch(run, c->fluxes, 1, &global, &local);
            run_launch(run, c->advance, 1, &global, &local);
        }
    }
}

static double pressure_of(const double *s)
{
    return ((double)ratio - 1) * (s[3] - 0.5 * (s[1] * s[1] + s[2] * s[2]) / s[0]);
}

static double signal(const double *s, double nx, double ny)
{
    return fabs(s[1] * nx + s[2] * ny) / s[0] +
           sqrt((double)ratio * pressure_of(s) / s[0] * (nx * nx + ny * ny));
}

static void add_flow(double *sum, const double *s, double nx, double ny)
{
    double through = (s[1] * nx + s[2] * ny) / s[0], pressure = pressure_of(s);
    sum[0] += s[0] * through;
    sum[1] += s[1] * through + pressure * nx;
    sum[2] += s[2] * through + pressure * ny;
    sum[3] += (s[3] + pressure) * through;
}

/* What the cell gains, in double precision. */
static void gain_of(const struct cfd *c, const double (*states)[4], size_t cell, double *gain)
{
    const double *own = states[cell];
    double stream[4];
    for (unsigned v = 0; v < 4; v++) {
        stream[v] = (double)c->stream.s[v];
        gain[v] = 0;
    }
    for (unsigned side = 0; side < SIDES; side++) {
        double nx = (double)c->normals[0][cell].s[side], ny = (double)c->normals[1][cell].s[side],
               sum[4] = {0};
        cl_int next = c->neighbours[cell].s[side];
        if (next == WALL) {
            gain[1] -= pressure_of(own) * nx;
            gain[2] -= pressure_of(own) * ny;
            continue;
        }
        const double *other = next == STREAM ? stream : states[next];
        double fastest = fmax(signal(own, nx, ny), signal(other, nx, ny));
        add_flow(sum, own, nx, ny);
        add_flow(sum, other, nx, ny);
        for (unsigned v = 0; v < 4; v++)
            gain[v] -= 0.5 * sum[v] - 0.5 * fastest * (other[v] - own[v]);
    }
}

static double step_size(const struct cfd *c, const double *state, size_t cell)
{
    double sum = 0;
    for (unsigned side = 0; side < SIDES; side++)
        sum += signal(state, (double)c->normals[0][cell].s[side], (double)c->normals[1][cell].s[side]);
    return (double)courant / sum;
}

static void compute_step(const struct cfd *c, double (*states)[4], double (*old)[4], double (*gains)[4])
{
    for (size_t i = 0; i < 4 * (size_t)c->cells; i++)
        old[i / 4][i % 4] = states[i / 4][i % 4];
    for (unsigned stage = 0; stage < STAGES; stage++) {
        for (size_t i = 0; i < c->cells; i++)
            gain_of(c, (const double(*)[4])states, i, gains[i]);
        for (size_t i = 0; i < c->cells; i++) {
            double size = step_size(c, old[i], i) / (STAGES - stage);
            for (unsigned v = 0; v < 4; v++)
                states[i][v] = old[i][v] + size * gains[i][v];
        }
    }
}

static bool cfd_check(struct run *run, void *state)
{
    struct cfd *c = state;
    struct tally tally = {.name = run->example->name};
    size_t steps = run_shorten(run, check_budget / (STAGES * (size_t)c->cells) + 1, state);
    double(*arrays[3])[4];
    for (unsigned i = 0; i < 3; i++)
        arrays[i] = run_array(run, c->cells * sizeof(*arrays[i]));
    for (size_t i = 0; i < 4 * (size_t)c->cells; i++)
        arrays[0][i / 4][i % 4] = (double)c->start[i / 4].s[i % 4];
    for (size_t step = 0; step < steps; step++)
        compute_step(c, arrays[0], arrays[1], arrays[2]);
    for (size_t i = 0; i < 4 * (size_t)c->cells; i++)
        tally_value(&tally, i, c->result[i / 4].s[i % 4], arrays[0][i / 4][i % 4], 1e-4);
    return tally_pass(&tally, 0);
}

static const struct example cfd = {
    .name = "cfd",
    .summary = "Simulates a gas that streams over a bump, on an unstructured mesh of about size cells.",
    .iterations = "time steps, seven launches each",
    .check_note =
        "all cells against double precision, relative tolerance 1e-4; where three times cells times\n"
        "  steps exceed 4 million, of a second, shorter run.",
    .source = kernel_source,
    .size = 65536,
    .size_max = (size_t)1 << 30,
    .default_iterations = 4,
    .presets = {[PRESET_TINY] = {.size = 131072, .iterations = 1},
                [PRESET_SMALL] = {.size = 232536, .iterations = 20},
                [PRESET_LARGE] = {.size = 2000000, .iterations = 50},
                [PRESET_PAPER] = {.size = 232536,
                                  .iterations = 2000}}, /* as many cells as missile.domn.0.2M has */
    .state_size = sizeof(struct cfd),
    .setup = cfd_setup,
    .enqueue = cfd_enqueue,
    .check = cfd_check,
};

int main(int argc, char **argv)
{
    return example_main(&cfd, argc, argv);
}

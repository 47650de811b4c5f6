/* SPDX-License-Identifier: MIT */
/*
 * Shapes of field with many launches that follow from one another, as time steps do. The host only puts them
 * into the queue, or waits for a number after each.
 */
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The check computes about this many numbers. */
static const size_t budget = 100000000;

/* How many steps the check can follow; where the run had more, it is repeated with those. */
static size_t checked_steps(struct run *run, struct field *f, size_t cells)
{
    return run_shorten(run, budget / cells + 1, f);
}

/* ---- between two buffers that change places ---- */

static bool reads_each(const struct run *run)
{
    return strstr(run->example->name, "reads") != NULL;
}

static void steps_setup(struct run *run, void *state)
{
    struct field *f = state;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 11);
    f->array[1] = field_output(run, f->n);
    for (unsigned k = 0; k < 2; k++)
        f->buffer[k] = field_buffer(run, f->n);
    for (unsigned k = 0; k < 2; k++) {
        f->kernel[k] = run_kernel(run, "advance");
        SET_ARGS(f->kernel[k], ARG(f->buffer[k]), ARG(f->buffer[!k]), ARG(f->n));
    }
}

static void steps_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t steps = run_iterations(run);
    cl_uint first;
    field_write(run, f->buffer[0], f->array[0], f->n);
    field_begin(run);
    for (size_t i = 0; i < steps; i++) {
        field_launch(run, f->kernel[i % 2], f->n);
        if (reads_each(run)) {
            field_read(run, f->buffer[(i + 1) % 2], &first, 1);
            run_finish(run);
        }
    }
    field_end(run);
    field_read(run, f->buffer[steps % 2], f->array[1], f->n);
}

static bool steps_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = f->n, steps = checked_steps(run, f, n);
    cl_uint *from = run_array(run, n * sizeof *from), *to = run_array(run, n * sizeof *to);
    memcpy(from, f->array[0], n * sizeof *from);
    for (size_t s = 0; s < steps; s++) {
        for (size_t i = 0; i < n; i++)
            to[i] = field_mix(from[i > 0 ? i - 1 : i] + 3 * from[i] + 5 * from[i + 1 < n ? i + 1 : i]);
        cl_uint *other = from;
        from = to;
        to = other;
    }
    return field_equal(run, f->array[1], from, n);
}

/* ---- a chain of kernels that write where data says ---- */

static void chain_setup(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = run_size(run);
    struct random random = random_seeded(12);
    f->n = (cl_uint)n;
    f->array[0] = field_numbers(run, n, 13);
    f->array[1] = field_output(run, n);
    f->array[2] = run_array(run, n * sizeof(cl_uint));
    for (size_t i = 0; i < n; i++) { /* each place once, shuffled */
        const size_t j = ((uint64_t)random_u32(&random) * (i + 1)) >> 32;
        f->array[2][i] = f->array[2][j];
        f->array[2][j] = (cl_uint)i;
    }
    for (unsigned b = 0; b < 3; b++)
        f->buffer[b] = field_buffer(run, n);
    for (unsigned k = 0; k < FIELD_STAGES; k++) {
        char name[16];
        snprintf(name, sizeof name, "stage%u", k);
        f->kernel[k] = run_kernel(run, name);
        SET_ARG(f->kernel[k], 2, f->buffer[2]);
        SET_ARG(f->kernel[k], 3, f->n);
    }
}

static void chain_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    unsigned from = 0;
    field_write(run, f->buffer[0], f->array[0], f->n);
    field_write(run, f->buffer[2], f->array[2], f->n);
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run) * FIELD_STAGES; i++, from = !from) {
        cl_kernel kernel = f->kernel[i % FIELD_STAGES];
        SET_ARG(kernel, 0, f->buffer[from]);
        SET_ARG(kernel, 1, f->buffer[!from]);
        field_launch(run, kernel, f->n);
    }
    field_end(run);
    field_read(run, f->buffer[from], f->array[1], f->n);
}

static bool chain_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = f->n, rounds = checked_steps(run, f, n * FIELD_STAGES);
    cl_uint *from = run_array(run, n * sizeof *from), *to = run_array(run, n * sizeof *to);
    memcpy(from, f->array[0], n * sizeof *from);
    for (size_t s = 0; s < rounds * FIELD_STAGES; s++) {
        for (size_t i = 0; i < n; i++)
            to[f->array[2][i]] = field_mix(from[i] + (cl_uint)(s % FIELD_STAGES));
        cl_uint *other = from;
        from = to;
        to = other;
    }
    return field_equal(run, f->array[1], from, n);
}

/* ---- streaming in place on a ring of planes ---- */

enum { PLANE = 1 << 16 };

static size_t plane_of(const struct run *run)
{
    return run_size(run) / 4 < PLANE ? run_size(run) / 4 : PLANE;
}

static void stream_setup(struct run *run, void *state)
{
    struct field *f = state;
    const cl_uint plane = (cl_uint)plane_of(run), planes = (cl_uint)(run_size(run) / plane);
    f->n = plane * planes;
    f->array[0] = field_numbers(run, 2 * (size_t)f->n, 14);
    f->array[1] = field_output(run, 2 * (size_t)f->n);
    f->buffer[0] = field_buffer(run, 2 * (size_t)f->n);
    f->kernel[0] = run_kernel(run, "stream");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(plane), ARG(planes));
}

static void stream_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    field_write(run, f->buffer[0], f->array[0], 2 * (size_t)f->n);
    field_begin(run);
    for (cl_uint i = 0; i < run_iterations(run); i++) {
        const cl_uint odd = i % 2;
        SET_ARG(f->kernel[0], 3, odd);
        field_launch(run, f->kernel[0], f->n);
    }
    field_end(run);
    field_read(run, f->buffer[0], f->array[1], 2 * (size_t)f->n);
}

static bool stream_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t cells = f->n, plane = plane_of(run), steps = checked_steps(run, f, cells);
    cl_uint *want = run_array(run, 2 * cells * sizeof *want);
    memcpy(want, f->array[0], 2 * cells * sizeof *want);
    for (size_t s = 0; s < steps; s++)
        for (size_t i = 0; i < cells; i++) {
            const size_t above = i % plane + (i / plane + 1) % (cells / plane) * plane;
            cl_uint *own = want + (s % 2 ? 0 : cells) + i, *other = want + (s % 2 ? cells : 0) + above;
            const cl_uint here = *own, there = *other;
            *own = 3 * there + here;
            *other = 5 * here + there;
        }
    return field_equal(run, f->array[1], want, 2 * cells);
}

/* ---- elimination: each step has less to do ---- */

static void eliminate_setup(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = run_size(run);
    f->n = (cl_uint)n;
    f->array[0] = field_numbers(run, n * n, 15);
    f->array[1] = field_output(run, n * n);
    f->buffer[0] = field_buffer(run, n * n);
    f->buffer[1] = field_buffer(run, n);
    f->kernel[0] = run_kernel(run, "factors");
    f->kernel[1] = run_kernel(run, "eliminate");
    for (unsigned k = 0; k < 2; k++)
        SET_ARGS(f->kernel[k], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->n));
}

static void eliminate_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    field_write(run, f->buffer[0], f->array[0], (size_t)f->n * f->n);
    field_begin(run);
    for (cl_uint k = 0; k + 1 < f->n; k++) {
        const size_t global[] = {round_up(f->n - k, 16), round_up(f->n - k - 1, 16)}, local[] = {16, 16};
        SET_ARG(f->kernel[0], 3, k);
        SET_ARG(f->kernel[1], 3, k);
        field_launch(run, f->kernel[0], f->n - k - 1);
        run_launch(run, f->kernel[1], 2, global, local);
    }
    field_end(run);
    field_read(run, f->buffer[0], f->array[1], (size_t)f->n * f->n);
}

static bool eliminate_check(struct run *run, void *state)
{
    const struct field *f = state;
    const size_t n = f->n;
    cl_uint *a = run_array(run, n * n * sizeof *a);
    memcpy(a, f->array[0], n * n * sizeof *a);
    for (size_t k = 0; k + 1 < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            const cl_uint factor = a[i * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] = a[i * n + j] * a[k * n + k] - factor * a[k * n + j];
        }
    return field_equal(run, f->array[1], a, n * n);
}

/* ---- diagonals of a table: first more and more work, then less ---- */

static void wave_setup(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = run_size(run), cells = (n + 1) * (n + 1);
    f->n = (cl_uint)n;
    f->array[0] = run_array(run, cells * sizeof(cl_uint));
    memset(f->array[0], 0, cells * sizeof(cl_uint));
    f->array[1] = field_numbers(run, 2 * n + 1, 16);
    f->array[2] = field_output(run, cells);
    f->buffer[0] = field_buffer(run, cells);
    f->buffer[1] = field_buffer(run, 2 * n + 1);
    f->kernel[0] = run_kernel(run, "wave");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->n));
}

static void wave_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t cells = ((size_t)f->n + 1) * (f->n + 1);
    field_write(run, f->buffer[0], f->array[0], cells);
    field_write(run, f->buffer[1], f->array[1], 2 * (size_t)f->n + 1);
    field_begin(run);
    for (cl_uint d = 2; d <= 2 * f->n; d++) {
        const cl_uint first = d > f->n ? d - f->n : 1, count = (d > f->n ? f->n : d - 1) - first + 1;
        SET_ARG(f->kernel[0], 3, d);
        SET_ARG(f->kernel[0], 4, first);
        SET_ARG(f->kernel[0], 5, count);
        field_launch(run, f->kernel[0], count);
    }
    field_end(run);
    field_read(run, f->buffer[0], f->array[2], cells);
}

static cl_uint greater(cl_uint a, cl_uint b)
{
    return a > b ? a : b;
}

static bool wave_check(struct run *run, void *state)
{
    const struct field *f = state;
    const size_t n = f->n, width = n + 1;
    const cl_uint *word = f->array[1];
    cl_uint *t = run_array(run, width * width * sizeof *t);
    memset(t, 0, width * width * sizeof *t);
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= n; j++) {
            const cl_uint through = t[(i - 1) * width + j - 1] + (word[i] % 4 == word[n + j] % 4 ? 3 : 1);
            t[i * width + j] = greater(through, greater(t[(i - 1) * width + j], t[i * width + j - 1]) + 1);
        }
    return field_equal(run, f->array[2], t, width * width);
}

/* ---- three fields on a grid, a kernel each in every step ---- */

static void fields_setup(struct run *run, void *state)
{
    static const char *const names[] = {"field_x", "field_y", "field_z"};
    struct field *f = state;
    const size_t cells = run_size(run) * run_size(run);
    f->n = (cl_uint)run_size(run);
    for (unsigned k = 0; k < 3; k++) {
        f->array[k] = field_numbers(run, cells, 17 + k);
        f->buffer[k] = field_buffer(run, cells);
        f->kernel[k] = run_kernel(run, names[k]);
    }
    f->array[3] = field_output(run, cells);
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[2]), ARG(f->n));
    SET_ARGS(f->kernel[1], ARG(f->buffer[1]), ARG(f->buffer[2]), ARG(f->n));
    SET_ARGS(f->kernel[2], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->buffer[2]), ARG(f->n));
}

static void fields_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t cells = (size_t)f->n * f->n, local[] = {32, 8};
    const size_t global[] = {round_up(f->n, 32), round_up(f->n, 8)};
    for (unsigned k = 0; k < 3; k++)
        field_write(run, f->buffer[k], f->array[k], cells);
    field_begin(run);
    for (size_t i = 0; i < 3 * run_iterations(run); i++)
        run_launch(run, f->kernel[i % 3], 2, global, local);
    field_end(run);
    field_read(run, f->buffer[2], f->array[3], cells);
}

static bool fields_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t side = f->n, cells = side * side, steps = checked_steps(run, f, 3 * cells);
    cl_uint *x = run_array(run, cells * sizeof *x), *y = run_array(run, cells * sizeof *y);
    cl_uint *z = run_array(run, cells * sizeof *z);
    memcpy(x, f->array[0], cells * sizeof *x);
    memcpy(y, f->array[1], cells * sizeof *y);
    memcpy(z, f->array[2], cells * sizeof *z);
    for (size_t s = 0; s < steps; s++) {
        for (size_t c = 0; c < cells; c++) {
            x[c] += c % side ? 3 * (z[c] - z[c - 1]) : 0;
            y[c] += c >= side ? 5 * (z[c] - z[c - side]) : 0;
        }
        for (size_t c = 0; c + side < cells; c++)
            if (c % side + 1 < side)
                z[c] -= x[c + 1] - x[c] + y[c + side] - y[c];
    }
    return field_equal(run, f->array[3], z, cells);
}

const struct field_shape field_step_shapes[] = {
    {"steps-short",
     "thousands of launches of about 3 us, each from the one before",
     "numbers",
     "launches",
     {2000, 16000, 16000},
     {50, 1000, 4000},
     steps_setup,
     steps_enqueue,
     steps_check},
    {"steps-long",
     "thousands of launches of about 40 us, each from the one before",
     "numbers",
     "launches",
     {20000, 200000, 12000000},
     {20, 300, 1000},
     steps_setup,
     steps_enqueue,
     steps_check},
    {"reads-short",
     "launches of about 3 us with a blocking read after each",
     "numbers",
     "launches",
     {2000, 16000, 16000},
     {50, 1000, 4000},
     steps_setup,
     steps_enqueue,
     steps_check},
    {"reads-long",
     "launches of about 40 us with a blocking read after each",
     "numbers",
     "launches",
     {20000, 200000, 12000000},
     {20, 300, 1000},
     steps_setup,
     steps_enqueue,
     steps_check},
    {"chain",
     "27 kernels of about 20 us after one another, which write where data says",
     "numbers",
     "times the chain",
     {5000, 100000, 2000000},
     {2, 10, 20},
     chain_setup,
     chain_enqueue,
     chain_check},
    {"stream",
     "steps in place over a buffer, each work-item with its neighbour on a ring",
     "cells",
     "steps",
     {20000, 300000, 134217728},
     {6, 50, 100},
     stream_setup,
     stream_enqueue,
     stream_check},
    {"eliminate",
     "pairs of launches over an ever smaller rest of a matrix",
     "rows and columns",
     "unused",
     {50, 300, 2048},
     {1, 1, 1},
     eliminate_setup,
     eliminate_enqueue,
     eliminate_check},
    {"wave",
     "launches over the diagonals of a table",
     "rows and columns",
     "unused",
     {60, 600, 2048},
     {1, 1, 1},
     wave_setup,
     wave_enqueue,
     wave_check},
    {"fields",
     "steps of three kernels of about 25 us over three fields",
     "rows and columns",
     "steps",
     {100, 500, 2048},
     {5, 50, 500},
     fields_setup,
     fields_enqueue,
     fields_check},
    {.name = NULL},
};

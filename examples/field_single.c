/* SPDX-License-Identifier: MIT */
/*
 * Shapes of field with one launch or two: what a program uploads it uses once.
 */
#include "field.h"

#include <string.h>

/* The check computes about this many steps of arithmetic. */
static const size_t budget = 400000000;

/* ---- one launch over a picture or a volume ---- */

struct blur {
    cl_uint dims, rounds;
};

static struct blur blur_of(const struct run *run)
{
    return strstr(run->example->name, "3d") ? (struct blur){3, 120} : (struct blur){2, 60};
}

static size_t cells_of(const struct run *run)
{
    const size_t side = run_size(run);
    return blur_of(run).dims == 3 ? side * side * side : side * side;
}

static void blur_setup(struct run *run, void *state)
{
    struct field *f = state;
    const struct blur blur = blur_of(run);
    const size_t cells = cells_of(run);
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, cells, 1);
    f->array[1] = field_output(run, cells);
    f->buffer[0] = field_buffer(run, cells);
    f->buffer[1] = field_buffer(run, cells);
    f->kernel[0] = run_kernel(run, blur.dims == 3 ? "blur3" : "blur2");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->n), ARG(blur.rounds));
}

static void blur_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t cells = cells_of(run), side = run_size(run);
    const size_t global[] = {round_up(side, 32), round_up(side, 8), side}, local[] = {32, 8, 1};
    field_write(run, f->buffer[0], f->array[0], cells);
    field_write(run, f->buffer[1], f->array[0], cells);
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, f->kernel[0], blur_of(run).dims, global, local);
    field_end(run);
    field_read(run, f->buffer[1], f->array[1], cells);
}

/* The number at a cell as it must be. */
static cl_uint blurred(const struct field *f, size_t cell, const struct blur blur)
{
    const size_t side = f->n, at[3] = {cell % side, cell / side % side, cell / side / side};
    cl_uint sum = 0, factor = 0;
    for (unsigned d = 0; d < blur.dims; d++)
        if (at[d] == 0 || at[d] + 1 >= side)
            return f->array[0][cell];
    for (size_t z = blur.dims == 3 ? at[2] - 1 : 0; z <= (blur.dims == 3 ? at[2] + 1 : 0); z++)
        for (size_t y = at[1] - 1; y <= at[1] + 1; y++)
            for (size_t x = at[0] - 1; x <= at[0] + 1; x++)
                sum += ++factor * f->array[0][(z * side + y) * side + x];
    for (cl_uint r = 0; r < blur.rounds; r++)
        sum = field_mix(sum ^ r);
    return sum;
}

static bool blur_check(struct run *run, void *state)
{
    const struct field *f = state;
    const struct blur blur = blur_of(run);
    struct tally tally = {.name = run->example->name};
    const size_t stride = sample_stride(cells_of(run), budget / (blur.rounds + 27), run_size(run));
    for (size_t cell = 0; cell < cells_of(run); cell += stride)
        tally_value(&tally, cell, f->array[1][cell], blurred(f, cell, blur), 0);
    return tally_pass(&tally, 0);
}

/* ---- a matrix times a vector, and its transposed one times the result ---- */

static void matvec_setup(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = run_size(run);
    f->n = (cl_uint)n;
    f->array[0] = field_numbers(run, n * n, 2);
    f->array[1] = field_numbers(run, n, 3);
    f->array[2] = field_output(run, n);
    f->buffer[0] = field_buffer(run, n * n);
    for (unsigned b = 1; b < 4; b++)
        f->buffer[b] = field_buffer(run, n);
    f->kernel[0] = run_kernel(run, "rows");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->buffer[2]), ARG(f->n));
    f->kernel[1] = run_kernel(run, "columns");
    SET_ARGS(f->kernel[1], ARG(f->buffer[0]), ARG(f->buffer[2]), ARG(f->buffer[3]), ARG(f->n));
}

static void matvec_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    field_write(run, f->buffer[0], f->array[0], (size_t)f->n * f->n);
    field_write(run, f->buffer[1], f->array[1], f->n);
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++) {
        field_launch(run, f->kernel[0], f->n);
        field_launch(run, f->kernel[1], f->n);
    }
    field_end(run);
    field_read(run, f->buffer[3], f->array[2], f->n);
}

static bool matvec_check(struct run *run, void *state)
{
    const struct field *f = state;
    const size_t n = f->n;
    cl_uint *want = run_array(run, n * sizeof *want);
    memset(want, 0, n * sizeof *want);
    for (size_t i = 0; i < n; i++) {
        cl_uint sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += f->array[0][i * n + j] * f->array[1][j];
        for (size_t j = 0; j < n; j++)
            want[j] += f->array[0][i * n + j] * sum;
    }
    return field_equal(run, f->array[2], want, n);
}

/* ---- a product of matrices, and one of that with a third ---- */

static void products_setup(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = run_size(run), cells = n * n;
    f->n = (cl_uint)n;
    for (unsigned b = 0; b < 5; b++)
        f->buffer[b] = field_buffer(run, cells);
    for (unsigned a = 0; a < 3; a++)
        f->array[a] = field_numbers(run, cells, 4 + a);
    f->array[3] = field_output(run, cells);
    for (unsigned k = 0; k < 2; k++) {
        f->kernel[k] = run_kernel(run, "multiply");
        SET_ARGS(f->kernel[k], ARG(f->buffer[k ? 3 : 0]), ARG(f->buffer[k ? 2 : 1]),
                 ARG(f->buffer[k ? 4 : 3]), ARG(f->n));
    }
}

static void products_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t cells = (size_t)f->n * f->n, local[] = {32, 8};
    const size_t global[] = {round_up(f->n, 32), round_up(f->n, 8)};
    for (unsigned a = 0; a < 3; a++)
        field_write(run, f->buffer[a], f->array[a], cells);
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++) {
        run_launch(run, f->kernel[0], 2, global, local);
        run_launch(run, f->kernel[1], 2, global, local);
    }
    field_end(run);
    field_read(run, f->buffer[4], f->array[3], cells);
}

/* Whole rows, as many as there is time for. */
static bool products_check(struct run *run, void *state)
{
    const struct field *f = state;
    struct tally tally = {.name = run->example->name};
    const size_t n = f->n, stride = sample_stride(n, budget / (2 * n * n) + 1, 1);
    cl_uint *row = run_array(run, 2 * n * sizeof *row);
    for (size_t i = 0; i < n; i += stride) {
        memset(row, 0, 2 * n * sizeof *row);
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                row[j] += f->array[0][i * n + k] * f->array[1][k * n + j];
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                row[n + j] += row[k] * f->array[2][k * n + j];
        for (size_t j = 0; j < n; j++)
            tally_value(&tally, i * n + j, f->array[3][i * n + j], row[n + j], 0);
    }
    return tally_pass(&tally, 0);
}

/* ---- a process with one short launch ---- */

static void once_setup(struct run *run, void *state)
{
    struct field *f = state;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 7);
    f->array[1] = field_output(run, f->n);
    f->buffer[0] = field_buffer(run, f->n);
    f->buffer[1] = field_buffer(run, f->n);
    f->kernel[0] = run_kernel(run, "advance");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->n));
}

static void once_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    field_write(run, f->buffer[0], f->array[0], f->n);
    field_launch(run, f->kernel[0], f->n);
    field_read(run, f->buffer[1], f->array[1], f->n);
}

static bool once_check(struct run *run, void *state)
{
    const struct field *f = state;
    const cl_uint *in = f->array[0];
    cl_uint *want = run_array(run, f->n * sizeof *want);
    for (size_t i = 0; i < f->n; i++)
        want[i] = field_mix(in[i > 0 ? i - 1 : i] + 3 * in[i] + 5 * in[i + 1 < f->n ? i + 1 : i]);
    return field_equal(run, f->array[1], want, f->n);
}

const struct field_shape field_single_shapes[] = {
    {"blur2d",
     "one launch of about 0.5 ms after an upload",
     "width and height of a picture",
     "launches",
     {130, 1000, 4096},
     {1, 1, 1},
     blur_setup,
     blur_enqueue,
     blur_check},
    {"blur3d",
     "one launch of about 2 ms after an upload",
     "width, height and depth of a volume",
     "launches",
     {20, 70, 320},
     {1, 1, 1},
     blur_setup,
     blur_enqueue,
     blur_check},
    {"matvec",
     "two launches of few work-items with long loops",
     "rows and columns",
     "pairs of launches",
     {200, 2000, 4096},
     {1, 1, 1},
     matvec_setup,
     matvec_enqueue,
     matvec_check},
    {"products",
     "two products of matrices, the second of the first's result",
     "rows and columns",
     "pairs of launches",
     {64, 400, 1024},
     {1, 1, 1},
     products_setup,
     products_enqueue,
     products_check},
    {"once",
     "a process with one short launch",
     "numbers",
     "unused",
     {20000, 40000, 40000},
     {1, 1, 1},
     once_setup,
     once_enqueue,
     once_check},
    {.name = NULL},
};

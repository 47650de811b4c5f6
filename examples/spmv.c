/* SPDX-License-Identifier: MIT */
/*
 * spmv: a sparse matrix times a vector, over and over; y of one launch is x of the next, and every launch may
 * read all of it. Bound by memory.
 */
#include "common.h"

#include "spmv.cl.h"

enum { LANES = 16, LOCAL_SIZE = 128, EXTRA_PROFILE = 0, EXTRA_PER_ROW = 1 };
enum profile { PROFILE_RANDOM, PROFILE_TRIANGULAR };

/* The check computes at most about this many products; what is left of a run is done again, shorter. */
static const size_t check_budget = 400000000;

struct spmv {
    cl_kernel kernel;
    cl_mem first_buffer, column_buffer, value_buffer, vectors[2];
    cl_uint *first, *columns;
    float *values, *x, *result;
    float *exchange[2]; /* hand-split: vectors after even products and after odd ones */
    cl_uint rows;
};

/* How many values a row holds. Random: 1 to twice the mean; triangular: growing with the row. */
static cl_uint row_length(struct run *run, size_t row, struct random *random)
{
    size_t rows = run_size(run), mean = run_extra(run, EXTRA_PER_ROW), length;
    if (run_extra(run, EXTRA_PROFILE) == PROFILE_TRIANGULAR)
        length = 1 + 2 * mean * row / rows;
    else
        length = 1 + random_u32(random) % (2 * mean);
    return (cl_uint)(length < rows ? length : rows);
}

static size_t count_values(struct run *run, struct spmv *s)
{
    struct random random = random_seeded(15);
    size_t sum = 0;
    s->first[0] = 0;
    for (size_t row = 0; row < s->rows; row++) {
        sum += row_length(run, row, &random);
        s->first[row + 1] = (cl_uint)sum;
    }
    if (sum > UINT32_MAX)
        fail(STATUS_USAGE, "spmv: %zu values are too many: at most %u", sum, UINT32_MAX);
    return sum;
}

/* One column in each of as many equal parts of the row; in a triangle all are left of the diagonal. Rows add
 * up to 1, so that no vector grows. */
static void fill_matrix(struct run *run, struct spmv *s)
{
    struct random random = random_seeded(16);
    bool triangular = run_extra(run, EXTRA_PROFILE) == PROFILE_TRIANGULAR;
    for (size_t row = 0; row < s->rows; row++) {
        size_t length = s->first[row + 1] - s->first[row], width = triangular ? row + 1 : s->rows;
        for (size_t i = 0; i < length; i++) {
            size_t low = i * width / length, high = (i + 1) * width / length;
            size_t at = s->first[row] + i;
            s->columns[at] = (cl_uint)(low + (high > low ? random_u32(&random) % (high - low) : 0));
            s->values[at] = (1.0f + 0.5f * random_float(&random)) / (float)length;
        }
    }
}

static void spmv_setup(struct run *run, void *state)
{
    struct spmv *s = state;
    s->rows = (cl_uint)run_size(run);
    size_t first_bytes = (s->rows + 1) * sizeof(cl_uint), vector_bytes = s->rows * sizeof(float);
    s->first_buffer = run_buffer(run, CL_MEM_READ_ONLY, first_bytes);
    s->first = run_input(run, s->first_buffer, first_bytes);
    size_t bytes = count_values(run, s) * sizeof(cl_uint);
    s->column_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    s->value_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    for (unsigned i = 0; i < 2; i++)
        s->vectors[i] = run_buffer(run, CL_MEM_READ_WRITE, vector_bytes);
    s->columns = run_input(run, s->column_buffer, bytes);
    s->values = run_input(run, s->value_buffer, bytes);
    s->x = run_input(run, s->vectors[0], vector_bytes);
    s->result = run_output(run, s->vectors[run_iterations(run) % 2], vector_bytes);
    fill_matrix(run, s);
    for (unsigned i = 0; i < 2 && run_is_native(run); i++)
        s->exchange[i] = run_array(run, vector_bytes);
    struct random random = random_seeded(17);
    for (size_t i = 0; i < s->rows; i++)
        s->x[i] = random_float(&random);
    s->kernel = run_kernel(run, "spmv");
    SET_ARGS(s->kernel, ARG(s->first_buffer), ARG(s->column_buffer), ARG(s->value_buffer), ARG(s->rows));
}

static void spmv_enqueue(struct run *run, void *state)
{
    struct spmv *s = state;
    size_t local = LOCAL_SIZE, global = round_up((size_t)s->rows * LANES, LOCAL_SIZE);
    for (size_t i = 0; i < run_iterations(run); i++) {
        SET_ARG(s->kernel, 4, s->vectors[i % 2]);
        SET_ARG(s->kernel, 5, s->vectors[(i + 1) % 2]);
        run_launch(run, s->kernel, 1, &global, &local);
    }
}

/* The row in which the value with this number is. */
static size_t row_of(const struct spmv *s, size_t value)
{
    size_t low = 0, high = s->rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->first[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each device has rows of its own, cut where the values are shared out as wanted; before each further product
 * it gets what the others computed. */
static bool spmv_native(struct run *part, void *state, size_t step)
{
    enum { GROUP_ROWS = LOCAL_SIZE / LANES };
    struct spmv *s = state;
    size_t bytes = s->rows * sizeof(float), first, end, local = LOCAL_SIZE;
    bool more = step + 1 < run_iterations(part);
    cl_mem from = s->vectors[step % 2], to = s->vectors[(step + 1) % 2];
    run_share(part, s->first[s->rows], 1, &first, &end);
    first = row_of(s, first) / GROUP_ROWS * GROUP_ROWS;
    end = part->part + 1 == part->part_count ? s->rows : row_of(s, end) / GROUP_ROWS * GROUP_ROWS;
    if (end <= first)
        return more;
    if (step == 0) {
        size_t low = s->first[first] * sizeof(cl_uint), high = s->first[end] * sizeof(cl_uint);
        run_write_part(part, s->first_buffer, s->first, first * sizeof(cl_uint), (end + 1) * sizeof(cl_uint));
        run_write_part(part, s->column_buffer, s->columns, low, high);
        run_write_part(part, s->value_buffer, s->values, low, high);
        run_write(part, from, s->x, bytes);
    } else {
        run_write_part(part, from, s->exchange[step % 2], 0, first * sizeof(float));
        run_write_part(part, from, s->exchange[step % 2], end * sizeof(float), bytes);
    }
    SET_ARG(s->kernel, 4, from);
    SET_ARG(s->kernel, 5, to);
    size_t offset = first * LANES, global = round_up((end - first) * LANES, LOCAL_SIZE);
    run_launch_part(part, s->kernel, 1, &offset, &global, &local);
    run_read_part(part, to, first * sizeof(float), end * sizeof(float),
                  more ? s->exchange[(step + 1) % 2] : s->result);
    return more;
}

/* The vector after the given number of products, in double precision; two arrays take turns. */
static const double *multiply(const struct spmv *s, size_t times, double *from, double *to)
{
    for (size_t i = 0; i < s->rows; i++)
        from[i] = s->x[i];
    for (size_t k = 0; k < times; k++) {
        for (size_t row = 0; row < s->rows; row++) {
            double sum = 0;
            for (size_t i = s->first[row]; i < s->first[row + 1]; i++)
                sum += (double)s->values[i] * from[s->columns[i]];
            to[row] = sum;
        }
        double *next = from;
        from = to;
        to = next;
    }
    return from;
}

static bool spmv_check(struct run *run, void *state)
{
    struct spmv *s = state;
    struct tally tally = {.name = run->example->name};
    size_t affordable = check_budget / s->first[s->rows] + 1;
    size_t products = run_iterations(run), times = run_shorten(run, affordable, state);
    double *arrays = run_array(run, 2 * s->rows * sizeof(double));
    const double *want = multiply(s, times, arrays, arrays + s->rows);
    if (times < products) { /* the output's buffer may be the other one now */
        run_read(run, s->vectors[times % 2], s->rows * sizeof(float), s->result);
        run_finish(run);
    }
    for (size_t i = 0; i < s->rows; i++)
        tally_value(&tally, i, s->result[i], want[i], 1e-4);
    return tally_pass(&tally, 0);
}

static const struct example spmv = {
    .name = "spmv",
    .summary = "Multiplies a sparse matrix of size rows with a vector, then with the product, and so on.",
    .iterations = "products",
    .check_note = "every element against double precision, tolerance 1e-4; where values times iterations\n"
                  "  exceed 400 million, of a second, shorter run.",
    .source = kernel_source,
    .build_options = "-DLANES=16 -DLOCAL_SIZE=128",
    .size = 100000,
    .size_max = (size_t)1 << 30,
    .default_iterations = 8,
    .presets = {[PRESET_TINY] = {.size = 100000, .iterations = 2},
                [PRESET_SMALL] = {.size = 500000, .iterations = 8},
                /* LogFit's matrix GL7d13: a triangle of 47271 rows and 356232 values */
                [PRESET_LARGE] = {.size = 4000000, .iterations = 20},
                [PRESET_PAPER] = {.size = 47271, .iterations = 100, .extra = {PROFILE_TRIANGULAR, 8}}},
    .extra = {{"profile", "lengths of rows", "random|triangular", 0, 0, PROFILE_RANDOM},
              {"per-row", "mean number of values a row", NULL, 1, 1 << 20, 32}},
    .state_size = sizeof(struct spmv),
    .setup = spmv_setup,
    .enqueue = spmv_enqueue,
    .native = spmv_native,
    .check = spmv_check,
};

int main(int argc, char **argv)
{
    return example_main(&spmv, argc, argv);
}

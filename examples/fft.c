/* SPDX-License-Identifier: MIT */
/*
 * fft: transforms of 65536 complex points, forward and then inverse, in place; four launches that share out
 * the data in the same way.
 */
#include "common.h"

#include <math.h>

#include "fft.cl.h"

enum { POINTS = 256, TRANSFORM = POINTS * POINTS, LOCAL_SIZE = POINTS, CHECKED_FREQUENCIES = 64 };

struct fft {
    cl_kernel columns, rows;
    cl_mem data_buffer, root_buffer;
    cl_float2 *data, *result, *roots;
};

static void fft_setup(struct run *run, void *state)
{
    struct fft *f = state;
    size_t count = run_size(run) * TRANSFORM, bytes = count * sizeof(cl_float2);
    f->data_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    f->root_buffer = run_buffer(run, CL_MEM_READ_ONLY, TRANSFORM * sizeof(cl_float2));
    f->data = run_input(run, f->data_buffer, bytes);
    f->roots = run_input(run, f->root_buffer, TRANSFORM * sizeof(cl_float2));
    f->result = run_output(run, f->data_buffer, bytes);
    struct random random = random_seeded(20);
    for (size_t i = 0; i < count; i++)
        f->data[i] = (cl_float2){{random_float(&random), random_float(&random)}};
    for (size_t i = 0; i < TRANSFORM; i++) {
        double angle = 2 * acos(-1) * (double)i / TRANSFORM;
        f->roots[i] = (cl_float2){{(float)cos(angle), (float)sin(angle)}};
    }
    f->columns = run_kernel(run, "columns");
    SET_ARGS(f->columns, ARG(f->data_buffer), ARG(f->root_buffer));
    f->rows = run_kernel(run, "rows");
    SET_ARGS(f->rows, ARG(f->data_buffer), ARG(f->root_buffer));
}

static void enqueue_pass(struct run *run, cl_kernel kernel, float sign, float scale)
{
    size_t global[] = {POINTS / 4 * LOCAL_SIZE, run_size(run)}, local[] = {LOCAL_SIZE, 1};
    SET_ARG(kernel, 2, sign);
    if (scale != 0)
        SET_ARG(kernel, 3, scale);
    run_launch(run, kernel, 2, global, local);
}

static void enqueue_forward(struct run *run, struct fft *f)
{
    enqueue_pass(run, f->columns, -1.0f, 1.0f);
    enqueue_pass(run, f->rows, -1.0f, 0);
}

static void fft_enqueue(struct run *run, void *state)
{
    struct fft *f = state;
    for (size_t i = 0; i < run_iterations(run); i++) {
        enqueue_forward(run, f);
        enqueue_pass(run, f->rows, 1.0f, 0);
        enqueue_pass(run, f->columns, 1.0f, 1.0f / TRANSFORM);
    }
}

/* Some frequencies of the first transform by their definition; got is in transposed order. */
static void check_spectrum(struct tally *tally, const struct fft *f, const cl_float2 *got)
{
    struct random random = random_seeded(21);
    for (unsigned c = 0; c < CHECKED_FREQUENCIES; c++) {
        size_t k = random_u32(&random) % TRANSFORM, place = k % POINTS * POINTS + k / POINTS;
        double re = 0, im = 0;
        for (size_t n = 0; n < TRANSFORM; n++) {
            cl_float2 root = f->roots[n * k % TRANSFORM], x = f->data[n];
            re += (double)x.s[0] * (double)root.s[0] + (double)x.s[1] * (double)root.s[1];
            im += (double)x.s[1] * (double)root.s[0] - (double)x.s[0] * (double)root.s[1];
        }
        /* Sums of 65536 numbers between -1 and 1 are about 256. */
        tally_value(tally, 2 * k, (double)got[place].s[0] / 256, re / 256, 1e-4);
        tally_value(tally, 2 * k + 1, (double)got[place].s[1] / 256, im / 256, 1e-4);
    }
}

static bool fft_check(struct run *run, void *state)
{
    struct fft *f = state;
    struct tally tally = {.name = run->example->name};
    size_t count = run_size(run) * TRANSFORM, stride = sample_stride(count, 50000000, 1);
    for (size_t i = 0; i < count; i += stride) {
        tally_value(&tally, 2 * i, f->result[i].s[0], f->data[i].s[0], 1e-4);
        tally_value(&tally, 2 * i + 1, f->result[i].s[1], f->data[i].s[1], 1e-4);
    }
    cl_float2 *spectrum = run_array(run, TRANSFORM * sizeof(*spectrum));
    run_write(run, f->data_buffer, f->data, count * sizeof(*f->data));
    enqueue_forward(run, f);
    run_read(run, f->data_buffer, TRANSFORM * sizeof(*spectrum), spectrum);
    run_finish(run);
    check_spectrum(&tally, f, spectrum);
    return tally_pass(&tally, 0);
}

static const struct example fft = {
    .name = "fft",
    .summary = "Transforms size sets of 65536 complex numbers, forward and back.",
    .iterations = "times forward and back",
    .check_note = "what comes back must be what went out (tolerance 1e-4; a sample of more than 50 million\n"
                  "  numbers); 64 frequencies of the first set are compared with sums in double precision.",
    .source = kernel_source,
    .size = 32,
    .size_max = 1 << 16,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 8},
                [PRESET_SMALL] = {.size = 96, .iterations = 2},
                [PRESET_LARGE] = {.size = 2048},
                [PRESET_PAPER] = {.size = 1024}}, /* 512 MB */
    .state_size = sizeof(struct fft),
    .setup = fft_setup,
    .enqueue = fft_enqueue,
    .check = fft_check,
};

int main(int argc, char **argv)
{
    return example_main(&fft, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * mandelbrot: a square picture of the Mandelbrot set; 2-D, uneven cost, no input.
 */
#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mandelbrot.cl.h"

enum { LOCAL_WIDTH = 32, LOCAL_HEIGHT = 4, EXTRA_VIEW = 0, EXTRA_PICTURE = 1 };
static const char picture_name[] = "mandelbrot.pgm";

/* The check computes at most about this many steps. */
static const size_t check_budget = 400000000;

/* The middle of the picture and its width in the plane, in the order of the option's words. */
static const struct view {
    float center_x, center_y, width;
} views[] = {
    {-0.5f, 0.0f, 3.0f},        /* default: symmetric about the horizontal axis */
    {-0.1f, 0.0f, 0.1f},        /* interior: nothing escapes, each pixel costs the same */
    {-0.7453f, 0.1127f, 0.01f}, /* seahorse: no symmetry, dear and cheap parts mixed finely */
};

struct mandelbrot {
    cl_kernel kernel;
    cl_mem buffer;
    cl_uint *steps;
    cl_uint side, max_steps;
    float center_x, center_y, pixel;
};

static void mandelbrot_setup(struct run *run, void *state)
{
    struct mandelbrot *m = state;
    size_t n = run_size(run);
    const struct view *view = &views[run_extra(run, EXTRA_VIEW)];
    m->side = (cl_uint)n;
    m->max_steps = (cl_uint)run_iterations(run);
    m->center_x = view->center_x;
    m->center_y = view->center_y;
    m->pixel = view->width / (float)n;
    m->buffer = run_buffer(run, CL_MEM_WRITE_ONLY, n * n * sizeof(cl_uint));
    m->steps = run_output(run, m->buffer, n * n * sizeof(cl_uint));

    m->kernel = run_kernel(run, "mandelbrot");
    SET_ARGS(m->kernel, ARG(m->buffer), ARG(m->side), ARG(m->side), ARG(m->center_x), ARG(m->center_y),
             ARG(m->pixel), ARG(m->max_steps));
}

static void mandelbrot_enqueue(struct run *run, void *state)
{
    struct mandelbrot *m = state;
    size_t global[] = {round_up(m->side, LOCAL_WIDTH), round_up(m->side, LOCAL_HEIGHT)};
    size_t local[] = {LOCAL_WIDTH, LOCAL_HEIGHT};
    run_launch(run, m->kernel, 2, global, local);
}

/* Each device computes rows of its own. */
static bool mandelbrot_native(struct run *part, void *state, size_t step)
{
    struct mandelbrot *m = state;
    size_t first, end, row = m->side * sizeof(cl_uint);
    run_share(part, m->side, LOCAL_HEIGHT, &first, &end);
    if (end == first)
        return false;
    size_t offset[] = {0, first},
           global[] = {round_up(m->side, LOCAL_WIDTH), round_up(end - first, LOCAL_HEIGHT)};
    size_t local[] = {LOCAL_WIDTH, LOCAL_HEIGHT};
    run_launch_part(part, m->kernel, 2, offset, global, local);
    run_read_part(part, m->buffer, first * row, end * row, m->steps);
    return false;
}

/* The kernel's computation for one pixel, rounded in the same places. */
static cl_uint steps_at(const struct mandelbrot *m, size_t x, size_t y)
{
    float middle = 0.5f * (float)(m->side - 1);
    float c_re = m->center_x + ((float)x - middle) * m->pixel;
    float c_im = m->center_y + ((float)y - middle) * m->pixel;
    float re = 0.0f, im = 0.0f, re2 = 0.0f, im2 = 0.0f;
    cl_uint step = 0;
    while (step < m->max_steps && re2 + im2 <= 4.0f) {
        im = 2.0f * re * im + c_im;
        re = re2 - im2 + c_re;
        re2 = re * re;
        im2 = im * im;
        step++;
    }
    return step;
}

static bool mandelbrot_check(struct run *run, void *state)
{
    const struct mandelbrot *m = state;
    struct tally tally = {.name = run->example->name};
    size_t pixels = (size_t)m->side * m->side;
    size_t stride = sample_stride(pixels, check_budget / m->max_steps, m->side);
    for (size_t i = 0; i < pixels; i += stride)
        tally_value(&tally, i, m->steps[i], steps_at(m, i % m->side, i / m->side), 0);
    /* A device that contracts in spite of the pragma may lose a few pixels on the rim. */
    return tally_pass(&tally, tally.seen / 100000);
}

/* Shades of grey, by steps: the set itself is black. */
static void mandelbrot_done(struct run *run, void *state)
{
    const struct mandelbrot *m = state;
    FILE *file = run_extra(run, EXTRA_PICTURE) ? fopen(picture_name, "wb") : NULL;
    if (!file && run_extra(run, EXTRA_PICTURE))
        fail(STATUS_USAGE, "mandelbrot: %s: %s", picture_name, strerror(errno));
    if (!file)
        return;
    fprintf(file, "P5\n%u %u\n255\n", m->side, m->side);
    for (size_t i = 0; i < (size_t)m->side * m->side; i++) {
        const float part = m->steps[i] < m->max_steps ? logf(1.0f + (float)m->steps[i]) / logf(501.0f) : 0;
        fputc(part > 0 ? 1 + (int)(254.0f * fminf(part, 1.0f)) : 0, file);
    }
    if (fclose(file) != 0)
        fail(STATUS_USAGE, "mandelbrot: %s: %s", picture_name, strerror(errno));
}

static const struct example mandelbrot = {
    .name = "mandelbrot",
    .summary = "Computes a picture of the Mandelbrot set, size by size pixels.",
    .iterations = "largest number of steps a pixel",
    .check_note = "pixels must be equal but for one in 100000; where pixels times iterations\n"
                  "  exceed 400 million, a sample at even distance is compared.",
    .source = kernel_source,
    .size = 512,
    .size_max = 1 << 24,
    .default_iterations = 500,
    .presets = {[PRESET_TINY] = {.size = 256},
                [PRESET_SMALL] = {.size = 1024, .iterations = 1000},
                [PRESET_LARGE] = {.size = 6144, .iterations = 200000},
                [PRESET_PAPER] = {.size = 20480, .iterations = 5000}},
    .extra = {{"view", "part of the plane", "default|interior|seahorse", 0, 0, 0},
              {"picture", "write the picture to mandelbrot.pgm", "", 0, 0, 0}},
    .state_size = sizeof(struct mandelbrot),
    .setup = mandelbrot_setup,
    .enqueue = mandelbrot_enqueue,
    .native = mandelbrot_native,
    .check = mandelbrot_check,
    .done = mandelbrot_done,
};

int main(int argc, char **argv)
{
    return example_main(&mandelbrot, argc, argv);
}

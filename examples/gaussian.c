/* SPDX-License-Identifier: MIT */
/*
 * gaussian: blurs a square picture, several times if wanted; a 2-D stencil with a buffer of weights.
 */
#include "common.h"

#include <math.h>

#include "gaussian.cl.h"

enum { LOCAL_SIDE = 16, EXTRA_RADIUS = 0 };

/* The check computes at most about this many products. */
static const size_t check_budget = 300000000;

struct gaussian {
    cl_kernel kernel;
    cl_mem buffers[2], weight_buffer;
    float *picture, *result, *weights;
    float *
        exchange[2]; /* hand-split: pictures after even passes and after odd ones, only the rows at borders */
    cl_int side, radius;
    size_t weight_bytes;
};

static void fill_weights(struct gaussian *g)
{
    double sum = 0, sigma = fmax(g->radius / 2.0, 0.5);
    cl_int side = 2 * g->radius + 1;
    for (cl_int i = 0; i < side * side; i++) {
        double dx = i % side - g->radius, dy = i / side - g->radius;
        g->weights[i] = (float)exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
        sum += g->weights[i];
    }
    for (cl_int i = 0; i < side * side; i++)
        g->weights[i] /= (float)sum;
}

static void gaussian_setup(struct run *run, void *state)
{
    struct gaussian *g = state;
    size_t pixels = run_size(run) * run_size(run);
    run->output_bytes = pixels * sizeof(float);
    g->side = (cl_int)run_size(run);
    g->radius = (cl_int)run_extra(run, EXTRA_RADIUS);
    g->weight_bytes = (size_t)(2 * g->radius + 1) * (size_t)(2 * g->radius + 1) * sizeof(float);
    g->buffers[0] = run_buffer(run, CL_MEM_READ_WRITE, run->output_bytes);
    g->buffers[1] = run_buffer(run, CL_MEM_READ_WRITE, run->output_bytes);
    g->weight_buffer = run_buffer(run, CL_MEM_READ_ONLY, g->weight_bytes);
    g->picture = run_array(run, run->output_bytes);
    g->result = run_array(run, run->output_bytes);
    g->weights = run_array(run, g->weight_bytes);
    run->output = g->result;
    for (unsigned i = 0; i < 2 && run_is_native(run); i++)
        g->exchange[i] = run_array(run, run->output_bytes);
    struct random random = random_seeded(4);
    for (size_t i = 0; i < pixels; i++)
        g->picture[i] = 128.0f + 127.0f * random_float(&random);
    fill_weights(g);

    g->kernel = run_kernel(run, "gaussian");
    SET_ARG(g->kernel, 2, g->weight_buffer);
    SET_ARG(g->kernel, 3, g->side);
    SET_ARG(g->kernel, 4, g->side);
    SET_ARG(g->kernel, 5, g->radius);
}

/* Even passes go from the first buffer to the second, odd ones back. */
static void enqueue_pass(struct run *run, struct gaussian *g, size_t pass)
{
    size_t side = round_up(run_size(run), LOCAL_SIDE);
    size_t global[] = {side, side}, local[] = {LOCAL_SIDE, LOCAL_SIDE};
    SET_ARG(g->kernel, 0, g->buffers[pass % 2]);
    SET_ARG(g->kernel, 1, g->buffers[(pass + 1) % 2]);
    run_launch(run, g->kernel, 2, global, local);
}

static void write_inputs(struct run *run, struct gaussian *g)
{
    run_write(run, g->buffers[0], g->picture, run->output_bytes);
    run_write(run, g->weight_buffer, g->weights, g->weight_bytes);
}

static void gaussian_enqueue(struct run *run, void *state)
{
    struct gaussian *g = state;
    size_t passes = run_iterations(run);
    write_inputs(run, g);
    for (size_t pass = 0; pass < passes; pass++)
        enqueue_pass(run, g, pass);
    run_read(run, g->buffers[passes % 2], run->output_bytes, g->result);
}

/* Each device blurs rows of its own; before each further pass it gets its neighbours' rows at the border. */
static bool gaussian_native(struct run *part, void *state, size_t pass)
{
    struct gaussian *g = state;
    size_t side = run_size(part), radius = (size_t)g->radius, row = side * sizeof(float), first, end;
    bool more = pass + 1 < run_iterations(part);
    cl_mem from = g->buffers[pass % 2], to = g->buffers[(pass + 1) % 2];
    run_share(part, side, LOCAL_SIDE, &first, &end);
    size_t above = first > radius ? first - radius : 0, below = end + radius < side ? end + radius : side;
    if (end == first)
        return more;
    if (pass == 0) {
        run_write(part, g->weight_buffer, g->weights, g->weight_bytes);
        run_write_part(part, from, g->picture, above * row, below * row);
    } else {
        run_write_part(part, from, g->exchange[pass % 2], above * row, first * row);
        run_write_part(part, from, g->exchange[pass % 2], end * row, below * row);
    }
    SET_ARG(g->kernel, 0, from);
    SET_ARG(g->kernel, 1, to);
    size_t offset[] = {0, first}, local[] = {LOCAL_SIDE, LOCAL_SIDE};
    size_t global[] = {round_up(side, LOCAL_SIDE), round_up(end - first, LOCAL_SIDE)};
    run_launch_part(part, g->kernel, 2, offset, global, local);
    if (!more) {
        run_read_part(part, to, first * row, end * row, g->result);
        return false;
    }
    size_t upper = first + radius < end ? first + radius : end,
           lower = end > radius + upper ? end - radius : upper;
    run_read_part(part, to, first * row, upper * row, g->exchange[(pass + 1) % 2]);
    run_read_part(part, to, lower * row, end * row, g->exchange[(pass + 1) % 2]);
    return true;
}

static ptrdiff_t clamp_index(ptrdiff_t i, ptrdiff_t low, ptrdiff_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* The kernel's computation for one pixel, rounded in the same places. */
static float blur_pixel(const struct gaussian *g, const float *picture, ptrdiff_t x, ptrdiff_t y)
{
    ptrdiff_t last = g->side - 1, radius = g->radius;
    const float *weight = g->weights;
    float sum = 0.0f;
    for (ptrdiff_t dy = -radius; dy <= radius; dy++) {
        const float *row = picture + clamp_index(y + dy, 0, last) * g->side;
        for (ptrdiff_t dx = -radius; dx <= radius; dx++)
            sum += row[clamp_index(x + dx, 0, last)] * *weight++;
    }
    return sum;
}

/*
 * Runs the passes on the device once more, reading the picture after each one, and compares each pass with
 * plain C that starts from the same picture: so a sample will do for large ones. The end must be the timed
 * run's end.
 */
static bool gaussian_check(struct run *run, void *state)
{
    struct gaussian *g = state;
    struct tally tally = {.name = run->example->name};
    size_t side = run_size(run), passes = run_iterations(run), weights = g->weight_bytes / sizeof(float);
    size_t stride = sample_stride(side * side, check_budget / weights / passes, side);
    float *before = g->picture;
    float *after = run_array(run, run->output_bytes), *spare = run_array(run, run->output_bytes);
    write_inputs(run, g);
    for (size_t pass = 0; pass < passes; pass++) {
        enqueue_pass(run, g, pass);
        run_read(run, g->buffers[(pass + 1) % 2], run->output_bytes, after);
        run_finish(run);
        for (size_t i = 0; i < side * side; i += stride) {
            float want = blur_pixel(g, before, (ptrdiff_t)(i % side), (ptrdiff_t)(i / side));
            tally_value(&tally, i, after[i], want, 1e-5);
        }
        float *next = pass == 0 ? spare : before;
        before = after;
        after = next;
    }
    for (size_t i = 0; i < side * side; i++)
        tally_value(&tally, i, g->result[i], before[i], 1e-5);
    return tally_pass(&tally, 0);
}

static const struct example gaussian = {
    .name = "gaussian",
    .summary = "Blurs a picture of size by size floats.",
    .iterations = "passes, each blurring the last one's picture",
    .check_note =
        "each pass is repeated on the device and compared with plain C that starts from the same\n"
        "  picture (relative tolerance 1e-5), for a sample of pixels where size * size * weights *\n"
        "  iterations exceeds 300 million; then all pixels with the timed run's.",
    .source = kernel_source,
    .size = 512,
    .size_max = 1 << 24,
    .default_iterations = 2,
    .presets = {[PRESET_TINY] = {.size = 512},
                [PRESET_SMALL] = {.size = 1024, .extra = {7}},
                [PRESET_LARGE] = {.size = 4096, .iterations = 5, .extra = {63}},
                [PRESET_PAPER] = {.size = 8000, .iterations = 1, .extra = {40}}},
    .extra = {{"radius", "reach of the blur in pixels", NULL, 1, 63, 2}},
    .state_size = sizeof(struct gaussian),
    .setup = gaussian_setup,
    .enqueue = gaussian_enqueue,
    .native = gaussian_native,
    .check = gaussian_check,
};

int main(int argc, char **argv)
{
    return example_main(&gaussian, argc, argv);
}

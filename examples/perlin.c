/* SPDX-License-Identifier: MIT */
/*
 * perlin: frames of gradient noise; bound by computing, and a picture comes back after each frame.
 */
#include "common.h"

#include <math.h>

#include "perlin.cl.h"

enum { LOCAL_WIDTH = 64, TABLE = 512, EXTRA_OCTAVES = 0 };

/* The check computes at most about this many octaves of pixels. */
static const size_t check_budget = 2000000;

struct perlin {
    cl_kernel kernel;
    cl_mem picture_buffer, table_buffer;
    cl_uchar4 *picture;
    cl_uchar *table;
    cl_uint side;
    cl_int octaves;
};

static void perlin_setup(struct run *run, void *state)
{
    struct perlin *p = state;
    p->side = (cl_uint)run_size(run);
    p->octaves = (cl_int)run_extra(run, EXTRA_OCTAVES);
    run->output_bytes = (size_t)p->side * p->side * sizeof(cl_uchar4);
    p->picture_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, run->output_bytes);
    p->table_buffer = run_buffer(run, CL_MEM_READ_ONLY, TABLE);
    p->picture = run_array(run, run->output_bytes);
    p->table = run_input(run, p->table_buffer, TABLE);
    run->output = p->picture;
    struct random random = random_seeded(14);
    for (unsigned i = 0; i < 256; i++) {
        unsigned other = random_u32(&random) % (i + 1);
        p->table[i] = p->table[other];
        p->table[other] = (cl_uchar)i;
    }
    for (unsigned i = 256; i < TABLE; i++)
        p->table[i] = p->table[i - 256];
    p->kernel = run_kernel(run, "perlin");
    SET_ARGS(p->kernel, ARG(p->picture_buffer), ARG(p->side), ARG(p->table_buffer), ARG(p->octaves));
}

static float frame_time(size_t frame)
{
    return 0.1f + (float)frame * 0.05f;
}

static void perlin_enqueue(struct run *run, void *state)
{
    struct perlin *p = state;
    size_t global[] = {round_up(p->side, LOCAL_WIDTH), p->side}, local[] = {LOCAL_WIDTH, 1};
    for (size_t frame = 0; frame < run_iterations(run); frame++) {
        float time = frame_time(frame);
        SET_ARG(p->kernel, 4, time);
        run_launch(run, p->kernel, 2, global, local);
        run_read(run, p->picture_buffer, run->output_bytes, p->picture);
    }
}

static float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static float slope(unsigned hash, const float *d)
{
    unsigned h = hash & 15;
    float u = h < 8 ? d[0] : d[1];
    float v = h < 4 ? d[1] : h == 12 || h == 14 ? d[0] : d[2];
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

/* One octave: the eight corners of the cell around a place, weighted. */
static float noise_at(const cl_uchar *table, const float place[3])
{
    float part[3], weight[3], value[8];
    unsigned cell[3];
    for (unsigned k = 0; k < 3; k++) {
        float low = floorf(place[k]);
        cell[k] = (unsigned)(int)low & 255;
        part[k] = place[k] - low;
        weight[k] = fade(part[k]);
    }
    for (unsigned corner = 0; corner < 8; corner++) {
        unsigned step[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        unsigned hash = table[table[table[cell[0] + step[0]] + cell[1] + step[1]] + cell[2] + step[2]];
        float d[3];
        for (unsigned k = 0; k < 3; k++)
            d[k] = part[k] - (float)step[k];
        value[corner] = slope(hash, d);
    }
    for (unsigned k = 0, left = 4; k < 3; k++, left /= 2) {
        for (unsigned i = 0; i < left; i++)
            value[i] = value[2 * i] + weight[k] * (value[2 * i + 1] - value[2 * i]);
    }
    return value[0];
}

static cl_uchar level_at(const struct perlin *p, size_t x, size_t y, float time)
{
    float sum = 0.0f, scale = 1.0f / 64.0f, weight = 0.5f;
    for (cl_int octave = 0; octave < p->octaves; octave++) {
        sum += weight * noise_at(p->table, (float[]){(float)x * scale, (float)y * scale, time});
        scale *= 2.0f;
        weight *= 0.5f;
    }
    return (cl_uchar)fminf(fmaxf(127.5f + 127.5f * sum, 0.0f), 255.0f);
}

static bool perlin_check(struct run *run, void *state)
{
    const struct perlin *p = state;
    struct tally tally = {.name = run->example->name};
    size_t pixels = (size_t)p->side * p->side;
    size_t stride = sample_stride(pixels, check_budget / (size_t)p->octaves, p->side);
    float time = frame_time(run_iterations(run) - 1);
    for (size_t i = 0; i < pixels; i += stride)
        tally_value(&tally, i, p->picture[i].s[0], level_at(p, i % p->side, i / p->side, time), 0);
    /* A device that contracts in spite of the pragma may round a few levels the other way. */
    return tally_pass(&tally, tally.seen / 1000);
}

static const struct example perlin = {
    .name = "perlin",
    .summary = "Computes frames of gradient noise, size by size pixels.",
    .iterations = "frames, each read back",
    .check_note = "pixels of the last frame must be equal but for one in 1000; a sample at even distance\n"
                  "  where pixels times octaves exceed 2 million.",
    .source = kernel_source,
    .size = 512,
    .size_max = 1 << 15,
    .default_iterations = 2,
    .presets = {[PRESET_TINY] = {.size = 512},
                [PRESET_SMALL] = {.size = 1024, .iterations = 6},
                [PRESET_LARGE] = {.size = 8192, .iterations = 10, .extra = {10}},
                [PRESET_PAPER] = {.size = 8192,
                                  .iterations = 10,
                                  .extra = {8}}}, /* the paper names no size */
    .extra = {{"octaves", "layers of noise, each twice as fine as the last", NULL, 1, 10, 4}},
    .state_size = sizeof(struct perlin),
    .setup = perlin_setup,
    .enqueue = perlin_enqueue,
    .check = perlin_check,
};

int main(int argc, char **argv)
{
    return example_main(&perlin, argc, argv);
}

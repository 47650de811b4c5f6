/* SPDX-License-Identifier: MIT */
/*
 * krist: structure factors of a random crystal; bound by sines and cosines, local memory.
 */
#include "common.h"

#include <math.h>

#include "krist.cl.h"

enum { PIECE = 64, EXTRA_ATOMS = 0, HIGHEST_INDEX = 32 };

/* The check computes at most about this many pairs of atom and reflection. */
static const size_t check_budget = 10000000;

struct krist {
    cl_kernel kernel;
    cl_mem atom_buffer, reflection_buffer, factor_buffer;
    cl_float4 *atoms, *reflections;
    cl_float2 *factors;
    cl_uint atom_count, reflection_count;
};

static void fill_inputs(struct krist *k)
{
    struct random random = random_seeded(11);
    for (size_t i = 0; i < k->atom_count; i++) {
        /* Places in 4096ths of the cell: no phase is rounded. */
        for (unsigned d = 0; d < 3; d++)
            k->atoms[i].s[d] = (float)(random_u32(&random) % 4096) / 4096.0f;
        k->atoms[i].s[3] = 1.5f + random_float(&random);
    }
    for (size_t i = 0; i < k->reflection_count; i++) {
        for (unsigned d = 0; d < 3; d++)
            k->reflections[i].s[d] =
                (float)(random_u32(&random) % (2 * HIGHEST_INDEX + 1)) - (float)HIGHEST_INDEX;
        k->reflections[i].s[3] = 0.0f;
    }
}

static void krist_setup(struct run *run, void *state)
{
    struct krist *k = state;
    k->reflection_count = (cl_uint)run_size(run);
    k->atom_count = (cl_uint)run_extra(run, EXTRA_ATOMS);
    size_t atom_bytes = k->atom_count * sizeof(cl_float4);
    size_t reflection_bytes = k->reflection_count * sizeof(cl_float4);
    size_t factor_bytes = k->reflection_count * sizeof(cl_float2);
    k->atom_buffer = run_buffer(run, CL_MEM_READ_ONLY, atom_bytes);
    k->reflection_buffer = run_buffer(run, CL_MEM_READ_ONLY, reflection_bytes);
    k->factor_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, factor_bytes);
    k->atoms = run_input(run, k->atom_buffer, atom_bytes);
    k->reflections = run_input(run, k->reflection_buffer, reflection_bytes);
    k->factors = run_output(run, k->factor_buffer, factor_bytes);
    fill_inputs(k);
    k->kernel = run_kernel(run, "krist");
    SET_ARGS(k->kernel, ARG(k->atom_buffer), ARG(k->atom_count), ARG(k->reflection_buffer),
             ARG(k->reflection_count), ARG(k->factor_buffer));
}

static void krist_enqueue(struct run *run, void *state)
{
    struct krist *k = state;
    size_t global = round_up(k->reflection_count, PIECE), local = PIECE;
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, k->kernel, 1, &global, &local);
}

static bool krist_check(struct run *run, void *state)
{
    const struct krist *k = state;
    struct tally tally = {.name = run->example->name};
    size_t stride = sample_stride(k->reflection_count, check_budget / k->atom_count, 1);
    for (size_t i = 0; i < k->reflection_count; i += stride) {
        double re = 0, im = 0;
        for (size_t a = 0; a < k->atom_count; a++) {
            double turns = 0;
            for (unsigned d = 0; d < 3; d++)
                turns += (double)k->reflections[i].s[d] * (double)k->atoms[a].s[d];
            double angle = 2 * acos(-1) * (turns - floor(turns));
            re += (double)k->atoms[a].s[3] * cos(angle);
            im += (double)k->atoms[a].s[3] * sin(angle);
        }
        tally_value(&tally, 2 * i, k->factors[i].s[0], re, 1e-3);
        tally_value(&tally, 2 * i + 1, k->factors[i].s[1], im, 1e-3);
    }
    return tally_pass(&tally, 0);
}

static const struct example krist = {
    .name = "krist",
    .summary = "Computes the structure factors of size reflections of a crystal.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note =
        "factors against double precision, relative tolerance 1e-3; a sample at even distance where\n"
        "  atoms times reflections exceed 10 million.",
    .source = kernel_source,
    .build_options = "-DPIECE=64",
    .size = 16384,
    .size_max = (size_t)1 << 31,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 2048, .extra = {512}},
                [PRESET_SMALL] = {.size = 40960, .extra = {512}},
                [PRESET_LARGE] = {.size = 1 << 22, .iterations = 16, .extra = {4096}},
                [PRESET_PAPER] = {.size = 1 << 20, .extra = {2048}}}, /* the paper names no size */
    .extra = {{"atoms", "atoms in the cell", NULL, 1, 1 << 24, 512}},
    .state_size = sizeof(struct krist),
    .setup = krist_setup,
    .enqueue = krist_enqueue,
    .check = krist_check,
};

int main(int argc, char **argv)
{
    return example_main(&krist, argc, argv);
}

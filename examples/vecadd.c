/* SPDX-License-Identifier: MIT */
/*
 * vecadd: the sum of two vectors. The smallest useful OpenCL program; the driver chooses the local size.
 */
#include "common.h"

#include "vecadd.cl.h"

struct vecadd {
    cl_kernel kernel;
    cl_mem a_buffer, b_buffer, c_buffer;
    float *a, *b, *c;
};

static void vecadd_setup(struct run *run, void *state)
{
    struct vecadd *v = state;
    size_t n = run_size(run), bytes = n * sizeof(float);
    v->a_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    v->b_buffer = run_buffer(run, CL_MEM_READ_ONLY, bytes);
    v->c_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, bytes);
    v->a = run_input(run, v->a_buffer, bytes);
    v->b = run_input(run, v->b_buffer, bytes);
    v->c = run_output(run, v->c_buffer, bytes);
    struct random random = random_seeded(1);
    for (size_t i = 0; i < n; i++) {
        v->a[i] = random_float(&random);
        v->b[i] = random_float(&random);
    }
    v->kernel = run_kernel(run, "vecadd");
    SET_ARGS(v->kernel, ARG(v->a_buffer), ARG(v->b_buffer), ARG(v->c_buffer));
}

static void vecadd_enqueue(struct run *run, void *state)
{
    struct vecadd *v = state;
    size_t n = run_size(run);
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, v->kernel, 1, &n, NULL);
}

static bool vecadd_check(struct run *run, void *state)
{
    const struct vecadd *v = state;
    struct tally tally = {.name = run->example->name};
    for (size_t i = 0; i < run_size(run); i++)
        tally_value(&tally, i, v->c[i], v->a[i] + v->b[i], 0);
    return tally_pass(&tally, 0);
}

static const struct example vecadd = {
    .name = "vecadd",
    .summary = "Adds two vectors of size floats.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note = "every element must be equal.",
    .source = kernel_source,
    .size = 4000000,
    .size_max = (size_t)1 << 40,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 4000000},
                [PRESET_SMALL] = {.size = 30000000, .iterations = 16},
                [PRESET_LARGE] = {.size = 300000000},
                [PRESET_PAPER] = {.size = 100000000}},
    .state_size = sizeof(struct vecadd),
    .setup = vecadd_setup,
    .enqueue = vecadd_enqueue,
    .check = vecadd_check,
};

int main(int argc, char **argv)
{
    return example_main(&vecadd, argc, argv);
}

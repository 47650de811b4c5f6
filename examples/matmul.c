/* SPDX-License-Identifier: MIT */
/*
 * matmul: the product of two square matrices; local memory, barriers, group ids.
 */
#include "common.h"

#include "matmul.cl.h"

enum { TILE = 16, STRIP = 16 };

/* The check computes at most about this many products. */
static const size_t check_budget = 300000000;

struct matmul {
    cl_kernel kernel;
    cl_mem a_buffer, b_buffer, c_buffer;
    float *a, *b, *c;
    size_t n, bytes;
};

/* Eighths between -1 and 1: up to size 262144 every sum is exact, in whatever order a device adds. */
static float random_eighth(struct random *random)
{
    return (float)((int)(random_u32(random) % 17) - 8) / 8.0f;
}

static void matmul_setup(struct run *run, void *state)
{
    struct matmul *m = state;
    m->n = run_size(run);
    m->bytes = m->n * m->n * sizeof(float);
    m->a_buffer = run_buffer(run, CL_MEM_READ_ONLY, m->bytes);
    m->b_buffer = run_buffer(run, CL_MEM_READ_ONLY, m->bytes);
    m->c_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, m->bytes);
    m->a = run_input(run, m->a_buffer, m->bytes);
    m->b = run_input(run, m->b_buffer, m->bytes);
    m->c = run_output(run, m->c_buffer, m->bytes);
    struct random random = random_seeded(5);
    for (size_t i = 0; i < m->n * m->n; i++) {
        m->a[i] = random_eighth(&random);
        m->b[i] = random_eighth(&random);
    }
    cl_uint n = (cl_uint)m->n;
    m->kernel = run_kernel(run, "matmul");
    SET_ARGS(m->kernel, ARG(m->a_buffer), ARG(m->b_buffer), ARG(m->c_buffer), ARG(n));
}

static void matmul_enqueue(struct run *run, void *state)
{
    struct matmul *m = state;
    size_t side = round_up(m->n, TILE);
    size_t global[] = {side, side}, local[] = {TILE, TILE};
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, m->kernel, 2, global, local);
}

/* Each device computes rows of its own, from the start of its buffers: the kernel counts by group. */
static bool matmul_native(struct run *part, void *state, size_t step)
{
    struct matmul *m = state;
    size_t row = m->n * sizeof(float), first, end;
    run_share(part, m->n, TILE, &first, &end);
    size_t global[] = {round_up(m->n, TILE), round_up(end - first, TILE)}, local[] = {TILE, TILE};
    if (end == first)
        return false;
    run_write(part, m->a_buffer, m->a + first * m->n, (end - first) * row);
    run_write(part, m->b_buffer, m->b, m->bytes);
    for (size_t i = 0; i < run_iterations(part); i++)
        run_launch(part, m->kernel, 2, global, local);
    run_read(part, m->c_buffer, (end - first) * row, m->c + first * m->n);
    return false;
}

/* Elements beside each other at once: memory gives them together. */
static bool matmul_check(struct run *run, void *state)
{
    const struct matmul *m = state;
    struct tally tally = {.name = run->example->name};
    size_t n = m->n, strips = (n + STRIP - 1) / STRIP;
    size_t stride = sample_stride(n * strips, check_budget / n / STRIP, strips);
    for (size_t i = 0; i < n * strips; i += stride) {
        size_t row = i / strips, first = i % strips * STRIP, count = n - first < STRIP ? n - first : STRIP;
        float sums[STRIP] = {0};
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < count; j++)
                sums[j] += m->a[row * n + k] * m->b[k * n + first + j];
        }
        for (size_t j = 0; j < count; j++)
            tally_value(&tally, row * n + first + j, m->c[row * n + first + j], sums[j], 0);
    }
    return tally_pass(&tally, 0);
}

static const struct example matmul = {
    .name = "matmul",
    .summary = "Multiplies two matrices of size by size floats.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note = "elements must be equal (the inputs are such that no sum is rounded); where size to the\n"
                  "  third exceeds 300 million, a sample of stretches of rows is compared.",
    .source = kernel_source,
    .build_options = "-DTILE=16",
    .size = 256,
    .size_max = 262144,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 256},
                [PRESET_SMALL] = {.size = 768},
                [PRESET_LARGE] = {.size = 8192, .iterations = 6},
                [PRESET_PAPER] = {.size = 8192}},
    .state_size = sizeof(struct matmul),
    .setup = matmul_setup,
    .enqueue = matmul_enqueue,
    .native = matmul_native,
    .check = matmul_check,
};

int main(int argc, char **argv)
{
    return example_main(&matmul, argc, argv);
}

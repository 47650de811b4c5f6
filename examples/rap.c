/* SPDX-License-Identifier: MIT */
/*
 * rap: resource allocation by dynamic programming; one launch an activity, each reading all that the one
 * before wrote, with a cost that grows along the launch.
 */
#include "common.h"

#include <string.h>

#include "rap.cl.h"

enum { LOCAL_SIZE = 64, PADDING = 16, EXTRA_BUDGETS = 0 };

/* The check tries at most about this many parts. */
static const size_t check_budget = 400000000;

struct rap {
    cl_kernel kernel;
    cl_mem *profit_buffers; /* one an activity */
    cl_mem best_buffers[2];
    cl_uint **profits;
    cl_uint *best;
    cl_uint problems, budgets, pitch; /* rows are padded: powers of two share too few lines of a cache */
};

/* What an activity earns with a part of the budget grows with the part, ever more slowly. */
static void fill_profits(struct rap *r, cl_uint *profits, uint64_t seed)
{
    struct random random = random_seeded(seed);
    for (size_t p = 0; p < r->pitch; p++)
        profits[p] = 0;
    for (size_t i = r->pitch; i < (size_t)r->pitch * r->budgets; i++) {
        cl_uint part = (cl_uint)(i / r->pitch);
        profits[i] = profits[i - r->pitch] + random_u32(&random) % 1000 / (1 + part / 16);
    }
}

static void rap_setup(struct run *run, void *state)
{
    struct rap *r = state;
    size_t activities = run_iterations(run);
    r->problems = (cl_uint)run_size(run);
    r->budgets = (cl_uint)run_extra(run, EXTRA_BUDGETS);
    r->pitch = (cl_uint)round_up(r->problems, PADDING) + PADDING;
    size_t bytes = (size_t)r->pitch * r->budgets * sizeof(cl_uint);
    r->profit_buffers = run_array(run, activities * sizeof(*r->profit_buffers));
    r->profits = run_array(run, activities * sizeof(*r->profits));
    for (size_t a = 0; a < activities; a++) {
        r->profit_buffers[a] = run_buffer(run, CL_MEM_READ_ONLY, bytes);
        r->profits[a] = run_input(run, r->profit_buffers[a], bytes);
        fill_profits(r, r->profits[a], 18 + a);
    }
    /* The second one, too, for the sake of its padding. */
    for (unsigned i = 0; i < 2; i++) {
        r->best_buffers[i] = run_buffer(run, CL_MEM_READ_WRITE, bytes);
        memset(run_input(run, r->best_buffers[i], bytes), 0, bytes);
    }
    r->best = run_output(run, r->best_buffers[activities % 2], bytes);
    r->kernel = run_kernel(run, "rap");
    SET_ARG(r->kernel, 3, r->pitch);
    SET_ARG(r->kernel, 4, r->problems);
    SET_ARG(r->kernel, 5, r->budgets);
}

static void rap_enqueue(struct run *run, void *state)
{
    struct rap *r = state;
    size_t global[] = {round_up(r->problems, LOCAL_SIZE), r->budgets}, local[] = {LOCAL_SIZE, 1};
    for (size_t a = 0; a < run_iterations(run); a++) {
        SET_ARGS(r->kernel, ARG(r->profit_buffers[a]), ARG(r->best_buffers[a % 2]),
                 ARG(r->best_buffers[(a + 1) % 2]));
        run_launch(run, r->kernel, 2, global, local);
    }
}

/* Solves one problem: the best profit of each budget with all activities. */
static void solve(const struct rap *r, size_t activities, size_t problem, cl_uint *best, cl_uint *before)
{
    memset(best, 0, r->budgets * sizeof(*best));
    for (size_t a = 0; a < activities; a++) {
        memcpy(before, best, r->budgets * sizeof(*best));
        for (size_t budget = 0; budget < r->budgets; budget++) {
            const cl_uint *profit = r->profits[a] + problem;
            best[budget] = 0;
            for (size_t part = 0; part <= budget; part++) {
                cl_uint sum = profit[part * r->pitch] + before[budget - part];
                if (sum > best[budget])
                    best[budget] = sum;
            }
        }
    }
}

static bool rap_check(struct run *run, void *state)
{
    const struct rap *r = state;
    struct tally tally = {.name = run->example->name};
    size_t activities = run_iterations(run), cost = (size_t)r->budgets * r->budgets / 2 * activities + 1;
    size_t stride = sample_stride(r->problems, check_budget / cost, 1);
    cl_uint *want = run_array(run, 2 * r->budgets * sizeof(*want));
    for (size_t problem = 0; problem < r->problems; problem += stride) {
        solve(r, activities, problem, want, want + r->budgets);
        for (size_t budget = 0; budget < r->budgets; budget++) {
            size_t i = budget * r->pitch + problem;
            tally_value(&tally, i, r->best[i], want[budget], 0);
        }
    }
    return tally_pass(&tally, 0);
}

static const struct example rap = {
    .name = "rap",
    .summary =
        "Shares a budget over several activities for the highest profit, in size independent problems.",
    .iterations = "activities (at most 20)",
    .check_note = "all budgets of a problem must be equal; a sample of problems where problems times\n"
                  "  budgets squared times activities exceed 800 million.",
    .source = kernel_source,
    .size = 512,
    .size_max = 1 << 20,
    .default_iterations = 2,
    .presets = {[PRESET_TINY] = {.size = 256, .extra = {256}},
                [PRESET_SMALL] = {.size = 512, .extra = {1024}},
                [PRESET_LARGE] = {.size = 4096, .iterations = 8, .extra = {6144}},
                [PRESET_PAPER] = {.size = 1024, .iterations = 8, .extra = {1024}}},
    .extra = {{"budgets", "budgets looked at, from none on", NULL, 1, 1 << 15, 512}},
    .state_size = sizeof(struct rap),
    .setup = rap_setup,
    .enqueue = rap_enqueue,
    .check = rap_check,
};

int main(int argc, char **argv)
{
    return example_main(&rap, argc, argv);
}

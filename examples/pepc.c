/* SPDX-License-Identifier: MIT */
/*
 * pepc: point charges of both signs by a tree code. The host builds a tree at each step; the time that takes
 * is part of the run.
 */
#include "tree.h"

#include <math.h>

#include "pepc.cl.h"

/* A thin plasma with denser beads in it. */
static void pepc_setup(struct run *run, void *state)
{
    struct bodies *b = state;
    bodies_setup(run, b, "pepc", false, true);
    struct random random = random_seeded(25);
    for (size_t i = 0; i < b->count; i++) {
        uint32_t bead = random_u32(&random) % 8;
        float width = bead < 4 ? 0.05f : 1.0f;
        for (unsigned k = 0; k < 3; k++) {
            float middle = bead < 4 ? 0.7f * cosf((float)(3 * bead + 2 * k)) : 0;
            b->start[i].s[k] = middle + width * random_float(&random);
            b->start[b->count + i].s[k] = 0.1f * random_float(&random);
        }
        b->start[i].s[3] = (i % 2 == 0 ? 1.0f : -1.0f) / (float)b->count;
        b->start[b->count + i].s[3] = 0;
    }
}

static void pepc_enqueue(struct run *run, void *state)
{
    bodies_simulate(run, state);
}

static void visit(const struct tree *tree, size_t node, const float d[3], float r2, double pull[3])
{
    const float *dipole = tree->dipoles[node].s;
    double inverse = 1 / sqrt((double)r2), inverse3 = inverse * inverse * inverse, along = 0;
    for (unsigned k = 0; k < 3; k++)
        along += (double)dipole[k] * (double)d[k];
    double radial = (3 * along * inverse * inverse - (double)tree->centres[node].s[3]) * inverse3;
    for (unsigned k = 0; k < 3; k++)
        pull[k] += (double)d[k] * radial - (double)dipole[k] * inverse3;
}

static void push_on(const struct tree *tree, const cl_float4 *place, double push[3])
{
    tree_walk(tree, place, push, visit);
    for (unsigned k = 0; k < 3; k++) /* all charges are 1 or -1 over their number */
        push[k] *= place->s[3] > 0 ? 1 : -1;
}

static bool pepc_check(struct run *run, void *state)
{
    return bodies_check(run, state, push_on);
}

static const struct example pepc = {
    .name = "pepc",
    .summary = "Simulates size point charges by an octree.",
    .iterations = "time steps",
    .check_note =
        "up to ten steps are repeated on the device and a sample of charges compared with plain C that\n"
        "  walks through the same tree (tolerance 1e-5 for places, 1e-4 for velocities).",
    .source = kernel_source,
    .size = 8192,
    .size_max = (size_t)1 << 30,
    .default_iterations = 2,
    .presets = {[PRESET_TINY] = {.size = 4096},
                [PRESET_SMALL] = {.size = 16384, .iterations = 6},
                [PRESET_LARGE] = {.size = 400000, .iterations = 5},
                [PRESET_PAPER] = {.size = 100000, .iterations = 75}},
    .state_size = sizeof(struct bodies),
    .setup = pepc_setup,
    .enqueue = pepc_enqueue,
    .check = pepc_check,
};

int main(int argc, char **argv)
{
    return example_main(&pepc, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * barneshut: a cluster of stars by the tree code of Barnes and Hut. The host builds a tree at each step; the
 * time that takes is part of the run.
 */
#include "tree.h"

#include <math.h>

#include "barneshut.cl.h"

/* Dense in the middle, thin outside: a Plummer sphere, cut off at ten times its radius. */
static void barneshut_setup(struct run *run, void *state)
{
    struct bodies *b = state;
    bodies_setup(run, b, "barneshut", true, false);
    struct random random = random_seeded(24);
    for (size_t i = 0; i < b->count; i++) {
        double share = 0.01 + 0.97 * (0.5 + 0.5 * (double)random_float(&random));
        double radius = 1 / sqrt(pow(share, -2.0 / 3) - 1), d[3], length;
        do {
            length = 0;
            for (unsigned k = 0; k < 3; k++) {
                d[k] = (double)random_float(&random);
                length += d[k] * d[k];
            }
        } while (length > 1 || length < 0.01);
        for (unsigned k = 0; k < 3; k++) {
            b->start[i].s[k] = (float)(d[k] / sqrt(length) * radius);
            b->start[b->count + i].s[k] = 0.3f * random_float(&random);
        }
        b->start[i].s[3] = 1.0f / (float)b->count;
        b->start[b->count + i].s[3] = 0;
    }
}

static void barneshut_enqueue(struct run *run, void *state)
{
    bodies_simulate(run, state);
}

static void visit(const struct tree *tree, size_t node, const float d[3], float r2, double pull[3])
{
    double strength = (double)tree->centres[node].s[3] / ((double)r2 * sqrt((double)r2));
    for (unsigned k = 0; k < 3; k++)
        pull[k] += (double)d[k] * strength;
}

static void pull_on(const struct tree *tree, const cl_float4 *place, double pull[3])
{
    tree_walk(tree, place, pull, visit);
}

static bool barneshut_check(struct run *run, void *state)
{
    return bodies_check(run, state, pull_on);
}

static const struct example barneshut = {
    .name = "barneshut",
    .summary = "Simulates a cluster of size stars by an octree.",
    .iterations = "time steps",
    .check_note =
        "up to ten steps are repeated on the device and a sample of bodies compared with plain C that\n"
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
    .setup = barneshut_setup,
    .enqueue = barneshut_enqueue,
    .check = barneshut_check,
};

int main(int argc, char **argv)
{
    return example_main(&barneshut, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * The octree of the examples barneshut and pepc. Bodies are sorted by the octants they are in, from the
 * largest to the smallest; bodies of one node then lie side by side.
 */
#include "tree.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 16, LOCAL_SIZE = 64, CHECKED_STEPS = 10, CHECKED_BODIES = 4000 };

const float tree_dt = 1e-3f, tree_theta2 = 0.25f, tree_softening = 1e-4f;

/* Three bits a level, the highest level first. */
struct tree_key {
    uint64_t octants;
    cl_uint body;
};

/* What a node knows of the bodies in it. */
struct moments {
    double sum, weight, place[3], dipole[3];
};

static void tree_init(struct run *run, struct tree *tree, size_t bodies)
{
    size_t most = 2 * bodies; /* nodes with one child are left out */
    tree->cells = run_array(run, most * sizeof(*tree->cells));
    tree->centres = run_array(run, most * sizeof(*tree->centres));
    tree->dipoles = run_array(run, most * sizeof(*tree->dipoles));
    tree->order = run_array(run, bodies * sizeof(*tree->order));
    tree->keys = run_array(run, bodies * sizeof(*tree->keys));
    tree->spare_keys = run_array(run, bodies * sizeof(*tree->keys));
}

/* The lower corner and the side of a cube around all bodies. */
static float bounds(const cl_float4 *bodies, size_t count, float low[3])
{
    float side = 0;
    for (unsigned k = 0; k < 3; k++) {
        float high = low[k] = bodies[0].s[k];
        for (size_t i = 1; i < count; i++) {
            low[k] = fminf(low[k], bodies[i].s[k]);
            high = fmaxf(high, bodies[i].s[k]);
        }
        side = fmaxf(side, high - low[k]);
    }
    return side > 0 ? side * 1.0001f : 1;
}

static uint64_t octants_of(const cl_float4 *body, const float low[3], float side)
{
    uint64_t octants = 0;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t bits = (uint64_t)((body->s[k] - low[k]) / side * (float)(1 << LEVELS));
        for (unsigned level = 0; level < LEVELS; level++)
            octants |= (bits >> level & 1) << (3 * level + k);
    }
    return octants;
}

static void sort_keys(struct tree *tree, size_t count)
{
    for (unsigned shift = 0; shift < 3 * LEVELS; shift += 8) {
        size_t first[257] = {0};
        for (size_t i = 0; i < count; i++)
            first[(tree->keys[i].octants >> shift & 255) + 1]++;
        for (unsigned d = 1; d < 256; d++)
            first[d] += first[d - 1];
        for (size_t i = 0; i < count; i++)
            tree->spare_keys[first[tree->keys[i].octants >> shift & 255]++] = tree->keys[i];
        struct tree_key *sorted = tree->spare_keys;
        tree->spare_keys = tree->keys;
        tree->keys = sorted;
    }
}

static size_t octant(const struct tree *tree, size_t i, unsigned level)
{
    return tree->keys[i].octants >> (3 * (LEVELS - 1 - level)) & 7;
}

/* The sums of place and weight become a mean; the dipole's origin moves there. */
static void store_node(struct tree *tree, size_t node, struct moments *m, double side)
{
    cl_float4 centre = {{0}}, dipole = {{0}};
    for (unsigned k = 0; k < 3; k++) {
        double mean = m->weight > 0 ? m->place[k] / m->weight : m->place[k];
        centre.s[k] = (float)mean;
        dipole.s[k] = (float)(m->dipole[k] - m->sum * mean);
    }
    centre.s[3] = (float)m->sum;
    tree->centres[node] = centre;
    tree->dipoles[node] = dipole;
    tree->cells[node] = (struct tree_cell){(float)(side * side), (cl_uint)tree->nodes};
}

static void add_moments(struct moments *to, const struct moments *part)
{
    to->sum += part->sum;
    to->weight += part->weight;
    for (unsigned k = 0; k < 3; k++) {
        to->place[k] += part->place[k];
        to->dipole[k] += part->dipole[k];
    }
}

/* Makes the node of bodies first to end, which agree in all octants above the level, and all below it. */
static struct moments build_node(struct tree *tree, const cl_float4 *bodies, size_t first, size_t end,
                                 unsigned level, double side)
{
    struct moments m = {0};
    while (level < LEVELS && octant(tree, first, level) == octant(tree, end - 1, level)) {
        level++;
        side /= 2;
    }
    size_t node = tree->nodes++;
    if (level == LEVELS) { /* one body, or several at nearly one place */
        for (size_t i = first; i < end; i++) {
            const float *s = bodies[tree->keys[i].body].s;
            struct moments one = {.sum = (double)s[3], .weight = fabs((double)s[3])};
            for (unsigned k = 0; k < 3; k++) {
                one.place[k] = one.weight * (double)s[k];
                one.dipole[k] = one.sum * (double)s[k];
            }
            add_moments(&m, &one);
        }
        store_node(tree, node, &m, 0);
        return m;
    }
    for (size_t i = first; i < end;) {
        size_t start = i, here = octant(tree, i, level);
        while (i < end && octant(tree, i, level) == here)
            i++;
        struct moments part = build_node(tree, bodies, start, i, level + 1, side / 2);
        add_moments(&m, &part);
    }
    store_node(tree, node, &m, side);
    return m;
}

static void tree_build(struct tree *tree, const cl_float4 *bodies, size_t count)
{
    float low[3], side = bounds(bodies, count, low);
    for (size_t i = 0; i < count; i++)
        tree->keys[i] = (struct tree_key){octants_of(&bodies[i], low, side), (cl_uint)i};
    sort_keys(tree, count);
    for (size_t i = 0; i < count; i++)
        tree->order[i] = tree->keys[i].body;
    tree->nodes = 0;
    build_node(tree, bodies, 0, count, 0, (double)side);
}

void bodies_setup(struct run *run, struct bodies *b, const char *kernel, bool sorted, bool dipoles)
{
    size_t n = run_size(run), bytes = n * sizeof(cl_float4);
    b->count = n;
    b->sorted = sorted;
    tree_init(run, &b->tree, n);
    b->centre_buffer = run_buffer(run, CL_MEM_READ_ONLY, 2 * n * sizeof(cl_float4));
    b->cell_buffer = run_buffer(run, CL_MEM_READ_ONLY, 2 * n * sizeof(struct tree_cell));
    b->position_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    b->velocity_buffer = run_buffer(run, CL_MEM_READ_WRITE, bytes);
    b->start = run_array(run, 2 * bytes);
    b->before = run_array(run, 2 * bytes);
    b->now = run_array(run, 2 * bytes);
    b->spare = run_array(run, 2 * bytes);
    cl_uint count = (cl_uint)n, nodes = 0;
    b->kernel = run_kernel(run, kernel);
    SET_ARGS(b->kernel, ARG(b->centre_buffer), ARG(b->cell_buffer), ARG(nodes), ARG(b->position_buffer),
             ARG(b->velocity_buffer), ARG(count), ARG(tree_dt), ARG(tree_theta2), ARG(tree_softening));
    if (dipoles) {
        b->dipole_buffer = run_buffer(run, CL_MEM_READ_ONLY, 2 * bytes);
        SET_ARG(b->kernel, 9, b->dipole_buffer);
    }
    run->output = b->spare;
    run->output_bytes = 2 * bytes;
}

static void sort_bodies(struct bodies *b)
{
    size_t n = b->count;
    for (size_t i = 0; i < n; i++) {
        b->before[i] = b->now[b->tree.order[i]];
        b->before[n + i] = b->now[n + b->tree.order[i]];
    }
}

/* Moves all bodies from now to before, and makes a step from there to now. */
static void step(struct run *run, struct bodies *b)
{
    size_t n = b->count, global = round_up(n, LOCAL_SIZE), local = LOCAL_SIZE;
    struct tree *tree = &b->tree;
    tree_build(tree, b->now, n);
    if (b->sorted)
        sort_bodies(b);
    else
        memcpy(b->before, b->now, 2 * n * sizeof(*b->now));
    cl_uint nodes = (cl_uint)tree->nodes;
    SET_ARG(b->kernel, 2, nodes);
    run_write(run, b->centre_buffer, tree->centres, tree->nodes * sizeof(*tree->centres));
    run_write(run, b->cell_buffer, tree->cells, tree->nodes * sizeof(*tree->cells));
    if (b->dipole_buffer)
        run_write(run, b->dipole_buffer, tree->dipoles, tree->nodes * sizeof(*tree->dipoles));
    run_write(run, b->position_buffer, b->before, n * sizeof(*b->before));
    run_write(run, b->velocity_buffer, b->before + n, n * sizeof(*b->before));
    run_launch(run, b->kernel, 1, &global, &local);
    run_read(run, b->position_buffer, n * sizeof(*b->now), b->now);
    run_read(run, b->velocity_buffer, n * sizeof(*b->now), b->now + n);
    run_finish(run); /* the next tree needs them */
}

void bodies_simulate(struct run *run, struct bodies *b)
{
    memcpy(b->now, b->start, 2 * b->count * sizeof(*b->now));
    for (size_t i = 0; i < run_iterations(run); i++)
        step(run, b);
    memcpy(b->spare, b->now, 2 * b->count * sizeof(*b->now));
}

void tree_walk(const struct tree *tree, const cl_float4 *place, double pull[3],
               void (*visit)(const struct tree *tree, size_t node, const float d[3], float r2,
                             double pull[3]))
{
    for (size_t node = 0; node < tree->nodes;) {
        float d[3], r2 = 0;
        for (unsigned k = 0; k < 3; k++) {
            d[k] = tree->centres[node].s[k] - place->s[k];
            r2 += d[k] * d[k];
        }
        if (tree->cells[node].side2 > tree_theta2 * r2) {
            node++;
            continue;
        }
        visit(tree, node, d, r2 + tree_softening, pull);
        node = tree->cells[node].next;
    }
}

static void check_step(struct tally *tally, const struct bodies *b, size_t stride, pull_function *pull_on)
{
    size_t n = b->count;
    for (size_t i = 0; i < n; i += stride) {
        double pull[3] = {0};
        pull_on(&b->tree, &b->before[i], pull);
        for (unsigned k = 0; k < 3; k++) {
            double velocity = (double)b->before[n + i].s[k] + pull[k] * (double)tree_dt;
            double place = (double)b->before[i].s[k] + velocity * (double)tree_dt;
            tally_value(tally, n + i, (double)b->now[n + i].s[k], velocity, 1e-4);
            tally_value(tally, i, (double)b->now[i].s[k], place, 1e-5);
        }
    }
}

bool bodies_check(struct run *run, struct bodies *b, pull_function *pull_on)
{
    struct tally tally = {.name = run->example->name};
    size_t n = b->count, steps = run_iterations(run),
           repeated = steps < CHECKED_STEPS ? steps : CHECKED_STEPS;
    size_t stride = sample_stride(n, CHECKED_BODIES / repeated, 1);
    memcpy(b->now, b->start, 2 * n * sizeof(*b->now));
    for (size_t i = 0; i < repeated; i++) {
        step(run, b);
        check_step(&tally, b, stride, pull_on);
    }
    for (size_t i = 0; i < 2 * n && repeated == steps; i++) {
        for (unsigned k = 0; k < 4; k++)
            tally_value(&tally, i, b->spare[i].s[k], b->now[i].s[k], 1e-4);
    }
    /* A last bit may decide whether a node is near enough to be opened. */
    return tally_pass(&tally, tally.seen / 1000);
}

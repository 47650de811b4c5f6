/* SPDX-License-Identifier: MIT */
/*
 * An octree over bodies, and time steps by it: what the examples barneshut and pepc share. The host builds a
 * tree at each step and writes it; one work-item moves one body by what it meets on its way through the tree.
 */
#ifndef EXAMPLES_TREE_H
#define EXAMPLES_TREE_H

#include "common.h"

/* One node as the kernels see it, besides its centre. A body alone is a node of side 0. */
struct tree_cell {
    cl_float side2; /* the square of its side */
    cl_uint next;   /* the node that follows all nodes below this one */
};

/* All nodes in depth-first order: node i + 1 is the first one below node i. */
struct tree {
    size_t nodes;
    struct tree_cell *cells;
    cl_float4 *centres; /* mean place of the bodies weighted by |w|; w: the sum of w */
    cl_float4 *dipoles; /* sum of w times place, seen from the centre */
    cl_uint *order;     /* the bodies along the tree */
    struct tree_key *keys, *spare_keys;
};

/* Bodies on their way: w of a position is a mass or a charge, w of a velocity is not used. */
struct bodies {
    size_t count;
    bool sorted; /* along the tree, at each step */
    struct tree tree;
    cl_kernel kernel;
    cl_mem centre_buffer, cell_buffer, dipole_buffer, position_buffer, velocity_buffer;
    cl_float4 *start;                /* positions, then velocities */
    cl_float4 *before, *now, *spare; /* the same before and after the latest step */
};

/* Time step, square of the opening angle and of the softening length: arguments 6 to 8 of the kernels. */
extern const float tree_dt, tree_theta2, tree_softening;

/* Makes everything; the caller then fills start. The kernel's arguments are centres, cells, number of nodes,
 * positions, velocities, number of bodies, the three numbers above and, with dipoles, these. */
void bodies_setup(struct run *run, struct bodies *bodies, const char *kernel, bool sorted, bool dipoles);
/* Runs all steps; the last one's bodies are the run's output. */
void bodies_simulate(struct run *run, struct bodies *bodies);

/* Adds up what the body at this place meets in the tree. */
typedef void pull_function(const struct tree *tree, const cl_float4 *place, double pull[3]);
/* Walks through the tree by visit(node, displacement, square of the softened distance). */
void tree_walk(const struct tree *tree, const cl_float4 *place, double pull[3],
               void (*visit)(const struct tree *tree, size_t node, const float d[3], float r2,
                             double pull[3]));
/* Repeats up to ten steps and compares a sample of bodies of each with plain C; then all with the timed
 * run's. */
bool bodies_check(struct run *run, struct bodies *bodies, pull_function *pull_on);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The history of launches of one kernel and one size: each device's speed, how the cost of the groups varies
 * along the range, and how reliable that is.
 *
 * Costs have no unit of their own: the mean group costs 1, so a launch of G groups costs G. A device of speed
 * v needs launch + cost / v seconds for a package. The caller keeps one memory per kernel and shape, hands it
 * to every balancer of such a launch (cx_problem.memory) and calls cx_balancer_learn at the launch's end.
 * Each balancer uses a copy of the cost model from when it was made: launches overlap, and learning from one
 * must not change the costs of another that is under way. Thread-safety: none; the caller serialises.
 * Previous stage: balancer.h. Next: auto.c, which plans by it.
 */
#ifndef CX_SCHEDULER_MEMORY_H
#define CX_SCHEDULER_MEMORY_H

#include "scheduler/marrow.h"

#include <stdbool.h>
#include <stdint.h>

enum { CX_MEMORY_DEVICES = 64, CX_MEMORY_PIECES = 512, CX_MEMORY_PACKAGES = 1024, CX_MEMORY_SAMPLES = 512 };

struct cx_memory_device {
    double speed;      /* cost a second; 0: never measured */
    double transfer;   /* seconds of moves for each group that are part of that: the last launch's */
    double moves;      /* part of the seconds told of moves that they took; 0: none seen yet */
    unsigned launches; /* that measured it */
    unsigned losses;   /* of the newest ones, those in which others did all that it held */
};

/* A package of an earlier launch. */
struct cx_memory_sample {
    float from, to; /* parts of the range */
    float seconds;  /* computing alone, in the time of a package that fills the device */
    unsigned slot;
};

/* The cost model by which launches are planned. */
struct cx_cost_model {
    uint64_t groups;                     /* of the launches it is from; 0: none yet */
    unsigned launches;                   /* how many */
    double deviation;                    /* of log(real / predicted length) of packages, lately */
    double before[CX_MEMORY_PIECES + 1]; /* part of all cost that lies before piece i of the range */
    struct cx_memory_device device[CX_MEMORY_DEVICES];
};

struct cx_memory {
    struct cx_cost_model cost_model;
    bool settled;      /* its predictions were good once */
    double unbalanced; /* lbt in "Marrow" */
    unsigned nsamples; /* oldest first */
    struct cx_memory_sample sample[CX_MEMORY_SAMPLES];
    struct cx_marrow marrow; /* the policy marrow's, which learns nothing of the others */
};

/* One package of a launch under way. */
struct cx_package_log {
    unsigned device;
    uint64_t first, groups;
    double seconds;  /* alone on the device, moves of its groups counted */
    double moves;    /* these */
    double expected; /* predicted before; 0: not */
    bool fresh;      /* it did not overlap with one before it on the device */
};

/* Empties the memory; also initialises raw storage. Called by drift.c, grid.c, plan/plan_share.c and
 * tools/coexec_simulate.c. */
void cx_memory_init(struct cx_memory *memory);
/* Whether it has measurements of launches of that many groups. Called by auto.c. */
bool cx_cost_model_knows(const struct cx_cost_model *cost_model, uint64_t groups);
/* Cost of a run of groups of a launch of `all` groups; count where nothing is known. Accepts NULL. Called
 * by auto.c, auto_place.c and balancer.c. */
double cx_cost_model_cost(const struct cx_cost_model *cost_model, uint64_t all, uint64_t first,
                          uint64_t count);
/* The place, in groups, before which that part (0..1) of all cost lies. Called by auto.c and auto_place.c. */
double cx_cost_model_place(const struct cx_cost_model *cost_model, uint64_t all, double part);

struct cx_balancer;
/* memory.c, called by cx_balancer_learn. */
void cx_memory_learn(struct cx_memory *memory, const struct cx_balancer *balancer);

#endif

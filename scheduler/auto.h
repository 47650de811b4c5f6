/* SPDX-License-Identifier: MIT */
/*
 * What auto's files share: its state, and what it knows of a launch under way. Units: cost as in memory.h
 * (groups while nothing was learned), seconds from now on. Thread-safety: none; the caller of the balancer
 * serialises. Previous stage: auto.c. Next: auto_view.c, auto_place.c, auto_reexecute.c.
 */
#ifndef CX_SCHEDULER_AUTO_H
#define CX_SCHEDULER_AUTO_H

#include "scheduler/policy.h"
#include "scheduler/ranges.h"

/* Seconds from a package's end until the next one can begin, where none waits on the device: host and driver.
 */
#define CX_AUTO_REPLY 50e-6
/* Groups that cost more than so many times those beside them make a launch clustered. */
#define CX_AUTO_CLUSTERED 4.0

struct cx_auto_view {
    double speed;   /* now, transfers counted: 0 when failed */
    double belief;  /* the same, not lowered for a package that takes long */
    double backlog; /* seconds */
    double launch;
    double fixed; /* what has to be brought to it before its first package, while that is not over */
    bool overdue; /* it works on a package that should be over, so that nobody knows when it will be */
    double start; /* when a package given now could compute: behind both, and what it needs at first */
};

struct cx_auto_device {
    uint64_t partition; /* planned groups */
    bool started;
    bool out;                                                 /* left out of the plan, as too coarse */
    double cost[CX_SPEED_HISTORY], seconds[CX_SPEED_HISTORY]; /* of the last packages, a ring */
    unsigned samples;
    double remembered;      /* speed by the memory; 0: it is not used, or has none */
    double measured;        /* speed by both, once there are samples */
    double best;            /* the highest that was */
    double squares, weight; /* of its errors */
    uint64_t first, end;    /* of its newest package done */
    struct cx_auto_view view;
};

struct cx_auto {
    bool learned;           /* the memory's costs are used */
    double length;          /* seconds of the launch by its speeds */
    double squares, weight; /* of all errors, by cost */
    double surprise; /* log of the largest factor by which groups cost more or less than those beside */
    struct cx_auto_device device[];
};

/* Whether all that are there are of one kind. Called by auto.c. */
bool cx_auto_alike(const struct cx_balancer *balancer);
/* Brings every device's view up to date. False: no speed is known in groups/s. Called by auto.c and
 * auto_reexecute.c. */
bool cx_auto_look(struct cx_balancer *balancer, double now);
/* Whether a speed of the device is known, from this launch or earlier ones; that speed, transfers counted, 0:
 * neither. Called by auto.c and auto_reexecute.c. */
bool cx_auto_measured(const struct cx_balancer *balancer, unsigned index);
double cx_auto_speed(const struct cx_balancer *balancer, unsigned index);
/* A package of that cost took so long, computing: one more sample. Called by auto.c. */
void cx_auto_measure(struct cx_balancer *balancer, unsigned index, double cost, double seconds);
/* Of log(real / predicted length), as the device's packages and all others' show. Called by auto.c and
 * auto_reexecute.c. */
double cx_auto_deviation(const struct cx_balancer *balancer, unsigned index);

/* Cost of a package; the same with its groups as the device's time counts them (cx_groups_timed); and as it
 * counts them where few groups found no place beside those of the package before. Called by auto.c,
 * auto_place.c and auto_reexecute.c. */
double cx_auto_cost(const struct cx_balancer *balancer, const struct cx_flight *package);
double cx_auto_filled(const struct cx_balancer *balancer, const struct cx_device_state *device,
                      const struct cx_flight *package);
double cx_auto_at_most(const struct cx_balancer *balancer, const struct cx_device_state *device,
                       const struct cx_flight *package);
/* The part of all speed that the other devices have. Called by auto.c. */
double cx_auto_others(const struct cx_balancer *balancer, unsigned index);
/* Cost of what is not given out. Called by auto.c. */
double cx_auto_cost_left(const struct cx_balancer *balancer);
/* Seconds until all are done with that cost and what they hold, without new work for one of them (ndevices:
 * for all). Called by auto.c and auto_reexecute.c. */
double cx_auto_end(const struct cx_balancer *balancer, double cost, unsigned without);
/* Whether those that are there are by that end, where a device does nothing at all or at least its smallest
 * package, whose groups cost `each`: what several devices must not leave to one another. Called by auto.c
 * and auto_reexecute.c. */
bool cx_auto_done_by(const struct cx_balancer *balancer, double cost, double each, unsigned without,
                     double end);
/* How many times the cost of other groups those of the package that the device works on seem to have, as long
 * as it takes: no more than was seen in this launch. Called by auto_reexecute.c. */
double cx_auto_dearness(const struct cx_balancer *balancer, unsigned index, double now);

/* Whether that lies elsewhere than the device's newest package, so that its speed may be another there.
 * Called by auto.c. */
bool cx_auto_jumps(const struct cx_balancer *balancer, unsigned index);
/* Times longer than predicted that the packages beside that place took, or take so far; 1 at least. Called
 * by auto.c. */
double cx_auto_neighbours(const struct cx_balancer *balancer, unsigned index, double now);
/* Times longer than predicted that a package takes so far whose device did the groups beside it just before;
 * 1 at least. Called by auto.c. */
double cx_auto_overdue(const struct cx_balancer *balancer, double now);
/* Mean cost of the next groups, of about that cost in all; `mean` where nothing was learned. Called by
 * auto.c. */
double cx_auto_local_mean(const struct cx_balancer *balancer, unsigned index, double want, double mean);

/* auto_reexecute.c: see struct cx_policy. Called through a pointer set in auto.c. */
uint64_t cx_auto_reexecute(struct cx_balancer *balancer, unsigned index, double now, unsigned *victim,
                           unsigned *package, double *ask_next);
/* Seconds until the device should get its next package, so that it begins while the one it holds drains;
 * INFINITY: it holds none or several, or they do not overlap there. Called by auto.c. */
double cx_auto_due(const struct cx_balancer *balancer, unsigned index, double now);
double cx_auto_ask_next(struct cx_balancer *balancer, unsigned index, double now);

#endif

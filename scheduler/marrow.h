/* SPDX-License-Identifier: MIT */
/*
 * Marrow's load balancing test and adaptive binary search: when a distribution of work counts as unbalanced,
 * and how it is then changed, run by run.
 *
 * "Marrow" (section 3.3): lbt(n) = w isUnbalanced(dev) + (1 - w) lbt(n-1), w = 2/3; unbalanced where dev /
 * cFactor > maxDev; balancing begins at lbt ~ 1, after three to four unbalanced runs. Section 3.3.1: each run
 * then moves work from the worst to the best performing device type, as much as the *transferable partition*
 * holds. In a plain binary search (3.2.2) that is halved by each run; here the interval may shift sideways,
 * and after more than two shifts in one direction the partition doubles.
 *
 * Where the paper is silent or contradicts itself, we chose:
 * - dev and maxDev. The printed inequality calls a large deviation unbalanced, the text (4.2.2) says that
 * maxDev = 0.85 keeps "all concurrent executions within 85 % of the best performing one". dev is the worst
 * time over the best one here, and maxDev its inverse's bound: unbalanced where dev / cFactor > 1 / maxDev.
 * - lbt ~ 1 is lbt >= 0.95, the third of three unbalanced runs in a row. lbt is not forgotten when balancing
 * begins.
 * - cFactor is for what is best though unbalanced (packages are whole units): dev at the end of a search that
 * ended unbalanced, else 1.
 * - The transferable partition is 1/16 of the work at the beginning: 1, 1, 2 and 4 of them, the four shifts
 * that the paper saw at most, move half of it.
 * - While a run has the same side ahead as the one before, the interval shifts by its own length; once the
 * other one is, the optimum lies between, and the partition is halved by each run. If a third move in one
 * direction is due then and the run is unbalanced still, the optimum has moved out of the interval: the
 * partition doubles, too.
 * - The search ends when what it would move is less than 0.002 of the work, and the last move turned or the
 * run was balanced. The paper's search for a profile (Algorithm 1, step 17) ends where two runs' times differ
 * by less than a precision; on both sides of the optimum they are alike by chance.
 * - More sides than two: each has a partition of its own; those slower than the mean give theirs, the others
 * take theirs of that in proportion. With two sides that is the paper's.
 * - What a giver would have left is at least half of what it had.
 *
 * Thread-safety: none; the caller serialises. Previous stage: memory.h. Next: marrow.c, the policy.
 */
#ifndef CX_SCHEDULER_MARROW_H
#define CX_SCHEDULER_MARROW_H

#include <stdbool.h>
#include <stdint.h>

enum { CX_MARROW_SIDES = 64 };

/* The search, of one side. */
struct cx_marrow_side {
    double size;     /* its transferable partition, of all work */
    int direction;   /* of the last move: 1 it took, -1 it gave; 0: none yet */
    unsigned shifts; /* moves in that direction in a row */
    bool turned;     /* it went both ways: the optimum is enclosed */
};

/* What is kept of a kernel's launches of one size. All zero: nothing is. */
struct cx_marrow {
    uint64_t groups;              /* of the launches */
    double part[CX_MARROW_SIDES]; /* of the work, by the device's slot, in one unit; 0: unknown */
    uint64_t distribution;        /* counts changes of these */
    uint64_t members;             /* slots, as bits, that had work in the newest run */
    double lbt;
    double correction; /* cFactor; 0 counts as 1 */
    bool searching;
    struct cx_marrow_side side[CX_MARROW_SIDES];
    unsigned runs, unbalanced, operations; /* runs that counted, unbalanced ones, searches begun */
    unsigned idle, wait;                   /* marrow.c: runs in a row in which a device had no work; so many
                                            * until it is tried, 0: the first time */
    uint64_t tried;                        /* slots, as bits */
};

struct cx_balancer_params;
/* One run of the distribution: n sides (at most CX_MARROW_SIDES), each one's seconds and part of the work,
 * all above 0, the parts of sum 1. Changes the parts, and gives true, where work is moved. Called by
 * marrow.c. */
bool cx_marrow_run(struct cx_marrow *marrow, const struct cx_balancer_params *params, unsigned n,
                   const double *seconds, double *part);
/* Whether times of that ratio, worst over best, count as unbalanced. Called by marrow.c. */
bool cx_marrow_unbalanced(const struct cx_marrow *marrow, const struct cx_balancer_params *params,
                          double deviation);
/* Other sides share the work from now on: ends a search, and what was seen of imbalance does not count.
 * Called by marrow.c. */
void cx_marrow_rest(struct cx_marrow *marrow);

#endif

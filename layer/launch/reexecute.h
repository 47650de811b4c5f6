/* SPDX-License-Identifier: MIT */
/*
 * Rescues in a split whose packages are cut while it runs: what a slow or failing member still holds is done
 * again on another one, and the first to finish wins.
 *
 * Where that is allowed says reexecute_rules.h.
 *
 * Such a split settles, that is, its results get owners, only when every group is done by somebody: which
 * packages count is decided there, once, under context->lock. A member that then still works on what others
 * have done is late. The launch is over without it: its job leaves the command's cone and what later accesses
 * of the host copy wait for (its transfers are over, else it is waited for). It stays on its timeline, with
 * references to all it uses, until it ends, and exit() waits for it where it waits for any work. Its regions
 * were given to others. Meanwhile nothing is planned for it unless it holds the only copy of some bytes; but
 * launches that could do without, and would take longer than it has been late, are split as if it were free:
 * it joins in once it is, and gets nothing before. Most members are late for a moment only, and a program
 * that enqueues all of its launches at once would have all of them planned within it.
 *
 * The bound is that of scheduler/auto.c, whose 8th rule decides by expected times: a member however slow
 * delays the launch by no more than a launch on each other member and the time in which these together do
 * what it holds. It does not hold for other policies (they have no such rule: only failures are made good),
 * for members that work in place, for kernels that read what they write, for a probe's one package, which
 * is bounded by its size alone, and where others must fetch inputs from a member's memory (split_fetch.h)
 * that does not answer while its kernel runs. What a late member finished earlier in the launch stays where
 * it is, and whoever reads that waits for the member. Previous stage: split_member.c. All under
 * context->lock.
 */
#ifndef CX_LAYER_LAUNCH_REEXECUTE_H
#define CX_LAYER_LAUNCH_REEXECUTE_H

#include "layer/plan/plan.h"
#include "layer/plan/reexecute_rules.h"

struct split;
struct package;

/* Looks for something that the idle part should do again. True: split->packages[*index] is what. Else *again
 * is when to ask next, in seconds since the launch began; 0: after the next event. */
bool cx_reexecute_take(struct split *split, unsigned part, double now, unsigned *index, double *ask_next);
/* A package is over, and the balancer says what became of it: decides whether it counts. */
void cx_reexecute_note(struct split *split, struct package *package, unsigned outcome);
/* A part's package failed on its device: whatever the part still holds is for others. False: nobody is left,
 * or results are spoken for. */
bool cx_reexecute_failed(struct split *split, unsigned part, struct package *package);
/* The part begins (event) or knows of the end (NULL) of uploads for its packages. */
void cx_reexecute_uploads(struct split *split, unsigned part, cl_event event);
/* Whether all is done, but for transfers of a late member, which read the host copy or bring results home: it
 * could not be left now, and an idle part looks again. */
bool cx_reexecute_awaits(const struct split *split);
/* The split settles: takes late members out of what its command waits for. */
void cx_reexecute_leave(struct split *split);
/* The part has done all it held: its member is not late with it any more. */
void cx_reexecute_over(struct split *split, unsigned part);

#endif

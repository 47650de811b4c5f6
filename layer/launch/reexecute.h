/* SPDX-License-Identifier: MIT */
/*
 * Speculative re-execution in a split whose packages are cut while it runs: what a slow or failing member
 * still holds is done again on another one, and the first to finish counts. reexecute_rules.h says where that
 * is allowed.
 *
 * Such a split settles (its results get owners) only when every group is done by some member; then it is
 * decided once, under context->lock, which packages count. A member that then still works on what others have
 * done is a straggler, and its job is superseded. The launch is complete without it: its job no longer counts
 * for the command's frontier, nor for later accesses to the host copy (if its transfers are not over, they
 * are waited for). The job stays on its timeline, with references to everything it uses, until it ends; its
 * regions belong to others. exit() waits for it as for any work. Meanwhile nothing is planned for a straggler
 * unless it holds the only copy of some bytes. But a launch that can do without it, and would take longer
 * than it has been superseded, is split as if it were free: it joins in once it is, and gets nothing before.
 * Most members are stragglers only briefly, and a program that enqueues everything at once would have every
 * launch planned in that moment, without the device.
 *
 * scheduler/auto.c bounds the delay, as its 8th rule decides by expected times: a member, however slow,
 * delays the launch by at most one package on each other member and the time in which these together do what
 * it holds. There is no such bound for other policies (they only make up for failures), for members that work
 * in place, for kernels that read what they write, for a probe's one package (bounded by its size alone), and
 * if others must fetch inputs from the memory of a member (split_inputs.h) that does not answer while its
 * kernel runs. What a straggler finished earlier in the launch stays in its memory, and later reads of that
 * wait for it. Previous stage: split_member.c. All functions are called under context->lock.
 */
#ifndef CX_LAYER_LAUNCH_REEXECUTE_H
#define CX_LAYER_LAUNCH_REEXECUTE_H

#include "layer/plan/plan.h"
#include "layer/plan/reexecute_rules.h"

struct split;
struct package;

/* Looks for a package that the idle part should re-execute. True: it is split->packages.list[*index]. Else
 * *ask_next is when to ask again, in seconds since the launch began; 0: after the next event. Called by
 * split_member.c. */
bool cx_reexecute_take(struct split *split, unsigned part, double now, unsigned *index, double *ask_next)
    CX_HOLDS(cx_context_locked);
/* Called when a package is over, with the balancer's outcome: decides whether it counts. */
void cx_reexecute_note(struct split *split, struct package *package, unsigned outcome)
    CX_HOLDS(cx_context_locked);
/* Called when a part's package failed on its device: gives what the part still holds to others. False: no
 * part is left, or its results are already relied upon. */
bool cx_reexecute_failed(struct split *split, unsigned part, struct package *package)
    CX_HOLDS(cx_context_locked);
/* Notes that the part begins uploads for its packages (event), or knows that they have ended (NULL).
 * Called by split.c and split_upload.c. */
void cx_reexecute_uploads(struct split *split, unsigned part, cl_event event) CX_HOLDS(cx_context_locked);
/* Whether everything is done except transfers of a straggler, which read the host copy or write results back:
 * the straggler cannot be left now, and an idle part asks again. Called by split.c and split_member.c. */
bool cx_reexecute_awaits(const struct split *split) CX_HOLDS(cx_context_locked);
/* Called when the split settles: removes stragglers' jobs from what its command waits for. */
void cx_reexecute_leave(struct split *split) CX_HOLDS(cx_context_locked);
/* Called when the part has done everything it held: its member is no longer a straggler for this launch. */
void cx_reexecute_over(struct split *split, unsigned part) CX_HOLDS(cx_context_locked);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What whole, static and dynamic launches share: bringing what they read, noting what they write, packages,
 * and the program's own kernel. Previous stage: plan.h. Under context->lock where nothing else is said.
 */
#ifndef CX_LAYER_LAUNCH_LAUNCH_H
#define CX_LAYER_LAUNCH_LAUNCH_H

#include "layer/plan/plan.h"

/* ---- the next stages ---- */

/* They settle the command, at once or (dynamic) later. Take the plan over. */
void cx_launch_whole(struct cx_launch *launch, unsigned member); /* whole.c */
void cx_launch_split(struct cx_launch *launch,
                     struct cx_split_plan *plan); /* static.c: shares known beforehand */
void cx_launch_dynamic(struct cx_launch *launch, struct cx_split_plan *plan); /* split.c */

/* ---- memory ---- */

/* Brings what a package reads, and what it may leave unwritten of what it writes, to the member; counts what
 * the member uses in place. */
cl_int cx_launch_gather(struct cx_launch *launch, const struct cx_access_region *regions,
                        const struct cx_worker *worker);
/* For the summary: what a package uses of the host copy where it lies. */
void cx_launch_count_in_place(const struct cx_launch *launch, const struct cx_access_region *regions,
                              const struct cx_worker *worker);
/* Whether the member has a place of its own for one of the launch's buffers. */
bool cx_launch_moves(const struct cx_launch *launch, const struct cx_worker *worker);
/* What a job of the worker that runs a package must wait for on other timelines: nothing unless it works on
 * the host copy in place, or `uploads` from it by itself. For all packages before any of them is noted, since
 * they run side by side. */
void cx_launch_deps(const struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, bool uploads, uint64_t *deps);
/* Enters into the coherence map what a job does: a package's accesses of the host copy by the worker's job
 * `seq`, and that the worker's place owns what it writes (not what is merged or private). whole.c and
 * static.c do so when they plan the job; split.c, for each package, and prefix.c when the launch settles. */
bool cx_launch_note(struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, uint64_t seq);
/* Lets go of the buffers that it holds (unsettled.h): their owners are known. context->lock held. */
void cx_launch_release(struct cx_launch *launch);
/* A launch with these arguments was not carried out: what it should have written is nobody's. */
void cx_args_lost(const struct cx_kernel *kernel, const struct cx_args *args);
/* A launch's cx_command.lost. */
void cx_launch_lost(struct cx_command *command);

/* ---- packages ---- */

/* For the run of a job, without locks: sets arguments and enqueues one package on a real queue of the part's
 * member, behind `after` (of another queue of the member, flushed) where that is not NULL; gives its event.
 */
cl_int cx_launch_package(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, cl_command_queue queue, cl_event after,
                         cl_event *event);
/* Whether the driver may have to compile for it. For the thread that pumps the member's worker. */
bool cx_launch_package_is_new(const struct cx_launch *launch, const struct cx_part *part, unsigned dim,
                              uint64_t first, uint64_t end);
/* Adds finished work to a part (times on the host clock, 0: unknown) and to the trace. */
void cx_part_add(struct cx_launch *launch, struct cx_part *part, uint64_t groups, uint64_t start_ns,
                 uint64_t end_ns, uint64_t busy_ns);

/* ---- the program's own kernel (whole.c) ---- */

/* Whether times of a launch on the worker's member are wanted to learn from; *samples (may be NULL): only for
 * a look now and then. context->lock held. */
bool cx_launch_wants_times(struct cx_worker *worker, const struct cx_kernel_history *history, bool *samples);
/* For the run of a job, without locks: gives the program's own kernel to the worker's device. */
cl_int cx_launch_kernel(struct cx_kernel *kernel, struct cx_args *args,
                        const struct cx_access_geometry *geometry, bool local_given, struct cx_job *job,
                        struct cx_worker *worker);
/* What follows from the driver's refusal of it, where nobody else hears of that. */
void cx_launch_kernel_refused(struct cx_kernel *kernel, struct cx_worker *worker, cl_int error);
/* Then, for its finish where its status is an error. */
void cx_launch_kernel_failed(struct cx_kernel *kernel, const struct cx_job *job, struct cx_worker *worker);
/* What a whole launch touches, by argument, by all that is known; free() it. context->lock held. */
struct cx_access_region *cx_launch_whole_regions(struct cx_launch *launch);
/* Whether the member's own memory holds all that the arguments may be read of, and alone holds what may be
 * written. summary: cx_kernel_accesses. context->lock held. */
bool cx_args_settled(const struct cx_args *args, const struct cx_summary_kernel *summary,
                     const struct cx_worker *worker);

#endif

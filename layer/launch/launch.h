/* SPDX-License-Identifier: MIT */
/*
 * Shared by whole, static and dynamic launches: moving what they read, recording what they write, packages,
 * and the program's own kernel. Previous stage: plan.h. Called under context->lock unless stated otherwise.
 */
#ifndef CX_LAYER_LAUNCH_LAUNCH_H
#define CX_LAYER_LAUNCH_LAUNCH_H

#include "layer/plan/plan.h"

/* ---- the next stages ---- */

/* Carry a decision out. They settle the command, at once or (dynamic) later, and take the plan over. Called
 * by start.c; split.c calls the first one if a split cannot begin. */
void cx_whole_launch(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked); /* whole.c */
void cx_static_launch(struct cx_launch *launch, struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked); /* static.c: shares known beforehand */
void cx_split_launch(struct cx_launch *launch, struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked); /* split.c */

/* ---- memory ---- */

/* Moves to the member what a package reads, and what it may leave unwritten of what it writes; counts what
 * the member uses in place. Called by prefix.c, static.c and whole.c. */
cl_int cx_launch_gather(struct cx_launch *launch, const struct cx_access_region *regions,
                        const struct cx_worker *worker) CX_HOLDS(cx_context_locked);
/* Counts for the summary what a package uses of the host copy in place. Called by split_package.c. */
void cx_launch_count_in_place(const struct cx_launch *launch, const struct cx_access_region *regions,
                              const struct cx_worker *worker);
/* Whether the member has memory of its own for one of the launch's buffers. Called by split.c,
 * split_package.c and whole.c. */
bool cx_launch_moves(const struct cx_launch *launch, const struct cx_worker *worker);
/* Collects what a job of the worker that runs a package must wait for on other timelines: nothing, unless the
 * member works on the host copy in place, or `uploads` from it itself. Called for all packages before
 * cx_launch_note is called for the first one, since packages run side by side. Called by prefix.c,
 * split.c, static.c and whole.c. */
void cx_launch_deps(const struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, bool uploads, uint64_t *deps) CX_HOLDS(cx_context_locked);
/* Records in the coherence map what a job does: a package's accesses to the host copy by the worker's job
 * `seq`, and that the worker's place owns what it writes (except what is merged or reduced). Called by
 * whole.c and static.c when they plan the job, by split.c for each package and by prefix.c when the launch
 * settles. */
bool cx_launch_note(struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, uint64_t seq) CX_HOLDS(cx_context_locked);
/* Releases the buffers that the launch marked as unsettled (unsettled.h), as their owners are known.
 * context->lock held. Called by prefix.c and split.c. */
void cx_launch_release(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* A launch with these arguments was not carried out: marks what it should have written as lost. Called by
 * replay.c. */
void cx_launch_args_lost(const struct cx_kernel *kernel, const struct cx_args *args)
    CX_HOLDS(cx_context_locked);
/* Does so for a launch. Called through cx_command_ops.lost, which api/enqueue_kernel.c sets. */
void cx_launch_lost(struct cx_command *command) CX_HOLDS(cx_context_locked);

/* ---- packages ---- */

/* Called by a job's run, without locks: sets arguments and enqueues one package on a real queue of the part's
 * member; gives its event. after: an event of another queue of the member, flushed, behind which it runs; or
 * NULL. */
cl_int cx_launch_package(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, cl_command_queue queue, cl_event after,
                         cl_event *event);
/* Whether the driver, which compiles (cx_worker_compiles), may have to for the package. Called by the thread
 * that pumps the member's worker. */
bool cx_launch_package_is_new(const struct cx_launch *launch, const struct cx_part *part, unsigned dim,
                              uint64_t first, uint64_t end);
/* Adds finished work to a part (times on the host's clock, 0: unknown), to the trace and to live.h. Called by
 * prefix.c, split_package.c, static.c and whole.c. */
void cx_launch_part_add(struct cx_launch *launch, struct cx_part *part, uint64_t groups, uint64_t start_ns,
                        uint64_t end_ns, uint64_t busy_ns);

/* See cx_command.waits. Called by start.c and api/enqueue_kernel.c. */
void cx_launch_waits(struct cx_command *command) CX_HOLDS(cx_context_locked);

/* ---- the program's own kernel (whole.c) ---- */

/* Whether the kernel history needs times of a launch on the worker's member; *samples (may be NULL): only as
 * an occasional sample. context->lock held. Called by replay.c. */
bool cx_whole_wants_times(struct cx_worker *worker, const struct cx_kernel_history *history, bool *samples)
    CX_HOLDS(cx_context_locked);
/* What decides whether a driver has compiled a launch, except its size. */
struct cx_launch_kind {
    const struct cx_access_geometry *geometry;
    bool local_given;
    enum cx_variant variant;
    bool at_start; /* it has the launch's first groups */
};
/* Called by a job's run, without locks, before a new launch (cx_kernel_is_new) is enqueued on a device whose
 * driver compiles (cx_worker_compiles); local: as the driver gets it; *counts: for cx_worker_compile_end.
 * CL_DEVICE_NOT_AVAILABLE: the process is ending, and the driver would have to compile without its compiler.
 * Called by launch.c and whole.c. */
cl_int cx_launch_compile_begin(struct cx_kernel *kernel, struct cx_worker *worker,
                               const struct cx_launch_kind *kind, const struct cx_subrange_launch *range,
                               const size_t *local, bool *counts);
/* Called by a job's run, without locks: enqueues the program's own kernel on the worker's device. */
cl_int cx_whole_enqueue(struct cx_kernel *kernel, struct cx_args *args,
                        const struct cx_access_geometry *geometry, bool local_given, struct cx_job *job,
                        struct cx_worker *worker);
/* Handles the driver's refusal of such a kernel, if no event or call reports it. Called by replay.c. */
void cx_whole_refused(struct cx_kernel *kernel, struct cx_worker *worker, cl_int error);
/* Handles its failure. Called by a job's finish if its status is an error. */
void cx_whole_failed(struct cx_kernel *kernel, const struct cx_job *job, struct cx_worker *worker);
/* The regions that a whole launch accesses, by argument, as far as is known; the caller frees them.
 * context->lock held. Called by failover.c. */
struct cx_access_region *cx_whole_regions(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Whether the member's own memory has everything valid that may be read through the arguments, and alone has
 * what may be written, so that nothing moves. summary: cx_launch_accesses. context->lock held. Called by
 * replay.c. */
bool cx_whole_settled(const struct cx_args *args, const struct cx_summary_kernel *summary,
                      const struct cx_worker *worker) CX_HOLDS(cx_context_locked);

#endif

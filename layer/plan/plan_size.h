/* SPDX-License-Identifier: MIT */
/*
 * Computes sizes and times for planning: the local size of a split launch, smallest packages, powers, and the
 * costs of moves and builds.
 */
#ifndef CX_LAYER_PLAN_PLAN_SIZE_H
#define CX_LAYER_PLAN_PLAN_SIZE_H

#include "layer/base/split_policy.h"
#include "layer/plan/plan.h"

/* What a split costs that the balancer cannot see, in seconds, measured on PoCL and an H200
 * (docs/benchmarks.md): handing packages to two threads and hearing of their end. */
#define CX_SPLIT_SECONDS 40e-6

/* Seconds that a CPU's driver may take to compile a kernel, until one is measured. PoCL's (3.1, 2 cores of an
 * EPYC) takes 0.03 to 0.8; but it keeps what it compiled, so that it is done ahead (compile_ahead.h). Called
 * by candidates.c, follow_data.c, plan_chains.c and prefix_rules.c. */
double cx_plan_compiles(const struct cx_worker *worker);
/* Seconds that bytes take to or from a member's own memory: an estimate (COEXEC_DEBUG=link), not measured.
 * Called by plan/ and launch/. */
double cx_plan_move_seconds(double bytes);
/* Measured bytes per second of uploads to this member, or to another one of its kind; 0: not measured. Called
 * by plan_stake.c. */
double cx_plan_upload_rate(const struct cx_worker *worker);
/* Seconds of uploads to the member: by the measured rate, else as cx_plan_move_seconds. Called by
 * candidates.c, plan_stake.c and split_feedback.c. */
double cx_plan_upload_seconds(const struct cx_worker *worker, double bytes);
/* The places, as bits, of members whose memory is copied to this one's without the host, by a shared shadow
 * or a slot (peer.h, transport_bounce.c). Called by making_cost.c. */
uint64_t cx_plan_peers(const struct cx_worker *worker, const struct cx_mem *root) CX_HOLDS(cx_context_locked);
/* Seconds to move to the member bytes of the root that only other members have; between peers without the
 * host. context->lock held, as for the next. Called by plan_stake.c. */
double cx_plan_exchange_seconds(const struct cx_worker *worker, const struct cx_mem *root, double bytes)
    CX_HOLDS(cx_context_locked);
/* Seconds to move to the member what it lacks (`lacking` as of cx_coherence_lacking): what the host copy has,
 * and what only others have. Called by candidates.c and plan_stake.c. */
struct cx_plan_bring {
    double host, others;
};
struct cx_plan_bring cx_plan_bring(const struct cx_worker *worker, const struct cx_mem *root,
                                   const uint64_t *lacking) CX_HOLDS(cx_context_locked);

/* Chooses the local size for all packages of a launch without one: the required size, else one that divides
 * the global size and that every member accepts. False: there is none. Called by judge.c, plan.c,
 * prefix_rules.c and record_launch.c. */
bool cx_plan_local_size(struct cx_launch *launch);
/* Whether the member accepts the launch's given local size, by earlier launches or else by its report. Called
 * by plan_place.c, prefix_rules.c, launch/failover.c and launch/verify.c. */
bool cx_plan_fits(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* The number of work-groups that fill the device. Called by plan/ and launch/. */
uint64_t cx_plan_fill(const struct cx_real_device *device, const struct cx_access_geometry *geometry);
/* The number of work-groups that the member holds at once, by its multiprocessors' registers and local memory
 * (scheduler/occupancy.h); 0: not known. OpenCL does not tell a kernel's registers: they are taken from the
 * largest group that the driver takes of it, where registers alone bound that, else for enough. Called by
 * plan_share.c. */
uint64_t cx_plan_resident(const struct cx_launch *launch, unsigned member);
/* COEXEC_DEBUG=min_package and COEXEC_DEBUG=powers for a member; 0: not given. Called by candidates.c and
 * plan_share.c. */
uint64_t cx_plan_min_package(const struct cx_context *context, unsigned member);
double cx_plan_power(const struct cx_context *context, unsigned member);
/* Starts background builds of what a split lacks, once that may pay: members' deferred builds of the program,
 * and a variant. Called under context->lock. Called by deferral.c, plan.c and plan_chains.c. */
void cx_plan_want(const struct cx_launch *launch, enum cx_variant variant) CX_HOLDS(cx_context_locked);
/* Whether the members with deferred builds have a noticeable part of the nominal speed of all. Called by
 * deferral.c. */
bool cx_plan_deferred_counts(const struct cx_launch *launch);
/* Seconds that the builds may take, one after the other, that a split with this variant lacks: deferred
 * builds of the program, and the variant's on all members. Called by plan_open.c. */
double cx_plan_builds_last(const struct cx_launch *launch, enum cx_variant variant);
/* Whether the launch may be long enough for waiting for deferred builds to pay: by measured speeds, else by
 * the upper guess from the kernel's text, and by the part that those members could do. Called under
 * context->lock. Called by plan.c. */
bool cx_plan_deferred_pays(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* The fastest member's measured speed for the function, in work-groups/s; 0: unknown. Members of one kind
 * count as equally fast, since their speeds differ only by the work-groups that they had. Called under
 * context->lock. Called by split_feedback.c. */
double cx_plan_best_speed(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Whether two devices are of one kind and of about one speed, so that one's times tell of the other's. Called
 * by follow_data.c and plan_chains.c. */
bool cx_plan_akin(const struct cx_real_device *a, const struct cx_real_device *b);
/* Seconds that the launch takes on a member, by its function's speed there, of as many work-groups as fill it
 * if it has fewer; 0: never measured. context->lock held. Called by follow_data.c, plan.c, plan_chains.c and
 * plan_place.c. */
double cx_plan_measured_on(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* How fast the member is at such a launch, to be compared with others: its nominal speed; or, where the
 * kernel was measured on it and on the context's fastest member, that one's, by their times. context->lock
 * held. Called by plan_place.c. */
double cx_plan_speed_on(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Seconds that the launch takes on the fastest member, by measurements; 0: unknown. Called under
 * context->lock. Called by deferral.c, plan.c, reexecute_rules.c and launch/replay.c. */
double cx_plan_expected(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Counts a launch that runs whole because it lacks what cx_plan_want builds, in favour of building it; once,
 * when its time is known. Called under context->lock. Called by plan.c and launch/whole.c. */
void cx_plan_without(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Counts a launch of the function that takes so many seconds, of which a split would have saved `gain`, among
 * those that lack builds. Called by launch/replay.c. */
void cx_plan_lacked(struct cx_context *context, struct cx_kernel_history *history, double seconds,
                    double gain) CX_HOLDS(cx_context_locked);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Sizes and shares that planning needs: the local size of a split launch, smallest packages, powers.
 */
#ifndef CX_LAYER_PLAN_PLAN_SIZE_H
#define CX_LAYER_PLAN_PLAN_SIZE_H

#include "layer/base/split_policy.h"
#include "layer/plan/plan.h"

/* What a split costs that the balancer cannot see, in seconds, measured on PoCL and an H200
 * (docs/benchmarks.md): handing packages to two threads and hearing of their end. */
#define CX_SPLIT_SECONDS 40e-6
/* What a CPU's driver may take to compile a kernel, while nothing there has told, in seconds (PoCL: 30 to 300
 * ms). */
#define CX_CPU_COMPILES 50e-3

/* Seconds that bytes take to or from a member's own memory: an estimate (COEXEC_DEBUG=link), not measured.
 * Called by plan/ and launch/. */
double cx_plan_move_seconds(double bytes);
/* Bytes a second of uploads to this member, as measured there or on another of its kind; 0: none was.
 * Called by plan_stake.c. */
double cx_plan_upload_rate(const struct cx_worker *worker);
/* The same as cx_plan_move_seconds for such uploads, by that rate once there is one. Called by
 * candidates.c, plan_stake.c and split_feedback.c. */
double cx_plan_upload_seconds(const struct cx_worker *worker, double bytes);
/* Seconds to bring the member bytes of the root that other members alone have: between peers without the
 * host. context->lock held, as for the next. Called by plan_stake.c. */
double cx_plan_exchange_seconds(const struct cx_worker *worker, const struct cx_mem *root, double bytes);
/* Seconds to bring it what it lacks, by places as cx_coherence_lacking gives it: what the host has, and what
 * others alone have. Called by candidates.c and plan_stake.c. */
struct cx_plan_bring {
    double host, others;
};
struct cx_plan_bring cx_plan_bring(const struct cx_worker *worker, const struct cx_mem *root,
                                   const uint64_t *lacking);

/* Chooses the one local size that all packages of a launch without one use: the required size, else one that
 * divides the global size and that every member takes. False: none is any good. Called by judge.c, plan.c,
 * prefix_rules.c and record_launch.c. */
bool cx_plan_local_size(struct cx_launch *launch);
/* Whether the member takes the launch's given local size, by what it did before or else reports. Called by
 * plan_place.c, prefix_rules.c, launch/failover.c and launch/verify.c. */
bool cx_plan_fits(const struct cx_launch *launch, unsigned member);
/* Work-groups that fill the device. Called by plan/ and launch/. */
uint64_t cx_plan_fill(const struct cx_real_device *device, const struct cx_access_geometry *geometry);
/* COEXEC_DEBUG=min_package and COEXEC_DEBUG=powers for a member; 0: not given. Called by candidates.c and
 * plan_share.c. */
uint64_t cx_plan_min_package(const struct cx_context *context, unsigned member);
double cx_plan_power(const struct cx_context *context, unsigned member);
/* Has built in the background what a split lacks, once that may pay: the program for members that left it for
 * later, and a variant. Under context->lock. Called by deferral.c, plan.c and plan_place.c. */
void cx_plan_want(const struct cx_launch *launch, enum cx_variant variant);
/* Whether those members are a noticeable part of all, by nominal speed. Called by deferral.c. */
bool cx_plan_deferred_counts(const struct cx_launch *launch);
/* Seconds that the builds may take, one after the other, which a split with this variant lacks: the program's
 * on members that left it for later, and the variant's on all. Called by plan_open.c. */
double cx_plan_builds_last(const struct cx_launch *launch, enum cx_variant variant);
/* Whether the launch may take so long that it is worth its while to wait for members that have left the
 * program's build for later: by measured speeds, else by the most that the text of its kernel has it do, and
 * by what part of it they could do.
 * Under context->lock. Called by plan.c. */
bool cx_plan_deferred_pays(const struct cx_launch *launch);
/* The fastest member's measured speed at the function, in work-groups/s; 0: unknown. Members of one kind
 * count as equally fast: what tells them apart is which work-groups they had, and a whole launch has all.
 * Under context->lock. Called by split_feedback.c. */
double cx_plan_best_speed(const struct cx_launch *launch);
/* Seconds that the launch takes on the fastest member, by what was measured; 0: unknown. Under context->lock.
 * Called by deferral.c and reexecute_rules.c.
 */
double cx_plan_expected(const struct cx_launch *launch);
/* Whether splits of the launch, which was not judged yet, may have gained what it takes to judge it
 * (learned->judging), this time and the times it came before; hash: of cx_access_hash. What
 * judging takes is believed less and less while it does not happen. Under context->lock. Called by
 * judge.c. */
bool cx_plan_judging_pays(const struct cx_launch *launch, struct cx_kernel_history *history, uint64_t hash);
/* The launch runs, or ran, whole for lack of what cx_plan_want builds: that speaks for building it. Counts
 * once its time is known, once. Under context->lock. Called by plan.c and launch/whole.c. */
void cx_plan_without(struct cx_launch *launch);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Decides which launches of unknown length begin as slices on one device (prefix.h).
 *
 * A prefix costs an extra launch and a check between slices, the only time risked before anything is
 * measured. So it is used only if by the kernel's text the launch may be long, its range fills the device
 * several times, no split variant has to be built, and its parts may run in any order: work-groups write
 * different bytes, and none reads what another one writes. At most two launches of a kernel begin so. A
 * launch of known length does if it is long and other devices are being opened.
 *
 * Previous stage: plan.c. Next: prefix.h. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_PREFIX_RULES_H
#define CX_LAYER_PLAN_PREFIX_RULES_H

#include "layer/plan/plan.h"

/* Whether a launch with a large range could be split but for the analysis, which is still running. member:
 * the one that would run it whole. Called by deferral.c. */
bool cx_prefix_summary_counts(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Whether the length of a launch is unknown that may be split, or that waits for others and could run on
 * another member instead (plan_chains.h), and `times` such launches by their text may be long; or by its
 * range, while the analysis is still running. member: as above. Called by deferral.c. */
bool cx_prefix_length_counts(struct cx_launch *launch, unsigned member, unsigned times)
    CX_HOLDS(cx_context_locked);
/* Judges the launch, which would run whole on the member, for a prefix; sets *variant. The result belongs to
 * the function's cache. NULL: it may not begin so. Called by plan.c. */
struct cx_cached_verdict *cx_prefix_judge(struct cx_launch *launch, unsigned member, enum cx_variant *variant)
    CX_HOLDS(cx_context_locked);

#endif

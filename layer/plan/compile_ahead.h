/* SPDX-License-Identifier: MIT */
/*
 * Compiling ahead: has a CPU's driver build a program, and compile a kernel for the packages that a split
 * would launch, in a process of its own at idle priority (tools/compile_main.c), while launches stay whole
 * because the split would have to wait for that.
 *
 * PoCL compiles a kernel for each local size, with an offset and without, in the first launch of it. That
 * takes longer than most launches, so a split that has it before it is too dear for most programs, in each of
 * their processes; and what never ran is never compiled. What the driver keeps on disk serves this process
 * and later ones alike. Only of drivers that keep such, and of kernels whose text is known and which take no
 * images. A few such processes at a time, one for each kernel. Previous stage: plan_stake.h. Next:
 * launch_form.h, which learns of it from program/compile_record.h. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_COMPILE_AHEAD_H
#define CX_LAYER_PLAN_COMPILE_AHEAD_H

#include "layer/plan/plan.h"

/* Which of its packages another member would launch. */
enum cx_compile_ahead { CX_COMPILE_SPLIT, CX_COMPILE_WHOLE };

/* Whether that may be done for the member: by its driver, by the cache's settings, and as coexec-compile is
 * there. Called by prefix_rules.c. */
bool cx_compile_ahead_can(const struct cx_worker *worker);
/* The launch stays where it is, or others have not built its program. saves: seconds that splits of the
 * kernel, or moves of whole launches, would save in this process, or would have saved so far, were all
 * compiled; takes: seconds of that. From a tenth on compiling begins, of what the variant needs on the
 * queue's members. Called by plan_open.c, plan_stake.c and prefix_rules.c. */
void cx_compile_ahead(const struct cx_launch *launch, enum cx_compile_ahead what, enum cx_variant variant,
                      double saves, double takes) CX_HOLDS(cx_context_locked);
/* Likewise; saves: of this launch alone, which is added to what launches of its kernel missed before. Called
 * by plan_chains.c and plan_stake.c. */
void cx_compile_ahead_missed(const struct cx_launch *launch, enum cx_compile_ahead what,
                             enum cx_variant variant, double saves, double takes) CX_HOLDS(cx_context_locked);

#endif

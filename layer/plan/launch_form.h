/* SPDX-License-Identifier: MIT */
/*
 * The forms of packages of a kernel: variant, dimensions, local size, and whether they are at the range's
 * start. A CPU's driver compiles a kernel anew for each form, in the first launch of it (PoCL: once for each
 * local size, with an offset or without), which takes longer than many launches do.
 *
 * A package that is done makes its form known on its member. Of CPU devices this is also kept for later
 * processes (compile_record.h).
 */
#ifndef CX_LAYER_PLAN_LAUNCH_FORM_H
#define CX_LAYER_PLAN_LAUNCH_FORM_H

#include "layer/base/disk_cache.h"
#include "layer/source/subrange.h"
#include "layer/timeline/context.h"

#include <stdbool.h>
#include <stdint.h>

enum { CX_LAUNCH_FORMS = 16 }; /* of a kernel; of more of them all count as known */

struct cx_access_geometry;
struct cx_kernel;
struct cx_launch;
struct cx_kernel_history;
struct cx_split_plan;

struct cx_launch_forms {
    uint64_t form[CX_LAUNCH_FORMS];     /* hashes */
    uint64_t launched[CX_LAUNCH_FORMS]; /* the members that did a package of it, as bits */
    uint64_t former[CX_LAUNCH_FORMS];   /* ... and those that did in a former process, */
    uint64_t asked[CX_LAUNCH_FORMS];    /* of those for which the disk was asked */
    unsigned changes;                   /* cx_compile_record_changes then */
    uint64_t ahead[CX_LAUNCH_FORMS];    /* the members for which it was compiled ahead, or tried */
    unsigned count;
};

/* Whether a package that is done was the first of its form on the member, so that its time may hold a
 * compilation. context->lock held. Called by launch_learn.c, launch/prefix.c and launch/split_package.c. */
bool cx_launch_first(struct cx_launch *launch, unsigned member, enum cx_variant variant, bool at_start)
    CX_HOLDS(cx_context_locked);
/* Whether a package of that form was done there before, as far as is known. context->lock held. Called by
 * plan_place.c, plan_stake.c and launch/split_package.c. */
bool cx_launch_knows(const struct cx_launch *launch, const struct cx_kernel_history *history, unsigned member,
                     enum cx_variant variant, bool at_start) CX_HOLDS(cx_context_locked);
/* Likewise in this process or a former one. Reads a small file at the first call for a form and member, which
 * may also tell how long the driver compiled then (learned->compiles). context->lock held. Called by
 * candidates.c, prefix_rules.c and launch/prefix.c. */
bool cx_launch_compiled(const struct cx_launch *launch, struct cx_kernel_history *history, unsigned member,
                        enum cx_variant variant, bool at_start) CX_HOLDS(cx_context_locked);
/* A package of the form, the first on the member, is done: keeps that for later processes, and the seconds
 * that its driver compiled (0: not known). Takes no lock; may write a small file. Called by
 * launch_learn.c, launch/prefix.c and launch/split_package.c. */
void cx_launch_compiled_keep(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, double seconds);
/* For compiling ahead (compile_ahead.h): under which key of program/compile_record.h it is recorded; false:
 * nothing is. */
bool cx_launch_compile_key(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                           bool at_start, char key[CX_DISK_CACHE_KEY_SIZE]);
/* ... and true at the first call for a form and member. context->lock held. */
bool cx_launch_compile_once(const struct cx_launch *launch, struct cx_kernel_history *history,
                            unsigned member, enum cx_variant variant, bool at_start)
    CX_HOLDS(cx_context_locked);
/* Whether the member has run pieces of such launches: of the first groups, or of others. context->lock held.
 */
bool cx_launch_kernel_ran(const struct cx_kernel *kernel, const struct cx_access_geometry *geometry,
                          bool local_given, unsigned member, enum cx_variant variant, bool at_start)
    CX_HOLDS(cx_context_locked);
/* Whether the member's driver may have to compile in this process for pieces, that at the start or others.
 * context->lock held. */
bool cx_launch_may_compile_on(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                              bool at_start) CX_HOLDS(cx_context_locked);
/* Whether a CPU's driver may have to compile in this process for what the plan has its members do.
 * context->lock held. Called by launch/split_package.c and launch/start.c. */
bool cx_launch_may_compile(const struct cx_launch *launch, const struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked);

#endif

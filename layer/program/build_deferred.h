/* SPDX-License-Identifier: MIT */
/*
 * Deferred builds: those for members that are not wanted yet. Previous stage: build.h. Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_BUILD_DEFERRED_H
#define CX_LAYER_PROGRAM_BUILD_DEFERRED_H

#include "layer/program/build.h"

/* Whether any member's deferred build has not ended. Thread-safe. Called by program/, api/ and plan/. */
static inline bool cx_build_deferred_any(const struct cx_program *program)
{
    return atomic_load_explicit(&program->build.ndeferred, memory_order_acquire) > 0;
}
/* Whether the member's deferred build has not ended. Thread-safe. Called by program/, api/ and plan/. */
static inline bool cx_build_deferred_on(const struct cx_program *program, unsigned member)
{
    unsigned state =
        atomic_load_explicit(&program->members[member].state[CX_VARIANT_PLAIN], memory_order_acquire);
    return cx_build_deferred_any(program) && (state == CX_BUILD_DEFERRED || state == CX_BUILD_RUNNING ||
                                              atomic_load(&program->members[member].coming));
}
/* want: starts all deferred builds in the background; never waits; the caller holds no program's lock. wait:
 * waits until they have ended, at most ms (false: the time is up); the caller holds no lock. Thread-safe.
 * Called by program/, api/ and plan/. */
void cx_build_deferred_want(struct cx_program *program);
bool cx_build_deferred_wait(struct cx_program *program, unsigned ms);
/* Called by builds. leave: marks the builds of all members that have no build yet as deferred (program->lock
 * held). end: drops deferred builds that have not begun and waits for the others (the caller has set
 * `build.running`). Called by build.c. */
void cx_build_deferred_leave(struct cx_program *program);
void cx_build_deferred_end(struct cx_program *program);

#endif

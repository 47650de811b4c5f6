/* SPDX-License-Identifier: MIT */
/*
 * Builds left for later (COEXEC_DEBUG=build=lazy): clBuildProgram returns once one member has built the
 * program; the others build it when a launch could be worth a split, or somebody asks for what only they
 * know. A first launch that may take longer than two builds (or is not analysed yet) waits for them (plan.c),
 * which is no later than if all had built at once; but not for members that are much slower than the first.
 *
 * A program that ends before, or whose launches are short, never pays for them. PoCL compiles one program at
 * a time: a build begun at once would hold up the program's next one. A deferred build runs in the background
 * with a reference on the program. When it ends, the functions that kernels were made of ask the member,
 * too, and from then on it takes part.
 * Previous stage: build.c. Next: function.c.
 */
#include "layer/base/exit_guard.h"
#include "layer/base/deadline.h"
#include "layer/base/task_queue.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/build.h"
#include "layer/program/build_deferred.h"
#include "layer/program/function.h"
#include "layer/program/variant.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdlib.h>

struct part {
    struct cx_program *program; /* a reference */
    const char *options;        /* the program's; a new build does not free them before we are done */
    unsigned member;
};

void cx_build_deferred_leave(struct cx_program *program)
{
    unsigned deferred = 0;

    for (unsigned m = 0; m < program->context->nmembers; m++) {
        unsigned none = CX_BUILD_NONE;
        if (program->unit.reach >> m & 1)
            deferred += atomic_compare_exchange_strong(&program->members[m].state[CX_VARIANT_PLAIN], &none,
                                                       CX_BUILD_DEFERRED);
    }
    atomic_store(&program->build.ndeferred, deferred);
}

/* The member takes part from now on. */
static void adopt(struct cx_program *program, unsigned member)
{
    for (unsigned f = 0; f < program->kernels.nfunctions; f++)
        cx_function_adopt(&program->kernels.functions[f], member);
    for (unsigned v = CX_VARIANT_PLAIN + 1; v < CX_VARIANT_COUNT; v++) {
        bool wanted = false;
        for (unsigned m = 0; m < program->context->nmembers; m++)
            wanted |= atomic_load(&program->members[m].state[v]) != CX_BUILD_NONE;
        if (wanted)
            cx_program_variant_want(program, (enum cx_variant)v);
    }
    cx_debug(CX_TOPIC_PROGRAM, "program %" PRIu64 ": built for %s, too", program->base.id,
             program->context->workers[member].device->name);
}

static void end_one(struct cx_program *program)
{
    cx_lock(&program->lock);
    atomic_fetch_sub(&program->build.ndeferred, 1);
    pthread_cond_broadcast(&program->changed);
    cx_unlock(&program->lock);
}

static void run_part(void *data)
{
    struct part *part = data;
    struct cx_program_member *member = &part->program->members[part->member];

    atomic_store(&member->coming, true);
    const bool enters = cx_exit_guard_enter();
    if (!enters)
        atomic_store(&member->state[CX_VARIANT_PLAIN], CX_BUILD_FAILED);
    else if (cx_build_deferred_run(part->program, part->member, part->options))
        adopt(part->program, part->member);
    if (enters)
        cx_exit_guard_leave();
    atomic_store(&member->coming, false);
    end_one(part->program);
    cx_context_progressed(part->program->context);
    cx_program_unref(&part->program);
    free(part);
}

/* Begins member m's build, unless it has begun. */
static void begin_part(struct cx_program *program, unsigned m)
{
    struct part *part = malloc(sizeof(*part));
    unsigned deferred = CX_BUILD_DEFERRED;

    cx_lock(&program->lock);
    const bool begin = !program->build.running &&
                       atomic_compare_exchange_strong(&program->members[m].state[CX_VARIANT_PLAIN], &deferred,
                                                      part ? CX_BUILD_RUNNING : CX_BUILD_FAILED);
    if (begin && part)
        *part =
            (struct part){.program = cx_program_ref(program), .options = program->build.options, .member = m};
    cx_unlock(&program->lock);
    if (begin && (!part || !cx_task_queue_run(CX_TASKS_BUILDS, run_part, part, &program->members[m]))) {
        atomic_store(&program->members[m].state[CX_VARIANT_PLAIN], CX_BUILD_FAILED);
        end_one(program);
        if (part)
            cx_program_unref(&part->program);
        free(part);
    } else if (!begin) {
        free(part);
    }
}

void cx_build_deferred_want(struct cx_program *program)
{
    for (unsigned m = 0; cx_build_deferred_any(program) && m < program->context->nmembers; m++)
        if (atomic_load(&program->members[m].state[CX_VARIANT_PLAIN]) == CX_BUILD_DEFERRED)
            begin_part(program, m);
}

static void hurry(const struct cx_program *program)
{
    for (unsigned m = 0; m < program->context->nmembers; m++)
        cx_task_queue_hurry(&program->members[m]);
}

bool cx_build_deferred_wait(struct cx_program *program, unsigned ms)
{
    const struct timespec until = cx_deadline(ms);

    cx_build_deferred_want(program);
    hurry(program);
    cx_lock(&program->lock);
    while (cx_build_deferred_any(program))
        if (!cx_lock_wait_until(&program->changed, &program->lock, &until))
            break;
    cx_unlock(&program->lock);
    return !cx_build_deferred_any(program);
}

void cx_build_deferred_end(struct cx_program *program)
{
    cx_lock(&program->lock);
    for (unsigned m = 0; m < program->context->nmembers; m++) {
        unsigned deferred = CX_BUILD_DEFERRED;
        if (atomic_compare_exchange_strong(&program->members[m].state[CX_VARIANT_PLAIN], &deferred,
                                           CX_BUILD_NONE))
            atomic_fetch_sub(&program->build.ndeferred, 1);
    }
    pthread_cond_broadcast(&program->changed);
    cx_unlock(&program->lock);
    hurry(program);
    cx_lock(&program->lock);
    while (cx_build_deferred_any(program))
        cx_lock_wait(&program->changed, &program->lock);
    cx_unlock(&program->lock);
}

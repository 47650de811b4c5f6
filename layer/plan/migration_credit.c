/* SPDX-License-Identifier: MIT */
/*
 * Migration credit of launches. See migration_credit.h.
 */
#include "layer/plan/migration_credit.h"
#include "layer/base/log.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/planner.h"
#include "layer/timeline/queue.h"

#include <math.h>
#include <stdlib.h>

/* Splits of a kernel from which on what they took counts for more than what is predicted. */
enum { MEASURED = 8 };

static uint64_t length(const struct cx_access_interval *interval)
{
    return interval->lo < interval->hi ? interval->hi - interval->lo : 0;
}

/* Borders and the like change nothing of where a buffer is. */
static bool is_most(const struct cx_mem *mem, const struct cx_access_interval *interval)
{
    return length(interval) >= mem->size / 2;
}

/* In which ways what the launch reads is valid now, if it may be split. What has to come from the host
 * wherever the launch runs is no matter of splits. */
static uint8_t valid_now(const struct cx_launch *launch, const struct cx_migration_launch *about,
                         const struct cx_mem *mem, const struct cx_access_interval *read)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const uint64_t bytes = length(read);
    uint64_t lacking[64] = {0}, most = 0;
    cx_coherence_lacking(mem->storage->coherence, mem->origin + read->lo, mem->origin + read->hi, lacking);
    for (unsigned m = 0; m < about->plan->n; m++) {
        const struct cx_worker *worker = &context->workers[about->plan->member[m]];
        const uint64_t there = lacking[cx_mem_place(mem->root, worker)];
        if (m == about->best && there > bytes / 2)
            return CX_VALID_WHOLE | CX_VALID_PARTS | CX_VALID_ALL;
        most = most > there ? most : there;
    }
    const uint64_t part = bytes / about->plan->n / 2; /* as in plan_share.c: it works there again */
    const unsigned whole_member = about->plan->member[about->best];
    return (
        uint8_t)((lacking[cx_mem_place(mem->root, &context->workers[whole_member])] ? 0 : CX_VALID_WHOLE) |
                 (bytes - most >= part ? CX_VALID_PARTS : 0) | (most ? 0 : CX_VALID_ALL));
}

/* What is counted of the object, for as long as it lives. NULL: no memory. */
static struct cx_migration_buffer *buffer_of(struct cx_mem *mem)
{
    if (!mem->migration)
        mem->migration = calloc(1, sizeof(*mem->migration));
    return mem->migration;
}

/* Seconds to move bytes of the object from member to member: between peers without the host. */
static double move_seconds(const struct cx_launch *launch, const struct cx_mem *mem, double bytes)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    double most = 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (launch->base.queue->members >> m & 1)
            most = fmax(most, cx_plan_exchange_seconds(&context->workers[m], mem->root, bytes));
    return most;
}

/* about: NULL where the launch runs whole. */
static void count_reads(struct cx_launch *launch, const struct cx_migration_launch *about,
                        const struct cx_access_region *whole, bool splits) CX_HOLDS(cx_context_locked)
{
    struct cx_migration *migration = &launch->base.context->planner->migration;
    const double n = about ? about->plan->n : launch->base.context->nmembers;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        const uint64_t bytes = mem ? length(&whole[i].read) : 0;
        if (!bytes ||
            cx_launch_protocol(launch, i) >= CX_PROTOCOL_REDUCTION) /* nothing of it moves to devices */
            continue;
        const bool all = splits && cx_access_read_bytes(&about->package[i]) > bytes / 2,
                   most = is_most(mem, &whole[i].read);
        const uint8_t needs = all ? CX_VALID_ALL : splits ? CX_VALID_PARTS : CX_VALID_WHOLE;
        struct cx_migration_buffer *buffer = buffer_of(mem);
        if (!buffer)
            continue;
        if (!cx_migration_met(migration, buffer)) {
            if (!about || !most)
                continue;
            cx_migration_meet(migration, buffer, valid_now(launch, about, mem, &whole[i].read));
        }
        const struct cx_migration_buffer before = *buffer;
        cx_migration_reads(migration, buffer, needs,
                           move_seconds(launch, mem, (double)bytes * (all ? 1 : 1 - 1 / n)));
        if (!most)
            *buffer = before;
    }
}

static void count_writes(struct cx_launch *launch, const struct cx_access_region *whole, bool splits)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && is_most(mem, &whole[i].write) && buffer_of(mem))
            cx_migration_writes(&launch->base.context->planner->migration, mem->migration,
                                splits && cx_launch_protocol(launch, i) != CX_PROTOCOL_REMOTE
                                    ? CX_VALID_PARTS
                                    : CX_VALID_WHOLE);
    }
}

/* Seconds that a split saves with its data in place: as predicted, or, where that is worse, as measured. */
static double gain_of(const struct cx_feedback *feedback, const struct cx_migration_launch *about)
{
    double split = about->in_place.split_seconds;
    if (cx_feedback_splits(feedback, about->record) >= MEASURED &&
        about->record->ratio * about->in_place.whole_seconds > split)
        split = about->record->ratio * about->in_place.whole_seconds;
    const double gain = about->in_place.whole_seconds - split;
    return about->in_place.split && gain > 0 ? gain : 0;
}

bool cx_migration_credit_launch(struct cx_launch *launch, const struct cx_migration_launch *about,
                                double *gain)
{
    struct cx_context *context = launch->base.context;
    struct cx_migration *migration = &context->planner->migration;
    const bool moved = migration->moved;
    *gain = gain_of(&context->planner->feedback, about);
    if (!launch->feedback.migration_counted && about->in_place.whole_seconds > 0) {
        const bool splits = about->in_place.split;
        launch->feedback.migration_counted = true;
        count_reads(launch, about, about->whole, splits);
        count_writes(launch, about->whole, splits);
        (void)cx_migration_launch(migration, *gain);
        cx_debug(CX_TOPIC_PLAN, "%s would gain %.1f us; split launches would be %.1f us ahead",
                 launch->request.kernel->function->name, *gain * 1e6, migration->ahead * 1e6);
    }
    if (migration->moved != moved)
        cx_info(CX_TOPIC_PLAN, moved ? "moving data for splits does not pay any more"
                                     : "whole launches have lost as much as moving their data costs");
    return migration->moved && *gain > 0;
}

bool cx_migration_credit_counts(const struct cx_launch *launch)
{
    return !launch->feedback.migration_counted && launch->base.context->planner->migration.active;
}

void cx_migration_credit_whole(struct cx_launch *launch, const struct cx_access_region *regions)
{
    if (!cx_migration_credit_counts(launch))
        return;
    launch->feedback.migration_counted = true;
    count_reads(launch, NULL, regions, false);
    count_writes(launch, regions, false);
    (void)cx_migration_launch(&launch->base.context->planner->migration, 0);
}

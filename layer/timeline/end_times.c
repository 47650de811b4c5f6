/* SPDX-License-Identifier: MIT */
/*
 * When the jobs of a timeline ended, for the times of commands that have no job of their own, such as
 * markers: such a command ends with the last of what it waits for. Others start after that to the program,
 * whatever their devices did before. They ask for the ends of what is not over when they settle. Each is told
 * before the timeline moves, so that whoever sees the command complete finds its end, once and for all.
 * Previous: worker_reap.c. Next: event.c.
 */
#include "layer/timeline/command.h"

#include <stdlib.h>

/* What a command waits for. Shared by the command and the timelines that have not told yet. */
struct cx_end_times {
    atomic_uint refs;
    atomic_uint_fast64_t ns; /* host clock: the last end that was told */
    bool clock;              /* ends that are unknown count, by the clock */
    struct cx_end {
        struct cx_end *next; /* in the timeline's list, by seq; its worker's lock */
        struct cx_end_times *of;
        uint64_t seq;
    } end[];
};

void cx_end_times_drop(struct cx_end_times **ends)
{
    struct cx_end_times *dropped = *ends;
    *ends = NULL;
    if (dropped && atomic_fetch_sub_explicit(&dropped->refs, 1, memory_order_acq_rel) == 1)
        free(dropped);
}

/* The end of all that is over on a timeline; not later than now: see cx_command_times. */
static void tell_last(const struct cx_worker *worker, struct cx_end_times *ends) CX_HOLDS(cx_timeline_locked)
{
    const uint64_t now = cx_clock_ns(),
                   ns = worker->timeline.last_end < now ? worker->timeline.last_end : now;
    uint64_t seen = atomic_load_explicit(&ends->ns, memory_order_relaxed);
    while (ns > seen && !atomic_compare_exchange_weak(&ends->ns, &seen, ns))
        ;
}

uint64_t cx_end_times_last(const struct cx_end_times *ends)
{
    return ends ? atomic_load_explicit(&ends->ns, memory_order_acquire) : 0;
}

static bool is_pending(const struct cx_worker *worker, uint64_t seq)
{
    return !cx_timeline_passed(&worker->timeline, seq);
}

static void insert(struct cx_worker *worker, struct cx_end *end) CX_HOLDS(cx_timeline_locked)
{
    struct cx_end **link = &worker->timeline.ends;
    if (*link && worker->timeline.ends_tail->seq <= end->seq)
        link = &worker->timeline.ends_tail->next;
    while (*link && (*link)->seq <= end->seq)
        link = &(*link)->next;
    end->next = *link;
    *link = end;
    if (!end->next)
        worker->timeline.ends_tail = end;
}

static void ask(struct cx_worker *worker, struct cx_end_times *ends, struct cx_end *end, uint64_t seq)
{
    *end = (struct cx_end){.of = ends, .seq = seq};
    cx_timeline_lock(&worker->timeline);
    if (is_pending(worker, seq)) {
        atomic_fetch_add_explicit(&ends->refs, 1, memory_order_relaxed);
        insert(worker, end);
    } else {
        tell_last(worker, ends);
    }
    cx_timeline_unlock(&worker->timeline);
}

struct cx_end_times *cx_end_times_ask(struct cx_context *context, const uint64_t *frontier, bool clock)
{
    unsigned pending = 0, asked = 0;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        pending += is_pending(&context->workers[t], frontier[t]);
    struct cx_end_times *ends = pending ? malloc(sizeof(*ends) + pending * sizeof(ends->end[0])) : NULL;
    if (!ends)
        return NULL;
    atomic_init(&ends->refs, 1);
    atomic_init(&ends->ns, 0);
    ends->clock = clock;
    for (unsigned t = 0; asked < pending && t < cx_context_timelines(context); t++)
        if (is_pending(&context->workers[t], frontier[t]))
            ask(&context->workers[t], ends, &ends->end[asked++], frontier[t]);
    return ends;
}

/* Somebody asks for just this end. */
static bool wants_clock(const struct cx_worker *worker, uint64_t seq) CX_HOLDS(cx_timeline_locked)
{
    const struct cx_end *end = worker->timeline.ends;
    while (end && end->seq <= seq && !end->of->clock)
        end = end->next;
    return end && end->seq <= seq;
}

void cx_end_times_note(struct cx_worker *worker, uint64_t seq, uint64_t ns)
{
    if (ns == CX_END_UNKNOWN)
        ns = wants_clock(worker, seq) ? cx_clock_ns() : 0;
    if (worker->timeline.last_end < ns)
        worker->timeline.last_end = ns;
    while (worker->timeline.ends && worker->timeline.ends->seq <= seq) {
        struct cx_end *end = worker->timeline.ends;
        struct cx_end_times *of = end->of;
        worker->timeline.ends = end->next;
        tell_last(worker, of);
        cx_end_times_drop(&of);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Finds the reads that wait for a launch. See pending_reads.h.
 */
#include "layer/plan/pending_reads.h"
#include "layer/memory/buffer.h"
#include "layer/timeline/queue.h"

/* Whether all that may touch the program's memory before the command, as far as that is settled, is over. */
static bool memory_is_free(const struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = command->context;
    const unsigned timelines = cx_context_timelines(context);
    const struct cx_queue *queue = command->queue;
    for (unsigned t = 0; t < timelines; t++) {
        const uint64_t in_queue = queue && queue->in_order ? queue->frontier[timelines + t] : 0;
        const uint64_t own = command->order.frontier[timelines + t];
        if (!cx_timeline_passed(&context->workers[t].timeline, own > in_queue ? own : in_queue))
            return false;
    }
    return true;
}

/* How often the command waits for those. */
static unsigned waits_for(const struct cx_command *command, const struct cx_waiting *waiting)
    CX_HOLDS(cx_context_locked)
{
    unsigned count = 0;
    for (unsigned w = 0; w < waiting->count; w++)
        for (unsigned i = 0; i < waiting->command[w]->order.nsuccessors; i++)
            count += waiting->command[w]->order.successors[i].command == command;
    return count;
}

/* Whether a read has memory in common with one before it: their order matters. */
static bool meets_other(const struct cx_pending_read *pending_read, const struct cx_waiting *waiting)
{
    const unsigned char *end = pending_read->pointer + (pending_read->hi - pending_read->lo);
    for (unsigned w = 1; w < waiting->count; w++) {
        const struct cx_pending_read *other = waiting->command[w]->pending_read;
        if (pending_read->pointer < other->pointer + (other->hi - other->lo) && other->pointer < end)
            return true;
    }
    return false;
}

void cx_pending_reads_find(struct cx_command *launch, struct cx_waiting *waiting)
{
    *waiting = (struct cx_waiting){.command = {launch}, .count = 1};
    if (!cx_mem_is_apart(launch->context) || !memory_is_free(launch))
        return;
    for (unsigned w = 0; w < waiting->count; w++)
        for (unsigned i = 0; i < waiting->command[w]->order.nsuccessors; i++) {
            struct cx_command *next = waiting->command[w]->order.successors[i].command;
            bool known = false;
            for (unsigned k = 1; k < waiting->count; k++)
                known |= waiting->command[k] == next;
            if (waiting->count <= CX_WAITING_READS && !known && next->pending_read &&
                !next->order.dep_error && next->order.blockers == waits_for(next, waiting) &&
                !meets_other(next->pending_read, waiting) && memory_is_free(next))
                waiting->command[waiting->count++] = next;
        }
}

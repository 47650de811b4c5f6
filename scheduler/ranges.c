/* SPDX-License-Identifier: MIT */
/*
 * Runs of steps for packages. See ranges.h.
 */
#include "scheduler/ranges.h"

#include <stdlib.h>

static uint64_t length(struct cx_range range)
{
    return range.end - range.first;
}

/* Takes the steps aside out of a partition; those behind them in that partition go to the pool. */
static void leave_out(struct cx_ranges *ranges, struct cx_range *partition, struct cx_range aside)
{
    if (length(aside) == 0 || aside.end <= partition->first || aside.first >= partition->end)
        return;
    if (aside.end < partition->end && aside.first > partition->first)
        ranges->pool[ranges->npool++] = (struct cx_range){aside.end, partition->end};
    if (aside.first > partition->first)
        partition->end = aside.first;
    else
        partition->first = aside.end < partition->end ? aside.end : partition->end;
}

bool cx_ranges_init(struct cx_ranges *ranges, unsigned n, const double *weight, uint64_t steps,
                    uint64_t granularity, struct cx_range aside)
{
    double sum = 0, before = 0;
    uint64_t at = 0;
    *ranges = (struct cx_ranges){.n = n, .granularity = granularity, .room_pool = n + 3};
    ranges->partition = calloc(n, sizeof(*ranges->partition));
    ranges->closed = calloc(n, sizeof(*ranges->closed));
    ranges->pool = calloc(ranges->room_pool, sizeof(*ranges->pool));
    if (!ranges->partition || !ranges->closed || !ranges->pool) {
        cx_ranges_finish(ranges);
        return false;
    }
    for (unsigned p = 0; p < n; p++)
        sum += weight[p];
    for (unsigned p = 0; p < n; p++) {
        before += weight[p];
        uint64_t end =
            sum > 0 ? (uint64_t)((double)steps * before / sum) : steps; /* exact for counts of steps */
        end = end / granularity * granularity;
        if (end > steps || p + 1 == n)
            end = steps;
        ranges->partition[p] = (struct cx_range){at, end > at ? end : at};
        at = ranges->partition[p].end;
    }
    for (unsigned p = 0; p < n; p++)
        leave_out(ranges, &ranges->partition[p], aside);
    return true;
}

void cx_ranges_finish(struct cx_ranges *ranges)
{
    free(ranges->partition);
    free(ranges->closed);
    free(ranges->pool);
    *ranges = (struct cx_ranges){0};
}

/* Takes up to `steps` from a run, at its front or its end. The end of the range need not be a multiple of the
 * granularity, so a cut from there is rounded to one; nor need a share that holds the remainder. */
static struct cx_range cut(struct cx_range *from, uint64_t steps, uint64_t granularity, bool at_end)
{
    struct cx_range taken = *from;
    if (steps >= length(*from))
        from->first = from->end;
    else if (at_end)
        taken.first = from->end = (from->end - steps + granularity - 1) / granularity * granularity;
    else
        taken.end = from->first = from->first + steps / granularity * granularity;
    return taken;
}

/* The fullest partition that the part may take from. */
static unsigned fullest_partition(const struct cx_ranges *ranges, unsigned part)
{
    unsigned best = part;
    for (unsigned p = 0; p < ranges->n; p++)
        if (!ranges->closed[p] && length(ranges->partition[p]) > length(ranges->partition[best]))
            best = p;
    return best;
}

struct cx_range cx_ranges_peek(const struct cx_ranges *ranges, unsigned part, bool *at_end)
{
    *at_end = false;
    if (ranges->npool)
        return ranges->pool[ranges->npool - 1];
    *at_end = part % 2;
    if (part < ranges->n && length(ranges->partition[part]))
        return ranges->partition[part];
    unsigned victim = fullest_partition(ranges, part);
    *at_end = victim % 2 == 0;
    return ranges->partition[victim];
}

void cx_ranges_close(struct cx_ranges *ranges)
{
    for (unsigned p = 0; p < ranges->n; p++)
        ranges->closed[p] = true;
}

void cx_ranges_open(struct cx_ranges *ranges, unsigned part)
{
    if (part < ranges->n)
        ranges->closed[part] = false;
}

bool cx_ranges_any(const struct cx_ranges *ranges, unsigned part)
{
    return ranges->npool || length(ranges->partition[fullest_partition(ranges, part)]);
}

/* A partition a little shorter than the requested steps takes the rest from its neighbour, so that the
 * package is contiguous: a small package left over may take as long as a large one on a device that it does
 * not fill. Only a little: partitions that end in the middle balance launches that cost most there. */
static void widen(struct cx_ranges *ranges, unsigned part, uint64_t steps)
{
    unsigned partner = part ^ 1;
    struct cx_range *partition = &ranges->partition[part],
                    *other = partner < ranges->n ? &ranges->partition[partner] : partition;
    if (other == partition || ranges->closed[partner] || length(*partition) >= steps)
        return;
    uint64_t need = (steps - length(*partition)) / ranges->granularity * ranges->granularity;
    need = need < length(*other) ? need : length(*other);
    if (need > length(*partition) / 4)
        return;
    if (part % 2 == 0 && partition->end == other->first)
        partition->end = other->first += need;
    else if (part % 2 == 1 && other->end == partition->first && need % ranges->granularity == 0)
        partition->first = other->end -= need;
}

struct cx_range cx_ranges_take(struct cx_ranges *ranges, unsigned part, uint64_t steps)
{
    if (ranges->npool) {
        struct cx_range *back = &ranges->pool[ranges->npool - 1];
        struct cx_range taken = cut(back, steps, ranges->granularity, false);
        ranges->npool -= length(*back) == 0;
        return taken;
    }
    if (length(ranges->partition[part]))
        widen(ranges, part, steps);
    if (length(ranges->partition[part]))
        return cut(&ranges->partition[part], steps, ranges->granularity, part % 2);
    unsigned victim = fullest_partition(ranges, part);
    return cut(&ranges->partition[victim], steps, ranges->granularity, victim % 2 == 0);
}

bool cx_ranges_return(struct cx_ranges *ranges, struct cx_range range)
{
    if (length(range) == 0)
        return true;
    if (ranges->npool == ranges->room_pool) {
        unsigned room = 2 * ranges->room_pool + 4;
        struct cx_range *grown = realloc(ranges->pool, room * sizeof(*grown));
        if (!grown)
            return false;
        ranges->pool = grown;
        ranges->room_pool = room;
    }
    ranges->pool[ranges->npool++] = range;
    return true;
}

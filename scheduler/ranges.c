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

/* Takes what lies aside out of a home; what lies behind it in that home goes to the pool. */
static void leave_out(struct cx_ranges *ranges, struct cx_range *home, struct cx_range aside)
{
    if (length(aside) == 0 || aside.end <= home->first || aside.first >= home->end)
        return;
    if (aside.end < home->end && aside.first > home->first)
        ranges->pool[ranges->npool++] = (struct cx_range){aside.end, home->end};
    if (aside.first > home->first)
        home->end = aside.first;
    else
        home->first = aside.end < home->end ? aside.end : home->end;
}

bool cx_ranges_init(struct cx_ranges *ranges, unsigned n, const double *weight, uint64_t steps,
                    uint64_t granularity, struct cx_range aside)
{
    double sum = 0, before = 0;
    uint64_t at = 0;
    *ranges = (struct cx_ranges){.n = n, .granularity = granularity, .room_pool = n + 3};
    ranges->home = calloc(n, sizeof(*ranges->home));
    ranges->closed = calloc(n, sizeof(*ranges->closed));
    ranges->pool = calloc(ranges->room_pool, sizeof(*ranges->pool));
    if (!ranges->home || !ranges->closed || !ranges->pool) {
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
        ranges->home[p] = (struct cx_range){at, end > at ? end : at};
        at = ranges->home[p].end;
    }
    for (unsigned p = 0; p < n; p++)
        leave_out(ranges, &ranges->home[p], aside);
    return true;
}

void cx_ranges_finish(struct cx_ranges *ranges)
{
    free(ranges->home);
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

/* The fullest home that the part may take from. */
static unsigned fullest_home(const struct cx_ranges *ranges, unsigned part)
{
    unsigned best = part;
    for (unsigned p = 0; p < ranges->n; p++)
        if (!ranges->closed[p] && length(ranges->home[p]) > length(ranges->home[best]))
            best = p;
    return best;
}

struct cx_range cx_ranges_peek(const struct cx_ranges *ranges, unsigned part, bool *at_end)
{
    *at_end = false;
    if (ranges->npool)
        return ranges->pool[ranges->npool - 1];
    *at_end = part % 2;
    if (part < ranges->n && length(ranges->home[part]))
        return ranges->home[part];
    unsigned victim = fullest_home(ranges, part);
    *at_end = victim % 2 == 0;
    return ranges->home[victim];
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
    return ranges->npool || length(ranges->home[fullest_home(ranges, part)]);
}

/* A home a little shorter than what is asked for takes the rest from the neighbour that it adjoins, so that
 * the package is one run: a small one left over may take as long as a large one on a device that it does not
 * fill. Only a little: homes that end in the middle balance launches that are dearest there. */
static void widen(struct cx_ranges *ranges, unsigned part, uint64_t steps)
{
    unsigned partner = part ^ 1;
    struct cx_range *home = &ranges->home[part], *other = partner < ranges->n ? &ranges->home[partner] : home;
    if (other == home || ranges->closed[partner] || length(*home) >= steps)
        return;
    uint64_t need = (steps - length(*home)) / ranges->granularity * ranges->granularity;
    need = need < length(*other) ? need : length(*other);
    if (need > length(*home) / 4)
        return;
    if (part % 2 == 0 && home->end == other->first)
        home->end = other->first += need;
    else if (part % 2 == 1 && other->end == home->first && need % ranges->granularity == 0)
        home->first = other->end -= need;
}

struct cx_range cx_ranges_take(struct cx_ranges *ranges, unsigned part, uint64_t steps)
{
    if (ranges->npool) {
        struct cx_range *back = &ranges->pool[ranges->npool - 1];
        struct cx_range taken = cut(back, steps, ranges->granularity, false);
        ranges->npool -= length(*back) == 0;
        return taken;
    }
    if (length(ranges->home[part]))
        widen(ranges, part, steps);
    if (length(ranges->home[part]))
        return cut(&ranges->home[part], steps, ranges->granularity, part % 2);
    unsigned victim = fullest_home(ranges, part);
    return cut(&ranges->home[victim], steps, ranges->granularity, victim % 2 == 0);
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

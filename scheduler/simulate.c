/* SPDX-License-Identifier: MIT */
/*
 * The discrete-event simulation of one launch: devices with a short queue each, a host that refills them.
 * Previous stage: simulate.h. Next: balancer.h, which it drives as the layer does.
 */
#include "scheduler/admission.h"
#include "scheduler/ranges.h"
#include "scheduler/simulate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct package {
    uint64_t first, count;
    double arrives; /* when it reaches the device */
    double starts;
    bool copy;
    enum cx_decision decision;
};

struct timeline {
    struct package queue[CX_PACKAGES_IN_FLIGHT];
    unsigned nqueued;
    double free_at;          /* end of the last package that completed */
    double counted;          /* end of the last package whose results count */
    double seconds;          /* of the oldest package */
    double drain;            /* of the newest package that began */
    double *slot;            /* when each is free next, a heap; NULL: the device has none */
    double ends_at;          /* of the oldest package; INFINITY when none */
    double asks_at;          /* for a package or a re-execution; INFINITY: after the next event */
    bool begun;              /* its first package */
    bool dead;               /* noticed */
    struct package *history; /* done packages, lost when the device dies */
    unsigned nhistory;
};

/* A part of a re-execution that is done. */
struct part {
    uint64_t serial, groups, first;
    unsigned device;
};

struct state {
    const struct cx_simulation *sim;
    struct cx_balancer *balancer;
    struct timeline *lines;
    struct cx_ranges ranges;
    struct part *parts; /* of re-executions, also of incomplete ones */
    unsigned nparts;
    struct cx_sim_result result;
    uint64_t random;
    bool broken; /* memory was short */
};

static void pool_put(struct state *state, uint64_t first, uint64_t count)
{
    if (!cx_ranges_return(&state->ranges, (struct cx_range){first, first + count}))
        state->broken = true;
}

static void count_groups(const struct state *state, uint64_t first, uint64_t count, int change)
{
    for (uint64_t i = 0; state->sim->taken && i < count; i++)
        state->sim->taken[first + i] += (unsigned char)change;
}

double cx_sim_package_seconds(const struct cx_sim_device *device, const struct cx_sim_load *load,
                              uint64_t first, uint64_t count)
{
    double cost = load->before[first + count] - load->before[first];
    const double timed = (double)(device->known.fill > count ? device->known.fill : count) + device->drain;
    return device->launch_seconds + (cost * (timed / (double)count) + device->half) / device->speed +
           (double)count * (device->in_seconds + device->out_seconds);
}

/* What stands between a package's begin and end beside its work. */
static double pauses(struct state *state, const struct cx_sim_device *device, double seconds)
{
    double sum = 0, at = 0;
    while (device->pause_every > 0) {
        at -= device->pause_every * log(1 - cx_sim_random(&state->random));
        if (!(at < seconds))
            break;
        sum -= device->pause_seconds * log(1 - cx_sim_random(&state->random));
    }
    return sum;
}

/* Seconds that the device idles at the package's end, were none behind it. */
static double drain_of(const struct state *state, unsigned index, const struct package *package)
{
    const struct cx_sim_device *device = &state->sim->devices[index];
    const double *before = state->sim->load->before;
    const double cost = before[package->first + package->count] - before[package->first];
    return device->drain * cost / (double)package->count / device->speed;
}

/* What the package saves as it begins while the one before ends: that leaves the device ever emptier, for
 * twice as long as it would idle in all. Groups too few to fill the device take the free places there. */
static double overlapped(const struct state *state, unsigned index, const struct package *package)
{
    const struct timeline *line = &state->lines[index];
    const double late = fmax(package->arrives - (line->free_at - 2 * line->drain), 0);
    if (!state->sim->devices[index].known.overlaps || !(line->drain > 0) || late > 2 * line->drain)
        return 0;
    const double *before = state->sim->load->before, count = (double)package->count;
    const double cost = before[package->first + package->count] - before[package->first];
    const double few = fmax((double)state->sim->devices[index].known.fill - count, 0) * cost / count;
    const double in_time = 1 - late * late / (4 * line->drain * line->drain);
    return in_time * (line->drain + few / state->sim->devices[index].speed);
}

/* The slot that is free first is free then; restores the heap. */
static void occupy(double *slot, uint64_t n, double until)
{
    uint64_t at = 0;
    for (uint64_t child = 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && slot[child + 1] < slot[child];
        if (slot[child] >= until)
            break;
        slot[at] = slot[child];
        at = child;
    }
    slot[at] = until;
}

/* Seconds from the package's begin, which is no sooner than the end of the one before, until its last group
 * ends. The groups take free slots in turn: where packages overlap, those that the one before leaves. */
static double in_slots(struct state *state, unsigned index, const struct package *package, double jitter)
{
    struct timeline *line = &state->lines[index];
    const struct cx_sim_device *device = &state->sim->devices[index];
    const double *before = state->sim->load->before, each = jitter * (double)device->slots / device->speed;
    const double begins = fmax(line->free_at, package->arrives) + device->launch_seconds;
    const double ready = device->known.overlaps ? package->arrives + device->launch_seconds : begins;
    double end = begins;
    for (uint64_t i = package->first; i < package->first + package->count; i++) {
        const double until = fmax(line->slot[0], ready) + (before[i + 1] - before[i]) * each;
        occupy(line->slot, device->slots, until);
        end = fmax(end, until);
    }
    return end - begins + device->launch_seconds;
}

/* Starts the oldest package of a device. */
static void start_oldest(struct state *state, unsigned index)
{
    struct timeline *line = &state->lines[index];
    const struct cx_sim_device *device = &state->sim->devices[index];
    line->ends_at = INFINITY;
    if (line->nqueued == 0)
        return;
    struct package *package = &line->queue[0];
    double jitter = 1 + device->jitter * (2 * cx_sim_random(&state->random) - 1);
    double launch = device->launch_seconds;
    if (line->slot) {
        line->seconds = in_slots(state, index, package, jitter);
    } else {
        const double alone = cx_sim_package_seconds(device, state->sim->load, package->first, package->count);
        line->seconds = fmax(launch + (alone - launch) * jitter - overlapped(state, index, package), launch);
    }
    line->drain = drain_of(state, index, package);
    line->seconds += pauses(state, device, line->seconds);
    package->starts = fmax(line->free_at, package->arrives);
    double quick = fmax(device->slows_at - package->starts, 0);
    if (device->slows_at > 0 && line->seconds > quick)
        line->seconds = quick + (line->seconds - quick) * device->slow_factor;
    line->ends_at = package->starts + line->seconds + (line->begun ? 0 : device->fixed_seconds);
    line->begun = true;
    if (state->sim->policy->plans_transfers)
        line->seconds -= (double)package->count *
                         fmin(device->known.transfer_seconds, device->in_seconds + device->out_seconds);
    if (device->dies_at > 0 && line->ends_at > device->dies_at)
        line->ends_at = INFINITY;
}

static void push(struct state *state, unsigned index, struct package package, double now)
{
    struct timeline *line = &state->lines[index];
    package.arrives = now + (now > 0 ? state->sim->devices[index].reply_seconds : 0);
    package.decision = cx_balancer_decision(state->balancer, index);
    line->queue[line->nqueued++] = package;
    state->result.packages++;
    if (line->nqueued == 1)
        start_oldest(state, index);
}

/* Nothing is to be had, and the device idles: it may do again what another one holds, or asks later. */
static void idle(struct state *state, unsigned index, double now)
{
    struct timeline *line = &state->lines[index];
    line->asks_at = INFINITY;
    if (line->dead || line->nqueued == (state->sim->depth ? state->sim->depth : 2))
        return;
    double ask_next = cx_balancer_ask_next(state->balancer, index, now);
    if (ask_next <= 0 && line->nqueued == 0 && state->sim->reexecutes) {
        struct cx_reexecution reexecute;
        if (cx_balancer_reexecute(state->balancer, index, now, &reexecute)) {
            state->result.reexecutes++;
            push(state, index,
                 (struct package){.first = reexecute.first, .count = reexecute.groups, .copy = true}, now);
            return;
        }
        ask_next = reexecute.ask_next;
    }
    if (ask_next > 0)
        line->asks_at = fmax(ask_next, nextafter(now, INFINITY));
}

/* Gives a device packages until its queue is full or the balancer refuses. */
static void refill(struct state *state, unsigned index, double now)
{
    struct timeline *line = &state->lines[index];
    unsigned depth = state->sim->depth ? state->sim->depth : 2;
    while (!line->dead && !state->broken && line->nqueued < depth) {
        uint64_t count = cx_balancer_next(state->balancer, index, now);
        if (count == 0)
            break;
        struct cx_range range = cx_ranges_take(&state->ranges, index, count);
        uint64_t got = range.end - range.first;
        if (got < count)
            cx_balancer_give_back(state->balancer, index, count - got);
        if (got == 0)
            break;
        cx_balancer_placed(state->balancer, index, range.first);
        push(state, index, (struct package){.first = range.first, .count = got}, now);
    }
    idle(state, index, now);
}

static void note(const struct state *state, unsigned index, const struct package *package, double end,
                 enum cx_done outcome)
{
    if (!state->sim->note)
        return;
    const struct cx_sim_package noted = {index, package->first, package->count, package->starts,
                                         end,   package->copy,  outcome,        package->decision};
    state->sim->note(state->sim->note_data, &noted);
}

/* Adds to what the device has done and would lose by dying. */
static void remember(struct state *state, unsigned index, uint64_t first, uint64_t count)
{
    struct timeline *line = &state->lines[index];
    struct package *history = realloc(line->history, (line->nhistory + 1) * sizeof(*history));
    if (!history) {
        state->broken = true;
        return;
    }
    line->history = history;
    history[line->nhistory++] = (struct package){.first = first, .count = count};
    count_groups(state, first, count, 1);
}

/* A part of a re-execution is done; when it is the last one, all of that re-execution's parts count. */
static void add_part(struct state *state, struct part part, bool complete)
{
    struct part *parts = realloc(state->parts, (state->nparts + 1) * sizeof(*parts));
    if (!parts) {
        state->broken = true;
        return;
    }
    state->parts = parts;
    parts[state->nparts++] = part;
    for (unsigned i = 0; complete && i < state->nparts; i++) {
        if (parts[i].serial != part.serial)
            continue;
        remember(state, parts[i].device, parts[i].first, parts[i].groups);
    }
}

static void complete_oldest(struct state *state, unsigned index, double now)
{
    struct timeline *line = &state->lines[index];
    struct package package = line->queue[0];
    uint64_t serial = cx_balancer_oldest(state->balancer, index);
    const double untimed = state->sim->devices[index].untimed;
    double seconds = untimed > 0 && cx_sim_random(&state->random) < untimed ? 0 : line->seconds;
    line->free_at = now;
    line->nqueued--;
    memmove(line->queue, line->queue + 1, line->nqueued * sizeof(package));
    start_oldest(state, index);
    enum cx_done outcome = cx_balancer_done(state->balancer, index, package.count, seconds, now);
    note(state, index, &package, now, outcome);
    if (outcome == CX_DONE_COUNTS)
        remember(state, index, package.first, package.count);
    else if (outcome != CX_DONE_DROPPED)
        add_part(state, (struct part){serial, package.count, package.first, index},
                 outcome == CX_DONE_REPLACES);
}

/* A death is noticed: all that the device held or had done is lost. */
static void bury(struct state *state, unsigned index)
{
    struct timeline *line = &state->lines[index];
    uint64_t lost = 0;
    for (unsigned i = 0; i < line->nqueued; i++) {
        if (!cx_balancer_holds(state->balancer, index, i))
            continue;
        lost += line->queue[i].count;
        pool_put(state, line->queue[i].first, line->queue[i].count);
    }
    for (unsigned i = 0; i < line->nhistory; i++) {
        lost += line->history[i].count;
        count_groups(state, line->history[i].first, line->history[i].count, -1);
        pool_put(state, line->history[i].first, line->history[i].count);
    }
    line->dead = true;
    line->nqueued = line->nhistory = 0;
    line->ends_at = line->asks_at = INFINITY;
    state->nparts = 0;
    cx_balancer_fail(state->balancer, index, lost);
}

enum event { EVENT_END, EVENT_DEATH, EVENT_ASK };

/* The next event. Returns its time, INFINITY when none is left. */
static double next_event(const struct state *state, unsigned *index, enum event *event)
{
    double first = INFINITY;
    for (unsigned i = 0; i < state->sim->ndevices; i++) {
        const struct timeline *line = &state->lines[i];
        double dies_at = state->sim->devices[i].dies_at;
        double noticed = dies_at > 0 && !line->dead ? dies_at + state->sim->notice_seconds : INFINITY;
        const double at[] = {line->ends_at, noticed, line->asks_at};
        for (unsigned e = 0; e < 3; e++) {
            if (at[e] < first) {
                first = at[e];
                *index = i;
                *event = (enum event)e;
            }
        }
    }
    return first;
}

static void run(struct state *state)
{
    unsigned index = 0;
    enum event event = EVENT_END;
    double now = 0;
    for (unsigned i = 0; i < state->sim->ndevices; i++)
        refill(state, i, 0);
    while (!state->broken && !cx_balancer_finished(state->balancer)) {
        now = next_event(state, &index, &event);
        if (!isfinite(now))
            return;
        if (event == EVENT_DEATH)
            bury(state, index);
        else if (event == EVENT_END)
            complete_oldest(state, index, now);
        for (unsigned i = 0; i < state->sim->ndevices; i++)
            refill(state, i, now);
    }
    state->result.complete = !state->broken;
    state->result.seconds = now;
}

/* Work that devices could do beside what they still hold, were another launch like this one to follow. */
static double after(const struct state *state)
{
    double work = 0;
    for (unsigned i = 0; i < state->sim->ndevices; i++) {
        const struct timeline *line = &state->lines[i];
        double left = line->nqueued > 0 ? line->ends_at - state->result.seconds : 0;
        for (unsigned k = 1; k < line->nqueued; k++)
            left += cx_sim_package_seconds(&state->sim->devices[i], state->sim->load, line->queue[k].first,
                                           line->queue[k].count);
        work += fmin(left, state->result.seconds) * state->sim->devices[i].speed;
    }
    return work;
}

static void summarise(struct state *state)
{
    const struct cx_simulation *sim = state->sim;
    double first = INFINITY, last = 0, sum = 0, fastest = 0;
    for (unsigned i = 0; i < sim->ndevices; i++) {
        struct timeline *line = &state->lines[i];
        uint64_t done = 0;
        for (unsigned h = 0; h < line->nhistory; h++)
            done += line->history[h].count;
        for (unsigned k = 0; k < line->nqueued; k++)
            note(state, i, &line->queue[k], INFINITY, CX_DONE_DROPPED);
        sum += sim->devices[i].speed;
        fastest = fmax(fastest, sim->devices[i].speed);
        if (sim->groups_done)
            sim->groups_done[i] = done;
        if (done == 0)
            continue;
        double until = line->nqueued ? state->result.seconds : line->free_at;
        first = fmin(first, until);
        last = fmax(last, until);
    }
    state->result.ideal = sim->load->total / sum;
    state->result.after = after(state) / sum;
    state->result.best = sim->load->total / fastest;
    state->result.balance = last > 0 ? first / last : 1;
}

static void learn_speeds(const struct state *state)
{
    for (unsigned i = 0; state->sim->records && i < state->sim->ndevices; i++) {
        uint64_t groups;
        double seconds;
        cx_balancer_measured(state->balancer, i, &groups, &seconds);
        cx_speed_record_update(&state->sim->records[i], groups, state->sim->devices[i].known.fill, seconds);
    }
}

static bool make_ranges(struct state *state)
{
    const struct cx_simulation *sim = state->sim;
    double *weights = calloc(sim->ndevices + 1, sizeof(*weights));
    if (!weights)
        return false;
    cx_balancer_weights(state->balancer, weights);
    /* Without partitions everything is in the pool, which is cut from its front. */
    uint64_t groups = sim->load->groups;
    bool partitions = sim->partitions && !sim->policy->is_static; /* their shares lie in device order */
    bool ok = cx_ranges_init(&state->ranges, sim->ndevices, weights, partitions ? groups : 0,
                             sim->granularity ? sim->granularity : 1, (struct cx_range){0, 0});
    if (ok && !partitions)
        pool_put(state, 0, groups);
    if (ok)
        cx_balancer_watch(state->balancer, &state->ranges, 1);
    free(weights);
    return ok;
}

struct cx_sim_result cx_simulate(const struct cx_simulation *simulation)
{
    struct state state = {.sim = simulation, .random = simulation->seed};
    unsigned n = simulation->ndevices;
    struct cx_balancer_device *known = calloc(n + 1, sizeof(*known));
    state.lines = calloc(n + 1, sizeof(*state.lines));
    if (known && state.lines) {
        for (unsigned i = 0; i < n; i++) {
            known[i] = simulation->devices[i].known;
            known[i].private_results = simulation->reexecutes;
            known[i].slot = i;
            state.lines[i].ends_at = state.lines[i].asks_at = INFINITY;
            const uint64_t slots = simulation->devices[i].slots;
            state.lines[i].slot = slots ? calloc(slots, sizeof(double)) : NULL;
            state.broken |= slots && !state.lines[i].slot;
        }
        struct cx_problem problem = {
            simulation->load->groups, simulation->granularity, n, known, simulation->reexecutes,
            simulation->memory,       simulation->tuning};
        state.balancer = cx_balancer_create(simulation->policy, &problem, simulation->params);
    }
    if (state.balancer && make_ranges(&state)) {
        run(&state);
        summarise(&state);
        cx_balancer_learn(state.balancer);
        learn_speeds(&state);
    }
    for (unsigned i = 0; state.lines && i < n; i++) {
        free(state.lines[i].history);
        free(state.lines[i].slot);
    }
    cx_balancer_destroy(state.balancer);
    cx_ranges_finish(&state.ranges);
    free(state.parts);
    free(state.lines);
    free(known);
    return state.result;
}

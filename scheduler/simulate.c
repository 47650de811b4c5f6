/* SPDX-License-Identifier: MIT */
/*
 * The discrete-event simulation of one launch: devices with a short queue each, a host that refills them.
 * Previous stage: simulate.h. Next: balancer.h, which it drives as the layer does.
 */
#include "scheduler/simulate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct package {
    uint64_t first, count;
    double arrives; /* when it reaches the device */
};

struct timeline {
    struct package queue[CX_PACKAGES_IN_FLIGHT];
    unsigned nqueued;
    double free_at; /* end of the last package that completed */
    double seconds; /* of the oldest package */
    double ends_at; /* of the oldest package; INFINITY when none */
    bool dead;      /* noticed */
    uint64_t done;
    struct package *history; /* done packages, lost when the device dies */
    unsigned nhistory;
};

/* Runs of groups nobody has now. The first entry is handed out first. */
struct pool {
    struct package *runs;
    size_t count, room;
};

struct state {
    const struct cx_simulation *sim;
    struct cx_balancer *balancer;
    struct timeline *lines;
    struct pool pool;
    struct cx_sim_result result;
    uint64_t random;
    bool broken; /* memory was short */
};

static void pool_put(struct state *state, uint64_t first, uint64_t count)
{
    struct pool *pool = &state->pool;
    if (pool->count == pool->room) {
        size_t room = pool->room ? 2 * pool->room : 16;
        struct package *runs = realloc(pool->runs, room * sizeof(*runs));
        if (!runs) {
            state->broken = true;
            return;
        }
        pool->runs = runs;
        pool->room = room;
    }
    pool->runs[pool->count++] = (struct package){first, count, 0};
}

/* Up to count groups from the first run. */
static struct package pool_take(struct pool *pool, uint64_t count)
{
    struct package *run = &pool->runs[0];
    struct package got = {run->first, run->count < count ? run->count : count, 0};
    run->first += got.count;
    run->count -= got.count;
    if (run->count == 0)
        memmove(run, run + 1, --pool->count * sizeof(*run));
    return got;
}

static void count_groups(const struct state *state, const struct package *package, int change)
{
    for (uint64_t i = 0; state->sim->taken && i < package->count; i++)
        state->sim->taken[package->first + i] += (unsigned char)change;
}

/* Starts the oldest package of a device. */
static void start_oldest(struct state *state, unsigned index)
{
    struct timeline *line = &state->lines[index];
    const struct cx_sim_device *device = &state->sim->devices[index];
    line->ends_at = INFINITY;
    if (line->nqueued == 0)
        return;
    const struct package *package = &line->queue[0];
    const double *before = state->sim->load->before;
    double cost = before[package->first + package->count] - before[package->first];
    if (device->known.fill > package->count)
        cost *= (double)device->known.fill / (double)package->count;
    double jitter = 1 + device->jitter * (2 * cx_sim_random(&state->random) - 1);
    line->seconds = device->launch_seconds + cost / device->speed * jitter;
    line->ends_at = fmax(line->free_at, package->arrives) + line->seconds;
    if (device->dies_at > 0 && line->ends_at > device->dies_at)
        line->ends_at = INFINITY;
}

/* Gives a device packages until its queue is full or the balancer refuses. */
static void refill(struct state *state, unsigned index, double now)
{
    struct timeline *line = &state->lines[index];
    unsigned depth = state->sim->depth ? state->sim->depth : 2;
    while (!line->dead && !state->broken && line->nqueued < depth) {
        uint64_t count = cx_balancer_next(state->balancer, index, now);
        if (count == 0)
            return;
        struct package *package = &line->queue[line->nqueued++];
        *package = pool_take(&state->pool, count);
        package->arrives = now + (now > 0 ? state->sim->devices[index].reply_seconds : 0);
        if (package->count < count)
            cx_balancer_give_back(state->balancer, index, count - package->count);
        state->result.packages++;
        if (line->nqueued == 1)
            start_oldest(state, index);
    }
}

static void complete_oldest(struct state *state, unsigned index, double now)
{
    struct timeline *line = &state->lines[index];
    struct package package = line->queue[0];
    struct package *history = realloc(line->history, (line->nhistory + 1) * sizeof(*history));
    if (!history) {
        state->broken = true;
        return;
    }
    line->history = history;
    history[line->nhistory++] = package;
    count_groups(state, &package, 1);
    line->done += package.count;
    line->free_at = now;
    line->nqueued--;
    memmove(line->queue, line->queue + 1, line->nqueued * sizeof(package));
    double seconds = line->seconds;
    start_oldest(state, index);
    cx_balancer_done(state->balancer, index, package.count, seconds, now);
}

/* A death is noticed: all that the device held or had done is lost. */
static void bury(struct state *state, unsigned index)
{
    struct timeline *line = &state->lines[index];
    uint64_t lost = 0;
    for (unsigned i = 0; i < line->nqueued; i++) {
        lost += line->queue[i].count;
        pool_put(state, line->queue[i].first, line->queue[i].count);
    }
    for (unsigned i = 0; i < line->nhistory; i++) {
        lost += line->history[i].count;
        count_groups(state, &line->history[i], -1);
        pool_put(state, line->history[i].first, line->history[i].count);
    }
    line->dead = true;
    line->nqueued = 0;
    line->done = 0;
    line->ends_at = INFINITY;
    cx_balancer_fail(state->balancer, index, lost);
}

/* The next event: a package's end, or the moment a death is noticed. Returns its time, INFINITY when none is
 * left. */
static double next_event(const struct state *state, unsigned *index, bool *death)
{
    double first = INFINITY;
    for (unsigned i = 0; i < state->sim->ndevices; i++) {
        const struct timeline *line = &state->lines[i];
        double dies_at = state->sim->devices[i].dies_at;
        double noticed = dies_at > 0 && !line->dead ? dies_at + state->sim->notice_seconds : INFINITY;
        if (fmin(line->ends_at, noticed) < first) {
            first = fmin(line->ends_at, noticed);
            *index = i;
            *death = noticed < line->ends_at;
        }
    }
    return first;
}

static void run(struct state *state)
{
    unsigned index = 0;
    bool death = false;
    double now = 0;
    for (unsigned i = 0; i < state->sim->ndevices; i++)
        refill(state, i, 0);
    while (!state->broken && !cx_balancer_finished(state->balancer)) {
        now = next_event(state, &index, &death);
        if (!isfinite(now))
            return;
        if (death)
            bury(state, index);
        else
            complete_oldest(state, index, now);
        for (unsigned i = 0; i < state->sim->ndevices; i++)
            refill(state, i, now);
    }
    state->result.complete = !state->broken;
    state->result.seconds = now;
}

static void summarise(struct state *state)
{
    const struct cx_simulation *sim = state->sim;
    double first = INFINITY, last = 0, sum = 0, fastest = 0;
    for (unsigned i = 0; i < sim->ndevices; i++) {
        sum += sim->devices[i].speed;
        fastest = fmax(fastest, sim->devices[i].speed);
        if (sim->groups_done)
            sim->groups_done[i] = state->lines[i].done;
        if (state->lines[i].done == 0)
            continue;
        first = fmin(first, state->lines[i].free_at);
        last = fmax(last, state->lines[i].free_at);
    }
    state->result.ideal = sim->load->total / sum;
    state->result.best = sim->load->total / fastest;
    state->result.balance = last > 0 ? first / last : 1;
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
            state.lines[i].ends_at = INFINITY;
        }
        struct cx_problem problem = {simulation->load->groups, simulation->granularity, n, known};
        state.balancer = cx_balancer_create(simulation->policy, &problem, simulation->params);
        pool_put(&state, 0, simulation->load->groups);
    }
    if (state.balancer) {
        run(&state);
        summarise(&state);
    }
    for (unsigned i = 0; state.lines && i < n; i++)
        free(state.lines[i].history);
    cx_balancer_destroy(state.balancer);
    free(state.pool.runs);
    free(state.lines);
    free(known);
    return state.result;
}

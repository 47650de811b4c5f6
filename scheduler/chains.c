/* SPDX-License-Identifier: MIT */
/*
 * Chains of whole launches. See chains.h.
 */
#include "scheduler/chains.h"

#include <math.h>

static unsigned kept(const struct cx_chains *chains)
{
    return chains->n < CX_CHAINS_LAUNCHES ? chains->n : CX_CHAINS_LAUNCHES;
}

static bool has(uint64_t set, unsigned i)
{
    return set >> i & 1;
}

/* ---- which launches are a chain ---- */

static bool conflict(const struct cx_chains_touch *a, const struct cx_chains_touch *b)
{
    return a->object == b->object && (a->writes || b->writes) && a->from < b->to && b->from < a->to;
}

/* One of 64. */
static uint64_t bit_of(const void *object)
{
    return UINT64_C(1) << ((uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

void cx_chains_use(struct cx_chains_launch *launch, const struct cx_chains_touch *touch)
{
    const uint64_t bit = bit_of(touch->object);
    if (launch->ntouches < CX_CHAINS_TOUCHES)
        launch->touch[launch->ntouches] = *touch;
    launch->ntouches++;
    launch->uses |= bit;
    launch->writes |= touch->writes ? bit : 0;
}

static bool are_linked(const struct cx_chains_launch *a, const struct cx_chains_launch *b)
{
    if (!(a->uses & b->writes) && !(a->writes & b->uses) && a->ntouches <= CX_CHAINS_TOUCHES &&
        b->ntouches <= CX_CHAINS_TOUCHES)
        return false;
    if (a->ntouches > CX_CHAINS_TOUCHES || b->ntouches > CX_CHAINS_TOUCHES)
        return true;
    for (unsigned i = 0; i < a->ntouches; i++)
        for (unsigned j = 0; j < b->ntouches; j++)
            if (conflict(&a->touch[i], &b->touch[j]))
                return true;
    return false;
}

/* Of the first `count` launches kept, those of the chains that the launch is linked to. */
static uint64_t chains_of(const struct cx_chains *chains, unsigned count,
                          const struct cx_chains_launch *launch)
{
    uint64_t of = 0;
    for (unsigned i = 0; i < count; i++) {
        if (has(of, i) || !are_linked(&chains->launch[i], launch))
            continue;
        for (unsigned j = 0; j < count; j++)
            of |= (uint64_t)(chains->launch[j].chain == chains->launch[i].chain) << j;
    }
    return of;
}

/* The launch and all of these are one chain from now on. */
static void join(struct cx_chains *chains, uint64_t of, struct cx_chains_launch *launch)
{
    launch->chain = ++chains->chain;
    for (unsigned i = 0; i < CX_CHAINS_LAUNCHES; i++)
        if (has(of, i))
            chains->launch[i].chain = launch->chain;
}

/* What joined chains once and is gone joins them no more. */
static void find_anew(struct cx_chains *chains)
{
    for (unsigned i = 0; i < CX_CHAINS_LAUNCHES; i++)
        join(chains, chains_of(chains, i, &chains->launch[i]), &chains->launch[i]);
}

void cx_chains_add(struct cx_chains *chains, const struct cx_chains_launch *launch)
{
    const unsigned at = chains->n % CX_CHAINS_LAUNCHES;
    if (chains->n && at == 0)
        find_anew(chains);
    const uint64_t of = chains_of(chains, kept(chains), launch);
    chains->launch[at] = *launch;
    join(chains, of, &chains->launch[at]);
    chains->n++;
}

uint64_t cx_chains_of(const struct cx_chains *chains, const struct cx_chains_launch *launch)
{
    return chains_of(chains, kept(chains), launch);
}

/* ---- where they are ---- */

unsigned cx_chains_home(const struct cx_chains *chains, uint64_t of, unsigned none, bool *moved)
{
    *moved = false;
    for (unsigned back = 1; back <= kept(chains); back++) {
        const unsigned i = (chains->n - back) % CX_CHAINS_LAUNCHES;
        if (has(of, i)) {
            *moved = chains->launch[i].moved;
            return chains->launch[i].home;
        }
    }
    return none;
}

double cx_chains_over(const struct cx_chains *chains, uint64_t of, unsigned device)
{
    double over = 0;
    for (unsigned i = 0; i < kept(chains); i++)
        if (has(of, i) && chains->launch[i].device == device)
            over = fmax(over, chains->launch[i].ends);
    return over;
}

double cx_chains_past(const struct cx_chains *chains, unsigned device, uint64_t position)
{
    for (unsigned back = 1; back <= kept(chains); back++) {
        const struct cx_chains_launch *launch = &chains->launch[(chains->n - back) % CX_CHAINS_LAUNCHES];
        if (launch->position <= position && launch->device == device)
            return launch->ends;
    }
    return 0;
}

uint64_t cx_chains_able(const struct cx_chains *chains, uint64_t of, uint64_t program, uint64_t able)
{
    uint64_t all = able;
    for (unsigned i = 0; i < kept(chains); i++)
        all &= has(of, i) && chains->launch[i].program != program ? chains->launch[i].able : UINT64_MAX;
    return all;
}

/* ---- how long they take ---- */

void cx_chains_know(struct cx_chains *chains, const struct cx_chains_launch *known)
{
    for (unsigned i = 0; i < kept(chains) && known->seconds > 0; i++) {
        struct cx_chains_launch *launch = &chains->launch[i];
        if (launch->kernel == known->kernel && launch->home == known->home)
            launch->seconds = known->seconds * launch->items / known->items;
    }
}

void cx_chains_times_add(struct cx_chains_times *times, double seconds)
{
    if (isfinite(seconds) && seconds > 0)
        times->last[times->n++ % CX_CHAINS_TIMES] = seconds;
}

double cx_chains_times_mean(const struct cx_chains_times *times)
{
    const unsigned count = times->n < CX_CHAINS_TIMES ? times->n : CX_CHAINS_TIMES;
    double sum = 0, longest = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += times->last[i];
        longest = fmax(longest, times->last[i]);
    }
    return count > 1 ? (sum - longest) / (count - 1) : sum;
}

/* ---- where they would be over sooner ---- */

double cx_chains_gain(const struct cx_chains *chains, const struct cx_chains_question *question)
{
    const struct cx_chains_launch *asked = question->launch;
    double load = asked->seconds, there = 0, own = asked->seconds, waits = fmin(asked->waits, asked->seconds);
    unsigned count = 1;
    for (unsigned i = 0; i < kept(chains); i++) {
        const struct cx_chains_launch *launch = &chains->launch[i];
        load += launch->home == asked->home ? launch->seconds : 0;
        there += launch->home == question->to ? launch->seconds : 0;
        if (!has(question->of, i) || launch->home != asked->home)
            continue;
        own += launch->seconds;
        waits += fmin(launch->waits, launch->seconds);
        count++;
    }
    const double after = fmax(load - own, there + own * question->factor);
    const double faster = fmax(own * (1 - question->factor), 0);
    const double gain = fmin(fmax(load, there) - after, waits + faster) / count;
    return isfinite(gain) ? fmin(fmax(gain, 0), asked->seconds) : 0;
}

void cx_chains_move(struct cx_chains *chains, const struct cx_chains_question *question)
{
    chains->moves++;
    for (unsigned i = 0; i < kept(chains); i++) {
        struct cx_chains_launch *launch = &chains->launch[i];
        if (!has(question->of, i) || launch->home != question->launch->home)
            continue;
        launch->home = question->to;
        launch->moved = true;
        launch->seconds *= question->factor;
        launch->waits = 0;
    }
}

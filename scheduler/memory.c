/* SPDX-License-Identifier: MIT */
/*
 * Learning speeds and the cost along the range from the packages of a launch.
 *
 * A package of cost c on a device of speed v takes launch + c / v; both are unknown up to one common factor.
 * In turn, each device's speed is set to the cost it did over its time, and the cost of each piece of the
 * range is multiplied by what the packages over it took longer than predicted (a multiplicative algebraic
 * reconstruction). The first launch, whose packages are many, tells speeds and costs apart; later ones, with
 * one package a device, correct both by half of the error: that moves every border towards balance as
 * Marrow's binary search does, but all borders at once and by the amount that the times say. "Marrow"
 * (section 4.2): lbt(n) = w unbalanced + (1 - w) lbt(n-1), w = 2/3, unbalanced where the first finisher's
 * time is under 0.85 of the last one's. Above 0.8, which takes two such launches in a row, the old speeds are
 * forgotten. Previous stage: memory.h.
 */
#include "scheduler/memory.h"
#include "scheduler/policy.h"
#include <math.h>
#include <string.h>

static const double balance_weight = 2.0 / 3, balance_least = 0.85, balance_lost = 0.8;
/* What a launch after the first counts against all before it. */
static const double newer = 0.5;
enum { FIRST_ROUNDS = 12, LATER_ROUNDS = 2 };

void cx_memory_init(struct cx_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    for (unsigned i = 0; i <= CX_MEMORY_PIECES; i++)
        memory->before[i] = (double)i / CX_MEMORY_PIECES;
}

bool cx_memory_knows(const struct cx_memory *memory, uint64_t groups)
{
    return memory && memory->launches > 0 && memory->groups == groups && groups > 0;
}

/* Part of all cost before a place, a fraction of the range. */
static double part_before(const struct cx_memory *memory, double place)
{
    double at = place * CX_MEMORY_PIECES;
    unsigned piece = at >= CX_MEMORY_PIECES ? CX_MEMORY_PIECES - 1 : (unsigned)at;
    double inside = fmin(at - piece, 1);
    return memory->before[piece] + inside * (memory->before[piece + 1] - memory->before[piece]);
}

double cx_memory_cost(const struct cx_memory *memory, uint64_t all, uint64_t first, uint64_t count)
{
    if (!memory || memory->groups != all || first > all || count > all - first)
        return (double)count;
    double total = (double)all;
    return total * (part_before(memory, (double)(first + count) / total) -
                    part_before(memory, (double)first / total));
}

double cx_memory_place(const struct cx_memory *memory, uint64_t all, double part)
{
    if (memory->groups != all)
        return part * (double)all;
    unsigned low = 0, high = CX_MEMORY_PIECES; /* before[low] <= part < before[high] */
    if (part >= 1)
        return (double)all;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        *(memory->before[middle] <= part ? &low : &high) = middle;
    }
    double length = memory->before[high] - memory->before[low];
    double inside = length > 0 ? (part - memory->before[low]) / length : 0;
    return (double)all * (low + fmin(fmax(inside, 0), 1)) / CX_MEMORY_PIECES;
}

/* ---- learning ---- */

struct lesson {
    struct cx_memory *memory;
    const struct cx_balancer *balancer;
    bool first;
    double speed[CX_MEMORY_DEVICES]; /* before this launch */
    double piece[CX_MEMORY_PIECES];  /* part of the cost */
    double log_ratio[CX_MEMORY_PIECES], covered[CX_MEMORY_PIECES];
};

static unsigned slot_of(const struct cx_balancer *balancer, unsigned device)
{
    return balancer->devices[device].given.slot;
}

/* The cost that a package's time stands for: fewer groups than fill the device take as long as those that do.
 */
static double cost_of(const struct lesson *lesson, const struct cx_package_log *package)
{
    double filled = cx_groups_filled(&lesson->balancer->devices[package->device], package->groups);
    double cost = cx_memory_cost(lesson->memory, lesson->balancer->groups, package->first, package->groups);
    return cost * filled / (double)package->groups;
}

/* Seconds of computing. */
static double seconds_of(const struct lesson *lesson, const struct cx_package_log *package)
{
    double launch = lesson->balancer->devices[package->device].given.launch_seconds;
    return fmax(package->seconds - launch, 0.1 * package->seconds);
}

static void learn_speeds(struct lesson *lesson)
{
    const struct cx_balancer *balancer = lesson->balancer;
    double cost[CX_MEMORY_DEVICES] = {0}, seconds[CX_MEMORY_DEVICES] = {0};
    for (unsigned p = 0; p < balancer->npackages; p++) {
        unsigned slot = slot_of(balancer, balancer->packages[p].device);
        cost[slot] += cost_of(lesson, &balancer->packages[p]);
        seconds[slot] += seconds_of(lesson, &balancer->packages[p]);
    }
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++) {
        double speed = cx_number_clean(cost[i] / seconds[i]), old = lesson->speed[i];
        if (speed > 0)
            lesson->memory->device[i].speed =
                old > 0 ? exp((1 - newer) * log(old) + newer * log(speed)) : speed;
    }
}

/* Spreads a package's error over the pieces it covers. */
static void spread(struct lesson *lesson, const struct cx_package_log *package)
{
    double all = (double)lesson->balancer->groups;
    double from = (double)package->first / all * CX_MEMORY_PIECES,
           to = (double)(package->first + package->groups) / all * CX_MEMORY_PIECES;
    double speed = lesson->memory->device[slot_of(lesson->balancer, package->device)].speed;
    double ratio = cx_number_clean(seconds_of(lesson, package) * speed / cost_of(lesson, package));
    if (ratio == 0)
        return;
    for (unsigned i = (unsigned)from; i < CX_MEMORY_PIECES && i < to; i++) {
        double part = fmin(to, i + 1) - fmax(from, i);
        lesson->log_ratio[i] += part * log(ratio);
        lesson->covered[i] += part;
    }
}

static void learn_costs(struct lesson *lesson)
{
    double sum = 0, rate = lesson->first ? 1 : newer;
    memset(lesson->log_ratio, 0, sizeof lesson->log_ratio);
    memset(lesson->covered, 0, sizeof lesson->covered);
    for (unsigned p = 0; p < lesson->balancer->npackages; p++)
        spread(lesson, &lesson->balancer->packages[p]);
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++) {
        double error = lesson->log_ratio[i] / fmax(lesson->covered[i], 1);
        lesson->piece[i] = fmax(lesson->piece[i] * exp(rate * error), 1e-9 / CX_MEMORY_PIECES);
        sum += lesson->piece[i];
    }
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++) {
        lesson->piece[i] /= sum;
        lesson->memory->before[i + 1] = lesson->memory->before[i] + lesson->piece[i];
    }
    lesson->memory->before[CX_MEMORY_PIECES] = 1;
}

/* A device whose package others finished first is known to be no faster than that. */
static void learn_losers(struct lesson *lesson)
{
    const struct cx_balancer *balancer = lesson->balancer;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        uint64_t groups;
        double seconds;
        struct cx_memory_device *device = &lesson->memory->device[slot_of(balancer, i)];
        cx_balancer_measured(balancer, i, &groups, &seconds);
        double most = cx_number_clean((double)groups / seconds);
        if (balancer->devices[i].lost_seconds > 0 && most > 0)
            device->speed = device->speed > 0 ? fmin(device->speed, most) : most;
        device->launches += groups > 0;
    }
}

/* How far lengths were from what was predicted, weighted by length. */
static double deviation_of(const struct cx_balancer *balancer)
{
    double squares = 0, weight = 0;
    for (unsigned p = 0; p < balancer->npackages; p++) {
        const struct cx_package_log *package = &balancer->packages[p];
        double error = log(package->seconds / package->expected);
        if (!(package->expected > 0) || !isfinite(error))
            continue;
        squares += package->expected * error * error;
        weight += package->expected;
    }
    return weight > 0 ? sqrt(squares / weight) : 0.5;
}

static void learn_balance(struct cx_memory *memory, const struct cx_balancer *balancer)
{
    double first = INFINITY, last = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (balancer->devices[i].done == 0)
            continue;
        first = fmin(first, balancer->devices[i].busy_since);
        last = fmax(last, balancer->devices[i].busy_since);
    }
    bool unbalanced = first < balance_least * last;
    memory->unbalanced = balance_weight * unbalanced + (1 - balance_weight) * memory->unbalanced;
}

void cx_memory_learn(struct cx_memory *memory, const struct cx_balancer *balancer)
{
    struct lesson lesson = {.memory = memory, .balancer = balancer};
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (slot_of(balancer, i) >= CX_MEMORY_DEVICES)
            return;
    if (balancer->npackages == 0)
        return;
    if (memory->groups != balancer->groups) {
        cx_memory_init(memory);
        memory->groups = balancer->groups;
    }
    lesson.first = memory->launches == 0;
    learn_balance(memory, balancer);
    bool drifted = memory->unbalanced > balance_lost;
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++)
        lesson.speed[i] = drifted ? 0 : memory->device[i].speed;
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++)
        lesson.piece[i] = memory->before[i + 1] - memory->before[i];
    for (unsigned round = 0; round < (lesson.first ? FIRST_ROUNDS : LATER_ROUNDS); round++) {
        learn_speeds(&lesson);
        learn_costs(&lesson);
    }
    learn_losers(&lesson);
    double deviation = deviation_of(balancer);
    memory->deviation =
        lesson.first
            ? deviation
            : sqrt(newer * deviation * deviation + (1 - newer) * memory->deviation * memory->deviation);
    memory->launches++;
}

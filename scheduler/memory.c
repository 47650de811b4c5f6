/* SPDX-License-Identifier: MIT */
/*
 * Learning speeds and the cost along the range from the packages of a launch.
 *
 * A package of cost c on a device of speed v takes launch + c / v; both are unknown up to one common factor.
 * In turn, each device's speed is set to the cost it did over its time, and the cost of each piece of the
 * range is multiplied by what the packages over it took longer than predicted, by their mean (the
 * expectation-maximisation of tomography). Devices of one kind begin as equally fast. However many the
 * samples, it costs at most a fraction of the launch. The first launch, whose packages are many, tells speeds
 * and costs apart; later ones, with one package a device, correct both by half of the error: that moves every
 * border towards balance as Marrow's binary search does, but all borders at once and by the amount that the
 * times say. "Marrow" (section 3.3): lbt(n) = w unbalanced + (1 - w) lbt(n-1), w = 2/3, unbalanced where the
 * first finisher's time is under 0.85 of the last one's. Above 0.95, which takes three such launches in a
 * row, the old speeds are forgotten. Previous stage: memory.h.
 */
#include "scheduler/memory.h"
#include "scheduler/policy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double balance_weight = 2.0 / 3, balance_least = 0.85, balance_lost = 0.95;
/* Costs are known well enough that imbalance means drift. */
static const double settled_deviation = 0.05;
/* Fillings of the device that a row of overlapping packages has to be worth to tell an error. */
static const double fillings_a_row = 8;
/* What a launch's deviation counts against that of all before it. */
static const double newer = 0.5;
/* The same of the second launch's, the first that the memory foretold. */
static const double first_predicted = 0.85;
/* The first launch was predicted by what it saw of itself. Where costs vary widely that errs far more than
 * what is learned of them will. */
static const double most_at_first = 0.4;
static const double loser_doubt = 4;
/* Times longer or less long than foretold, beside the other devices, by which a device's speed has changed.
 */
static const double drift = 1.3;
/* Moves that took so many times longer or less long than before are not averaged with those. */
static const double moves_change = 1.25;
/* Rounds at most, as many as fit into that part of the launch's time, but one; what a round costs on a slow
 * core: for each sample and for all pieces (tests/benchmark/decide.c). */
enum { MOST_ROUNDS = 12 };
static const double learning_part = 0.005, sample_seconds = 20e-9, pieces_seconds = 4e-6;

void cx_memory_init(struct cx_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    for (unsigned i = 0; i <= CX_MEMORY_PIECES; i++)
        memory->cost_model.before[i] = (double)i / CX_MEMORY_PIECES;
}

bool cx_cost_model_knows(const struct cx_cost_model *cost_model, uint64_t groups)
{
    return cost_model && cost_model->launches > 0 && cost_model->groups == groups && groups > 0;
}

/* Part of all cost before a place, a fraction of the range. */
static double part_before(const struct cx_cost_model *cost_model, double place)
{
    double at = place * CX_MEMORY_PIECES;
    unsigned piece = at >= CX_MEMORY_PIECES ? CX_MEMORY_PIECES - 1 : (unsigned)at;
    double inside = fmin(at - piece, 1);
    return cost_model->before[piece] + inside * (cost_model->before[piece + 1] - cost_model->before[piece]);
}

double cx_cost_model_cost(const struct cx_cost_model *cost_model, uint64_t all, uint64_t first,
                          uint64_t count)
{
    if (!cost_model || cost_model->groups != all || first > all || count > all - first)
        return (double)count;
    double total = (double)all;
    return total * (part_before(cost_model, (double)(first + count) / total) -
                    part_before(cost_model, (double)first / total));
}

double cx_cost_model_place(const struct cx_cost_model *cost_model, uint64_t all, double part)
{
    if (cost_model->groups != all)
        return part * (double)all;
    unsigned low = 0, high = CX_MEMORY_PIECES; /* before[low] <= part < before[high] */
    if (part >= 1)
        return (double)all;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        *(cost_model->before[middle] <= part ? &low : &high) = middle;
    }
    double length = cost_model->before[high] - cost_model->before[low];
    double inside = length > 0 ? (part - cost_model->before[low]) / length : 0;
    return (double)all * (low + fmin(fmax(inside, 0), 1)) / CX_MEMORY_PIECES;
}

/* ---- learning ---- */

struct lesson {
    struct cx_memory *memory;
    const struct cx_balancer *balancer;
    double piece[CX_MEMORY_PIECES];       /* part of the cost */
    double error[CX_MEMORY_PIECES + 1];   /* of what covers each piece; while summed, steps of it */
    double covered[CX_MEMORY_PIECES + 1]; /* likewise: how often */
    double cost[CX_MEMORY_SAMPLES];       /* of each sample, as thought at the round's start */
};

static unsigned slot_of(const struct cx_balancer *balancer, unsigned device)
{
    return balancer->devices[device].given.slot;
}

/* Seconds of computing that the package would take if its groups filled the device: fewer take as long, where
 * none was before them. */
static double seconds_of(const struct cx_balancer *balancer, const struct cx_package_log *package)
{
    const struct cx_device_state *device = &balancer->devices[package->device];
    double seconds = fmax(package->seconds - device->given.launch_seconds, 0.1 * package->seconds);
    return seconds * (double)package->groups / cx_groups_timed(device, package->groups, package->fresh);
}

/* The same without what moving its groups took of it. */
static double computing_seconds(const struct cx_balancer *balancer, const struct cx_package_log *package)
{
    const double seconds = cx_number_clean(seconds_of(balancer, package));
    return cx_greater(seconds - package->moves, 0.05 * seconds);
}

/* How many times longer than the memory says each device took for this launch; 0: it did nothing. */
static void find_ratios(const struct cx_memory *memory, const struct cx_balancer *balancer, double *ratio)
{
    double expected[CX_MEMORY_DEVICES] = {0};
    memset(ratio, 0, CX_MEMORY_DEVICES * sizeof *ratio);
    for (unsigned p = 0; p < balancer->npackages; p++) {
        const struct cx_package_log *package = &balancer->packages[p];
        const unsigned slot = slot_of(balancer, package->device);
        const struct cx_memory_device *device = &memory->cost_model.device[slot];
        ratio[slot] += computing_seconds(balancer, package);
        expected[slot] +=
            cx_cost_model_cost(&memory->cost_model, balancer->groups, package->first, package->groups) /
            cx_with_transfers(device->speed, -device->transfer);
    }
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++)
        ratio[i] = isfinite(expected[i]) && expected[i] > 0 ? ratio[i] / expected[i] : 0;
}

/* The factor by which each device took longer for this launch than the memory says, or each less long: the
 * least of them. Pages touched for the first time, a clock that rises or a busy machine make such launches.
 */
static double common_factor(const double *ratio)
{
    double least = 0, most = INFINITY;
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++) {
        if (!(ratio[i] > 0))
            continue;
        least = least > 0 ? fmin(least, ratio[i]) : ratio[i];
        most = isfinite(most) ? fmax(most, ratio[i]) : ratio[i];
    }
    return least > 1 ? least : most < 1 ? most : 1;
}

/* Says what earlier launches showed of each device as if they had been longer by its factor, lest they and
 * this one be taken for places of the range that cost more and less. */
static void scale_samples(struct cx_memory *memory, const double *factor)
{
    for (unsigned i = 0; i < memory->nsamples; i++)
        memory->sample[i].seconds = (float)(memory->sample[i].seconds * factor[memory->sample[i].slot]);
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++)
        memory->cost_model.device[i].speed = cx_number_clean(memory->cost_model.device[i].speed / factor[i]);
}

/* By the factor that all devices have in common; and where one was far slower or faster than that, and costs
 * are known, its speed has changed: something else has its cores, or has them no more. */
static void follow_drift(struct cx_memory *memory, const struct cx_balancer *balancer)
{
    double ratio[CX_MEMORY_DEVICES];
    find_ratios(memory, balancer, ratio);
    const double common = common_factor(ratio);
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++) {
        const double own = ratio[i] > 0 ? ratio[i] / common : 1;
        const bool drifts = memory->settled && (own > drift || own < 1 / drift);
        ratio[i] = drifts ? own * common : common;
    }
    scale_samples(memory, ratio);
}

/* Adds this launch's packages to the samples; the oldest make room. */
static void add_samples(struct cx_memory *memory, const struct cx_balancer *balancer)
{
    unsigned count = balancer->npackages < CX_MEMORY_SAMPLES ? balancer->npackages : CX_MEMORY_SAMPLES;
    unsigned keep =
        CX_MEMORY_SAMPLES - count < memory->nsamples ? CX_MEMORY_SAMPLES - count : memory->nsamples;
    memmove(memory->sample, memory->sample + memory->nsamples - keep, keep * sizeof memory->sample[0]);
    for (unsigned p = 0; p < count; p++) {
        const struct cx_package_log *package = &balancer->packages[p];
        const double all = (double)balancer->groups, seconds = computing_seconds(balancer, package);
        if (seconds > 0)
            memory->sample[keep++] =
                (struct cx_memory_sample){(float)((double)package->first / all),
                                          (float)((double)(package->first + package->groups) / all),
                                          (float)seconds, slot_of(balancer, package->device)};
    }
    memory->nsamples = keep;
}

/* As long as it would have taken with the transfers of the newest launch. */
static double seconds_with_moves(const struct lesson *lesson, const struct cx_memory_sample *sample)
{
    double groups = (double)(sample->to - sample->from) * (double)lesson->balancer->groups;
    return sample->seconds + groups * lesson->memory->cost_model.device[sample->slot].transfer;
}

/* A launch in which each device had a region of its own cannot tell a slow device from dear groups. Those of
 * one kind compute as fast as each other, so it is the groups; the more launches there were, the more of the
 * range several devices have done, and the less that is assumed. What they move is their own. */
static void pool_alike(struct lesson *lesson, const double *cost, const double *computing)
{
    struct cx_cost_model *cost_model = &lesson->memory->cost_model;
    const struct cx_balancer *balancer = lesson->balancer;
    const double part = 1 / pow(1 + (double)cost_model->launches, 2);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const unsigned kind = balancer->devices[i].given.kind, slot = slot_of(balancer, i);
        double costs = 0, times = 0;
        for (unsigned k = 0; k < balancer->ndevices && kind > 0; k++) {
            const unsigned other = slot_of(balancer, k);
            const bool alike = balancer->devices[k].given.kind == kind && cost[other] > 0;
            costs += alike ? cost[other] : 0;
            times += alike ? computing[other] : 0;
        }
        if (!(cost[slot] > 0) || !(costs > 0) || !(cost_model->device[slot].speed > 0))
            continue;
        const double own = computing[slot] / cost[slot], pooled = own * pow(times / costs / own, part);
        const double speed = cx_number_clean(1 / (1 / cost_model->device[slot].speed - own + pooled));
        cost_model->device[slot].speed = speed > 0 ? speed : cost_model->device[slot].speed;
    }
}

static void learn_speeds(struct lesson *lesson)
{
    struct cx_memory *memory = lesson->memory;
    double cost[CX_MEMORY_DEVICES] = {0}, seconds[CX_MEMORY_DEVICES] = {0},
           computing[CX_MEMORY_DEVICES] = {0};
    for (unsigned i = 0; i < memory->nsamples; i++) {
        const struct cx_memory_sample *sample = &memory->sample[i];
        lesson->cost[i] = (double)lesson->balancer->groups * (part_before(&memory->cost_model, sample->to) -
                                                              part_before(&memory->cost_model, sample->from));
        cost[sample->slot] += lesson->cost[i];
        seconds[sample->slot] += seconds_with_moves(lesson, sample);
        computing[sample->slot] += sample->seconds;
    }
    for (unsigned i = 0; i < CX_MEMORY_DEVICES; i++) {
        double speed = cost[i] > 0 ? cx_number_clean(cost[i] / seconds[i]) : 0;
        memory->cost_model.device[i].speed = speed > 0 ? speed : memory->cost_model.device[i].speed;
    }
    pool_alike(lesson, cost, computing);
}

/* Adds to all pieces from there on, and to the first of them the part that the place leaves of it. */
static void step(double *steps, double place, double value)
{
    unsigned piece = (unsigned)place;
    double left = piece + 1 - place;
    if (piece >= CX_MEMORY_PIECES)
        return;
    steps[piece] += left * value;
    steps[piece + 1] += (1 - left) * value;
}

/* Spreads a package's error over the pieces it covers. */
static void spread(struct lesson *lesson, const struct cx_memory_sample *sample, double cost)
{
    double from = (double)sample->from * CX_MEMORY_PIECES, to = (double)sample->to * CX_MEMORY_PIECES;
    double ratio =
        seconds_with_moves(lesson, sample) * lesson->memory->cost_model.device[sample->slot].speed / cost;
    if (!isfinite(ratio) || !(ratio > 0))
        return;
    step(lesson->error, from, ratio - 1);
    step(lesson->error, to, 1 - ratio);
    step(lesson->covered, from, 1);
    step(lesson->covered, to, -1);
}

static void learn_costs(struct lesson *lesson)
{
    struct cx_memory *memory = lesson->memory;
    double sum = 0, error = 0, covered = 0;
    memset(lesson->error, 0, sizeof lesson->error);
    memset(lesson->covered, 0, sizeof lesson->covered);
    for (unsigned i = 0; i < memory->nsamples; i++)
        spread(lesson, &memory->sample[i], lesson->cost[i]);
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++) {
        error += lesson->error[i];
        covered += lesson->covered[i];
        lesson->piece[i] = fmax(lesson->piece[i] * (1 + error / fmax(covered, 1)), 1e-9 / CX_MEMORY_PIECES);
        sum += lesson->piece[i];
    }
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++) {
        lesson->piece[i] /= sum;
        memory->cost_model.before[i + 1] = memory->cost_model.before[i] + lesson->piece[i];
    }
    memory->cost_model.before[CX_MEMORY_PIECES] = 1;
}

/* What a device did once, when it was faster. */
static void forget_samples(struct cx_memory *memory, unsigned slot)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < memory->nsamples; i++)
        if (memory->sample[i].slot != slot)
            memory->sample[kept++] = memory->sample[i];
    memory->nsamples = kept;
}

/* A device that finished nothing before others did its package is no faster than that; it may be far slower
 * where nothing was known of it. Of one that was measured before, once may be a matter of a moment. */
static void learn_losers(struct lesson *lesson)
{
    const struct cx_balancer *balancer = lesson->balancer;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        uint64_t groups;
        double seconds;
        struct cx_memory_device *device = &lesson->memory->cost_model.device[slot_of(balancer, i)];
        cx_balancer_measured(balancer, i, &groups, &seconds);
        device->launches += groups > 0;
        double most = cx_number_clean((double)groups / seconds);
        const bool lost =
            balancer->devices[i].lost_seconds > 0 && balancer->devices[i].samples == 0 && most > 0;
        if (balancer->devices[i].samples > 0)
            device->losses = 0;
        if (!lost)
            continue;
        device->losses++;
        if (!(device->speed > 0)) {
            device->speed = most / loser_doubt;
        } else if (device->losses > 1) {
            device->speed = fmin(device->speed, most) / loser_doubt;
            forget_samples(lesson->memory, slot_of(balancer, i));
        }
    }
}

struct deviation {
    double squares, weight, sum;
    bool common; /* an error that all have in common is none */
};

static void count_error(struct deviation *all, double error, double length)
{
    all->squares += length * error * error;
    all->sum += all->common ? length * error : 0;
    all->weight += length;
}

/* How far lengths were from what the memory says, weighted by length; a factor that all have in common says
 * nothing of shares. What the launch itself predicted counts where there is no memory yet. */
static double deviation_of(const struct cx_memory *memory, const struct cx_balancer *balancer)
{
    struct cx_lengths *lengths = calloc(CX_MEMORY_DEVICES, sizeof(*lengths));
    struct deviation all = {.common = memory->cost_model.launches > 0};
    double error, length;
    for (unsigned p = 0; p < balancer->npackages && lengths; p++) {
        const struct cx_package_log *package = &balancer->packages[p];
        const unsigned slot = slot_of(balancer, package->device);
        const struct cx_memory_device *device = &memory->cost_model.device[slot];
        double expected = package->expected;
        if (memory->cost_model.launches > 0 && device->speed > 0)
            expected =
                cx_cost_model_cost(&memory->cost_model, balancer->groups, package->first, package->groups) /
                cx_with_transfers(device->speed,
                                  cx_moves_a_group(&balancer->devices[package->device]) - device->transfer);
        double seconds = memory->cost_model.launches > 0 ? seconds_of(balancer, package) : package->seconds;
        const double fillings = cx_lengths_add(&lengths[slot], &balancer->devices[package->device],
                                               package->groups, seconds, expected);
        if (fillings >= fillings_a_row && cx_lengths_tell(&lengths[slot], &error, &length))
            count_error(&all, error, length);
    }
    for (unsigned i = 0; i < CX_MEMORY_DEVICES && lengths; i++)
        if (cx_lengths_tell(&lengths[i], &error, &length))
            count_error(&all, error, length);
    free(lengths);
    return all.weight > 0 ? sqrt(fmax(all.squares - all.sum * all.sum / all.weight, 0) / all.weight) : 0.5;
}

static unsigned rounds_for(const struct cx_memory *memory, const struct cx_balancer *balancer)
{
    double seconds = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        seconds = fmax(seconds, balancer->devices[i].busy_since);
    double each = pieces_seconds + memory->nsamples * sample_seconds;
    return (unsigned)fmin(fmax(learning_part * seconds / each, 1), MOST_ROUNDS);
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

/* Moves seldom change, and then at once: data come from elsewhere. */
static void learn_moves(struct cx_memory_device *learned, const struct cx_device_state *device)
{
    const double part = cx_moves_part(device);
    const bool like_before = part < moves_change * learned->moves && learned->moves < moves_change * part;
    if (part > 0)
        learned->moves = like_before ? newer * part + (1 - newer) * learned->moves : part;
    learned->transfer = (learned->moves > 0 ? learned->moves : 1) * device->reported_transfer;
}

void cx_memory_learn(struct cx_memory *memory, const struct cx_balancer *balancer)
{
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (slot_of(balancer, i) >= CX_MEMORY_DEVICES)
            return;
    if (balancer->npackages == 0)
        return;
    struct lesson *lesson = calloc(1, sizeof(*lesson)); /* large: threads may have small stacks */
    if (!lesson)
        return;
    lesson->memory = memory;
    lesson->balancer = balancer;
    if (memory->cost_model.groups != balancer->groups) {
        cx_memory_init(memory);
        memory->cost_model.groups = balancer->groups;
    }
    bool first = memory->cost_model.launches == 0;
    double deviation = deviation_of(memory, balancer), old = memory->cost_model.deviation;
    follow_drift(memory, balancer);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        learn_moves(&memory->cost_model.device[slot_of(balancer, i)], &balancer->devices[i]);
    learn_balance(memory, balancer);
    if (memory->settled && memory->unbalanced > balance_lost) {
        memory->nsamples = 0;
        memory->settled = false;
    }
    add_samples(memory, balancer);
    for (unsigned i = 0; i < CX_MEMORY_PIECES; i++)
        lesson->piece[i] = memory->cost_model.before[i + 1] - memory->cost_model.before[i];
    for (unsigned round = rounds_for(memory, balancer); round > 0; round--) {
        learn_speeds(lesson);
        learn_costs(lesson);
    }
    learn_losers(lesson);
    free(lesson);
    const double part = memory->cost_model.launches == 1 ? first_predicted : newer;
    memory->cost_model.deviation =
        first ? fmin(deviation, most_at_first) : sqrt(part * deviation * deviation + (1 - part) * old * old);
    memory->settled |= memory->cost_model.deviation < settled_deviation;
    memory->cost_model.launches++;
}

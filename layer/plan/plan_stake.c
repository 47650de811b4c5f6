/* SPDX-License-Identifier: MIT */
/*
 * The stake of a split. See plan_stake.h.
 */
#include "layer/plan/plan_stake.h"
#include "layer/plan/bounds.h"
#include "layer/plan/check_rules.h"
#include "layer/plan/compile_ahead.h"
#include "layer/plan/making_cost.h"
#include "layer/driver/account.h"
#include "layer/plan/result_use.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/recall.h"
#include "layer/program/program.h"
#include "layer/timeline/worker.h"
#include "layer/plan/policy.h"

#include <math.h>
#include <string.h>

/* How much longer than estimated a package may take (bounds.h) where the policy auto gives a device that is
 * not known nothing that could take much longer than what is left for the others. */
#define AUTO_BOUND 1.1
/* The same of moves over a link that was not measured. */
#define UNMEASURED_BOUND 2
/* Nominal speeds are alike: devices of one driver and class then count as like each other. */
#define ALIKE_RATIO 0.8
/* To bring results back, for each launch. */
#define RETURN_SECONDS 20e-6
/* A CPU's driver may compile in a first launch, so that only what is beyond tells how long that takes: so
 * much less at least, and nothing where it is not several times as long. */
#define COMPILES_AT_LEAST 50e-3
#define COMPILES_AT_MOST  (4 * COMPILES_AT_LEAST)
/* Work-groups of a launch may be so many times as many, or as few, as those of another that tells of it. */
#define NEAR 2.0

/* ---- lengths ---- */

static uint64_t shape_of(const struct cx_launch *launch)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned d = 0; d < geometry->work_dim; d++) {
        hash = (hash ^ geometry->global[d]) * 0x100000001b3u;
        hash = (hash ^ (launch->request.local_given ? geometry->local[d] : 0)) * 0x100000001b3u;
    }
    return hash ? hash : 1;
}

static double groups_of(const struct cx_launch *launch)
{
    return launch->request.geometry.local[0] ? (double)cx_launch_groups(launch) : 0;
}

static unsigned count_lengths(const struct cx_kernel_history *history) CX_HOLDS(cx_context_locked)
{
    return history->lengths.n < CX_LENGTHS ? history->lengths.n : CX_LENGTHS;
}

/* The shape's entry; NULL: it has none. */
static struct cx_length *find_length(struct cx_kernel_history *history, uint64_t shape)
    CX_HOLDS(cx_context_locked)
{
    const unsigned count = count_lengths(history);
    for (unsigned i = 0; i < count; i++)
        if (history->lengths.known[i].shape == shape)
            return &history->lengths.known[i];
    return NULL;
}

/* The one nearest in work-groups among those that tell of it; NULL: there is none. */
static const struct cx_length *near_length(const struct cx_kernel_history *history, double groups)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_length *best = NULL;
    const unsigned count = count_lengths(history);
    double least = NEAR;
    for (unsigned i = 0; i < count; i++) {
        const struct cx_length *length = &history->lengths.known[i];
        if (!(length->seconds > 0) || !(groups > 0) || !(length->groups > 0))
            continue;
        const double ratio = fmax(groups / length->groups, length->groups / groups);
        if (ratio <= least) {
            least = ratio;
            best = length;
        }
    }
    return best;
}

/* The entry that was added longest ago makes room. */
static struct cx_length *add_length(struct cx_kernel_history *history, uint64_t shape, double groups)
    CX_HOLDS(cx_context_locked)
{
    struct cx_length *length = &history->lengths.known[history->lengths.n++ % CX_LENGTHS];
    *length = (struct cx_length){.shape = shape, .groups = groups};
    return length;
}

double cx_plan_length(const struct cx_launch *launch)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (launch->slices.prefix)
        return launch->slices.rest;
    if (!history)
        return 0;
    const uint64_t shape = shape_of(launch);
    const struct cx_length *length = find_length(history, shape);
    if (length && length->seconds > 0)
        return length->seconds;
    const double recalled = length ? 0 : cx_recall_length(launch, history, shape);
    if (!(recalled > 0) && !history->lengths.n)
        return 0;
    const double groups = groups_of(launch);
    if (recalled > 0) {
        struct cx_length *guess = add_length(history, shape, groups);
        guess->guessed = true;
        return guess->seconds = recalled;
    }
    length = near_length(history, groups);
    return length ? length->seconds * groups / length->groups : 0;
}

/* A guess makes room for what is measured. with_moves: some of it may be what else the launch waited for, and
 * tells of no speeds. */
static void tell_length(struct cx_launch *launch, unsigned member, double seconds, bool guess,
                        bool with_moves) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, context->nmembers);
    if (!history || !(seconds > 0) || !cx_context_alike(context, member, context->fastest))
        return;
    const uint64_t shape = shape_of(launch);
    struct cx_length *length = find_length(history, shape);
    if (!length)
        length = add_length(history, shape, groups_of(launch));
    const bool measured = length->seconds > 0 && !length->guessed;
    if (guess && measured)
        return;
    length->seconds = measured ? (length->seconds + seconds) / 2 : seconds;
    length->guessed = guess;
    if (!with_moves)
        cx_recall_speeds(launch, history, seconds);
    if (!guess)
        cx_recall_keep_length(launch, history, seconds);
    if (history->lengths.unknown) { /* launches before it whose length was not known: as long as this one */
        cx_account_ran(context->account, &history->risk, history->lengths.unknown * seconds);
        history->lengths.unknown = 0;
    }
}

void cx_plan_length_tell(struct cx_launch *launch, unsigned member, double seconds, bool first)
{
    if (first && launch->base.context->workers[member].device->type & CL_DEVICE_TYPE_CPU)
        seconds = seconds > COMPILES_AT_MOST ? seconds - COMPILES_AT_LEAST : 0;
    tell_length(launch, member, seconds, false, false);
}

void cx_plan_length_guess(struct cx_launch *launch, unsigned member, double seconds)
{
    tell_length(launch, member, seconds, true, false);
}

void cx_plan_length_at_most(struct cx_launch *launch, unsigned member, double seconds)
{
    tell_length(launch, member, seconds, true, true);
}

void cx_plan_ran(struct cx_context *context, struct cx_kernel_history *history, unsigned member,
                 double seconds)
{
    if (!history || !cx_context_alike(context, member, context->fastest))
        return;
    if (seconds > 0)
        cx_account_ran(context->account, &history->risk, seconds);
    else
        history->lengths.unknown++;
}

void cx_plan_returns(const struct cx_launch *launch, const struct cx_access_region *regions,
                     const struct cx_worker *worker)
{
    const struct cx_context *context = launch->base.context;
    double seconds = 0;
    if (!context->account || !cx_account_risked(context->account))
        return;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        uint64_t lacking[64] = {0};
        if (!mem || cx_mem_place(mem->root, worker) == CX_PLACE_HOST ||
            regions[i].read.lo >= regions[i].read.hi)
            continue;
        cx_coherence_lacking(mem->storage->coherence, mem->origin + regions[i].read.lo,
                             mem->origin + regions[i].read.hi, lacking);
        seconds += cx_plan_bring(worker, mem->root, lacking).others;
    }
    if (seconds > 0)
        cx_account_returned(context->account, RETURN_SECONDS + seconds);
}

enum cx_why cx_plan_stake_forbids(struct cx_launch *launch)
{
    const double length = cx_plan_length(launch);
    if (!(length > 0))
        return cx_why_stake(CX_STAKE_UNKNOWN);
    if (cx_plan_gain(launch, length) > 0)
        return CX_WHY_NONE;
    launch->decision.use = CX_USE_WHOLE;
    return cx_why_admission(CX_ADMISSION_WHOLE_SHORT);
}

/* ---- costs ---- */

/* Sums over the members that would take part beside the best one. */
struct sums {
    double longest, after,
        bound;     /* seconds: the most that one needs beforehand; of these what recurs; at most */
    double first;  /* of the bound: what drivers do once */
    double join;   /* seconds that the last one's driver needs first: it joins in so late */
    double factor; /* how much longer their packages may take */
};

static bool are_alike(const struct cx_worker *a, const struct cx_worker *b)
{
    const double ratio = a->device->nominal_gflops / b->device->nominal_gflops;
    return a->kind == b->kind ||
           (a->device->platform == b->device->platform && a->device->type == b->device->type &&
            ratio >= ALIKE_RATIO && ratio * ALIKE_RATIO <= 1);
}

/* The length is of the context's fastest member, which so is measured. */
static double factor_of(const struct cx_context *context, const struct cx_split_plan *plan,
                        const struct cx_plan_costs *costs, unsigned i)
{
    const struct cx_admission_device *device = costs->device;
    const struct cx_worker *worker = &context->workers[plan->member[i]];
    if (cx_speed_record_speed(device[i].record) > 0)
        return CX_BOUND_MEASURED;
    if (are_alike(worker, &context->workers[context->fastest]))
        return CX_BOUND_ALIKE;
    for (unsigned j = 0; j < plan->n; j++)
        if (cx_speed_record_speed(device[j].record) > 0 &&
            are_alike(worker, &context->workers[plan->member[j]]))
            return CX_BOUND_ALIKE;
    return CX_BOUND_UNKNOWN;
}

/* Bytes that the launch writes by the argument into memory of the member's own. */
static double written(const struct cx_launch *launch, const struct cx_worker *worker,
                      const struct cx_access_region *whole, unsigned arg)
{
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const bool any =
        mem && cx_mem_place(mem->root, worker) != CX_PLACE_HOST && whole[arg].write.hi > whole[arg].write.lo;
    return any ? (double)(whole[arg].write.hi - whole[arg].write.lo) : 0;
}

/* What the program may do next with the member's part of the results: bring it to the best one. Where the
 * host is known to read them it comes over another link instead, which is no loss. */
static double returning(const struct cx_launch *launch, const struct cx_kernel_history *history,
                        const struct cx_worker *worker, const struct cx_worker *best,
                        const struct cx_access_region *whole, double part) CX_HOLDS(cx_context_locked)
{
    double seconds = 0;
    for (unsigned i = 0; i < launch->request.args->count && whole; i++) {
        const double bytes = cx_result_use_expects(history, i) ? 0 : written(launch, worker, whole, i);
        if (!(bytes > 0))
            continue;
        const struct cx_mem *root = cx_launch_mem(launch, i)->root;
        const bool host = cx_mem_place(root, best) == CX_PLACE_HOST;
        seconds += cx_plan_exchange_seconds(host ? worker : best, root, part * bytes);
    }
    return seconds;
}

/* Bytes of the launch's results that a read is expected to bring to the host, during a split or behind it. */
static double read_bytes(const struct cx_launch *launch, const struct cx_kernel_history *history,
                         const struct cx_worker *worker, const struct cx_access_region *whole)
    CX_HOLDS(cx_context_locked)
{
    double bytes = 0;
    for (unsigned i = 0; i < launch->request.args->count && whole; i++)
        bytes += cx_result_use_expects(history, i) ? written(launch, worker, whole, i) : 0;
    return bytes;
}

/* At most, where admission does not know. */
static double first_bound(const struct cx_launch *launch, const struct cx_kernel_history *history,
                          const struct cx_worker *worker, enum cx_variant variant) CX_HOLDS(cx_context_locked)
{
    if (worker->device->type & CL_DEVICE_TYPE_CPU)
        return 0;
    if (worker->timeline.planned == 0)
        return CX_BOUND_FIRST_USE;
    return history->begun >> worker->index & 1 ||
                   cx_launch_knows(launch, history, worker->index, variant, false)
               ? 0
               : CX_BOUND_FIRST_KERNEL;
}

/* Then others do meanwhile what a member whose driver is not ready could have done, and one that is slower
 * than thought holds nobody up for long. */
static bool reexecutes(const struct cx_launch *launch)
{
    return cx_plan_policy(launch)->reexecute;
}

/* Members of one kind are equally fast: what tells them apart is which work-groups they had. */
static double even_speed(const struct cx_context *context, const struct cx_split_plan *plan,
                         const struct cx_plan_costs *costs, unsigned i)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned j = 0; j < plan->n; j++)
        if (costs->member[j].takes_part && costs->member[j].speed > 0 &&
            cx_context_alike(context, plan->member[i], plan->member[j])) {
            sum += costs->member[j].speed;
            n++;
        }
    return n ? sum / n : costs->member[i].speed;
}

/* The member's part of the results: of launches that follow their data, as much as it has of those inputs
 * that the best one lacks, so that no more may come back than for a whole launch now. */
static double part_of_results(const struct cx_split_plan *plan, const struct cx_plan_costs *costs, unsigned i,
                              double part)
{
    double others = 0;
    for (unsigned j = 0; j < plan->n; j++)
        others += j != costs->best && costs->member[j].takes_part ? costs->owned[j] : 0;
    return others > 0 ? (1 - costs->owned[costs->best] / costs->tied) * costs->owned[i] / others : part;
}

/* Each member's part of the launch; the best one's is 1 where no speed is known. */
static void divide(const struct cx_launch *launch, const struct cx_split_plan *plan,
                   const struct cx_plan_costs *costs, double *part)
{
    const struct cx_context *context = launch->base.context;
    double speed = 0;
    for (unsigned i = 0; i < plan->n; i++)
        if (costs->member[i].takes_part)
            speed += even_speed(context, plan, costs, i);
    for (unsigned i = 0; i < plan->n; i++) {
        const double unknown = i == costs->best ? 1 : costs->member[i].takes_part ? 1.0 / plan->n : 0;
        const bool counts = i == costs->best || costs->member[i].takes_part;
        part[i] = speed > 0 && counts ? even_speed(context, plan, costs, i) / speed : unknown;
    }
}

static struct sums add_up(const struct cx_launch *launch, const struct cx_split_plan *plan,
                          const struct cx_kernel_history *history, const struct cx_plan_costs *costs)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    struct sums sums = {.factor = 1};
    for (unsigned i = 0; i < plan->n; i++) {
        const struct cx_admission_device *device = &costs->device[i];
        const struct cx_worker *worker = &context->workers[plan->member[i]],
                               *best = &context->workers[plan->member[costs->best]];
        if (i == costs->best || !costs->member[i].takes_part)
            continue;
        const double part = costs->part[i];
        const double moves =
            device->fixed_seconds - device->after_seconds +
            device->transfer_seconds * (double)plan->groups * part +
            cx_plan_upload_seconds(worker, part * read_bytes(launch, history, worker, costs->whole));
        const double once = (reexecutes(launch) ? part : 1) * device->first_seconds;
        const double all = moves + device->after_seconds + once;
        sums.join = fmax(sums.join, device->first_seconds);
        sums.first += 2 * once;
        sums.longest = fmax(sums.longest, all);
        sums.after = fmax(sums.after, device->after_seconds);
        sums.bound +=
            (cx_plan_upload_rate(worker) > 0 ? CX_BOUND_MEASURED : UNMEASURED_BOUND) * moves +
            2 * device->after_seconds + cx_making_objects(launch, worker) +
            returning(launch, history, worker, best, costs->whole, part_of_results(plan, costs, i, part)) +
            first_bound(launch, history, worker, plan->variant[i]);
        sums.factor = fmax(sums.factor, factor_of(context, plan, costs, i));
    }
    return sums;
}

/* To bring the best member what the launch reads: of what the host has, which it needs however it runs, and
 * of what lies with others alone, as former splits left it. */
static struct cx_plan_bring best_lacks(const struct cx_launch *launch, const struct cx_split_plan *plan,
                                       const struct cx_plan_costs *costs) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *best = &launch->base.context->workers[plan->member[costs->best]];
    struct cx_plan_bring all = {0, 0};
    for (unsigned i = 0; i < launch->request.args->count && costs->whole; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *read = &costs->whole[i].read;
        if (!mem || read->lo >= read->hi || cx_launch_protocol(launch, i) >= CX_PROTOCOL_REDUCTION)
            continue;
        uint64_t *lacking = memset(costs->scratch, 0, 64 * sizeof(*lacking));
        cx_coherence_lacking(mem->storage->coherence, mem->origin + read->lo, mem->origin + read->hi,
                             lacking);
        const struct cx_plan_bring bring = cx_plan_bring(best, mem->root, lacking);
        all.host += bring.host;
        all.others += bring.others;
    }
    return all;
}

/* What of a stake counts by itself, seconds. */
struct inside {
    double reads;   /* of `whole`: what the program's reads of its results take behind it */
    double uploads; /* ... what the best member needs from the host */
    double pages;   /* of `worst`: host memory that is made */
};

static struct cx_stake stake_of(const struct cx_launch *launch, const struct cx_split_plan *plan,
                                const struct cx_kernel_history *history, const struct cx_plan_costs *costs,
                                struct inside *inside) CX_HOLDS(cx_context_locked)
{
    divide(launch, plan, costs, costs->part);
    const struct sums sums = add_up(launch, plan, history, costs);
    const struct cx_making making = {plan, costs->part, costs->best, costs->whole};
    const double whole = cx_plan_length(launch), part = costs->part[costs->best];
    const struct cx_worker *worker = &launch->base.context->workers[plan->member[costs->best]];
    const double read = cx_plan_upload_seconds(worker, read_bytes(launch, history, worker, costs->whole));
    const double packages = whole * part + CX_SPLIT_SECONDS, later = packages + sums.after + read * part;
    const struct cx_budget_record *risk = &history->risk;
    const struct cx_plan_bring lacks = best_lacks(launch, plan, costs);
    /* Where later launches gain, this one follows data that lie elsewhere; but not again where it lost. */
    const bool follows = later < (1 - CX_BUDGET_GAIN) * (whole + read) && risk->lost <= 0;
    const double moved = lacks.host + (follows ? lacks.others : 0);
    const struct cx_admission_device *best = &costs->device[costs->best];
    const double moves = best->fixed_seconds - best->after_seconds +
                         best->transfer_seconds * (double)plan->groups * part + read * part;
    double factor = sums.factor, most;
    if (reexecutes(launch))
        factor = fmin(factor, AUTO_BOUND / part);
    if (risk->splits > 1 && risk->ratio > 0 && risk->ratio * whole < whole * part * factor)
        factor = fmax(risk->ratio / part, 1); /* measured, all costs included */
    most = whole * part * factor + sums.first;
    if (reexecutes(launch))
        most = fmin(most, AUTO_BOUND * whole);
    *inside = (struct inside){read, lacks.host, cx_making_host_copies(launch, &making)};
    return (struct cx_stake){.whole = whole > 0 ? whole + moved + read : 0,
                             .split = fmax(packages + fmax(sums.longest, moves), sums.join) + costs->moves,
                             .worst = fmax(most + sums.bound + inside->pages + moves, 2 * sums.join) +
                                      3 * CX_SPLIT_SECONDS + 2 * costs->moves +
                                      cx_check_risk(plan, history) * whole,
                             .later = later,
                             .moved = moved};
}

/* ---- the decision ---- */

/* What the account has to hold before such a launch may be split; INFINITY: it holds that, which is not all
 * that stands against it. */
static double risk_beyond(const struct cx_context *context, const struct cx_stake *stake)
{
    const double risk = cx_stake_risk(stake);
    return risk > cx_account_left(context->account) ? risk : INFINITY;
}

/* Has compiled what a split would have to wait for, where it would gain without that. */
static void compile_ahead(const struct cx_launch *launch, const struct cx_split_plan *plan,
                          struct cx_kernel_history *history, const struct cx_plan_costs *costs,
                          const struct cx_stake *stake) CX_HOLDS(cx_context_locked)
{
    const double steps = (double)(plan->groups / plan->slice), left = steps - (double)plan->done,
                 saves = stake->whole - stake->later;
    double takes = 0;
    for (unsigned i = 0; i < plan->n; i++)
        takes += costs->member[i].takes_part || i == costs->best ? costs->device[i].first_seconds : 0;
    if (!(takes > 0) || saves < CX_BUDGET_GAIN * stake->whole)
        return;
    if (!launch->slices.prefix)
        cx_compile_ahead_missed(launch, CX_COMPILE_SPLIT, plan->variant[0], saves, takes);
    else /* what is left comes here again after each slice: the launch counts as a whole */
        cx_compile_ahead(launch, CX_COMPILE_SPLIT, plan->variant[0],
                         history->missed_uncompiled + saves * (left > 0 ? steps / left : 1), takes);
}

bool cx_plan_stake(struct cx_launch *launch, const struct cx_split_plan *plan,
                   struct cx_kernel_history *history, const struct cx_plan_costs *costs)
{
    struct cx_context *context = launch->base.context;
    if (!context->account)
        return true;
    struct inside inside;
    const struct cx_stake stake = stake_of(launch, plan, history, costs, &inside);
    const enum cx_stake_verdict verdict =
        cx_account_decide(context->account, &history->risk, &stake, &launch->stake.reserved);
    cx_debug(CX_TOPIC_PLAN,
             "%s: whole %.3f ms, split %.3f, at most %.3f (%.3f to make host copies), later %.3f; the "
             "account has %.3f ms: %s",
             launch->request.kernel->function->name, stake.whole * 1e3, stake.split * 1e3, stake.worst * 1e3,
             inside.pages * 1e3, stake.later * 1e3, cx_account_left(context->account) * 1e3,
             cx_stake_verdict_text(verdict));
    launch->stake.whole = fmax(stake.whole - inside.reads, 0);
    launch->stake.moves = stake.moved;
    launch->stake.first_use = launch->stake.probes = false;
    for (unsigned i = 0; i < plan->n; i++) {
        launch->stake.probes |= costs->member[i].part == CX_ADMISSION_PROBED;
        launch->stake.first_use |=
            costs->member[i].takes_part && context->workers[plan->member[i]].timeline.planned == 0;
    }
    launch->stake.trial = verdict == CX_STAKE_TRIAL;
    launch->decision.use = verdict == CX_STAKE_UNKNOWN    ? CX_USE_OPEN
                           : verdict == CX_STAKE_TOO_DEAR ? CX_USE_DEAR
                                                          : CX_USE_HERE;
    launch->decision.risk =
        verdict == CX_STAKE_TOO_DEAR && inside.uploads > 0 ? risk_beyond(context, &stake) : 0;
    launch->stake.invests = launch->stake.trial && stake.split >= stake.whole;
    if (!cx_stake_splits(verdict) || verdict == CX_STAKE_TRIAL)
        launch->decision.reason = cx_why_stake(verdict);
    if (!cx_stake_splits(verdict))
        compile_ahead(launch, plan, history, costs, &stake);
    return cx_stake_splits(verdict);
}

void cx_plan_stake_drop(struct cx_launch *launch)
{
    struct cx_account *account = launch->base.context->account;
    struct cx_budget_record nothing = {0};
    if (account)
        (void)cx_account_settle(account, &nothing, launch->stake.reserved, 0, 0, launch->stake.trial, false,
                                false);
    launch->stake.whole = launch->stake.moves = launch->stake.reserved = 0;
}

/* The length of a former process that it was compared with is not that of now if the packages took less in
 * all: they may have been done twice, so that more tells nothing. */
static void correct_length(struct cx_launch *launch, struct cx_kernel_history *history, double whole)
    CX_HOLDS(cx_context_locked)
{
    struct cx_length *length = find_length(history, shape_of(launch));
    if (launch->slices.took_ns || !(whole > 0) || !length || !length->guessed || whole >= length->seconds)
        return;
    launch->stake.whole = fmin(launch->stake.whole, whole + launch->stake.moves);
    length->seconds = whole;
    cx_recall_keep_length(launch, history, whole);
}

void cx_plan_stake_end(struct cx_launch *launch, double elapsed, double whole, double written_back)
{
    struct cx_context *context = launch->base.context;
    if (!(launch->stake.whole > 0)) /* so it was split, and its function's records exist */
        return;
    cx_context_lock(context);
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (launch->slices.took_ns && whole > 0) { /* its length was a guess, from its first part */
        launch->stake.whole = fmax(launch->stake.whole, whole + launch->stake.moves);
        cx_plan_length_tell(launch, context->fastest, whole + (double)launch->slices.took_ns * 1e-9, false);
    }
    correct_length(launch, history, whole);
    cx_account_ran(context->account, &history->risk,
                   fmin(elapsed, launch->stake.whole - launch->stake.moves));
    const double lost = cx_account_settle(context->account, &history->risk, launch->stake.reserved,
                                          launch->stake.whole + written_back, elapsed, launch->stake.trial,
                                          launch->stake.first_use, launch->stake.probes);
    if (launch->stake.invests)
        cx_budget_invested(&history->risk, fmin(lost, launch->stake.reserved));
    else if (launch->stake.probes) /* how fast devices are, not whether splits pay */
        cx_recall_keep_probe(launch, history, launch->stake.whole + written_back);
    else if (!(launch->stake.first_use && lost > 0)) /* what a device's first use takes does not recur */
        cx_recall_keep_split(launch, history, launch->stake.whole + written_back, elapsed);
    launch->stake.whole = launch->stake.moves = launch->stake.reserved = 0;
    cx_context_unlock(context);
    if (lost > 0)
        cx_info(CX_TOPIC_PLAN, "the split of %s lost %.3f ms", launch->request.kernel->function->name,
                lost * 1e3);
}

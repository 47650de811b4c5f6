/* SPDX-License-Identifier: MIT */
/*
 * Chooses the members of a split: admission, probes, the balancer. See plan_share.h.
 */
#include "layer/plan/plan_share.h"
#include "layer/plan/candidates.h"
#include "layer/base/options.h"
#include "layer/plan/migration_credit.h"
#include "layer/plan/split_feedback.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_objective.h"
#include "layer/plan/plan_stake.h"
#include "scheduler/memory.h"
#include "scheduler/tuning.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/reexecute_rules.h"
#include "layer/plan/planner.h"
#include "layer/plan/recall.h"
#include "layer/plan/policy.h"

#include <stdlib.h>
#include <string.h>

/* Moving a work-group's inputs to another device than the one that has them may cost this part of what
 * computing it there does: packages that go wherever a device is free still pay then. */
static const double cheap_moves = 0.25;

/* ---- who takes part? ---- */

bool cx_plan_too_short(const struct cx_launch *launch, const struct cx_kernel_history *history)
{
    const struct cx_context *context = launch->base.context;
    const uint64_t groups = cx_launch_groups(launch);
    if (cx_split_policy_always())
        return false;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const uint64_t fill = cx_plan_fill(context->workers[m].device, &launch->request.geometry);
        if (history->records[m].samples >= 4 &&
            (double)(groups > fill ? groups : fill) < CX_SPLIT_SECONDS * history->records[m].slowest)
            return true;
    }
    return false;
}

/* Work-groups that are not done yet (prefix.h). */
static uint64_t groups_left(const struct cx_split_plan *plan)
{
    return plan->groups - plan->done * plan->slice;
}

static struct cx_admission admission_of(const struct cx_split_plan *plan,
                                        const struct cx_admission_device *devices)
{
    return (struct cx_admission){.groups = groups_left(plan),
                                 .granularity = plan->slice * plan->judged->verdict.granularity,
                                 .split_seconds = CX_SPLIT_SECONDS,
                                 .may_probe = true,
                                 .ndevices = plan->n,
                                 .devices = devices};
}

static struct cx_admission_decision decide(const struct cx_launch *launch, const struct cx_split_plan *plan,
                                           struct cx_candidates *all)
{
    const struct cx_admission admission = admission_of(plan, all->device);
    struct cx_admission_decision decision = {.split = true, .best = cx_admission_best(&admission)};
    if (cx_plan_policy(launch)->keeps_whole && !cx_split_policy_always()) {
        decision.split = false;
        return decision;
    }
    if (!cx_split_policy_always())
        return cx_admission_decide(&admission, all->member);
    for (unsigned i = 0; i < plan->n; i++)
        all->member[i] = (struct cx_admission_member){.takes_part = true, .part = CX_ADMISSION_WORKS};
    return decision;
}

/* Seconds that a device's share of the launch, and what it reads whole, take to be brought there. */
static double moves_there(const struct cx_admission_device *device, double groups)
{
    const double reported = device->fixed_seconds - device->after_seconds + device->transfer_seconds * groups;
    return device->moves_part > 0 ? device->moves_part * reported : reported;
}

/* Seconds of what a split brings to devices beyond what the launch needs whole. */
static double moves_of(const struct cx_split_plan *plan, struct cx_candidates *all, unsigned best)
{
    double seconds = 0, *part = all->part;
    cx_candidates_expect(all->device, plan->n, part);
    for (unsigned i = 0; i < plan->n; i++)
        if (i != best && all->imagined[i].takes_part)
            seconds += moves_there(&all->device[i], (double)plan->groups * part[i]);
    return seconds;
}

/* Whether a launch that would stay whole only because its data is on one device is split all the same, as
 * launches have earned the move (migration.h). Then its moves do not count. */
static bool moves_at_last(struct cx_launch *launch, const struct cx_split_plan *plan,
                          const struct cx_kernel_history *history, struct cx_candidates *all,
                          const struct cx_admission_decision *decision) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    struct cx_migration *migration = &context->planner->migration;
    const bool splits = decision->reason == CX_ADMISSION_SPLIT;
    if (cx_split_policy_always() || !all->whole || cx_plan_policy(launch)->keeps_whole ||
        (splits && !migration->active))
        return false;
    const struct cx_admission admission = admission_of(plan, all->placed);
    struct cx_migration_launch about = {plan,
                                        all->whole,
                                        all->whole + launch->request.args->count,
                                        decision->best,
                                        cx_admission_imagine(&admission, decision->best, all->imagined),
                                        &history->feedback};
    if (context->planner->feedback.level != CX_FEEDBACK_OPEN) {
        unsigned best = plan->member[decision->best];
        cx_migration_end(migration);
        all->kept = !splits && about.in_place.split;
        if (all->kept) /* as one that need not move anything, so that splits are tried again in the end */
            (void)cx_split_feedback_keeps_whole(launch, plan, history, &best);
        return false;
    }
    if (!migration->active && !about.in_place.split)
        return false;
    cx_migration_begin(migration);
    const bool moves = cx_migration_credit_launch(launch, &about, &all->moves_gain) && !splits;
    all->moved = moves ? moves_of(plan, all, decision->best) : 0;
    for (unsigned i = 0; i < plan->n && moves; i++) {
        all->device[i] = all->placed[i];
        all->member[i] = all->imagined[i];
    }
    return moves;
}

/* The speed of a device just like this one; 0: there is none that was measured. */
static double speed_of_equal(const struct cx_launch *launch, const struct cx_split_plan *plan,
                             const struct cx_candidates *all, unsigned i)
{
    double speed = 0;
    for (unsigned j = 0; j < plan->n && !(speed > 0); j++)
        if (j != i && cx_context_alike(launch->base.context, plan->member[i], plan->member[j]))
            speed = cx_speed_record_speed(all->device[j].record);
    return speed;
}

/* For candidates.speed. Where only first launches of their kind ran on a device, which teach nothing, an
 * equal one tells: else the others, who know theirs, leave it nothing to be measured by, launch after launch.
 */
static double known_speed(const struct cx_launch *launch, const struct cx_split_plan *plan,
                          const struct cx_candidates *all, unsigned i)
{
    double speed = cx_speed_record_speed(all->device[i].record), doubted = all->member[i].speed;
    if (cx_options_get()->reproducible)
        return 0;
    if (!(speed > 0) && all->member[i].part == CX_ADMISSION_WORKS)
        return speed_of_equal(launch, plan, all, i);
    return speed > 0 && doubted > 0 && doubted < speed ? doubted : speed;
}

static bool is_straggler(const struct cx_split_plan *plan, unsigned i)
{
    return plan->stragglers >> plan->member[i] & 1;
}

static struct cx_balancer_device balancer_device(const struct cx_launch *launch,
                                                 const struct cx_split_plan *plan,
                                                 const struct cx_candidates *all, unsigned i)
{
    return (struct cx_balancer_device){
        .nominal_speed = all->device[i].nominal_speed,
        .measured_speed = all->speed[i],
        .power = cx_options_get()->reproducible ? 1 : cx_plan_power(launch->base.context, plan->member[i]),
        .min_package = all->device[i].min_package,
        .fill = all->device[i].fill,
        .resident = cx_plan_resident(launch, plan->member[i]),
        .launch_seconds = all->device[i].launch_seconds,
        .fixed_seconds = all->device[i].fixed_seconds,
        .after_seconds = all->device[i].after_seconds,
        .transfer_seconds = all->device[i].transfer_seconds,
        .first_package = all->member[i].first_package,
        .slot = plan->member[i],
        .kind = launch->base.context->workers[plan->member[i]].kind,
        .private_results = plan->reexecutes && cx_reexecute_private(launch, plan->member[i]),
        .accelerator = launch->base.context->workers[plan->member[i]].device->type &
                       (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR),
        .absent = is_straggler(plan, i),
        .overlaps = cx_worker_wants_alternate(&launch->base.context->workers[plan->member[i]]),
    };
}

/* Moves member i of the plan to position `to` (no later than i unless the entries between are dropped). */
static void keep(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_candidates *all, unsigned i,
                 unsigned to)
{
    all->share[to] = balancer_device(launch, plan, all, i);
    all->owned[to] = all->owned[i];
    plan->member[to] = plan->member[i];
    plan->variant[to] = plan->variant[i];
}

/* Nobody could do what a straggler holds, or is to be given before it is there: it is left out. */
static void leave_stragglers(struct cx_split_plan *plan, struct cx_candidates *all)
{
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        if (is_straggler(plan, i))
            continue;
        all->share[n] = all->share[i];
        plan->variant[n] = plan->variant[i];
        plan->member[n++] = plan->member[i];
    }
    plan->n = n;
}

/* Keeps those that take part and whose memory holds the buffers; a probed one goes behind them. one_each: as
 * for make_balancer. */
static void keep_members(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_candidates *all,
                         bool one_each) CX_HOLDS(cx_context_locked)
{
    unsigned n = 0, member = 0;
    enum cx_variant variant = CX_VARIANT_PLAIN;
    struct cx_balancer_device probe = {0};
    for (unsigned i = 0; i < plan->n; i++)
        all->speed[i] = known_speed(launch, plan, all, i);
    for (unsigned i = 0; i < plan->n; i++) {
        const bool probed = all->member[i].part == CX_ADMISSION_PROBED;
        if (!all->member[i].takes_part || (probed && is_straggler(plan, i)) ||
            cx_launch_prepare(launch, plan->member[i]) != CL_SUCCESS)
            continue;
        if (probed) {
            plan->probes = true;
            member = plan->member[i];
            variant = plan->variant[i];
            probe = balancer_device(launch, plan, all, i);
            all->probe_record = all->device[i].record;
        } else {
            keep(launch, plan, all, i, n++);
        }
    }
    plan->n = n;
    unsigned able = 0;
    for (unsigned i = 0; i < n; i++)
        able += all->share[i].private_results;
    plan->reexecutes = able > 1;
    if (one_each || !plan->reexecutes)
        leave_stragglers(plan, all);
    n = plan->n;
    plan->probes = plan->probes && n > 0;
    if (plan->probes) {
        all->share[n] = probe;
        plan->member[n] = member;
        plan->variant[n] = variant;
    }
}

/* Expected relative speeds: the user's, else measured ones where all are measured, else nominal ones. */
static void weigh(struct cx_split_plan *plan, const struct cx_balancer_device *shares)
{
    bool powers = true, measured = true;
    for (unsigned i = 0; i < plan->n; i++) {
        powers &= shares[i].power > 0;
        measured &= shares[i].measured_speed > 0;
    }
    for (unsigned i = 0; i < plan->n; i++)
        plan->weight[i] = powers     ? shares[i].power
                          : measured ? shares[i].measured_speed
                                     : shares[i].nominal_speed;
}

/* Whether each device does best to keep to the part whose inputs it has: one share each, then. */
static bool keeps_to_parts(const struct cx_candidates *all, unsigned n)
{
    if (cx_split_policy_always() || !(all->astray_seconds > 0))
        return false;
    for (unsigned i = 0; i < n; i++) {
        const double speed = cx_speed_record_speed(all->device[i].record);
        if (all->member[i].takes_part && speed > 0 && all->astray_seconds * speed < cheap_moves)
            return false;
    }
    return true;
}

/* Has the members that are left share the launch as their parts lie (parts.h). */
static void cut_parts(const struct cx_split_plan *plan, struct cx_kernel_history *history,
                      struct cx_candidates *all)
{
    double *part = all->part, speed[64];
    for (unsigned i = 0; i < plan->n; i++)
        speed[i] = all->share[i].measured_speed;
    const struct cx_parts_launch about = {plan->n, (double)plan->groups, all->astray_seconds, all->owned,
                                          speed};
    (void)cx_parts_cut(&history->parts, &about, part);
    for (unsigned i = 0; i < plan->n; i++)
        all->share[i].measured_speed = part[i] > 0 ? part[i] : 1e-12;
}

/* ---- the balancer ---- */

/* Where the balancer learns of such launches. NULL: it is another one, or there is no room. */
static struct cx_memory *memory_of(const struct cx_launch *launch, struct cx_kernel_history *history,
                                   uint64_t groups) CX_HOLDS(cx_context_locked)
{
    struct cx_memory *memory = cx_kernel_history_memory(history, groups);
    if (!cx_plan_policy(launch)->learns || cx_options_get()->reproducible)
        return NULL;
    for (unsigned i = 0; i < CX_KERNEL_MEMORIES && !memory; i++) {
        if (history->shapes.memories[i])
            continue;
        memory = history->shapes.memories[i] = malloc(sizeof(*memory));
        if (!memory)
            return NULL;
        cx_memory_init(memory);
        memory->cost_model.groups = groups;
    }
    return memory;
}

/* What the balancer found out about the kernel, and keeps it in. NULL: it keeps nothing, or there is no room.
 */
static struct cx_tuning *tuning_of(const struct cx_launch *launch, struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    if (!cx_plan_policy(launch)->keep || cx_options_get()->reproducible)
        return NULL;
    if (!history->tuning)
        history->tuning = calloc(1, sizeof(*history->tuning));
    cx_recall_tuning(launch, history);
    return history->tuning;
}

static struct cx_balancer *make_balancer(const struct cx_launch *launch, const struct cx_split_plan *plan,
                                         const struct cx_candidates *all, struct cx_memory *memory,
                                         struct cx_tuning *tuning, bool one_each)
{
    const struct cx_problem problem = {
        groups_left(plan),       plan->slice * plan->judged->verdict.granularity,
        plan->n + plan->probes,  all->share,
        plan->reexecutes,        one_each ? NULL : memory,
        one_each ? NULL : tuning};
    const struct cx_policy *policy =
        cx_options_get()->reproducible || one_each ? cx_policy_find("static") : cx_plan_policy(launch);
    return cx_balancer_create(policy, &problem, &launch->request.kernel->function->algo->params);
}

/* A balancer that learned has a better idea of where each member's part begins. */
static void follow_balancer(const struct cx_launch *launch, struct cx_split_plan *plan)
{
    double weights[65], sum = 0;
    cx_balancer_weights(plan->balancer, weights);
    for (unsigned i = 0; i < plan->n; i++)
        sum += weights[i];
    for (unsigned i = 0; i < plan->n && sum > 0 && cx_plan_policy(launch)->learns; i++)
        plan->weight[i] = weights[i];
}

/* Takes the probe's package from the balancer and lays it where the kernel was not measured yet. */
static void place_probe(struct cx_split_plan *plan, const struct cx_speed_record *record)
{
    const struct cx_access_verdict *verdict = &plan->judged->verdict;
    uint64_t steps = cx_balancer_next(plan->balancer, plan->n, 0) / plan->slice;
    if (steps == 0 || steps >= verdict->groups) {
        plan->probes = false;
        return;
    }
    cx_balancer_retire(plan->balancer, plan->n);
    uint64_t units = verdict->groups / verdict->granularity;
    uint64_t first = (uint64_t)((double)units * cx_speed_record_probe_at(record)) * verdict->granularity;
    uint64_t last = (verdict->groups - steps) / verdict->granularity * verdict->granularity;
    plan->probe_first = first < last ? first : last;
    plan->probe_end = plan->probe_first + steps;
}

/* Those who take part are known: makes the balancer. Without one the launch stays whole. */
static void share(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_kernel_history *history,
                  struct cx_candidates *all, bool one_each) CX_HOLDS(cx_context_locked)
{
    plan->reexecutes = cx_reexecute_allowed(launch, plan->judged);
    const bool keeps = keeps_to_parts(all, plan->n);
    keep_members(launch, plan, all, one_each || keeps);
    if (keeps && !plan->probes && plan->n > 1)
        cut_parts(plan, history, all);
    weigh(plan, all->share);
    if (plan->n + plan->probes < 2)
        launch->decision.reason = plan->stragglers ? CX_WHY_STRAGGLER : CX_WHY_NO_ARGUMENTS;
    else
        plan->balancer =
            make_balancer(launch, plan, all, plan->done ? NULL : memory_of(launch, history, plan->groups),
                          tuning_of(launch, history), one_each || keeps);
    if (plan->balancer)
        follow_balancer(launch, plan);
    if (plan->balancer && plan->probes)
        place_probe(plan, all->probe_record);
    if (plan->balancer && cx_split_policy_always())
        launch->decision.reason = cx_options_get()->reproducible ? CX_WHY_REPRODUCIBLE : CX_WHY_SPLIT_ALWAYS;
}

/* gains: it would be split if its data were in place. */
static enum cx_why why_shared(const struct cx_split_plan *plan, const struct cx_admission_decision *decision,
                              bool gains)
{
    const bool as_a_rule =
        decision->reason == CX_ADMISSION_WHOLE_SHORT || decision->reason == CX_ADMISSION_WHOLE_OTHERS_SLOW;
    if (plan->moves)
        return CX_WHY_MIGRATION;
    return gains && as_a_rule ? CX_WHY_DATA : cx_why_admission(decision->reason);
}

/* Of a launch that stays whole for that, or for what it may lose. */
static enum cx_launch_repeats repeats(const struct cx_split_plan *plan, enum cx_admission_reason reason)
{
    if (plan->moves)
        return CX_REPEATS_NOT;
    return reason == CX_ADMISSION_WHOLE_SHORT || reason == CX_ADMISSION_WHOLE_UNMEASURED ? CX_REPEATS_ALIKE
                                                                                         : CX_REPEATS_BRIEFLY;
}

bool cx_plan_share(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_kernel_history *history,
                   unsigned *best)
{
    struct cx_context *context = launch->base.context;
    if (!context->planner
             ->candidates) /* large, and kept: only what is used is filled in, and the lock is held */
        context->planner->candidates = malloc(sizeof(*context->planner->candidates));
    struct cx_candidates *all = context->planner->candidates;
    if (!all) {
        launch->decision.reason = CX_WHY_NO_MEMORY;
        return false;
    }
    all->probe_record = NULL;
    all->astray_seconds = all->moves_gain = 0;
    all->kept = false;
    cx_candidates_describe(launch, plan, history, all);
    struct cx_admission_decision decision = decide(launch, plan, all);
    plan->moves = moves_at_last(launch, plan, history, all, &decision);
    decision.split |= plan->moves;
    const bool dear_ones = cx_plan_objective(launch, plan, history, all, &decision);
    *best = plan->member[decision.best];
    for (unsigned i = 0; i < plan->n && decision.split; i++)
        if (!all->member[i].takes_part && all->member[i].part != CX_ADMISSION_LEFT_DEAR)
            cx_launch_decided(launch, plan->member[i], cx_part_note_admitted(all->member[i].part));
    launch->decision.reason = why_shared(plan, &decision, all->moves_gain > 0);
    if (dear_ones)
        launch->decision.reason = CX_WHY_OBJECTIVE;
    launch->decision.repeats = dear_ones || all->kept ? CX_REPEATS_NOT : repeats(plan, decision.reason);
    launch->decision.use = decision.reason == CX_ADMISSION_WHOLE_UNMEASURED ? CX_USE_OPEN : CX_USE_HERE;
    if (!decision.split && cx_plan_policy(launch)->keeps_whole)
        launch->decision.reason = CX_WHY_SINGLE;
    if (decision.split && !cx_split_policy_always() &&
        cx_split_feedback_keeps_whole(launch, plan, history, best)) {
        launch->decision.repeats = CX_REPEATS_NOT; /* it counts launches */
        decision.split = false;
    }
    const struct cx_plan_costs costs = {.device = all->device,
                                        .member = all->member,
                                        .whole = all->whole,
                                        .moves = plan->moves ? all->moved : 0,
                                        .owned = all->owned,
                                        .tied = all->tied,
                                        .scratch = all->lacking.fixed,
                                        .part = all->part,
                                        .best = decision.best};
    if (decision.split && !cx_plan_stake(launch, plan, history, &costs))
        decision.split = false;
    const bool dear =
        plan->moves && launch->decision.use == CX_USE_DEAR; /* not yet: what was missed counts */
    if (dear)
        launch->decision.use = CX_USE_HERE; /* where its data is */
    if (decision.split)
        cx_migration_split(&context->planner->migration, all->moves_gain, costs.moves);
    /* One share each where members move what they lack, or the one that lacks nothing would do it all, and
     * again what another holds whose moves take long; and beside a mere probe, where the best member does all
     * the rest. */
    if (decision.split)
        share(launch, plan, history, all,
              plan->moves || launch->stake.invests ||
                  (decision.reason == CX_ADMISSION_SPLIT_PROBE && !cx_split_policy_always()));
    for (unsigned i = 0; i < plan->n && plan->balancer; i++)
        history->begun |= UINT64_C(1) << plan->member[i];
    if (plan->moves && !plan->balancer && !dear)
        cx_migration_end(&context->planner->migration);
    if (all->whole != all->few)
        free(all->whole);
    if (!plan->balancer)
        cx_plan_stake_drop(launch);
    return plan->balancer != NULL;
}

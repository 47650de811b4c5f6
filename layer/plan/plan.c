/* SPDX-License-Identifier: MIT */
/*
 * The decision about one launch. See plan.h.
 */
#include "layer/plan/plan.h"
#include "layer/plan/outstanding.h"
#include "layer/plan/device_load.h"
#include "layer/base/exit_guard.h"
#include "layer/memory/unsettled.h"
#include "layer/plan/deferral.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/plan/split_feedback.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"
#include "layer/timeline/queue.h"
#include "layer/plan/record_launch.h"
#include "layer/plan/trace_launch.h"
#include "layer/memory/svm.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/reexecute_rules.h"
#include "layer/plan/remote_access_rules.h"
#include "layer/plan/prefix_rules.h"
#include "layer/plan/svm_rules.h"
#include "layer/plan/check_rules.h"
#include "layer/plan/judge.h"
#include "layer/plan/judging_price.h"
#include "layer/plan/plan_share.h"
#include "layer/plan/plan_chains.h"
#include "layer/plan/plan_place.h"

#include <stdlib.h>

/* ---- may it be split? ---- */

static bool whole_because(struct cx_launch *launch, enum cx_why reason)
{
    launch->decision.reason = reason;
    return false;
}

/* The same wherever the data are. */
static bool whole_anyway(struct cx_launch *launch, enum cx_why reason) CX_HOLDS(cx_context_locked)
{
    launch->decision.use = CX_USE_WHOLE;
    return whole_because(launch, reason);
}

/* The same where that is so for all launches of the function and range. */
static bool whole_alike(struct cx_launch *launch, enum cx_why reason) CX_HOLDS(cx_context_locked)
{
    launch->decision.repeats = CX_REPEATS_ALIKE;
    return whole_anyway(launch, reason);
}

/* Whether the straggler may share the launch: as one that joins in where its lateness could then do no
 * harm; else only while it seems to be a matter of noise, and where a slow device is not made up for anyway.
 */
static bool join_straggler(struct cx_launch *launch, const struct cx_cached_verdict *judged, unsigned member,
                           struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &launch->base.context->workers[member];
    const bool bounded = cx_reexecute_bounds(launch, judged, member);
    if (bounded && cx_reexecute_may_join(launch, judged, member)) {
        plan->stragglers |= UINT64_C(1) << member;
        return true;
    }
    if (!bounded && cx_clock_ns() < cx_device_load_of(worker)->superseded_until_ns)
        return true;
    launch->deferral.lacks_straggler = true;
    return whole_because(launch, CX_WHY_STRAGGLER);
}

static bool whole_without_summary(struct cx_launch *launch, const struct cx_no_summary *why)
{
    launch->decision.report = why->report;
    return whole_because(launch, cx_why_no_summary(why->reason));
}

/* Why the kernel does not run on a member. */
static enum cx_why why_not_on(const struct cx_kernel *kernel, unsigned m)
{
    if (cx_kernel_is_foreign(kernel, m))
        return CX_WHY_FOREIGN;
    if (cx_build_deferred_on(kernel->program, m))
        return CX_WHY_NOT_BUILT;
    if (cx_program_runs_on(kernel->program, m))
        return CX_WHY_NO_OTHER;
    const enum cx_files_moved moved = cx_program_moved(kernel->program, m);
    return moved == CX_FILES_SAME ? CX_WHY_BUILD_FAILED : cx_why_moved(moved);
}

/* A member's share in question: in which variant, and beside which first member. */
struct candidate {
    unsigned member, first;
    enum cx_variant variant;
    size_t items; /* of a work-group */
};

/* Whether the member could share the launch; else notes the reason, and what is lacking. */
static bool could_share(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                        const struct candidate *of, struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    struct cx_kernel *kernel = launch->request.kernel;
    const unsigned m = of->member;
    struct cx_no_summary why;
    if (!cx_kernel_runs_on(kernel, m))
        return whole_because(launch, why_not_on(kernel, m));
    if (cx_device_load_is_straggler(&context->workers[m]) && !join_straggler(launch, judged, m, plan))
        return false;
    if (m != of->first && !cx_program_compatible(kernel->program, of->first, m, &why))
        return whole_without_summary(launch, &why);
    if (cx_options_get()->reproducible && !cx_context_alike(context, of->first, m))
        return false;
    if (!cx_kernel_variant_ready(kernel, m, of->variant)) {
        const bool never = cx_kernel_variant_failed(kernel, m, of->variant);
        launch->deferral.lacks_builds |= !never;
        return whole_because(launch, never ? CX_WHY_NO_VARIANT : CX_WHY_VARIANT_LATER);
    }
    const enum cx_why forbids = cx_take_forbids(launch, m, of->variant, of->items);
    return forbids == CX_WHY_NONE || whole_because(launch, forbids);
}

/* The member that runs the kernel first: the queue's fastest one that can. */
static unsigned first_member(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_queue *queue = launch->base.queue;
    const struct cx_kernel *kernel = launch->request.kernel;
    unsigned first = queue->fastest;
    if (!cx_kernel_runs_on(kernel, first))
        for (first = 0; first < launch->base.context->nmembers &&
                        (!cx_queue_takes(queue, first) || !cx_kernel_runs_on(kernel, first));
             first++)
            ;
    return cx_plan_prompt(launch, first);
}

/* Lists the members that could share this launch, the best one first among equals in speed order of the
 * context. */
static unsigned list_members(struct cx_launch *launch, const struct cx_summary_kernel *summary,
                             const struct cx_cached_verdict *judged, struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel *kernel = launch->request.kernel;
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    struct candidate candidate = {
        .variant = cx_subrange_variant(geometry, judged->verdict.dim, summary->uses & CX_USE_NEEDS_REWRITE),
        .items = 1};
    const enum cx_subrange_limit limit = cx_subrange_limit(geometry, judged->verdict.dim, candidate.variant);
    unsigned n = 0;
    bool deferred = false;

    if (limit != CX_SUBRANGE_FITS) {
        launch->decision.reason = cx_why_subrange(limit);
        return 0;
    }
    for (uint32_t d = 0; d < geometry->work_dim; d++)
        candidate.items *= geometry->local[d];
    candidate.first = first_member(launch);
    launch->decision.reason = CX_WHY_NO_OTHER;
    for (unsigned m = 0; m < launch->base.context->nmembers; m++) {
        if (!cx_queue_takes(launch->base.queue, m))
            continue;
        deferred |= cx_build_deferred_on(kernel->program, m) && !cx_kernel_is_foreign(kernel, m);
        candidate.member = m;
        if (!could_share(launch, judged, &candidate, plan))
            continue;
        plan->member[n] = m;
        plan->variant[n] = candidate.variant;
        n++;
    }
    launch->deferral.lacks_builds = deferred || (launch->deferral.lacks_builds && n < 2);
    launch->deferral.missing_variant = candidate.variant;
    launch->decision.longest = cx_judge_longest(launch, judged, candidate.first);
    if (launch->deferral.lacks_builds) {
        launch->decision.repeats = CX_REPEATS_BRIEFLY;
        cx_plan_want(launch, candidate.variant);
    }
    return n;
}

/* Sums of floats come out differently in another order. */
static bool adds_floats(const struct cx_summary_kernel *summary, const struct cx_cached_verdict *judged)
{
    const struct cx_access_means *means = cx_access_means(judged->access);
    for (uint32_t i = 0; i < summary->narg; i++)
        if (means[i].protocol == CX_PROTOCOL_REDUCTION && means[i].atomic_op == CX_ATOMIC_FADD)
            return true;
    return false;
}

void cx_plan_split_finish(struct cx_split_plan *plan)
{
    cx_cached_verdict_unref(&plan->judged);
    cx_balancer_destroy(plan->balancer);
    free(plan->member);
    free(plan->variant);
    free(plan->weight);
    *plan = (struct cx_split_plan){0};
}

/* Whether the settings, the devices and the kernel's text allow a split. Sets the summary. */
static bool is_allowed(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const uint64_t members = launch->base.queue->members;
    struct cx_no_summary why = {CX_NO_SUMMARY_UNKNOWN};

    if (!(members & (members - 1)))
        return whole_alike(launch, CX_WHY_ONE_DEVICE);
    if (launch->decision.on_svm_owner) /* the reason is told */
        return false;
    if (cx_options_get()->split == CX_OPTION_SPLIT_NEVER)
        return whole_alike(launch, CX_WHY_SPLIT_NEVER);
    if (cx_exit_guard_ending()) /* packages may have to be compiled, and compilers may be gone */
        return whole_because(launch, CX_WHY_ENDING);
    if (launch->acceptance.beyond && (launch->acceptance.uneven || !cx_take_any_known(launch)))
        return whole_because(launch, CX_WHY_BEYOND);
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, &why);
    if (!summary)
        return whole_without_summary(launch, &why);
    launch->decision.summary = summary;
    enum cx_summary_reason forbids =
        cx_summary_forbids(summary, &launch->decision.line, &launch->decision.arg);
    return forbids == CX_REASON_NONE || cx_check_counts(summary) ||
           whole_anyway(launch, cx_why_summary(forbids));
}

/* Whether it is long enough, as far as that is known. history: of the kernel, or NULL. */
static bool is_worth(struct cx_launch *launch, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    enum cx_why why;
    if (history && cx_plan_too_short(launch, history))
        return whole_alike(launch, cx_why_admission(CX_ADMISSION_WHOLE_SHORT));
    if (!cx_split_policy_bounded() || launch->slices.prefix)
        return true;
    if ((why = cx_plan_stake_forbids(launch)) != CX_WHY_NONE) {
        launch->decision.repeats = CX_REPEATS_ALIKE;
        return whole_because(launch, why);
    }
    if (!history || !cx_budget_rests(&history->risk))
        return true;
    launch->decision.use = CX_USE_HERE;
    launch->decision.repeats = CX_REPEATS_BRIEFLY;
    return whole_because(launch, cx_why_stake(CX_STAKE_WAITS));
}

/* The verdict on its arguments, if it allows a split; else NULL. */
static struct cx_cached_verdict *judge_split(struct cx_launch *launch, struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_summary_kernel *summary = launch->decision.summary;
    enum cx_judging skipped = CX_JUDGING_PAYS;
    struct cx_cached_verdict *judged =
        history ? cx_judge_args(history, summary, launch, cx_split_policy_always() ? NULL : &skipped) : NULL;
    if (skipped == CX_JUDGING_UNLIKELY)
        cx_judging_repeat(launch, history);
    else if (skipped == CX_JUDGING_TOO_SHORT)
        (void)whole_anyway(launch, cx_why_admission(CX_ADMISSION_WHOLE_SHORT));
    if (skipped != CX_JUDGING_PAYS)
        return NULL;
    if (!judged || !judged->verdict.splits) {
        launch->decision.line = judged ? judged->verdict.line : 0;
        launch->decision.other_line = judged ? judged->verdict.other : 0;
        launch->decision.arg = judged ? judged->verdict.arg : -1;
        (void)whole_anyway(launch, cx_why_summary(judged ? judged->verdict.reason : CX_REASON_NO_MEMORY));
        return NULL;
    }
    if (cx_options_get()->reproducible && adds_floats(summary, judged)) {
        (void)whole_because(launch, CX_WHY_FLOAT_SUMS);
        return NULL;
    }
    const enum cx_why unchecked = cx_check_forbids(launch, judged);
    if (unchecked != CX_WHY_NONE) {
        (void)whole_because(launch, unchecked);
        return NULL;
    }
    return judged;
}

/* Takes the verdict. False: no memory. */
static bool begin_plan(const struct cx_launch *launch, struct cx_split_plan *plan,
                       struct cx_cached_verdict *judged) CX_HOLDS(cx_context_locked)
{
    const unsigned nmembers = launch->base.context->nmembers;
    judged->refs++;
    plan->judged = judged;
    plan->groups = cx_launch_groups(launch);
    plan->slice = plan->groups / judged->verdict.groups;
    plan->done = launch->slices.done;
    plan->member = calloc(nmembers, sizeof(*plan->member));
    plan->variant = calloc(nmembers, sizeof(*plan->variant));
    plan->weight = calloc(nmembers, sizeof(*plan->weight));
    return plan->member && plan->variant && plan->weight;
}

/* Everything that must hold for a split, from the cheapest question to the dearest. */
static bool plan_split(struct cx_launch *launch, struct cx_split_plan *plan, unsigned *best)
    CX_HOLDS(cx_context_locked)
{
    if (!is_allowed(launch))
        return false;
    if (!launch->request.local_given && !cx_plan_local_size(launch))
        return whole_because(launch, CX_WHY_NO_LOCAL_SIZE);
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    if (!is_worth(launch, history))
        return false;
    struct cx_cached_verdict *judged = judge_split(launch, history);
    if (!judged)
        return false;
    if (!begin_plan(launch, plan, judged))
        return whole_because(launch, CX_WHY_NO_MEMORY);
    plan->n = list_members(launch, launch->decision.summary, judged, plan);
    if (plan->n >= 2 && !cx_launch_choose_protocols(launch, judged, plan->member, plan->n))
        return whole_because(launch, CX_WHY_NO_MEMORY);
    if (plan->n >= 2 && !judged->verdict.checked)
        cx_remote_access_choose(launch, judged, plan->member, plan->n);
    if (plan->n < 2 || !cx_plan_share(launch, plan, history, best))
        return false;
    if (plan->probes && !cx_take_packages_known(launch, plan)) {
        cx_plan_stake_drop(launch);
        return whole_because(launch, CX_WHY_BEYOND);
    }
    /* those that are left may work at one place in common */
    return (launch->decision.remote_access &&
            cx_remote_access_confirm(launch, plan->member, plan->n + plan->probes)) ||
           cx_launch_choose_protocols(launch, judged, plan->member, plan->n + plan->probes);
}

static void tell(const struct cx_launch *launch, bool split) CX_HOLDS(cx_context_locked)
{
    char where[256];
    where[0] = '\0';
    if (launch->decision.line)
        cx_summary_lines_text(where, sizeof(where), launch->decision.summary, launch->decision.line,
                              launch->decision.other_line, NULL);
    cx_info(CX_TOPIC_PLAN, "%s runs %s: %s%s", launch->request.kernel->function->name,
            split ? "split" : "whole", cx_launch_why(launch), where);
    cx_trace_plan(launch, split);
    cx_record_launch(launch, split);
}

/* All members have built the program: the launch could not run before. */
static void plan_anew(void *data)
{
    struct cx_command *command = data;
    struct cx_launch *launch = (struct cx_launch *)command;

    cx_build_deferred_wait(launch->request.kernel->program, ~0u);
    cx_command_unhold(command);
    cx_command_unref(&command);
}

/* Other members have left the build for later, and sharing this launch with them may be worth the wait: it
 * waits for them, as clBuildProgram would have done. It cannot be shared where it lacks a split variant, too:
 * nothing waits for these. */
static bool worth_others(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_queue *queue = launch->base.queue;

    if (cx_split_policy_bounded() || !(queue->members & (queue->members - 1)) ||
        cx_options_get()->split == CX_OPTION_SPLIT_NEVER)
        return false;
    if (launch->deferral.lacks_builds && launch->deferral.missing_variant != CX_VARIANT_PLAIN)
        return false;
    return cx_plan_deferred_pays(launch) &&
           (launch->deferral.lacks_builds || !cx_kernel_summary_wait(launch->request.kernel, 0));
}

/* Members may come to exchange what it uses. */
static void count_use(const struct cx_launch *launch)
{
    for (unsigned i = 0; i < launch->request.args->count && launch->base.context->memory.peers; i++)
        if (cx_launch_mem(launch, i))
            cx_peers_use(launch->base.context, cx_launch_mem(launch, i)->size);
}

/* The members are busy until it is over, for as long as splits of the kernel were. */
static void add_outstanding(const struct cx_launch *launch, const struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double ratio = history && history->feedback.ratio > 0 ? history->feedback.ratio : 1,
                 seconds = ratio * cx_plan_expected(launch);
    for (unsigned i = 0; i < plan->n; i++)
        cx_outstanding_add(&launch->base.context->workers[plan->member[i]], seconds);
}

/* It is decided that the launch is split so. */
static void note_split(struct cx_launch *launch, const struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    tell(launch, true);
    count_use(launch);
    launch->base.context->pending.split = true;
    if (cx_split_policy_bounded())
        add_outstanding(launch, plan);
    launch->decision.reason = CX_WHY_ONE_TOOK_ALL; /* said where that happens */
    cx_split_feedback_begin(launch, !plan->moves);
    cx_result_use_launch(launch->request.args, cx_launch_accesses(launch->request.kernel),
                         launch->request.kernel->function->history, NULL,
                         launch->stake.trial ? CX_USE_TRIAL : CX_USE_OPEN, 0);
}

/* It is not split: what a split would need is forgotten. */
static void drop_split(struct cx_launch *launch, struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    free(launch->decision.protocols);
    launch->decision.protocols = NULL;
    launch->decision.remote_access = false;
    cx_plan_split_finish(plan);
}

bool cx_plan_rest(struct cx_launch *launch, struct cx_split_plan *plan)
{
    unsigned best = launch->base.context->nmembers;
    *plan = (struct cx_split_plan){0};
    launch->deferral.lacks_builds = launch->deferral.lacks_straggler = false;
    if (plan_split(launch, plan, &best) && !plan->probes) {
        cx_judging_decided(launch, CX_PLAN_SPLIT);
        note_split(launch, plan);
        return true;
    }
    cx_judging_decided(launch, CX_PLAN_WAIT); /* its slices tell nothing of the next launches */
    cx_plan_stake_drop(launch);
    drop_split(launch, plan);
    return false;
}

/* Seconds that it keeps the member busy; 0: unknown. What is expected otherwise is of the fastest one and its
 * like. */
static double seconds_on(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const double own =
        cx_context_alike(context, member, context->fastest) ? 0 : cx_plan_measured_on(launch, member);
    return own > 0 ? own : cx_plan_expected(launch);
}

enum cx_plan_kind cx_plan_whole(struct cx_launch *launch, unsigned member)
{
    const bool any = member < launch->base.context->nmembers;
    if (any)
        cx_plan_occupy(launch, member);
    if (any && cx_split_policy_bounded() && launch->decision.repeats != CX_REPEATS_ALIKE)
        cx_outstanding_add(&launch->base.context->workers[member], seconds_on(launch, member));
    cx_plan_without(launch);
    cx_result_use_launch(launch->request.args, cx_launch_accesses(launch->request.kernel),
                         launch->request.kernel->function->history,
                         any ? &launch->base.context->workers[member] : NULL, launch->decision.use,
                         launch->decision.risk);
    tell(launch, false);
    return any ? CX_PLAN_WHOLE : CX_PLAN_FAIL;
}

/* Whether something that the launch touches is unsettled: it is planned again then. Sets on_svm_owner. */
static bool is_blocked(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &launch->base;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (launch->request.args->arg[i].kind == CX_ARGS_MEM &&
            cx_unsettled_blocks(command, launch->request.args->arg[i].mem))
            return true;
    launch->decision.arg = -1;
    launch->deferral.lacks_builds = launch->deferral.lacks_straggler = false;
    launch->deferral.follows_move = launch->deferral.may_move = launch->deferral.in_row = false;
    launch->decision.repeats = CX_REPEATS_NOT;
    launch->decision.use = CX_USE_OPEN;
    launch->decision.risk = 0;
    launch->decision.longest = -1;
    cx_take_begin(launch);
    launch->decision.on_svm_owner = cx_svm_binds(launch, &launch->decision.reason);
    return launch->decision.on_svm_owner && cx_svm_blocked(command);
}

/* A launch that is not split, and could run whole on the member; nmembers: nobody takes it. */
static enum cx_plan_kind decide_whole(struct cx_launch *launch, unsigned member,
                                      struct cx_plan_decision *decision) CX_HOLDS(cx_context_locked)
{
    decision->member = member;
    const bool any = member < launch->base.context->nmembers;
    launch->acceptance.unproven = any && !cx_take_known(launch, member);
    if (launch->acceptance.beyond)
        return cx_plan_whole(launch, member);
    if (cx_deferral_begin(launch, member) || cx_deferral_for_straggler(launch)) {
        cx_plan_chains_drop(launch);
        return CX_PLAN_WAIT;
    }
    decision->judged = any ? cx_prefix_judge(launch, member, &decision->variant) : NULL;
    if (!decision->judged)
        return cx_plan_whole(launch, member);
    cx_plan_chains_drop(launch);
    return CX_PLAN_SLICES;
}

static enum cx_plan_kind decide(struct cx_launch *launch, struct cx_plan_decision *decision)
    CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &launch->base;
    struct cx_split_plan *split = &decision->split;
    unsigned best = command->context->nmembers;

    if (is_blocked(launch) || cx_deferral_of_row(launch))
        return CX_PLAN_WAIT;
    const bool deferred = cx_build_deferred_any(launch->request.kernel->program);
    if (deferred && launch->decision.on_svm_owner &&
        cx_build_deferred_on(launch->request.kernel->program, cx_svm_owner(command->context)) &&
        cx_command_hold_for(command, plan_anew))
        return CX_PLAN_WAIT;
    *split = (struct cx_split_plan){0};
    if (plan_split(launch, split, &best)) {
        note_split(launch, split);
        return CX_PLAN_SPLIT;
    }
    drop_split(launch, split);
    best = cx_plan_place(launch, best);
    if (deferred && best == command->context->nmembers && cx_command_hold_for(command, plan_anew))
        return CX_PLAN_WAIT;
    if (deferred && launch->decision.longest >= 0)
        cx_debug(CX_TOPIC_PLAN, "%s takes %g ms at most; others have not built it",
                 launch->request.kernel->function->name, launch->decision.longest * 1e3);
    if (deferred && !launch->acceptance.beyond && worth_others(launch) &&
        cx_command_hold_for(command, plan_anew))
        return CX_PLAN_WAIT;
    if (deferred && launch->deferral.lacks_builds &&
        !cx_build_deferred_any(launch->request.kernel->program)) /* it has just been built */
        return decide(launch, decision);
    return decide_whole(launch, best, decision);
}

enum cx_plan_kind cx_plan_decide(struct cx_launch *launch, struct cx_plan_decision *decision)
{
    const enum cx_plan_kind kind = decide(launch, decision);
    launch->deferral.planned_before = true;
    cx_judging_decided(launch, kind);
    return kind;
}

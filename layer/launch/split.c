/* SPDX-License-Identifier: MIT */
/*
 * A split whose packages are cut while it runs (split_member.c): how it begins and how it ends.
 *
 * The launch settles when every group is assigned and started, and what has to be merged is compared: then
 * owners are known. Until that moment its buffers are marked, and commands that touch them wait.
 */
#include "layer/launch/split_inside.h"
#include "layer/base/exit_guard.h"
#include "layer/launch/split_inputs.h"
#include "layer/launch/write_back.h"
#include "layer/memory/unsettled.h"
#include "layer/launch/prefix.h"
#include "layer/launch/reexecute.h"
#include "layer/base/log.h"
#include "layer/launch/remote_access.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/launch/verify.h"
#include "layer/plan/check_rules.h"
#include "layer/program/kernel_bind.h"
#include "layer/timeline/queue.h"
#include "layer/launch/launch.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/launch_learn.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/policy.h"

#include <stdlib.h>

/* No package is started any more. */
static void uncount(struct split *split) CX_HOLDS(cx_context_locked)
{
    if (split->opening.counts)
        cx_exit_guard_uncompiled(&split->launch->run.uncompiled, CX_UNCOMPILED_NONE);
    split->opening.counts = false;
}

/* context->lock held, as what was judged is shared. */
static void split_free(struct split *split) CX_HOLDS(cx_context_locked)
{
    uncount(split);
    cx_merge_drop(&split->ends.merge);
    cx_private_copies_drop(&split->ends.copies);
    cx_speculation_drop(&split->ends.speculation);
    cx_job_free(split->ends.remote);
    for (unsigned p = 0; p < split->nparts; p++)
        cx_reexecute_uploads(split, p, NULL);
    cx_plan_split_finish(&split->plan);
    pthread_cond_destroy(&split->changed);
    cx_ranges_finish(&split->ranges);
    cx_write_back_free(split);
    free(split->packages.list);
    cx_split_inputs_free(split);
    free(split);
}

/* ---- where members begin ---- */

/* What was done of the last launch of this shape. NULL: no memory. */
static struct cx_last_partition *last_partition_of(const struct split *split) CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = split->launch;
    const unsigned nmembers = launch->base.context->nmembers;
    struct cx_kernel_history *history = cx_kernel_history_of(launch->request.kernel->function, nmembers);
    const uint64_t groups = split->plan.judged->verdict.groups;
    return history ? &history->shapes.last_partitions[groups % CX_LAST_PARTITIONS] : NULL;
}

static uint64_t members_of(const struct split *split)
{
    uint64_t members = 0;
    for (unsigned p = 0; p < split->plan.n; p++)
        members |= UINT64_C(1) << split->plan.member[p];
    return members;
}

/* Each member's part of the range begins where it did the last one, unless that is far from what is expected
 * of it now. A policy that learns from launches says itself where. */
static void follow_last(struct split *split) CX_HOLDS(cx_context_locked)
{
    struct cx_split_plan *plan = &split->plan;
    const uint64_t steps = plan->judged->verdict.groups;
    const struct cx_last_partition *last = last_partition_of(split);
    double sum = 0;
    if (cx_balancer_is_static(plan->balancer) || cx_plan_policy(split->launch)->learns || !last ||
        last->steps != steps || last->slice != plan->slice || last->members != members_of(split))
        return;
    for (unsigned p = 0; p < plan->n; p++)
        sum += plan->weight[p];
    for (unsigned p = 0; p < plan->n; p++) {
        const double did = (double)last->did[plan->member[p]], now = (double)steps * plan->weight[p] / sum;
        if (!(did >= now / 2 && did <= 2 * now))
            return;
    }
    for (unsigned p = 0; p < plan->n; p++)
        plan->weight[p] = (double)last->did[plan->member[p]];
}

static void note_last(const struct split *split) CX_HOLDS(cx_context_locked)
{
    struct cx_last_partition *last = last_partition_of(split);
    if (!last)
        return;
    *last = (struct cx_last_partition){.steps = split->plan.judged->verdict.groups,
                                       .slice = split->plan.slice,
                                       .members = members_of(split)};
    for (unsigned i = 0; i < split->packages.n; i++) {
        const struct package *package = &split->packages.list[i];
        if (!package->dropped && !package->copy)
            last->did[split->plan.member[package->part]] += package->range.end - package->range.first;
    }
}

/* ---- settling ---- */

/* Nobody else may plan on the buffers that it writes until the launch settles; with members that own memory,
 * also on those it reads, since packages bring parts of them in. */
static void hold(struct cx_launch *launch, const struct cx_access_region *whole, bool also_read)
    CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && (also_read || whole[i].write.lo < whole[i].write.hi))
            cx_unsettled_hold(mem, &launch->base);
    }
}

void cx_split_unref(struct split *split)
{
    if (--split->jobs.left == 0)
        split_free(split);
}

/* A failing member's package that others do still writes in place: whoever uses these bytes of the host copy
 * waits for it. */
static bool note_dropped(const struct split *split, const struct package *package,
                         const struct cx_access_region *regions) CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[package->part]];
    bool ok = true;
    for (unsigned i = 0; i < launch->request.args->count && ok; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *write = &regions[i].write;
        if (mem && write->lo < write->hi && cx_mem_place(mem->root, worker) == CX_PLACE_HOST)
            ok = cx_coherence_host_share(mem->storage->coherence, mem->origin + write->lo,
                                         mem->origin + write->hi, worker->index,
                                         split->participant[package->part].seq);
    }
    return ok;
}

/* Notes what packages wrote in place, and gives regions to their owners. */
static bool note_owners(struct split *split) CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    struct cx_access_region *regions = cx_access_regions_make(launch->request.args->count);
    bool ok = regions != NULL;

    for (unsigned p = 0; p < split->packages.n && ok; p++) {
        const struct package *package = &split->packages.list[p];
        const bool counts = !package->dropped && !package->copy;
        if (!counts && (package->over || split->participant[package->part].reexecutes))
            continue;
        const struct cx_worker *worker = &context->workers[split->plan.member[package->part]];
        cx_access_package(split->plan.judged->access, package->range.first, package->range.end, regions);
        ok = counts ? cx_launch_note(launch, regions, worker, split->participant[package->part].seq)
                    : note_dropped(split, package, regions);
    }
    free(regions);
    return ok;
}

/* Owners are known: others may plan on the buffers. */
static void settle(void *data) CX_HOLDS(cx_context_locked)
{
    struct split *split = data;
    struct cx_launch *launch = split->launch;
    cx_launch_release(launch);
    cx_verify_end(launch);
    cx_command_settle(&launch->base);
    cx_split_unref(split);
}

/* What a split needs cannot be had, or it did not stand: one device is going to do it all. */
static void forget_split(struct cx_launch *launch, enum cx_why reason) CX_HOLDS(cx_context_locked)
{
    cx_info(CX_TOPIC_PLAN, "%s runs whole after all: %s", launch->request.kernel->function->name,
            cx_why_text(reason));
    for (unsigned p = 0; p < launch->outcome.nparts; p++)
        cx_args_drop(&launch->outcome.parts[p].args);
    free(launch->outcome.parts);
    free(launch->decision.protocols);
    launch->outcome.parts = NULL;
    launch->decision.protocols = NULL;
    launch->decision.remote_access = false;
    launch->outcome.nparts = 0;
    launch->decision.reason = reason;
}

static bool is_able(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    return cx_kernel_runs_on(launch->request.kernel, member) && cx_queue_takes(launch->base.queue, member) &&
           cx_plan_fits(launch, member);
}

/* The member that runs the launch whole: the first participant that can, or else another one. */
static unsigned able_member(const struct split *split) CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = split->launch;
    for (unsigned p = 0; p < split->plan.n; p++)
        if (is_able(launch, split->plan.member[p]))
            return split->plan.member[p];
    for (unsigned m = 0; m < launch->base.context->nmembers; m++)
        if (is_able(launch, m) && cx_launch_prepare(launch, m) == CL_SUCCESS)
            return m;
    return split->plan.member[0];
}

void cx_split_undo(struct split *split, enum cx_why reason)
{
    struct cx_launch *launch = split->launch;
    const unsigned member = able_member(split);
    uncount(split);
    cx_launch_release(launch);
    cx_verify_forget(launch);
    launch->run.undone = true;
    forget_split(launch, reason);
    cx_whole_launch(launch, member);
    cx_split_unref(split);
}

/* The packages of the participants that changed nothing, one participant after the other, then those of the
 * one that did. */
static struct cx_verify_package *claimed_order(const struct split *split) CX_HOLDS(cx_context_locked)
{
    const unsigned last = cx_speculation_changed(split->ends.speculation);
    struct cx_verify_package *order = calloc(split->packages.n + 1u, sizeof(*order));
    unsigned n = 0;
    for (unsigned t = 0; t <= split->nparts && order; t++) {
        const unsigned part = t < split->nparts ? t : last;
        for (unsigned p = 0; p < split->packages.n && (t == split->nparts || part != last); p++)
            if (split->packages.list[p].part == part)
                order[n++] = (struct cx_verify_package){split->packages.list[p].range.first,
                                                        split->packages.list[p].range.end};
    }
    return order;
}

/* The check is over. */
static void decide(void *data, enum cx_speculation_end end) CX_HOLDS(cx_context_locked)
{
    struct split *split = data;
    struct cx_launch *launch = split->launch;
    const bool undone = end == CX_SPECULATION_CONFLICT || end == CX_SPECULATION_LOST;
    if (end == CX_SPECULATION_STANDS || end == CX_SPECULATION_CONFLICT)
        cx_check_note(launch, end == CX_SPECULATION_CONFLICT);
    const bool noted = cx_speculation_note(split->ends.speculation, end);
    if (undone && noted) {
        cx_split_undo(split, end == CX_SPECULATION_LOST ? CX_WHY_CHECK_LOST : CX_WHY_CHECK_CONFLICT);
        return;
    }
    if (!noted || !note_owners(split))
        atomic_store(&launch->base.error, CL_OUT_OF_HOST_MEMORY);
    if (end == CX_SPECULATION_STANDS) {
        note_last(split);
        cx_split_learn(split);
        if (launch->run.verify)
            cx_verify_claim(launch, claimed_order(split), split->packages.n);
    }
    settle(split);
}

/* Every group is assigned and started: the owners are known once that is checked. */
static void close_checked(struct split *split) CX_HOLDS(cx_context_locked)
{
    const bool failed = cx_split_failed(split);
    split->state = failed ? SPLIT_CLOSED : SPLIT_SETTLED;
    split->jobs.left++; /* until it is settled */
    cl_int error = failed ? CL_SUCCESS : cx_speculation_check(split->ends.speculation, decide, split);
    if (error != CL_SUCCESS)
        atomic_store(&split->launch->base.error, error);
    if (failed || error != CL_SUCCESS)
        decide(split, CX_SPECULATION_FAILED);
}

/* Every group is assigned and started: finds out the owners. */
static void close_split(struct split *split) CX_HOLDS(cx_context_locked)
{
    if (split->ends.speculation) {
        close_checked(split);
        return;
    }
    struct cx_launch *launch = split->launch;
    uint64_t seq[64];
    cl_int error = note_owners(split) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned p = 0; p < split->nparts; p++)
        seq[p] = split->participant[p].seq;
    cx_write_back_note(split, error == CL_SUCCESS && !cx_split_failed(split));
    if (!cx_split_failed(split) && !split->plan.done)
        note_last(split);
    split->state = cx_split_failed(split) ? SPLIT_CLOSED : SPLIT_SETTLED;
    split->jobs.left++; /* until settle() */
    if (split->ends.remote)
        cx_remote_access_end(launch, split->ends.remote, seq);
    split->ends.remote = NULL;
    if (split->rules.reexecutes && !cx_split_failed(split) && error == CL_SUCCESS) {
        cx_reexecute_leave(split);
        if (cx_balancer_learns_much(
                split->plan.balancer)) /* all is done, and the next launch is planned now */
            cx_split_learn_early(split);
    }
    if (split->ends.copies && !cx_split_failed(split) && error == CL_SUCCESS)
        error = cx_private_copies_end(&split->ends.copies);
    if (error != CL_SUCCESS)
        atomic_store(&launch->base.error, error);
    else
        cx_write_back_settle(split);
    if (split->ends.merge && !cx_split_failed(split) && error == CL_SUCCESS)
        cx_merge_end(&split->ends.merge, seq, settle, split);
    else
        settle(split);
}

void cx_split_learn(struct split *split)
{
    if (!split->has_learned && split->launch->request.kernel->function->history)
        cx_balancer_learn(split->plan.balancer);
    split->has_learned = true;
}

void cx_split_learn_early(struct split *split)
{
    if (split->has_learned)
        return;
    cx_split_learn(split);
    for (unsigned p = 0; p < split->plan.n; p++) {
        uint64_t groups = 0;
        double seconds = 0;
        if (split->participant[p].learned_seconds > 0 || !cx_split_alive(split, p) ||
            !cx_balancer_sampled(split->plan.balancer, p))
            continue;
        cx_balancer_measured(split->plan.balancer, p, &groups, &seconds);
        cx_launch_learn_held(split->launch, split->plan.member[p], groups, seconds,
                             cx_balancer_doubtful(split->plan.balancer, p));
        split->participant[p].learned_seconds = seconds;
    }
}

/* context->lock held: nothing more is started. */
void cx_split_fail(struct split *split, cl_int error)
{
    atomic_store(&split->launch->base.error, error);
    split->state = cx_split_settled(split) ? SPLIT_CLOSED : SPLIT_FAILED;
    pthread_cond_broadcast(&split->changed);
}

void cx_split_part_failed(struct split *split, unsigned part)
{
    enum split_participant_state *state = &split->participant[part].state;
    *state = cx_split_left(split, part) ? SPLIT_PARTICIPANT_LOST : SPLIT_PARTICIPANT_FAILED;
}

bool cx_split_all_assigned(const struct split *split)
{
    return cx_balancer_remaining(split->plan.balancer) == 0;
}

void cx_split_settle_if_due(struct split *split)
{
    bool due = split->jobs.issuing == 0 && (cx_split_failed(split) || cx_split_all_assigned(split));
    if (split->rules.reexecutes && !cx_split_failed(split))
        due = cx_balancer_finished(split->plan.balancer) && !cx_reexecute_awaits(split);
    due &= !split->rules.lingers || cx_split_failed(split) || cx_write_back_is_last(split);
    due &= !cx_split_inputs_are_fetched(split);
    if (!cx_split_settled(split) && split->state != SPLIT_REFUSED && due)
        close_split(split);
    if (cx_split_failed(split) || (split->jobs.issuing == 0 && cx_split_all_assigned(split)))
        uncount(split);
}

/* ---- the plan ---- */

/* What was done before the launch was split is its first package, which is over. */
static bool take_prefix(struct split *split) CX_HOLDS(cx_context_locked)
{
    const unsigned part = cx_prefix_hand_over(split->launch);
    if (!cx_split_package_room(split))
        return false;
    const unsigned index = cx_split_package_note(split, part, (struct cx_range){0, split->plan.done});
    split->packages.list[index].over = true;
    split->packages.list[index].done = split->plan.done;
    return true;
}

static void init_changed(pthread_cond_t *changed)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* All parts wait for their first job. */
static void begin_parts(struct split *split)
{
    struct cx_launch *launch = split->launch;
    split->rules.alike = true;
    for (unsigned p = 0; p < split->nparts; p++) {
        const unsigned member = split->plan.member[p];
        split->rules.alike &= p == 0 || cx_context_alike(launch->base.context, split->plan.member[0], member);
        split->participant[p].reexecutes = split->rules.reexecutes && cx_reexecute_private(launch, member);
        launch->outcome.parts[p] = (struct cx_part){.member = member, .variant = split->plan.variant[p]};
    }
    launch->outcome.nparts = split->nparts;
}

static struct split *split_new(struct cx_launch *launch, struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked)
{
    const unsigned nparts = plan->n + plan->probes;
    struct split *split = calloc(1, sizeof(*split) + nparts * sizeof(split->participant[0]));
    launch->outcome.parts = calloc(plan->n + 1u, sizeof(*launch->outcome.parts));
    if (!split || !launch->outcome.parts) {
        free(split);
        cx_plan_split_finish(plan);
        return NULL;
    }
    split->launch = launch;
    split->plan = *plan;
    *plan = (struct cx_split_plan){0};
    init_changed(&split->changed);
    split->nparts = nparts;
    split->rules.reexecutes = split->plan.reexecutes && !launch->run.verify;
    split->rules.lingers = cx_write_back_expected(launch);
    split->start_ns = cx_clock_ns();
    struct cx_range aside = {0, split->plan.done};
    follow_last(split);
    if (split->plan.probes)
        aside = (struct cx_range){split->plan.probe_first, split->plan.probe_end};
    if (!cx_ranges_init(&split->ranges, split->plan.n, split->plan.weight, split->plan.judged->verdict.groups,
                        split->plan.judged->verdict.granularity, aside)) {
        split_free(split);
        return NULL;
    }
    cx_balancer_watch(split->plan.balancer, &split->ranges, split->plan.slice);
    begin_parts(split);
    if (split->plan.done && !take_prefix(split)) {
        split_free(split);
        return NULL;
    }
    if (cx_options_get()->split == CX_OPTION_SPLIT_ALWAYS)
        cx_ranges_close(&split->ranges);
    for (unsigned p = 0; p < split->plan.n; p++)
        if (cx_split_is_straggler(split, p))
            cx_ranges_open(&split->ranges, p);
    split->jobs.issuing = split->plan.probes; /* the probe's package is assigned from the start */
    if (cx_launch_may_compile(launch, &split->plan))
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_PLANNED);
    split->opening.counts = launch->run.uncompiled != CX_UNCOMPILED_NONE;
    return split;
}

/* The places, as bits, at which the members work on an object. */
static uint64_t places_of(const struct split *split, const struct cx_mem *mem)
{
    const struct cx_context *context = split->launch->base.context;
    uint64_t places = 0;
    for (unsigned p = 0; p < split->nparts; p++)
        places |= UINT64_C(1) << cx_mem_place(mem->root, &context->workers[split->plan.member[p]]);
    return places;
}

/* Whether an input that every package may read all of comes to the members' own memories alone, from one of
 * them where peers reach each other. */
static bool skips_host(const struct split *split, unsigned i, uint64_t places)
{
    return i % 2 == 0 && !split->launch->run.verify && !(places & UINT64_C(1) << CX_PLACE_HOST) &&
           cx_launch_protocol(split->launch, i / 2) <= CX_PROTOCOL_EXCLUSIVE;
}

static bool all_hold(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t places)
    CX_HOLDS(cx_context_locked)
{
    bool all = true;
    for (uint64_t rest = places; rest && all; rest &= rest - 1)
        all = cx_coherence_valid(map, lo, hi, (unsigned)__builtin_ctzll(rest));
    return all;
}

/* Inputs that every package reads wherever it lies, and those that mean the contents from before, come in at
 * once. Packages get the others from their owners, or else from the host copy, which then gets what it lacks.
 */
static cl_int gather(struct split *split, const struct cx_access_region *whole, bool *shadows)
    CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = split->launch;
    const struct cx_access_means *means = cx_access_means(split->plan.judged->access);
    cl_int error = CL_SUCCESS;
    *shadows = launch->run.verify; /* what it only reads is compared too */
    for (unsigned p = 0; p < split->nparts; p++)
        *shadows |= cx_launch_moves(launch, &launch->base.context->workers[split->plan.member[p]]);
    for (unsigned i = 0; i < 2 * launch->request.args->count && error == CL_SUCCESS; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        const struct cx_access_interval *need = i % 2 ? &whole[i / 2].write : &whole[i / 2].read;
        if (!mem || need->lo >= need->hi || (i % 2 && need->exact) || cx_launch_is_private(launch, i / 2))
            continue;
        const bool remote = cx_launch_protocol(launch, i / 2) == CX_PROTOCOL_REMOTE;
        const uint64_t places = remote ? UINT64_C(2) << launch->decision.remote_owner : places_of(split, mem);
        bool at_once = !need->known || (launch->decision.protocols && means[i / 2].before);
        uint64_t lo = mem->origin + need->lo, hi = mem->origin + need->hi;
        if (all_hold(mem->storage->coherence, lo, hi, places))
            continue;
        if (remote)
            error = cx_transfer_to(&launch->base, mem->root, lo, hi, 1 + launch->decision.remote_owner,
                                   &launch->outcome.moved);
        else if (!cx_split_inputs_from_members(split, i, mem->root, lo, hi, places) &&
                 !(at_once && skips_host(split, i, places)) &&
                 (at_once || cx_launch_protocol(launch, i / 2) > CX_PROTOCOL_EXCLUSIVE ||
                  !cx_split_inputs_from_owners(split, i, mem->root, places)))
            error = cx_transfer_to(&launch->base, mem->root, lo, hi, CX_PLACE_HOST, &launch->outcome.moved);
        for (unsigned p = 1; p < 64 && at_once && !remote && error == CL_SUCCESS; p++)
            if (places >> p & 1)
                error = cx_transfer_to(&launch->base, mem->root, lo, hi, p, &launch->outcome.moved);
    }
    return error == CL_SUCCESS ? cx_split_inputs_foresee(split) : error;
}

static void note_reads(struct split *split, const struct cx_access_region *whole, unsigned part)
    CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[part]];
    uint64_t ignored[64] = {0};
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && cx_mem_place(mem->root, worker) == CX_PLACE_HOST && whole[i].read.lo < whole[i].read.hi)
            cx_coherence_host_read(mem->storage->coherence, mem->origin + whole[i].read.lo,
                                   mem->origin + whole[i].read.hi, worker->index,
                                   split->participant[part].seq, ignored);
    }
}

static cl_int plan_jobs(struct split *split, const struct cx_access_region *whole) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = split->launch->base.context;
    struct cx_job *jobs[64] = {0};
    unsigned n = split->nparts;

    split->origin.epoch = atomic_load(&context->epoch);
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        split->origin.since[t] = context->workers[t].timeline.planned;
    for (unsigned p = 0; p < n; p++) {
        jobs[p] = cx_split_member_job(split, p);
        if (jobs[p]) {
            cx_launch_deps(split->launch, whole, &context->workers[split->plan.member[p]], true,
                           jobs[p]->deps);
            cx_split_inputs_order(split, &context->workers[split->plan.member[p]], jobs[p]);
            continue;
        }
        while (p--) {
            cx_split_member_free(jobs[p]->data);
            free(jobs[p]);
        }
        return CL_OUT_OF_HOST_MEMORY;
    }
    split->jobs.left = n;
    for (unsigned p = 0; p < n; p++) {
        split->participant[p].before = split->launch->base.order.frontier[split->plan.member[p]];
        split->participant[p].seq =
            cx_command_add_job(&split->launch->base, &context->workers[split->plan.member[p]], jobs[p]);
    }
    for (unsigned p = 0; p < n; p++) {
        cx_split_inputs_planned(split, &context->workers[split->plan.member[p]], split->participant[p].seq);
        note_reads(split, whole, p);
    }
    return CL_SUCCESS;
}

/* Lanes wait for each other: each needs a thread. */
static bool have_threads(const struct split *split)
{
    struct cx_worker *workers = split->launch->base.context->workers;
    bool has = true;
    for (unsigned p = 0; p < split->nparts && split->nparts > 1 && has; p++)
        has = cx_worker_has_thread(&workers[split->plan.member[p]]);
    return has;
}

/* What a split needs cannot be had. */
static void run_whole(struct cx_launch *launch, struct split *split, enum cx_why reason)
    CX_HOLDS(cx_context_locked)
{
    const unsigned member = able_member(split);
    split_free(split);
    forget_split(launch, reason);
    cx_whole_launch(launch, member);
}

void cx_split_launch(struct cx_launch *launch, struct cx_split_plan *plan)
{
    cx_command_begin(&launch->base);
    struct split *split = split_new(launch, plan);
    struct cx_access_region *whole = cx_access_regions_make(launch->request.args->count);
    cl_int error = split && whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    bool shadows = false;

    if (error == CL_SUCCESS && !have_threads(split)) {
        free(whole);
        run_whole(launch, split, CX_WHY_NO_THREAD);
        return;
    }
    if (error == CL_SUCCESS) {
        cx_access_whole(split->plan.judged->access, whole);
        error = gather(split, whole, &shadows);
    }
    if (error == CL_SUCCESS) {
        error = cx_private_copies_begin(launch, split->plan.judged, whole, &split->ends.copies);
        if (error == CL_SUCCESS)
            error = cx_speculation_begin(launch, whole, &split->ends.speculation);
        if (error == CL_SUCCESS)
            error = cx_merge_begin(launch, split->plan.judged, whole, split->plan.member, split->nparts,
                                   &split->ends.merge);
        if (error == CL_SUCCESS && launch->decision.remote_access &&
            (!cx_remote_access_begin(launch) || !(split->ends.remote = cx_remote_access_job(launch))))
            error = CL_OUT_OF_HOST_MEMORY;
        if (error != CL_SUCCESS) {
            free(whole);
            run_whole(launch, split, CX_WHY_NO_COPIES);
            return;
        }
    }
    if (error == CL_SUCCESS) {
        cx_write_back_begin(split, whole);
        hold(launch, whole, shadows || split->ends.speculation);
        error = plan_jobs(split, whole);
        if (error != CL_SUCCESS)
            cx_launch_release(launch);
    }
    free(whole);
    if (error != CL_SUCCESS) {
        if (split)
            split_free(split);
        cx_command_fail(&launch->base, error);
    }
}

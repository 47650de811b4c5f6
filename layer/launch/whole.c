/* SPDX-License-Identifier: MIT */
/*
 * A launch on one member: the program's own kernel, range and local size.
 */
#include "layer/plan/deferral.h"
#include "layer/launch/replay.h"
#include "layer/launch/failover.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan.h"
#include "layer/plan/migration_credit.h"
#include "layer/memory/svm.h"
#include "layer/plan/plan_place.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/plan/scattered_data.h"
#include "layer/report/live.h"
#include "layer/report/trace.h"
#include "layer/plan/launch_prepare.h"
#include "layer/launch/launch.h"
#include "layer/plan/svm_rules.h"
#include "layer/plan/judge.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/launch_learn.h"
#include "layer/knowledge/cut_search.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/planner.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

cl_int cx_whole_enqueue(struct cx_kernel *kernel, struct cx_args *args,
                        const struct cx_access_geometry *geometry, bool local_given, struct cx_job *job,
                        struct cx_worker *worker)
{
    struct cx_subrange_launch range = {.dims = geometry->work_dim};
    cl_kernel real;
    cx_live_runs(kernel->function->live);
    cl_int error = cx_kernel_bind(kernel, worker->index, CX_VARIANT_PLAIN, args, &real);
    for (unsigned d = 0; d < 3; d++) {
        range.offset[d] = geometry->offset[d];
        range.global[d] = geometry->global[d];
        range.local[d] = geometry->local[d];
    }
    if (error == CL_SUCCESS) {
        const size_t *size = local_given ? range.local : NULL;
        bool counts = false;
        if (cx_worker_compiles(worker) && cx_kernel_is_new(kernel, worker->index, CX_VARIANT_PLAIN,
                                                           range.dims, range.offset, range.global, size))
            error = cx_launch_compile_begin(kernel, worker,
                                            &(struct cx_launch_kind){.geometry = geometry,
                                                                     .local_given = local_given,
                                                                     .variant = CX_VARIANT_PLAIN,
                                                                     .at_start = true},
                                            &range, size, &counts);
        job->track |= counts;
        if (error == CL_SUCCESS)
            error =
                worker->device->cl->clEnqueueNDRangeKernel(worker->queue, real, range.dims, range.offset,
                                                           range.global, size, 0, NULL, cx_job_event(job));
        cx_worker_compile_end(worker, counts, error == CL_SUCCESS ? job->event : NULL);
    }
    return error;
}

void cx_whole_refused(struct cx_kernel *kernel, struct cx_worker *worker, cl_int error)
{
    cx_warn(CX_TOPIC_WORKER, "%s fails to run %s: %s", worker->device->name, kernel->function->name,
            cx_cl_name(error));
    if (error == CL_INVALID_PROGRAM_EXECUTABLE || error == CL_BUILD_PROGRAM_FAILURE)
        cx_kernel_leave_out(kernel, worker->index, cx_cl_name(error));
}

static cl_int run_whole(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    const cl_int error =
        cx_whole_enqueue(launch->request.kernel, launch->request.args, &launch->request.geometry,
                         launch->request.local_given, job, worker);
    if (launch->run.new_form)
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_NONE);
    if (error == CL_SUCCESS && launch->acceptance.unproven) {
        cx_context_lock(worker->context);
        cx_take_note(launch, worker->index);
        cx_context_unlock(worker->context);
    }
    if (error == CL_SUCCESS)
        return error;
    if (cx_take_refuse(launch, worker->index, error)) {
        cx_info(CX_TOPIC_WORKER, "%s refuses %s: %s", worker->device->name,
                launch->request.kernel->function->name, cx_cl_name(error));
        return error;
    }
    if (cx_failover_whole(launch, worker, error) == CL_SUCCESS)
        return CL_SUCCESS;
    cx_whole_refused(launch->request.kernel, worker, error);
    return error;
}

void cx_whole_failed(struct cx_kernel *kernel, const struct cx_job *job, struct cx_worker *worker)
{
    if (job->stale || !job->event) /* it did not fail, or the driver did not take it */
        return;
    cx_kernel_leave_out(kernel, worker->index, cx_cl_name(job->status));
    cx_worker_failed(worker, job->status);
}

/* Somebody was waiting for a job of the worker when it ended, for so long that it did not end before. */
#define WAITED_NS 1000000

/* Its device's times are not taken, but somebody waits for its end, and not for that of others: how long it
 * took by the host's clock, since it was planned or what was before it ended. */
static void tell_by_host(struct cx_launch *launch, const struct cx_worker *worker)
{
    struct cx_context *context = launch->base.context;
    const uint64_t since = launch->run.placed_ns > cx_timeline_last_end(&worker->timeline)
                               ? launch->run.placed_ns
                               : cx_timeline_last_end(&worker->timeline);
    const uint64_t now = cx_clock_ns(), awaited = atomic_load(&worker->timeline.awaited_ns);
    cx_context_lock(context);
    const double seconds = (double)(now - since) * 1e-9;
    const bool known =
        now > since && ((awaited && now > awaited + WAITED_NS) || cx_deferral_waits_for(launch));
    if (known && launch->run.tells_moves)
        cx_plan_length_at_most(launch, worker->index, seconds);
    else if (known)
        cx_plan_length_tell(launch, worker->index, seconds, false);
    cx_context_unlock(context);
}

static void finish_whole(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    uint64_t ns = job->times.end_ns > job->times.start_ns ? job->times.end_ns - job->times.start_ns : 0;
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (launch->run.times_counted)
        atomic_fetch_sub(&history->lengths.timing, 1);
    if (launch->run.tells)
        atomic_fetch_sub(&history->lengths.telling, 1);
    if (job->status != CL_SUCCESS) {
        cx_whole_failed(launch->request.kernel, job, worker);
        return;
    }
    launch->run.busy_ns = ns ? ns : launch->run.busy_ns;
    const bool counts = launch->outcome.parts || (job->times.wanted && ns);
    const uint64_t groups = counts && launch->request.geometry.local[0] ? cx_launch_groups(launch) : 0;
    if (launch->outcome.parts)
        cx_launch_part_add(launch, launch->outcome.parts, groups, job->times.start_ns, job->times.end_ns,
                           launch->run.busy_ns);
    else
        cx_live_worked(worker->device->index, cx_launch_items(&launch->request.geometry),
                       launch->run.busy_ns);
    if (job->times.wanted && ns && launch->base.context->nmembers > 1)
        cx_live_measured(launch->request.kernel->function->live, worker->device->index,
                         cx_launch_cpu_units(launch, worker->index), groups, ns, false);
    if (job->times.wanted && ns)
        cx_launch_took(launch, ns);
    if (job->times.wanted && ns)
        cx_launch_learn_whole(launch, worker->index, groups, (double)ns * 1e-9);
    else if (launch->run.tells && job->alone)
        tell_by_host(launch, worker);
    if (launch->run.new_form) {
        cx_context_lock(launch->base.context);
        cx_launch_first(launch, worker->index, CX_VARIANT_PLAIN, true);
        cx_context_unlock(launch->base.context);
    }
    if (launch->deferral.lacks_builds && !launch->deferral.counted) {
        cx_context_lock(launch->base.context);
        cx_plan_without(launch);
        cx_context_unlock(launch->base.context);
    }
}

/* What an argument touches where no summary tells: all of it, read and written. CL_MEM_READ_ONLY proves
 * nothing of a buffer: hashcat has a kernel fill one, which works on every driver. For images the drivers see
 * to it. The region was zeroed. */
static void opaque_region(const struct cx_launch *launch, unsigned i, const struct cx_summary_kernel *summary,
                          struct cx_access_region *region)
{
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    region->read.hi = summary && i < summary->narg && !summary->arg[i].touch ? 0 : mem->size;
    region->write.hi = cx_launch_args_may_write(launch->request.args, summary, i) ? mem->size : 0;
}

/* Where launches follow each other on one device they are all such. */
bool cx_whole_settled(const struct cx_args *args, const struct cx_summary_kernel *summary,
                      const struct cx_worker *worker)
{
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if (!mem)
            continue;
        const unsigned place = cx_mem_place(mem->root, worker);
        const uint64_t end = mem->origin + mem->size;
        if (place == CX_PLACE_HOST || mem->image ||
            !(cx_launch_args_may_write(args, summary, i)
                  ? cx_coherence_owned(mem->storage->coherence, mem->origin, end, place)
                  : cx_coherence_valid(mem->storage->coherence, mem->origin, end, place)))
            return false;
    }
    return true;
}

/* Nothing is to be brought there or noted, whatever the launch touches. Without a local size it is judged all
 * the same where there are several members, which gives it one. */
static bool is_settled(const struct cx_launch *launch, const struct cx_summary_kernel *summary,
                       const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const bool sized =
        launch->request.local_given || launch->request.geometry.local[0] || worker->context->nmembers == 1;
    return !launch->decision.on_svm_owner && sized && !cx_migration_credit_counts(launch) &&
           cx_whole_settled(launch->request.args, summary, worker);
}

/* Whether some member works on memory of its own, so that moving less than everything pays. */
static bool has_shadows(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    for (unsigned m = 0; m < context->nmembers && context->nmembers > 1; m++)
        if (cx_launch_moves(launch, &context->workers[m]))
            return true;
    return false;
}

/* Whether all that the launch touches lies with the worker or on the host: then nothing that others hold is
 * saved by knowing regions, and many small ones, as a diagonal's, cost more than whole buffers. */
static bool is_alone(const struct cx_launch *launch, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked)
{
    bool alone = true;
    for (unsigned i = 0; i < launch->request.args->count && alone; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        alone = !mem || cx_coherence_alone(mem->storage->coherence, cx_mem_place(mem->root, worker));
    }
    return alone;
}

/* A launch that is refused leaves what it would have written as it was: that has to be there. */
static void keep_written(const struct cx_launch *launch, struct cx_access_region *regions)
{
    for (unsigned i = 0; i < launch->request.args->count && launch->acceptance.unproven; i++) {
        struct cx_access_region *region = &regions[i];
        region->write.exact = false;
        for (unsigned b = 0; b < region->nwrite; b++)
            region->write_box[b].exact = false;
    }
}

/* The regions were zeroed. known: they are to be told apart, else they are whole buffers. */
static void fill_regions(struct cx_launch *launch, const struct cx_summary_kernel *summary, bool known,
                         struct cx_access_region *regions) CX_HOLDS(cx_context_locked)
{
    struct cx_cached_verdict *judged = known ? cx_judge_launch(launch) : NULL;
    if (judged && judged->access) {
        cx_access_whole(judged->access, regions);
        keep_written(launch, regions);
        return;
    }
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i))
            opaque_region(launch, i, summary, &regions[i]);
}

/* Of few arguments: the context's own room, which is too large for the stacks of small threads. context->lock
 * held. */
static struct cx_access_region *whole_regions(struct cx_launch *launch,
                                              const struct cx_summary_kernel *summary, bool known)
    CX_HOLDS(cx_context_locked)
{
    const unsigned nargs = launch->request.args->count;
    struct cx_context *context = launch->base.context;
    struct cx_access_region *few = context->planner->few_regions, *regions = few;
    if (!few || nargs > CX_FEW_REGIONS)
        regions = cx_access_regions_make(nargs);
    if (few && regions == few)
        cx_access_regions_clear(regions, nargs);
    if (regions)
        fill_regions(launch, summary, known, regions);
    return regions;
}

struct cx_access_region *cx_whole_regions(struct cx_launch *launch)
{
    const struct cx_summary_kernel *summary = cx_launch_accesses(launch->request.kernel);
    struct cx_access_region *regions = cx_access_regions_make(launch->request.args->count);
    if (regions)
        fill_regions(launch, summary, summary && has_shadows(launch), regions);
    return regions;
}

/* Plans what has to come to the member first, what the job waits for, and notes what it writes. *settled:
 * nothing of that was to be done. */
static cl_int plan_data(struct cx_launch *launch, const struct cx_summary_kernel *summary,
                        struct cx_worker *worker, struct cx_job *job, bool *settled)
    CX_HOLDS(cx_context_locked)
{
    if (launch->decision
            .on_svm_owner) /* its memory is the program's, which commands on the host use unannounced */
        cx_command_after_frontier(&launch->base, job);
    *settled = is_settled(launch, summary, worker);
    if (*settled)
        return CL_SUCCESS;
    const bool scattered = summary && has_shadows(launch) && !is_alone(launch, worker);
    const uint64_t since = scattered ? cx_clock_ns() : 0;
    struct cx_access_region *regions =
        whole_regions(launch, summary, scattered && !cx_scattered_gathers(launch, worker));
    if (regions && !(launch->move.whole > 0)) /* else the move's stake holds that */
        cx_plan_returns(launch, regions, worker);
    cl_int error = regions ? cx_launch_gather(launch, regions, worker) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && launch->decision.on_svm_owner)
        error = cx_svm_gather(launch);
    if (error == CL_SUCCESS) {
        cx_launch_deps(launch, regions, worker, false, job->deps);
        if (!cx_launch_note(launch, regions, worker, worker->timeline.planned + 1))
            error = CL_OUT_OF_HOST_MEMORY;
        else if (launch->decision.on_svm_owner)
            error = cx_svm_note(launch, job);
    }
    if (error == CL_SUCCESS)
        cx_migration_credit_whole(launch, regions);
    if (scattered)
        cx_scattered_took(launch, (double)(cx_clock_ns() - since) * 1e-9);
    if (regions != launch->base.context->planner->few_regions)
        free(regions);
    return error;
}

/* Launches from whose times a kernel's speed is learned at first. */
enum { LEARNED_FROM = 8 };

/* Times cost two queries: they are taken where somebody asks, and now and then to learn. A program that
 * enqueues all its launches at once must not pay for each. */
enum { SAMPLED = 64 }; /* one launch of so many */

/* Whether the first launches of a function are still to be timed: to learn how fast the member is, or, for
 * nothing but a summary, some of them. */
static bool is_first(const struct cx_worker *worker, const struct cx_kernel_history *history, bool learns)
    CX_HOLDS(cx_context_locked)
{
    if (!learns)
        return history->lengths.measured < LEARNED_FROM;
    return history->records[worker->index].samples < LEARNED_FROM &&
           atomic_load(&history->lengths.timing) < LEARNED_FROM;
}

bool cx_whole_wants_times(struct cx_worker *worker, const struct cx_kernel_history *history, bool *samples)
{
    const bool learns =
        (worker->context->nmembers > 1 && cx_worker_measures(worker)) || worker->device->probe.synchronous;
    if (!learns && !cx_options_get()->summary)
        return false;
    if (!history || is_first(worker, history, learns))
        return true;
    const bool now = history->lengths.unmeasured + 1 >= SAMPLED;
    if (samples)
        *samples = now;
    return now;
}

static void choose_times(const struct cx_launch *launch, struct cx_kernel_history *history,
                         struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    if (cx_command_is_timed(&launch->base) || cx_launch_times_all() || cx_cut_search_measures() ||
        launch->move.timed)
        job->times.wanted = true;
    else if (!job->times.wanted)
        job->times.wanted = cx_whole_wants_times(worker, history, &job->times.sampled);
    if (!history)
        return;
    history->lengths.unmeasured = job->times.wanted ? 0 : history->lengths.unmeasured + 1;
    history->lengths.measured += job->times.wanted;
}

/* Handing a job to another thread, and waiting for it there, costs more than this: two wake-ups. */
static const double brief_seconds = 20e-6;

/* Seconds that the launch takes at that speed, groups a second, as far as it fills the member. */
static double seconds_at(const struct cx_launch *launch, unsigned member, double speed)
{
    const uint64_t groups = cx_launch_groups(launch);
    const uint64_t fill =
        cx_plan_fill(launch->base.context->workers[member].device, &launch->request.geometry);
    return (double)(groups > fill ? groups : fill) / speed;
}

/* Whether the member, by the slowest launches of this function of late or else by its text, is done with it
 * at once. Where one launch alone was slow, perhaps since its thread lost the core, *doubted: times are taken
 * until that is forgotten. */
static bool is_brief(const struct cx_launch *launch, const struct cx_kernel_history *history, unsigned member,
                     bool *doubted) CX_HOLDS(cx_context_locked)
{
    const struct cx_speed_record *record = history ? &history->records[member] : NULL;
    if (!record || record->samples < 4 || !launch->request.local_given)
        return launch->decision.longest >= 0 && launch->decision.longest < brief_seconds;
    const bool brief = seconds_at(launch, member, record->slowest) < brief_seconds;
    *doubted = !brief && seconds_at(launch, member, cx_speed_record_speed(record)) < brief_seconds;
    return brief;
}

void cx_whole_launch(struct cx_launch *launch, unsigned member)
{
    struct cx_command *command = &launch->base;
    struct cx_worker *worker = &command->context->workers[member];
    struct cx_job *job = cx_command_job(command);
    const struct cx_summary_kernel *summary = cx_launch_accesses(launch->request.kernel);
    bool settled = false;
    cl_int error = job ? plan_data(launch, summary, worker, job, &settled) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        cx_job_free(job);
        cx_command_fail(command, error);
        return;
    }
    if (cx_options_get()->summary || cx_trace_on() || launch->run.undone) {
        launch->outcome.parts = calloc(1, sizeof(*launch->outcome.parts));
        launch->outcome.nparts = launch->outcome.parts ? 1 : 0;
        if (launch->outcome.parts)
            launch->outcome.parts->member = member;
    }
    job->run = run_whole;
    job->finish = finish_whole;
    job->kind.computes = true;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, command->context->nmembers);
    bool doubted = false;
    job->kind.brief = worker->device->probe.synchronous && is_brief(launch, history, member, &doubted);
    job->times.wanted = doubted || launch->run.undone;
    choose_times(launch, history, worker, job);
    launch->run.times_counted = job->times.wanted && history;
    if (launch->run.times_counted)
        atomic_fetch_add(&history->lengths.timing, 1);
    const double length = cx_plan_length(launch);
    cx_plan_ran(command->context, history, member, length);
    launch->run.busy_ns = cx_clock_length(length);
    launch->run.tells = history && !(length > 0) && command->context->account;
    if (launch->run.tells) {
        atomic_fetch_add(&history->lengths.telling, 1);
        launch->run.placed_ns = cx_clock_ns();
        launch->run.tells_moves = !settled;
        /* the first of many that a program enqueues at once tells alone, as others may be held for it */
        job->tells = history->lengths.unknown == 1 && !cx_plan_is_alone(launch);
    }
    if (settled && !job->times.wanted && !launch->acceptance.unproven)
        cx_replay_note(launch, member, summary, length);
    launch->run.new_form = cx_launch_may_compile_on(launch, member, CX_VARIANT_PLAIN, true);
    if (launch->run.new_form) /* a process that ends waits for its begin: nobody need flush first */
        job->kind.urgent = cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_PLANNED);
    else if (launch->run.uncompiled)
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_NONE);
    launch->acceptance.placed = member + 1;
    launch->acceptance.placed_seq = cx_command_add_job(command, worker, job);
    cx_command_settle(command);
}

/* SPDX-License-Identifier: MIT */
/*
 * What one member's worker does of a dynamic split: asks the balancer for the next package, starts it, and
 * keeps two in flight so that the device does not idle between them.
 *
 * A member whose driver refuses a package is left out, and its groups go back to the pool; the others take
 * them, or a new job is planned for one of them. Previous stage: split.c. Next: split_package.c.
 */
#include "layer/launch/split_inside.h"
#include "layer/plan/device_load.h"
#include "layer/base/exit_guard.h"
#include "layer/launch/write_back.h"
#include "layer/launch/split_inputs.h"
#include "layer/launch/reexecute.h"
#include "layer/base/log.h"
#include "layer/launch/remote_access.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/launch_learn.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

/* The driver refused a package. Of a launch beyond what drivers report that tells of such packages alone. */
static void note_refusal(const struct lane *lane, cl_int error) CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = lane->split->launch;
    const struct cx_part *part = &launch->outcome.parts[lane->part];
    const unsigned member = part->member;
    if (cx_remote_access_suspect(launch, member) || cx_exit_guard_ending()) /* no driver refused it */
        return;
    if (launch->acceptance.beyond)
        cx_take_note_package(launch, member, part->variant, false);
    else
        cx_kernel_leave_out(launch->request.kernel, member, cx_cl_name(error));
}

/* The last part's driver refused a package: where none was accepted the launch is going to run whole. */
static void end_refused(struct split *split, cl_int error) CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = split->launch;
    const bool ending = !launch->acceptance.beyond && cx_exit_guard_ending();
    if (ending || split->jobs.accepted || split->plan.done || split->plan.probes || cx_split_over(split)) {
        cx_split_fail(split, error);
        return;
    }
    split->state = SPLIT_REFUSED;
    for (unsigned p = 0; p < split->plan.n; p++) /* it settles when the last job ends */
        cx_worker_watch(&launch->base.context->workers[split->plan.member[p]], split->participant[p].seq);
}

/* The driver refused a package: its groups go back, and somebody else must take them. */
static void give_up(struct lane *lane, unsigned index, cl_int error)
{
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;

    cx_context_lock(context);
    note_refusal(lane, error);
    if (split->ends.speculation)
        cx_speculation_lose(split->ends.speculation);
    struct package *package = &split->packages.list[index];
    const bool mine = !package->copy && !package->dropped;
    package->dropped = package->over = true;
    split->jobs.accepted |= lane->flight[lane->nflight].begun;
    cx_split_part_failed(split, lane->part);
    if (mine)
        (void)cx_ranges_return(&split->ranges, package->range); /* there is room */
    cx_balancer_fail(split->plan.balancer, lane->part,
                     mine ? (package->range.end - package->range.first) * split->plan.slice : 0);
    split->jobs.issuing--;
    if (mine)
        cx_launch_decided(launch, split->plan.member[lane->part], CX_PART_REFUSED);
    bool any = false;
    for (unsigned p = 0; p < split->plan.n; p++) {
        any |= cx_split_alive(split, p);
        if (mine && split->participant[p].state == SPLIT_PARTICIPANT_DONE) /* the balancer may count on it */
            cx_split_member_plan(split, p);
    }
    if (!any && mine)
        end_refused(split, error);
    cx_split_settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_plan_and_unlock(context);
}

/* The launch failed before the package was started, perhaps for what the package lacks, or others did it
 * meanwhile: it never is. */
static void abandon(struct lane *lane, struct cx_worker *worker, unsigned index,
                    struct cx_transfer_list *transfers)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    cx_split_inputs_abandon(lane, worker, transfers);
    cx_context_lock(context);
    split->packages.list[index].dropped = split->packages.list[index].over = true;
    split->participant[lane->part].uploading = false;
    split->jobs.issuing--;
    cx_split_settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_plan_and_unlock(context);
}

/* LOOK: again. */
enum step { STEP_LOOK, STEP_PACKAGE, STEP_ABANDON, STEP_WAIT_FLIGHT, STEP_SEND, STEP_OVER };

/* A package for the lane. */
struct assigned {
    unsigned index;
    struct cx_range range;
    struct cx_transfer_list transfers;
};

/* An idle part looks again after that at the latest: its device may be wanted by others meanwhile; or, where
 * nothing but transfers are awaited, after this. */
static const double longest_look = 5e-3, upload_look = 2e-4;
/* One that holds a package asks for the next one after that at the latest. */
static const double longest_nap = 60;

/* Waits for something to happen, until `again` (seconds since the launch began) at most; 0: not known when.
 */
static void wait_idle(struct split *split, double ask_next) CX_UNCHECKED
{
    double seconds = ask_next > 0 ? ask_next - cx_split_seconds(split) : longest_look;
    seconds = seconds < 1e-6 ? 1e-6 : seconds > longest_look ? longest_look : seconds;
    uint64_t until = cx_clock_ns() + (uint64_t)(seconds * 1e9);
    struct timespec at = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    cx_context_wait_until(split->launch->base.context, &split->changed, &at);
}

/* Whether jobs wait behind the one that runs. */
static bool is_wanted(struct cx_worker *worker)
{
    cx_timeline_lock(&worker->timeline);
    bool wanted = worker->timeline.head != NULL;
    cx_timeline_unlock(&worker->timeline);
    return wanted;
}

/* Whether nothing is left for the part but perhaps, while others are not done and nobody else wants its
 * device, to do again what they hold. */
static bool nothing_left(const struct lane *lane, struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const struct split *split = lane->split;
    if (cx_split_over(split) || !cx_split_alive(split, lane->part))
        return true;
    if (!cx_split_all_assigned(split))
        return false;
    if (split->rules.reexecutes && cx_balancer_finished(split->plan.balancer) && cx_reexecute_awaits(split))
        return lane->nflight;
    return lane->nflight || !split->participant[lane->part].reexecutes || is_wanted(worker);
}

/* Whether a part has yet to begin with a job planned after this one. What that waits for, or what comes
 * before it on its timeline, may wait for this one to end, so this one must not wait for it. */
static bool awaits_newer(const struct lane *lane) CX_HOLDS(cx_context_locked)
{
    const struct split *split = lane->split;
    for (unsigned p = 0; p < split->plan.n; p++)
        if (split->participant[p].state == SPLIT_PARTICIPANT_WAITING &&
            split->participant[p].round > lane->round)
            return true;
    return false;
}

/* Its job begins. */
static void begin_part(struct lane *lane) CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    enum split_participant_state *state = &split->participant[lane->part].state;
    if (*state != SPLIT_PARTICIPANT_WAITING) /* else it was left */
        return;
    *state = SPLIT_PARTICIPANT_WORKING;
    cx_ranges_open(&split->ranges, lane->part);
    cx_split_open(split);
    pthread_cond_broadcast(&split->changed);
}

/* Nothing is left for the part but what it has in flight. */
static enum step end_part(struct lane *lane) CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    enum split_participant_state *state = &split->participant[lane->part].state;
    if (lane->nflight)
        return STEP_WAIT_FLIGHT;
    if (*state == SPLIT_PARTICIPANT_WORKING)
        *state = SPLIT_PARTICIPANT_DONE;
    cx_reexecute_over(split, lane->part); /* its job may be reaped much later */
    return STEP_OVER;
}

/* All is assigned: does something again that another part holds, or waits until it may. */
static enum step look_for_held(struct lane *lane, unsigned *index) CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    double ask_next;
    if (cx_reexecute_take(split, lane->part, cx_split_seconds(split), index, &ask_next))
        return STEP_PACKAGE;
    if (split->rules.reexecutes && cx_balancer_finished(split->plan.balancer)) {
        cx_split_settle_if_due(split);
        ask_next = cx_split_seconds(split) + upload_look;
    }
    if (lane->nwrite_backs)
        return STEP_SEND;
    if (!cx_split_over(split))
        wait_idle(split, ask_next);
    return STEP_LOOK;
}

/* Takes what the balancer gives. */
static bool take_next(const struct lane *lane, unsigned *index) CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    uint64_t got = 0;
    if (cx_ranges_any(&split->ranges, lane->part))
        got = cx_balancer_next(split->plan.balancer, lane->part, cx_split_seconds(split));
    if (got)
        *index = cx_split_package_note(split, lane->part, cx_split_package_cut(split, lane->part, got));
    return got;
}

/* The balancer gives nothing yet, and the part has nothing to do: waits, once for a moment, as most others
 * begin soon, and then only for those that do not wait for this job. */
static enum step wait_for_others(struct lane *lane, bool *waited) CX_UNCHECKED
{
    struct split *split = lane->split;
    if (*waited && awaits_newer(lane)) { /* one behind that goes on */
        cx_split_member_plan(split, lane->part);
        return STEP_OVER;
    }
    *waited = true;
    const double ask_next = cx_balancer_ask_next(split->plan.balancer, lane->part, cx_split_seconds(split));
    if (split->jobs.rounds || ask_next > 0)
        wait_idle(split, ask_next);
    else
        cx_context_wait(split->launch->base.context, &split->changed);
    return STEP_LOOK;
}

static enum step look(struct lane *lane, struct cx_worker *worker, bool *waited, unsigned *index)
    CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    if (nothing_left(lane, worker))
        return end_part(lane);
    if (cx_split_all_assigned(split))
        return look_for_held(lane, index);
    if (!cx_split_package_room(split)) /* the split has failed */
        return STEP_LOOK;
    if (split->opening.entire)
        return cx_split_package_all(lane, worker, index) ? STEP_PACKAGE : STEP_LOOK;
    if (take_next(lane, index))
        return STEP_PACKAGE;
    if (lane->nflight) {
        lane->ask_next = cx_balancer_ask_next(split->plan.balancer, lane->part, cx_split_seconds(split));
        return STEP_WAIT_FLIGHT;
    }
    return lane->nwrite_backs ? STEP_SEND : wait_for_others(lane, waited);
}

/* Gets the next package, or says what to do instead. Holds the lock while it looks and while it waits for
 * others. */
static enum step next_package(struct lane *lane, struct cx_worker *worker, struct assigned *next)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    enum step step = STEP_LOOK;
    bool waited = false;

    lane->ask_next = 0;
    cx_worker_park(worker);
    cx_context_lock(context);
    begin_part(lane);
    while (step == STEP_LOOK)
        step = look(lane, worker, &waited, &next->index);
    if (step == STEP_PACKAGE) {
        cx_split_package_take(lane, worker, next->index, &next->transfers);
        next->range = split->packages.list[next->index].range;
        if (cx_split_over(split))
            step = STEP_ABANDON;
    }
    cx_split_settle_if_due(split);
    cx_context_plan_and_unlock(context);
    return step;
}

/* Waits for the package in flight, or its next slice, until the balancer wants to be asked for the next one.
 * Whether that is now: it may be over before. */
static bool wait_until_due(struct lane *lane, struct cx_worker *worker)
{
    const double now = cx_split_seconds(lane->split);
    const cl_event end = cx_split_package_next_end(lane);
    if (!(lane->ask_next > 0))
        return false;
    if (lane->ask_next <= now) /* passed meanwhile */
        return !cx_worker_await_until(worker, end, 0);
    const double seconds = lane->ask_next - now < longest_nap ? lane->ask_next - now : longest_nap;
    const uint64_t until = cx_clock_ns() + (uint64_t)(seconds * 1e9);
    return !cx_worker_await_until(worker, end, until);
}

static void package_started(struct lane *lane, struct cx_range range)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    struct flight *flight = &lane->flight[lane->nflight++];
    flight->groups = (range.end - range.first) * split->plan.slice;
    cx_context_lock(context);
    const struct cx_part *part = &split->launch->outcome.parts[lane->part];
    cx_take_note_package(split->launch, part->member, part->variant, true);
    split->jobs.accepted = true;
    split->jobs.issuing--;
    cx_split_settle_if_due(split);
    if (cx_split_settled(split))
        pthread_cond_broadcast(&split->changed);
    cx_context_plan_and_unlock(context);
}

/* The probed member's job: its one package, assigned from the start. */
static cl_int run_probe(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    struct cx_range range = {split->plan.probe_first, split->plan.probe_end};
    struct cx_transfer_list transfers = {0};
    unsigned index = 0;

    cx_context_lock(context);
    cx_split_open(split);
    if (!cx_split_alive(split, lane->part)) { /* another part does it */
        cx_split_settle_if_due(split);
        cx_context_plan_and_unlock(context);
        return CL_SUCCESS;
    }
    split->participant[lane->part].state = SPLIT_PARTICIPANT_WORKING;
    bool listed = cx_split_package_room(split);
    if (listed) {
        index = cx_split_package_note(split, lane->part, range);
        split->jobs.issuing--; /* it was counted when it was planned */
        cx_split_package_take(lane, worker, index, &transfers);
    } else {
        cx_split_part_failed(split, lane->part);
        split->jobs.issuing--;
        cx_split_settle_if_due(split);
    }
    const bool failed = cx_split_failed(split);
    cx_context_plan_and_unlock(context);
    if (!listed)
        return CL_SUCCESS; /* the command has failed */
    if (failed) {
        abandon(lane, worker, index, &transfers);
        return CL_SUCCESS;
    }
    cl_int error = cx_split_package_start(lane, worker, index, range, &transfers);
    if (error != CL_SUCCESS) {
        give_up(lane, index, error);
        return CL_SUCCESS;
    }
    package_started(lane, range);
    return cx_split_package_end(lane, worker);
}

static cl_int run_lane(struct cx_job *job, struct cx_worker *worker)
{
    struct lane *lane = job->data;
    cl_int failed = CL_SUCCESS;
    if (lane->part >= lane->split->plan.n)
        return run_probe(lane, worker);
    for (;;) {
        struct assigned next = {0};
        enum step step = next_package(lane, worker, &next);
        if (step == STEP_OVER)
            break;
        if (step == STEP_ABANDON) {
            abandon(lane, worker, next.index, &next.transfers);
            continue;
        }
        if (step == STEP_PACKAGE) {
            cl_int error = cx_split_package_start(lane, worker, next.index, next.range, &next.transfers);
            if (error != CL_SUCCESS) {
                give_up(lane, next.index, error);
                while (lane->nflight)
                    if ((error = cx_split_package_end(lane, worker)) != CL_SUCCESS)
                        failed = error;
                break;
            }
            package_started(lane, next.range);
            if (lane->nflight < CX_IN_FLIGHT && !worker->device->probe.synchronous)
                continue;
        }
        if (step == STEP_SEND) {
            cx_write_back_start(lane, worker, NULL);
            continue;
        }
        cx_write_back_start(lane, worker, cx_split_package_next_end(lane));
        if (wait_until_due(lane, worker))
            continue;
        if (lane->ask_next > 0 && lane->flight[0].nslices && cx_split_package_end_slice(lane, worker))
            continue;
        cl_int error = cx_split_package_end(lane, worker);
        if (error != CL_SUCCESS)
            failed = error;
    }
    cx_write_back_end(lane, worker);
    return failed;
}

/* The lane may not run any more: what it would read may be wrong. */
static void skip_lane(struct cx_job *job, struct cx_worker *worker)
{
    const struct lane *lane = job->data;
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool probes = lane->part >= split->plan.n;
    cx_context_lock(context);
    split->jobs.issuing -= probes && cx_split_alive(split, lane->part);
    cx_split_part_failed(split, lane->part);
    if (!cx_split_settled(split)) /* else the launch is over without this part */
        cx_split_fail(split, CL_OUT_OF_RESOURCES);
    cx_split_settle_if_due(split);
    cx_context_plan_and_unlock(context);
}

void cx_split_member_free(struct lane *lane)
{
    if (lane) {
        free(lane->regions);
        free(lane->copies);
    }
    free(lane);
}

/* Whether the launch goes by something that the part did. */
static bool counts(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < split->packages.n; i++) {
        const struct package *package = &split->packages.list[i];
        if (package->part == part && package->over && !package->dropped && !package->copy)
            return true;
    }
    return false;
}

/* Whether the part worked on since it was learned of, as it straggled, and turned out slower than that. */
static bool is_slower(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = split->launch->request.kernel->function->history;
    uint64_t groups;
    double seconds;
    if (part >= split->plan.n || !history)
        return false;
    cx_balancer_measured(split->plan.balancer, part, &groups, &seconds);
    const double known = cx_speed_record_speed(&history->records[split->plan.member[part]]);
    return groups > 0 && seconds > split->participant[part].learned_seconds &&
           (double)groups < 0.8 * known * seconds;
}

static void finish_lane(struct cx_job *job, struct cx_worker *worker)
{
    struct lane *lane = job->data;
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    uint64_t groups = 0;
    double seconds = 0;
    bool first = lane->first;

    cx_context_lock(context);
    if (lane->part < split->plan.n) {
        cx_balancer_measured(split->plan.balancer, lane->part, &groups, &seconds);
        first = cx_balancer_doubtful(split->plan.balancer, lane->part);
    } else {
        groups = launch->outcome.parts[lane->part].groups;
        seconds = (double)launch->outcome.parts[lane->part].busy_ns * 1e-9;
        if (first) /* a probe's groups are few: the rest its driver needs once */
            cx_device_load_probed(worker, seconds);
    }
    struct split_participant *participant = &split->participant[lane->part];
    const bool teaches = cx_split_alive(split, lane->part) &&
                         (!(participant->learned_seconds > 0) || is_slower(split, lane->part));
    if (teaches)
        participant->learned_seconds = seconds;
    job->unused = cx_split_left(split, lane->part);
    if (job->unused && job->stale && counts(split, lane->part) && launch->base.ops->lost)
        launch->base.ops->lost(&launch->base); /* its failure is nobody's, what it did before is */
    cx_reexecute_over(split, lane->part);
    job->times.start_ns = launch->outcome.parts[lane->part].first_ns;
    job->times.end_ns = launch->outcome.parts[lane->part].last_ns;
    const bool refused = split->jobs.left == 1 && split->state == SPLIT_REFUSED;
    if (split->jobs.left == 1 && !refused && !cx_split_failed(split) &&
        launch->request.kernel->function->history) {
        ((struct cx_kernel_history *)launch->request.kernel->function->history)->proven = true;
        cx_split_learn(split);
    }
    if (refused) {
        cx_split_undo(split, CX_WHY_REFUSED);
        cx_context_plan_and_unlock(context);
    } else {
        cx_split_unref(split);
        cx_context_unlock(context);
    }
    if (teaches)
        cx_launch_learn(launch, worker->index, groups, seconds, first);
    if (lane->first_upload)
        worker->device->cl->clReleaseEvent(lane->first_upload);
    cx_split_upload_last(lane, worker, NULL);
    cx_split_member_free(lane);
}

struct cx_job *cx_split_member_job(struct split *split, unsigned part)
{
    struct cx_launch *launch = split->launch;
    struct cx_job *job = cx_job_new(launch->base.context);
    struct lane *lane = calloc(1, sizeof(*lane));
    if (lane)
        lane->regions = cx_access_regions_make(launch->request.args->count);
    if (!job || !lane || !lane->regions) {
        cx_split_member_free(lane);
        free(job);
        return NULL;
    }
    lane->split = split;
    lane->part = part;
    job->data = lane;
    job->run = run_lane;
    job->kind.computes = true;
    job->skip = skip_lane;
    job->finish = finish_lane;
    job->kind.waits = job->times.parts = true;
    return job;
}

/* context->lock held: queues the part's job. */
void cx_split_member_plan(struct split *split, unsigned part)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    struct cx_job *job = cx_split_member_job(split, part);
    if (!job) {
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    split->jobs.left++;
    split->participant[part].state = SPLIT_PARTICIPANT_WAITING;
    split->participant[part].round = ((struct lane *)job->data)->round = ++split->jobs.rounds;
    split->participant[part].before = split->launch->base.order.frontier[worker->index];
    cx_split_inputs_order(split, worker, job);
    split->participant[part].seq = cx_command_add_job(&split->launch->base, worker, job);
    cx_split_inputs_planned(split, worker, split->participant[part].seq);
}

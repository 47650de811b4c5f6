/* SPDX-License-Identifier: MIT */
/*
 * What one member's worker does of a dynamic split: asks the balancer for the next package, brings in what it
 * reads, starts it, and keeps two in flight so that the device does not idle between them.
 *
 * A member whose driver refuses a package is left out, and its groups go back to the pool; the others take
 * them, or a new job is planned for one of them. Previous stage: launch_dynamic.c.
 */
#include "layer/launch_dynamic.h"
#include "layer/launch_peer.h"
#include "layer/launch_rescue.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/trace_event.h"

#include <stdlib.h>
#include <string.h>

static double since_start(const struct split *split)
{
    return (double)(cx_clock_ns() - split->start_ns) * 1e-9;
}

/* ---- packages ---- */

/* Turns a number of groups into a run of steps. Gives back to the balancer what the run is too short for. */
static struct cx_range take_range(struct split *split, unsigned part, uint64_t groups)
{
    uint64_t steps = (groups + split->plan.slice - 1) / split->plan.slice;
    struct cx_range range = cx_ranges_take(&split->ranges, part, steps);
    uint64_t taken = (range.end - range.first) * split->plan.slice;
    if (taken < groups)
        cx_balancer_give_back(split->plan.balancer, part, groups - taken);
    if (taken > 0)
        cx_balancer_placed(split->plan.balancer, part, range.first * split->plan.slice);
    return range;
}

/* What this package reads (and may leave unwritten) that the member's own memory lacks, to be uploaded from
 * the host copy, which has all of it since the launch began. */
static bool list_uploads(struct lane *lane, const struct cx_worker *worker, struct cx_runs *runs)
{
    struct cx_launch *launch = lane->split->launch;
    uint64_t seq = lane->split->seq[lane->part], ignored[64] = {0};
    *runs = (struct cx_runs){.upload = true, .counted = true, .place = 1 + worker->index};
    for (unsigned i = 0; i < 2 * launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        struct cx_pieces pieces;
        struct cx_move *moves = NULL;
        size_t count = 0;
        if (!mem || cx_launch_way(launch, i / 2) > CX_WAY_OWN ||
            cx_mem_place(mem->root, worker) == CX_PLACE_HOST)
            continue;
        struct cx_mem *root = mem->root;
        bool ok = cx_pieces_of(&pieces, mem, &lane->regions[i / 2], i % 2, i % 2);
        for (size_t n = 0; n < pieces.count && ok; n++)
            if (!cx_coherence_valid(root->coherence, pieces.piece[n].lo, pieces.piece[n].hi, runs->place))
                ok = lane->split->served && lane->split->served[i]
                         ? cx_lane_list(lane, root, worker, pieces.piece[n].lo, pieces.piece[n].hi, &moves,
                                        &count)
                         : cx_coherence_missing(root->coherence, pieces.piece[n].lo, pieces.piece[n].hi,
                                                runs->place, &moves, &count);
        for (size_t m = 0; m < count && ok; m++) {
            ok = cx_runs_add(runs, root, root->real[worker->index], moves[m].lo, moves[m].hi,
                             root->host + moves[m].lo) &&
                 cx_coherence_host_read(root->coherence, moves[m].lo, moves[m].hi, worker->index, seq,
                                        ignored) &&
                 cx_coherence_validate(root->coherence, moves[m].lo, moves[m].hi, runs->place);
            launch->moved += moves[m].hi - moves[m].lo;
        }
        free(moves);
        cx_pieces_finish(&pieces);
        if (!ok)
            return false;
    }
    return true;
}

bool cx_package_room(struct split *split)
{
    if (split->npackages < split->room_packages)
        return true;
    unsigned room = split->room_packages ? 2 * split->room_packages : 32;
    struct package *grown = realloc(split->packages, room * sizeof(*grown));
    if (!grown) {
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
        return false;
    }
    split->packages = grown;
    split->room_packages = room;
    return true;
}

unsigned cx_package_note(struct split *split, unsigned part, struct cx_range range)
{
    split->packages[split->npackages] =
        (struct package){.part = part, .range = range, .start_ns = cx_clock_ns()};
    return split->npackages++;
}

void cx_package_count(struct split *split, const struct package *package)
{
    struct cx_part *part = &split->launch->parts[package->part];
    part->why = package->why;
    part->at = package->range.first * split->plan.slice;
    cx_part_add(split->launch, part, (package->range.end - package->range.first) * split->plan.slice,
                package->start_ns, package->end_ns, package->busy_ns);
}

static void trace_uploads(const struct flight *flight, const struct cx_worker *worker)
{
    uint64_t start = 0, end = 0, unused;
    if (!flight->upload || !cx_trace_on())
        return;
    cx_worker_event_times(worker, flight->upload, &start, &end);
    if (flight->runs.run[0].event)
        cx_worker_event_times(worker, flight->runs.run[0].event, &start, &unused);
    if (start && end)
        cx_trace_runs(&flight->runs, worker, start, end);
}

/* The transfers of a package are over: drops them. Gives their error. `relied`: the launch may be settled, so
 * that others count on them. */
static cl_int end_uploads(struct flight *flight, struct cx_worker *worker, cl_int error, bool relied)
{
    if (error == CL_SUCCESS && flight->upload)
        error = cx_worker_event_error(worker, flight->upload);
    if (error == CL_SUCCESS)
        error = cx_runs_status(&flight->runs, worker);
    if (error != CL_SUCCESS) {
        cx_runs_failed(&flight->runs, worker->context, relied);
        if (relied) /* packages behind this one ran on old bytes */
            atomic_store(&worker->broken, atomic_load(&worker->context->epoch));
        cx_worker_leave_out(worker, error);
    }
    trace_uploads(flight, worker);
    if (flight->upload)
        worker->device->cl->clReleaseEvent(flight->upload);
    cx_runs_finish(&flight->runs, worker);
    return error;
}

/*
 * Uploads beside the kernel that runs: the first package's go to the worker's own queue, behind all that was
 * there before, and everything later on the other queue waits for them; each package waits for its own. They
 * only bring what the device lacks, so no package that runs reads or writes the same bytes. Off where the
 * first package lacks nothing (members that work in place never do).
 */
static void choose_queue(struct lane *lane, struct cx_worker *worker, const struct cx_runs *runs)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    if (lane->aside || !lane->first_upload || !runs->count || !cx_worker_open_aside(worker))
        return;
    lane->aside = cl->clEnqueueBarrierWithWaitList(worker->aside, 1, &lane->first_upload, NULL) == CL_SUCCESS;
    cl->clReleaseEvent(lane->first_upload);
    lane->first_upload = NULL;
}

/* The member's first package has uploads: later ones may overlap with it. */
static void note_first(struct lane *lane, const struct cx_worker *worker, cl_event upload)
{
    if (lane->started++ || !upload || worker->device->submits_in_caller || !cx_options_get()->overlap ||
        !worker->device->cl->clEnqueueBarrierWithWaitList)
        return;
    worker->device->cl->clRetainEvent(upload);
    lane->first_upload = upload;
}

/*
 * Every other package on a second queue: the next one's groups fill the device while the last groups of the
 * one before run. Packages of a launch may run at once, on one device as on several; each waits for the
 * uploads of all before it (lane->last_upload), whose bytes it may read, and the second queue for all that
 * the first one had before the launch. The job ends when all packages have ended.
 */
static void open_two(struct lane *lane, struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const char *which = cx_options_get()->queues;
    const bool gpu = worker->device->type & CL_DEVICE_TYPE_GPU;
    cl_event before = NULL;
    if (lane->started || lane->part >= lane->split->plan.n || worker->device->submits_in_caller ||
        strcmp(which, "one") == 0 || (strcmp(which, "gpus") == 0 && !gpu) ||
        cx_balancer_is_static(lane->split->plan.balancer) || !cl->clEnqueueMarkerWithWaitList ||
        !cl->clEnqueueBarrierWithWaitList || !cx_worker_open_second(worker) ||
        cl->clEnqueueMarkerWithWaitList(worker->queue, 0, NULL, &before) != CL_SUCCESS)
        return;
    lane->two = cl->clEnqueueBarrierWithWaitList(worker->second, 1, &before, NULL) == CL_SUCCESS;
    cl->clReleaseEvent(before);
}

/* The last upload is another one now; NULL: it is over. */
static void set_last_upload(struct lane *lane, const struct cx_worker *worker, cl_event upload)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    if (upload)
        cl->clRetainEvent(upload);
    if (lane->last_upload)
        cl->clReleaseEvent(lane->last_upload);
    lane->last_upload = upload;
}

static cl_int start_uploads(struct lane *lane, struct cx_worker *worker, struct flight *flight)
{
    choose_queue(lane, worker, &flight->runs);
    worker->moves_aside = lane->aside;
    cl_int error = cx_runs_start(&flight->runs, worker, NULL, &flight->upload);
    if (error == CL_SUCCESS && (lane->aside || lane->two) && flight->upload)
        error = worker->device->cl->clFlush(cx_worker_mover(worker));
    if (error == CL_SUCCESS && flight->upload)
        set_last_upload(lane, worker, flight->upload);
    if (error != CL_SUCCESS && lane->aside) /* the host copy may be written again after we give up */
        worker->device->cl->clFinish(worker->aside);
    worker->moves_aside = false;
    note_first(lane, worker, flight->upload);
    return error;
}

/* Others may have to know when the transfers are over (launch_rescue.h). */
static void note_uploads(struct lane *lane, cl_event event)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    if (!split->private_[lane->part] || !event)
        return;
    pthread_mutex_lock(&context->lock);
    cx_rescue_uploads(split, lane->part, event);
    split->uploading[lane->part] = false;
    pthread_mutex_unlock(&context->lock);
}

/* Starts a package; the caller holds no lock. */
static cl_int start_package(struct lane *lane, struct cx_worker *worker, unsigned package,
                            struct cx_range range, struct cx_runs *runs)
{
    struct split *split = lane->split;
    struct flight *flight = &lane->flight[lane->nflight];
    *flight = (struct flight){.runs = *runs, .package = package};
    open_two(lane, worker);
    cl_int moved = cx_lane_copy(lane, worker);
    if (moved == CL_SUCCESS)
        moved = start_uploads(lane, worker, flight);
    flight->started_ns = cx_clock_ns();
    cl_int error = moved;
    note_uploads(lane, flight->upload);
    cl_command_queue queue = lane->two && lane->started % 2 == 0 ? worker->second : worker->queue;
    if (error == CL_SUCCESS)
        error = cx_launch_package(split->launch, worker, &split->launch->parts[lane->part],
                                  split->plan.judged->verdict.dim, range.first, range.end, queue,
                                  lane->aside || queue != worker->queue ? lane->last_upload : NULL,
                                  &flight->event);
    if (error != CL_SUCCESS) {
        if (flight->upload) /* the host copy may be written again after we give up */
            cx_worker_wait_event(worker, flight->upload);
        if (lane->aside)
            worker->device->cl->clFinish(worker->aside);
        set_last_upload(lane, worker, NULL);
        end_uploads(flight, worker, moved, false);
    }
    return error;
}

/* A package is over: its results count, or somebody else does that work. Gives what the command fails with.
 * context->lock held. */
static cl_int package_over(struct lane *lane, struct package *package, uint64_t groups, cl_int error)
{
    struct split *split = lane->split;
    const bool held = !package->dropped;
    package->over = true;
    lane->first = error == CL_SUCCESS &&
                  cx_launch_first(split->launch, split->plan.member[lane->part],
                                  split->launch->parts[lane->part].variant, package->range.first == 0);
    if (lane->first)
        cx_balancer_first(split->plan.balancer, lane->part);
    if (held && error != CL_SUCCESS && cx_rescue_failed(split, lane->part, package))
        return CL_SUCCESS;
    enum cx_done outcome = cx_balancer_done(split->plan.balancer, lane->part, groups,
                                            (double)package->busy_ns * 1e-9, since_start(split));
    cx_rescue_note(split, package, outcome);
    if (held && error != CL_SUCCESS && split->rescues)
        cx_split_fail(split, error); /* now: its job may yet come to be late */
    if (package->dropped)
        cx_trace_package(split->launch, split->plan.member[lane->part], groups,
                         package->range.first * split->plan.slice, "dropped: another device was first",
                         package->start_ns, package->end_ns);
    return held ? error : CL_SUCCESS;
}

/*
 * For how long the device was busy with a package, from times on the host's clock: what no package before it
 * had of it. One that ran beside another gets at least half of what its groups' part of both would be: it may
 * have ended first.
 */
static uint64_t busy_with(struct lane *lane, const struct flight *flight, uint64_t start, uint64_t end)
{
    const uint64_t from = start > lane->last_end_ns ? start : lane->last_end_ns;
    uint64_t busy = end > from ? end - from : 0;
    if (lane->two && start < lane->last_end_ns && end > lane->last_start_ns) {
        const double part = (double)flight->groups / (double)(flight->groups + lane->last_groups);
        const uint64_t least = (uint64_t)(0.5 * part * (double)(end - lane->last_start_ns));
        busy = busy > least ? busy : least;
    }
    lane->last_start_ns = start;
    lane->last_end_ns = end > lane->last_end_ns ? end : lane->last_end_ns;
    lane->last_groups = flight->groups;
    return busy;
}

/* Waits for the oldest package in flight and tells the balancer. */
static cl_int end_package(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    struct flight flight = lane->flight[0];
    uint64_t start, end;

    cl_int error = cx_worker_wait_event(worker, flight.event);
    cl_int status = cx_worker_event_error(worker, flight.event);
    if (flight.upload && flight.upload == lane->last_upload)
        set_last_upload(lane, worker, NULL);
    cl_int moved = end_uploads(&flight, worker, CL_SUCCESS, true);
    if (status != CL_SUCCESS && moved == CL_SUCCESS) {
        cx_kernel_leave_out(launch->kernel, worker->index, cx_cl_name(status));
        cx_worker_failed(worker, status);
    }
    cx_worker_event_times(worker, flight.event, &start, &end);
    worker->device->cl->clReleaseEvent(flight.event);
    memmove(&lane->flight[0], &lane->flight[1], sizeof(flight) * --lane->nflight);
    if (!start || !end) {
        start = flight.started_ns;
        end = cx_clock_ns();
    }
    uint64_t busy = busy_with(lane, &flight, start, end);

    cx_context_lock(context);
    struct package *package = &split->packages[flight.package];
    package->start_ns = start;
    package->end_ns = end;
    package->busy_ns = busy;
    error = package_over(lane, package, flight.groups,
                         status != CL_SUCCESS  ? status
                         : moved != CL_SUCCESS ? moved
                                               : error);
    cx_split_settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_unlock(context);
    return error;
}

/* ---- a member's job ---- */

/* The driver refused a package: its groups go back, and somebody else must take them. */
static void give_up(struct lane *lane, unsigned index, cl_int error)
{
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;

    cx_kernel_leave_out(launch->kernel, split->plan.member[lane->part], cx_cl_name(error));
    cx_context_lock(context);
    struct package *package = &split->packages[index];
    const bool mine = !package->copy && !package->dropped;
    package->dropped = package->over = true;
    split->alive[lane->part] = false;
    split->looking[lane->part] = false;
    if (mine)
        (void)cx_ranges_return(&split->ranges, package->range); /* there is room */
    cx_balancer_fail(split->plan.balancer, lane->part,
                     mine ? (package->range.end - package->range.first) * split->plan.slice : 0);
    split->issuing--;
    if (mine)
        cx_launch_decided(launch, split->plan.member[lane->part], "refused a package: others did it");
    bool any = false;
    for (unsigned p = 0; p < split->plan.n; p++) {
        any |= split->alive[p];
        if (split->alive[p] && !split->looking[p] &&
            mine) /* it has ended, and the balancer may count on it */
            cx_lane_plan(split, p);
    }
    if (!any && mine)
        cx_split_fail(split, error);
    cx_split_settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_unlock(context);
}

enum step { STEP_PACKAGE, STEP_WAIT_FLIGHT, STEP_OVER };

/* An idle part looks again after that at the latest: its device may be wanted by others meanwhile. */
static const double longest_look = 5e-3;

/* Waits for something to happen, until `again` (seconds since the launch began) at most; 0: not known when.
 */
static void wait_idle(struct split *split, double again)
{
    double seconds = again > 0 ? again - since_start(split) : longest_look;
    seconds = seconds < 1e-6 ? 1e-6 : seconds > longest_look ? longest_look : seconds;
    uint64_t until = cx_clock_ns() + (uint64_t)(seconds * 1e9);
    struct timespec at = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    pthread_cond_timedwait(&split->changed, &split->launch->base.context->lock, &at);
}

/* Whether jobs wait behind the one that runs. */
static bool is_wanted(struct cx_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    bool wanted = worker->head != NULL;
    pthread_mutex_unlock(&worker->lock);
    return wanted;
}

/* Whether nothing is left for the part but perhaps, while others are not done and nobody else wants its
 * device, to do again what they hold. */
static bool nothing_left(const struct lane *lane, struct cx_worker *worker)
{
    const struct split *split = lane->split;
    if (split->failed || split->settled || !split->alive[lane->part])
        return true;
    if (!cx_split_all_assigned(split))
        return false;
    return lane->nflight || !split->private_[lane->part] || is_wanted(worker);
}

/* What was assigned: notes it as the part's, with its transfers. */
static void take_package(struct lane *lane, const struct cx_worker *worker, unsigned index,
                         struct cx_runs *runs)
{
    struct split *split = lane->split;
    struct package *package = &split->packages[index];
    const enum cx_decision decision = cx_balancer_decision(split->plan.balancer, lane->part);
    package->why = cx_decision_text(decision);
    if (decision != CX_DECIDED_NOTHING)
        cx_launch_decided(split->launch, worker->index, package->why);
    split->issuing++;
    cx_access_package(split->plan.judged->access, package->range.first, package->range.end, lane->regions);
    cx_launch_count_in_place(split->launch, lane->regions, worker);
    if (cx_launch_moves(split->launch, worker) && !list_uploads(lane, worker, runs))
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
    split->uploading[lane->part] |= runs->count > 0;
}

/* Gets the next package, or says what to do instead. Holds the lock while it looks and while it waits for
 * others. */
static enum step next_package(struct lane *lane, struct cx_worker *worker, unsigned *index,
                              struct cx_range *range, struct cx_runs *runs)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    enum step step = STEP_OVER;

    cx_context_lock(context);
    if (!split->begun[lane->part]) {
        split->begun[lane->part] = true;
        cx_ranges_open(&split->ranges, lane->part);
        pthread_cond_broadcast(&split->changed);
    }
    for (;;) {
        double again = 0;
        if (nothing_left(lane, worker)) {
            step = lane->nflight ? STEP_WAIT_FLIGHT : STEP_OVER;
            split->looking[lane->part] = step != STEP_OVER && split->alive[lane->part];
            break;
        }
        if (cx_split_all_assigned(split)) {
            if (cx_rescue_take(split, lane->part, since_start(split), index, &again)) {
                step = STEP_PACKAGE;
                break;
            }
            if (!split->failed)
                wait_idle(split, again);
            continue;
        }
        uint64_t got = 0;
        if (!cx_package_room(split))
            continue;
        if (cx_ranges_any(&split->ranges, lane->part))
            got = cx_balancer_next(split->plan.balancer, lane->part, since_start(split));
        if (got) {
            *index = cx_package_note(split, lane->part, take_range(split, lane->part, got));
            step = STEP_PACKAGE;
            break;
        }
        if (lane->nflight) {
            step = STEP_WAIT_FLIGHT;
            break;
        }
        pthread_cond_wait(&split->changed, &context->lock);
    }
    if (step == STEP_PACKAGE) {
        take_package(lane, worker, *index, runs);
        *range = split->packages[*index].range;
    }
    cx_split_settle_if_due(split);
    cx_context_unlock(context);
    return step;
}

static void package_started(struct lane *lane, struct cx_range range)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    struct flight *flight = &lane->flight[lane->nflight++];
    flight->groups = (range.end - range.first) * split->plan.slice;
    cx_context_lock(context);
    split->issuing--;
    cx_split_settle_if_due(split);
    if (split->settled)
        pthread_cond_broadcast(&split->changed);
    cx_context_unlock(context);
}

/* The probed member's job: its one package, assigned from the start. */
static cl_int run_probe(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    struct cx_range range = {split->plan.probe_first, split->plan.probe_end};
    struct cx_runs runs = {0};
    unsigned index = 0;

    cx_context_lock(context);
    split->begun[lane->part] = true;
    bool listed = cx_package_room(split);
    if (listed) {
        index = cx_package_note(split, lane->part, range);
        split->issuing--; /* it was counted when it was planned */
        take_package(lane, worker, index, &runs);
    } else {
        split->alive[lane->part] = split->looking[lane->part] = false;
        split->issuing--;
        cx_split_settle_if_due(split);
    }
    cx_context_unlock(context);
    if (!listed)
        return CL_SUCCESS; /* the command has failed */
    cl_int error = start_package(lane, worker, index, range, &runs);
    if (error != CL_SUCCESS) {
        give_up(lane, index, error);
        return CL_SUCCESS;
    }
    package_started(lane, range);
    return end_package(lane, worker);
}

static cl_int run_lane(struct cx_job *job, struct cx_worker *worker)
{
    struct lane *lane = job->data;
    cl_int failed = CL_SUCCESS;
    if (lane->part >= lane->split->plan.n)
        return run_probe(lane, worker);
    for (;;) {
        struct cx_range range = {0, 0};
        struct cx_runs runs = {0};
        unsigned index = 0;
        enum step step = next_package(lane, worker, &index, &range, &runs);
        if (step == STEP_OVER)
            break;
        if (step == STEP_PACKAGE) {
            cl_int error = start_package(lane, worker, index, range, &runs);
            if (error != CL_SUCCESS) {
                give_up(lane, index, error);
                while (lane->nflight)
                    if ((error = end_package(lane, worker)) != CL_SUCCESS)
                        failed = error;
                break;
            }
            package_started(lane, range);
            if (lane->nflight < CX_IN_FLIGHT && !worker->device->submits_in_caller)
                continue;
        }
        cl_int error = end_package(lane, worker);
        if (error != CL_SUCCESS)
            failed = error;
    }
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
    split->alive[lane->part] = false;
    split->looking[lane->part] = false;
    split->issuing -= probes;
    if (!split->settled) /* else the launch is over without this part */
        cx_split_fail(split, CL_OUT_OF_RESOURCES);
    cx_split_settle_if_due(split);
    cx_context_unlock(context);
}

void cx_lane_free(struct lane *lane)
{
    if (lane) {
        free(lane->regions);
        free(lane->copies);
    }
    free(lane);
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

    pthread_mutex_lock(&context->lock);
    if (lane->part < split->plan.n) {
        cx_balancer_measured(split->plan.balancer, lane->part, &groups, &seconds);
        first = cx_balancer_doubtful(split->plan.balancer, lane->part);
    } else {
        groups = launch->parts[lane->part].groups;
        seconds = (double)launch->parts[lane->part].busy_ns * 1e-9;
    }
    bool healthy = split->alive[lane->part];
    job->void_ = split->void_[lane->part];
    worker->late -= split->late[lane->part];
    job->start_ns = launch->parts[lane->part].first_ns;
    job->end_ns = launch->parts[lane->part].last_ns;
    if (split->jobs == 1 && !split->failed && launch->kernel->function->learned) {
        ((struct cx_learned *)launch->kernel->function->learned)->proven = true;
        cx_balancer_learn(split->plan.balancer);
    }
    cx_split_unref(split);
    pthread_mutex_unlock(&context->lock);
    if (healthy)
        cx_launch_learn(launch, worker->index, groups, seconds, first);
    if (lane->first_upload)
        worker->device->cl->clReleaseEvent(lane->first_upload);
    set_last_upload(lane, worker, NULL);
    cx_lane_free(lane);
}

struct cx_job *cx_lane_job(struct split *split, unsigned part)
{
    struct cx_launch *launch = split->launch;
    struct cx_job *job = cx_job_new(launch->base.context);
    struct lane *lane = calloc(1, sizeof(*lane));
    if (lane)
        lane->regions = calloc(launch->args->count + 1u, sizeof(*lane->regions));
    if (!job || !lane || !lane->regions) {
        cx_lane_free(lane);
        free(job);
        return NULL;
    }
    lane->split = split;
    lane->part = part;
    job->data = lane;
    job->run = run_lane;
    job->skip = skip_lane;
    job->finish = finish_lane;
    job->waits = true;
    return job;
}

/* context->lock held: queues the part's job. */
void cx_lane_plan(struct split *split, unsigned part)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    struct cx_job *job = cx_lane_job(split, part);
    if (!job) {
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    split->jobs++;
    split->looking[part] = true;
    split->begun[part] = false;
    split->before[part] = split->launch->base.cone[worker->index];
    cx_split_order(split, worker, job);
    split->seq[part] = cx_command_add_job(&split->launch->base, worker, job);
    cx_split_lend(split, worker, split->seq[part]);
}

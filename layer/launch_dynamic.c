/* SPDX-License-Identifier: MIT */
/*
 * A split whose packages are cut while it runs: each member's worker asks the balancer for the next package,
 * brings in what it reads, starts it, and keeps two in flight so that the device does not idle between them.
 *
 * The launch settles when every group is assigned and started: then owners are known. Until that moment its
 * buffers are marked, and commands that touch them wait. A member whose driver refuses a package is left out,
 * and its groups go back to the pool; the others take them, or a new job is planned for one of them.
 */
#include "layer/enqueue.h"
#include "layer/log.h"
#include "layer/merge.h"
#include "layer/options.h"
#include "layer/plan.h"
#include "layer/private.h"
#include "layer/ranges.h"
#include "layer/verify.h"

#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT = 2 };

struct package {
    unsigned part;
    struct cx_range range;
};

/* One launch under way; context->lock guards it. Freed by the last job. */
struct split {
    struct cx_launch *launch;
    struct cx_split_plan plan;
    unsigned nparts; /* members that share, and the probed one */
    uint64_t start_ns;
    struct cx_ranges ranges;  /* steps not assigned */
    struct package *packages; /* started: the owners of what they write */
    unsigned npackages, room_packages;
    unsigned jobs;    /* not finished */
    unsigned running; /* jobs that still look for packages, or have yet to start; not the probed one's */
    unsigned issuing; /* packages assigned but not started */
    bool settled, failed;
    struct cx_merge *merge;    /* writes to be merged once all is started, or NULL */
    struct cx_private *copies; /* copies to be combined then, or NULL */
    uint64_t *seq;             /* each part's job */
    bool *alive;               /* each part's driver works */
    pthread_cond_t changed;
};

struct flight {
    cl_event event;
    cl_event upload;     /* of the last transfer into the device before it, or NULL */
    struct cx_runs runs; /* those transfers */
    uint64_t groups;
    uint64_t started_ns;
};

/* What one member's job keeps between packages. */
struct lane {
    struct split *split;
    unsigned part;
    struct flight flight[IN_FLIGHT];
    unsigned nflight;
    bool begun;
    uint64_t last_end_ns;
    struct cx_access_region *regions;
};

/* context->lock held, as what was judged is shared. */
static void split_free(struct split *split)
{
    cx_merge_drop(&split->merge);
    cx_private_drop(&split->copies);
    cx_split_plan_finish(&split->plan);
    pthread_cond_destroy(&split->changed);
    cx_ranges_finish(&split->ranges);
    free(split->packages);
    free(split->seq);
    free(split->alive);
    free(split);
}

static double since_start(const struct split *split)
{
    return (double)(cx_clock_ns() - split->start_ns) * 1e-9;
}

/* ---- settling ---- */

/* The buffers that nobody else may plan on until the launch settles: those it writes; with members that own
 * memory, also those it reads, since packages bring parts of them in. */
static void mark(struct cx_launch *launch, const struct cx_access_region *whole, struct cx_command *unsettled,
                 bool also_read)
{
    for (unsigned i = 0; i < launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && (also_read || whole[i].write.lo < whole[i].write.hi))
            mem->root->unsettled = unsettled;
    }
}

/* The jobs that are not over yet hold the split. */
static void unref(struct split *split)
{
    if (--split->jobs == 0)
        split_free(split);
}

/* Notes what packages wrote in place, and gives regions to their owners. */
static bool note_owners(struct split *split)
{
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    struct cx_access_region *regions = calloc(launch->args->count + 1u, sizeof(*regions));
    uint64_t ignored[64] = {0};

    for (unsigned p = 0; regions && p < split->npackages; p++) {
        const struct package *package = &split->packages[p];
        const struct cx_worker *worker = &context->workers[split->plan.member[package->part]];
        cx_access_package(split->plan.judged->access, package->range.first, package->range.end, regions);
        cx_launch_own(launch, regions, worker->place);
        for (unsigned i = 0; i < launch->args->count && worker->place == CX_PLACE_HOST; i++) {
            struct cx_mem *mem = cx_launch_mem(launch, i);
            if (mem && regions[i].write.lo < regions[i].write.hi &&
                cx_launch_way(launch, i) != CX_WAY_PRIVATE)
                cx_coherence_host_write(mem->root->coherence, mem->origin + regions[i].write.lo,
                                        mem->origin + regions[i].write.hi, worker->index,
                                        split->seq[package->part], ignored);
        }
    }
    free(regions);
    return regions != NULL;
}

/* Owners are known: others may plan on the buffers. */
static void settle(void *data)
{
    struct split *split = data;
    struct cx_launch *launch = split->launch;
    for (unsigned i = 0; i < launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && mem->root->unsettled == &launch->base)
            mem->root->unsettled = NULL;
    }
    cx_verify_end(launch);
    cx_command_settle(&launch->base);
    unref(split);
}

/* Every group is assigned and started: finds out the owners. */
static void close_split(struct split *split)
{
    struct cx_launch *launch = split->launch;
    cl_int error = note_owners(split) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    split->settled = true;
    split->jobs++; /* until settle() */
    if (split->copies && !split->failed && error == CL_SUCCESS)
        error = cx_private_end(&split->copies);
    if (error != CL_SUCCESS)
        atomic_store(&launch->base.error, error);
    if (split->merge && !split->failed && error == CL_SUCCESS)
        cx_merge_end(&split->merge, split->seq, settle, split);
    else
        settle(split);
}

/* context->lock held: nothing more is started. */
static void fail(struct split *split, cl_int error)
{
    atomic_store(&split->launch->base.error, error);
    split->failed = true;
    pthread_cond_broadcast(&split->changed);
}

static bool all_assigned(const struct split *split)
{
    return cx_balancer_remaining(split->plan.balancer) == 0;
}

static void settle_if_due(struct split *split)
{
    if (!split->settled && split->issuing == 0 && (split->failed || all_assigned(split)))
        close_split(split);
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
    return range;
}

/* What this package reads (and may leave unwritten) that the member's own memory lacks, to be uploaded from
 * the host copy, which has all of it since the launch began. */
static bool list_uploads(struct lane *lane, const struct cx_worker *worker, struct cx_runs *runs)
{
    struct cx_launch *launch = lane->split->launch;
    uint64_t seq = lane->split->seq[lane->part], ignored[64] = {0};
    *runs = (struct cx_runs){.upload = true, .counted = true, .place = worker->place};
    for (unsigned i = 0; i < 2 * launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        const struct cx_access_region *region = &lane->regions[i / 2];
        const struct cx_access_interval *need = i % 2 ? &region->write : &region->read;
        struct cx_move *moves = NULL;
        size_t count = 0;
        if (!mem || need->lo >= need->hi || (i % 2 && need->exact) ||
            cx_launch_way(launch, i / 2) > CX_WAY_OWN)
            continue;
        struct cx_mem *root = mem->root;
        bool ok = cx_coherence_missing(root->coherence, mem->origin + need->lo, mem->origin + need->hi,
                                       worker->place, &moves, &count);
        for (size_t m = 0; m < count && ok; m++) {
            ok = cx_runs_add(runs, root, root->real[worker->index], moves[m].lo, moves[m].hi,
                             root->host + moves[m].lo);
            cx_coherence_host_read(root->coherence, moves[m].lo, moves[m].hi, worker->index, seq, ignored);
            cx_coherence_validate(root->coherence, moves[m].lo, moves[m].hi, worker->place);
            launch->moved += moves[m].hi - moves[m].lo;
        }
        free(moves);
        if (!ok)
            return false;
    }
    return true;
}

static bool note_package(struct split *split, unsigned part, struct cx_range range)
{
    if (split->npackages == split->room_packages) {
        unsigned room = split->room_packages ? 2 * split->room_packages : 32;
        struct package *grown = realloc(split->packages, room * sizeof(*grown));
        if (!grown)
            return false;
        split->packages = grown;
        split->room_packages = room;
    }
    split->packages[split->npackages++] = (struct package){part, range};
    return true;
}

static cl_int event_status(const struct cx_worker *worker, cl_event event)
{
    cl_int status = CL_COMPLETE;
    worker->device->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                                       NULL);
    return status < 0 ? status : CL_SUCCESS;
}

/* The transfers of a package are over: drops them. Gives their error. `relied`: the launch may be settled, so
 * that others count on them. */
static cl_int end_uploads(struct flight *flight, struct cx_worker *worker, cl_int error, bool relied)
{
    if (error == CL_SUCCESS && flight->upload)
        error = event_status(worker, flight->upload);
    if (error == CL_SUCCESS)
        error = cx_runs_status(&flight->runs, worker);
    if (error != CL_SUCCESS) {
        cx_runs_failed(&flight->runs, worker->context, relied);
        if (relied) /* packages behind this one ran on old bytes */
            atomic_store(&worker->broken, atomic_load(&worker->context->epoch));
        cx_worker_leave_out(worker, error);
    }
    if (flight->upload)
        worker->device->cl->clReleaseEvent(flight->upload);
    cx_runs_finish(&flight->runs, worker);
    return error;
}

/* Starts a package; the caller holds no lock. */
static cl_int start_package(struct lane *lane, struct cx_worker *worker, struct cx_range range,
                            struct cx_runs *runs)
{
    struct split *split = lane->split;
    struct flight *flight = &lane->flight[lane->nflight];
    *flight = (struct flight){.runs = *runs};
    cl_int moved = cx_runs_start(&flight->runs, worker, NULL, &flight->upload);
    flight->started_ns = cx_clock_ns();
    cl_int error = moved;
    if (error == CL_SUCCESS)
        error = cx_launch_package(split->launch, worker, &split->launch->parts[lane->part],
                                  split->plan.judged->verdict.dim, range.first, range.end, &flight->event);
    if (error != CL_SUCCESS) {
        if (flight->upload) /* the host copy may be written again after we give up */
            cx_worker_wait_event(worker, flight->upload);
        end_uploads(flight, worker, moved, false);
    }
    return error;
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
    cl_int status = event_status(worker, flight.event);
    if (status != CL_SUCCESS)
        cx_kernel_leave_out(launch->kernel, worker->index, cx_cl_name(status));
    cl_int moved = end_uploads(&flight, worker, CL_SUCCESS, true);
    cx_worker_event_times(worker, flight.event, &start, &end);
    worker->device->cl->clReleaseEvent(flight.event);
    memmove(&lane->flight[0], &lane->flight[1], sizeof(flight) * --lane->nflight);
    if (!start || !end) {
        start = flight.started_ns;
        end = cx_clock_ns();
    }
    uint64_t from = start > lane->last_end_ns ? start : lane->last_end_ns;
    uint64_t busy = end > from ? end - from : 0;
    lane->last_end_ns = end;
    cx_part_add(launch, &launch->parts[lane->part], flight.groups, start, end, busy);

    cx_context_lock(context);
    cx_balancer_done(split->plan.balancer, lane->part, flight.groups, (double)busy * 1e-9,
                     since_start(split));
    pthread_cond_broadcast(&split->changed);
    cx_context_unlock(context);
    return status != CL_SUCCESS ? status : moved != CL_SUCCESS ? moved : error;
}

/* ---- a member's job ---- */

static void plan_job(struct split *split, unsigned part);

/* The driver refused a package: its groups go back, and somebody else must take them. */
static void give_up(struct lane *lane, struct cx_range range, cl_int error)
{
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    uint64_t groups = (range.end - range.first) * split->plan.slice;

    cx_kernel_leave_out(launch->kernel, split->plan.member[lane->part], cx_cl_name(error));
    cx_context_lock(context);
    split->alive[lane->part] = false;
    split->running -= lane->part < split->plan.n;
    cx_ranges_return(&split->ranges, range);
    cx_balancer_fail(split->plan.balancer, lane->part, groups);
    split->issuing--;
    unsigned other = split->plan.n;
    for (unsigned p = 0; p < split->plan.n; p++)
        if (split->alive[p])
            other = p;
    if (other == split->plan.n) {
        fail(split, error);
    } else if (split->running == 0) { /* the others have ended: one of them starts again */
        plan_job(split, other);
    }
    settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_unlock(context);
}

enum step { STEP_PACKAGE, STEP_WAIT_FLIGHT, STEP_OVER };

/* Gets the next package, or says what to do instead. Holds the lock while it looks and while it waits for
 * others. */
static enum step next_package(struct lane *lane, const struct cx_worker *worker, struct cx_range *range,
                              uint64_t *groups, struct cx_runs *runs)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    enum step step = STEP_OVER;

    cx_context_lock(context);
    if (!lane->begun) {
        lane->begun = true;
        cx_ranges_open(&split->ranges, lane->part);
        pthread_cond_broadcast(&split->changed);
    }
    for (;;) {
        if (split->failed || all_assigned(split)) {
            step = lane->nflight ? STEP_WAIT_FLIGHT : STEP_OVER;
            split->running -= step == STEP_OVER;
            break;
        }
        uint64_t got = 0;
        if (cx_ranges_any(&split->ranges, lane->part))
            got = cx_balancer_next(split->plan.balancer, lane->part, since_start(split));
        if (got) {
            *range = take_range(split, lane->part, got);
            *groups = (range->end - range->first) * split->plan.slice;
            split->issuing++;
            cx_access_package(split->plan.judged->access, range->first, range->end, lane->regions);
            if (worker->place != CX_PLACE_HOST && !list_uploads(lane, worker, runs))
                fail(split, CL_OUT_OF_HOST_MEMORY);
            step = STEP_PACKAGE;
            break;
        }
        if (lane->nflight) {
            step = STEP_WAIT_FLIGHT;
            break;
        }
        pthread_cond_wait(&split->changed, &context->lock);
    }
    settle_if_due(split);
    cx_context_unlock(context);
    return step;
}

static void package_started(struct lane *lane, struct cx_range range, uint64_t groups)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    lane->flight[lane->nflight++].groups = groups;
    cx_context_lock(context);
    split->issuing--;
    if (!note_package(split, lane->part, range))
        fail(split, CL_OUT_OF_HOST_MEMORY);
    settle_if_due(split);
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

    cx_context_lock(context);
    cx_access_package(split->plan.judged->access, range.first, range.end, lane->regions);
    bool listed = worker->place == CX_PLACE_HOST || list_uploads(lane, worker, &runs);
    cx_context_unlock(context);
    cl_int error = listed ? start_package(lane, worker, range, &runs) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        if (!listed)
            cx_runs_finish(&runs, worker);
        give_up(lane, range, error);
        return CL_SUCCESS;
    }
    package_started(lane, range, (range.end - range.first) * split->plan.slice);
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
        uint64_t groups = 0;
        enum step step = next_package(lane, worker, &range, &groups, &runs);
        if (step == STEP_OVER)
            break;
        if (step == STEP_PACKAGE) {
            cl_int error = start_package(lane, worker, range, &runs);
            if (error != CL_SUCCESS) {
                give_up(lane, range, error);
                while (lane->nflight)
                    if ((error = end_package(lane, worker)) != CL_SUCCESS)
                        failed = error;
                break;
            }
            package_started(lane, range, groups);
            if (lane->nflight < IN_FLIGHT && !worker->device->submits_in_caller)
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
    split->running -= !probes;
    split->issuing -= probes;
    fail(split, CL_OUT_OF_RESOURCES);
    settle_if_due(split);
    cx_context_unlock(context);
}

static void finish_lane(struct cx_job *job, struct cx_worker *worker)
{
    struct lane *lane = job->data;
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    uint64_t groups = 0;
    double seconds = 0;

    pthread_mutex_lock(&context->lock);
    if (lane->part < split->plan.n) {
        cx_balancer_measured(split->plan.balancer, lane->part, &groups, &seconds);
    } else {
        groups = launch->parts[lane->part].groups;
        seconds = (double)launch->parts[lane->part].busy_ns * 1e-9;
    }
    bool healthy = split->alive[lane->part];
    if (split->jobs == 1 && !split->failed && launch->kernel->function->learned)
        ((struct cx_learned *)launch->kernel->function->learned)->proven = true;
    unref(split);
    pthread_mutex_unlock(&context->lock);
    if (healthy)
        cx_launch_learn(launch, worker->index, groups, seconds);
    job->start_ns = launch->parts[lane->part].first_ns;
    job->end_ns = launch->parts[lane->part].last_ns;
    free(lane->regions);
    free(lane);
}

/* ---- the plan ---- */

static struct cx_job *lane_job(struct split *split, unsigned part)
{
    struct cx_launch *launch = split->launch;
    struct cx_job *job = cx_job_new(launch->base.context);
    struct lane *lane = calloc(1, sizeof(*lane));
    if (lane)
        lane->regions = calloc(launch->args->count + 1u, sizeof(*lane->regions));
    if (!job || !lane || !lane->regions) {
        if (lane)
            free(lane->regions);
        free(lane);
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
static void plan_job(struct split *split, unsigned part)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    struct cx_job *job = lane_job(split, part);
    if (!job) {
        fail(split, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    split->jobs++;
    split->running++;
    split->seq[part] = cx_command_add_job(&split->launch->base, worker, job);
}

static struct split *split_new(struct cx_launch *launch, struct cx_split_plan *plan)
{
    struct split *split = calloc(1, sizeof(*split));
    launch->parts = calloc(plan->n + 1u, sizeof(*launch->parts));
    if (!split || !launch->parts) {
        free(split);
        cx_split_plan_finish(plan);
        return NULL;
    }
    split->launch = launch;
    split->plan = *plan;
    *plan = (struct cx_split_plan){0};
    pthread_cond_init(&split->changed, NULL);
    split->nparts = split->plan.n + split->plan.probes;
    split->seq = calloc(split->nparts, sizeof(*split->seq));
    split->alive = calloc(split->nparts, sizeof(*split->alive));
    split->start_ns = cx_clock_ns();
    struct cx_range aside = {0, 0};
    if (split->plan.probes)
        aside = (struct cx_range){split->plan.probe_first, split->plan.probe_end};
    if (!split->seq || !split->alive ||
        !cx_ranges_init(&split->ranges, split->plan.n, split->plan.weight, split->plan.judged->verdict.groups,
                        split->plan.judged->verdict.granularity, aside)) {
        split_free(split);
        return NULL;
    }
    for (unsigned p = 0; p < split->nparts; p++) {
        split->alive[p] = true;
        launch->parts[p] =
            (struct cx_part){.member = split->plan.member[p], .variant = split->plan.variant[p]};
    }
    launch->nparts = split->nparts;
    if (strcmp(cx_options_get()->split, "always") == 0)
        cx_ranges_close(&split->ranges);
    split->issuing = split->plan.probes; /* the probe's package is assigned from the start */
    return split;
}

/* Inputs that every package reads wherever it lies, and those that mean the contents from before, come in at
 * once; of the others the host copy gets what it lacks, so that packages can be served from it. */
static cl_int gather(struct split *split, const struct cx_access_region *whole, bool *shadows)
{
    struct cx_launch *launch = split->launch;
    const struct cx_access_means *means = cx_access_means(split->plan.judged->access);
    cl_int error = CL_SUCCESS;
    uint64_t places = 0;
    for (unsigned p = 0; p < split->nparts; p++)
        places |= UINT64_C(1) << launch->base.context->workers[split->plan.member[p]].place;
    *shadows = places != 1 || launch->verify; /* what it only reads is compared too */
    for (unsigned i = 0; i < 2 * launch->args->count && error == CL_SUCCESS; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        const struct cx_access_interval *need = i % 2 ? &whole[i / 2].write : &whole[i / 2].read;
        if (!mem || need->lo >= need->hi || (i % 2 && need->exact) ||
            cx_launch_way(launch, i / 2) == CX_WAY_PRIVATE)
            continue;
        bool at_once = !need->known || (launch->ways && means[i / 2].before);
        uint64_t lo = mem->origin + need->lo, hi = mem->origin + need->hi;
        if ((cx_coherence_holders(mem->root->coherence, lo, hi) & places) == places)
            continue;
        error = cx_move_to(&launch->base, mem->root, lo, hi, CX_PLACE_HOST, &launch->moved);
        for (unsigned p = 1; p < 64 && at_once && error == CL_SUCCESS; p++)
            if (places >> p & 1)
                error = cx_move_to(&launch->base, mem->root, lo, hi, p, &launch->moved);
    }
    return error;
}

/* What the jobs of in-place members must wait for: collected for all before any of them is noted, since they
 * run side by side. Members with memory of their own wait for the host copy they upload from. */
static void collect_deps(struct split *split, const struct cx_access_region *whole, unsigned part,
                         uint64_t *deps)
{
    struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[part]];
    for (unsigned i = 0; i < launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *read = &whole[i].read, *write = &whole[i].write;
        if (!mem)
            continue;
        cx_coherence_host_deps(mem->root->coherence, mem->origin + read->lo, mem->origin + read->hi, false,
                               worker->index, deps);
        cx_coherence_host_deps(mem->root->coherence, mem->origin + write->lo, mem->origin + write->hi,
                               worker->place == CX_PLACE_HOST, worker->index, deps);
    }
}

static void note_reads(struct split *split, const struct cx_access_region *whole, unsigned part)
{
    struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[part]];
    uint64_t ignored[64] = {0};
    for (unsigned i = 0; i < launch->args->count && worker->place == CX_PLACE_HOST; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && whole[i].read.lo < whole[i].read.hi)
            cx_coherence_host_read(mem->root->coherence, mem->origin + whole[i].read.lo,
                                   mem->origin + whole[i].read.hi, worker->index, split->seq[part], ignored);
    }
}

static cl_int plan_jobs(struct split *split, const struct cx_access_region *whole)
{
    struct cx_context *context = split->launch->base.context;
    struct cx_job *jobs[64] = {0};
    unsigned n = split->nparts;

    for (unsigned p = 0; p < n; p++) {
        jobs[p] = lane_job(split, p);
        if (jobs[p]) {
            collect_deps(split, whole, p, jobs[p]->deps);
            continue;
        }
        while (p--) {
            free(((struct lane *)jobs[p]->data)->regions);
            free(jobs[p]->data);
            free(jobs[p]);
        }
        return CL_OUT_OF_HOST_MEMORY;
    }
    split->jobs = n;
    split->running = split->plan.n;
    for (unsigned p = 0; p < n; p++)
        split->seq[p] =
            cx_command_add_job(&split->launch->base, &context->workers[split->plan.member[p]], jobs[p]);
    for (unsigned p = 0; p < n; p++)
        note_reads(split, whole, p);
    return CL_SUCCESS;
}

/* The copies that merging or private updates need cannot be had: one device does it all. */
static void run_whole(struct cx_launch *launch, struct split *split, cl_int error)
{
    unsigned member = split->plan.member[0];
    cx_info(CX_TOPIC_PLAN, "%s runs whole after all: %s", launch->kernel->function->name, cx_cl_name(error));
    for (unsigned p = 0; p < launch->nparts; p++)
        cx_args_drop(&launch->parts[p].args);
    free(launch->parts);
    free(launch->ways);
    launch->parts = NULL;
    launch->ways = NULL;
    launch->nparts = 0;
    launch->reason = "there is no memory for the copies that a split needs";
    split_free(split);
    cx_launch_whole(launch, member);
}

void cx_launch_dynamic(struct cx_launch *launch, struct cx_split_plan *plan)
{
    struct split *split = split_new(launch, plan);
    struct cx_access_region *whole = calloc(launch->args->count + 1u, sizeof(*whole));
    cl_int error = split && whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    bool shadows = false;

    if (error == CL_SUCCESS) {
        cx_access_whole(split->plan.judged->access, whole);
        error = gather(split, whole, &shadows);
    }
    if (error == CL_SUCCESS) {
        error = cx_private_begin(launch, split->plan.judged, whole, &split->copies);
        if (error == CL_SUCCESS)
            error = cx_merge_begin(launch, split->plan.judged, whole, split->plan.member, split->nparts,
                                   &split->merge);
        if (error != CL_SUCCESS) {
            free(whole);
            run_whole(launch, split, error);
            return;
        }
    }
    if (error == CL_SUCCESS) {
        mark(launch, whole, &launch->base, shadows);
        error = plan_jobs(split, whole);
        if (error != CL_SUCCESS)
            mark(launch, whole, NULL, shadows);
    }
    free(whole);
    if (error != CL_SUCCESS) {
        if (split)
            split_free(split);
        cx_command_fail(&launch->base, error);
    }
}

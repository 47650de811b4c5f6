/* SPDX-License-Identifier: MIT */
/*
 * Slots of shared memory, and the jobs that fill and empty them. See transport_slots.h.
 */
#include "layer/memory/transport_slots.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/report/transfer_counts.h"

#include <stdlib.h>

/* One more lies behind them: NVIDIA's driver wants whole rows of rectangles within the memory. */
enum { SLOTS = 7, LEAST = 2 << 20, MOST = 32 << 20, KEPT = 128 };

struct stage {
    struct cx_peer_memory *memory;
    cl_mem own;
    cl_mem *alias;        /* one a member: the same memory in its context, or NULL */
    bool fails;           /* no memory */
    uint64_t alias_fails; /* members, as bits */
    unsigned next;        /* slot */
    struct {
        unsigned timeline;
        uint64_t seq; /* the job that empties it; 0: none yet */
    } slot[SLOTS];
};

/* A second half that is kept back. */
struct kept {
    struct cx_worker *source, *worker;
    struct cx_job *job;
    unsigned slot;
    const struct cx_mem *root;
    uint64_t lo, hi; /* all its runs lie in between */
};

struct cx_stages {
    bool holds;
    struct kept kept[KEPT];
    unsigned nkept;
    struct stage stage[]; /* one a member */
};

struct cx_parcel {
    atomic_uint refs;
    struct cx_worker *source, *member;
    cl_mem own, alias;
    size_t at;           /* in that memory */
    unsigned char *room; /* the same bytes on the host where the slot could not be filled; its job's */
};

/* ---- slots ---- */

size_t cx_stage_slot(void)
{
    const uint64_t bytes = cx_options_staging();
    return bytes < MOST ? (size_t)bytes : MOST;
}

uint64_t cx_stage_near(const struct cx_mem *root, unsigned place)
{
    struct cx_context *context = root->context;
    uint64_t near = 0;
    if (!context->peers || place == CX_PLACE_HOST || root->image || root->svm || !cx_stage_slot() ||
        !root->real[place - 1] || !cx_peers_are_open(context))
        return 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *source = &context->workers[m];
        if (cx_peer_reaches(context->peers, m, place - 1) && root->real[m] &&
            cx_mem_place(root, source) == 1 + m && !cx_peer_broken(context->peers, m, place - 1) &&
            !atomic_load(&source->left_out) &&
            !(context->stages &&
              (context->stages->stage[m].fails || context->stages->stage[m].alias_fails >> (place - 1) & 1)))
            near |= UINT64_C(1) << (1 + m);
    }
    return near;
}

bool cx_stage_open(struct cx_context *context, unsigned from, unsigned place)
{
    const unsigned m = from - 1, to = place - 1;
    cl_int error;
    if (!context->stages)
        context->stages =
            calloc(1, sizeof(*context->stages) + context->nmembers * sizeof(context->stages->stage[0]));
    if (!context->stages)
        return false;
    struct stage *stage = &context->stages->stage[m];
    if (!stage->own && !stage->fails) {
        const size_t bytes = (SLOTS + 1) * cx_stage_slot();
        stage->alias = calloc(context->nmembers, sizeof(cl_mem));
        stage->own =
            stage->alias ? cx_peer_allocate(context, m, bytes < LEAST ? LEAST : bytes, &stage->memory) : NULL;
        stage->fails = !stage->own;
    }
    if (stage->fails)
        return false;
    if (!stage->alias[to] && !(stage->alias_fails >> to & 1) &&
        !(stage->alias[to] = cx_peer_import(context, to, stage->memory, &error))) {
        stage->alias_fails |= UINT64_C(1) << to;
        cx_info(CX_TOPIC_DATA, "%s cannot fetch from %s: %s", context->workers[to].device->name,
                context->workers[m].device->name, cx_cl_name(error));
    }
    return stage->alias[to];
}

void cx_stages_finish(struct cx_context *context)
{
    for (unsigned m = 0; context->stages && m < context->nmembers; m++) {
        struct stage *stage = &context->stages->stage[m];
        for (unsigned to = 0; stage->alias && to < context->nmembers; to++)
            if (stage->alias[to])
                cx_peer_release(context, to, stage->alias[to]);
        if (stage->own)
            cx_peer_release(context, m, stage->own);
        cx_peer_free(context, m, &stage->memory);
        free(stage->alias);
    }
    free(context->stages);
    context->stages = NULL;
}

void cx_parcel_unref(struct cx_parcel **parcel)
{
    if (*parcel && atomic_fetch_sub_explicit(&(*parcel)->refs, 1, memory_order_acq_rel) == 1) {
        free((*parcel)->room);
        free(*parcel);
    }
    *parcel = NULL;
}

/* ---- copies ---- */

/* cx_runs_rows, but all of the last row's stride lies within the buffer (transfer.c). */
static unsigned rows_within(const struct cx_runs *runs, unsigned i, size_t *stride)
{
    const struct cx_run *first = &runs->run[i];
    const unsigned count = cx_runs_rows(runs, i, stride);
    return count > 1 && (first->lo / *stride + count) * *stride > first->root->size ? count - 1 : count;
}

/* `count` rows of `bytes`, `stride` apart from `lo` of the root's memory on, one after the other from `at` of
 * the slots' on. */
static cl_int copy_rows(const cl_icd_dispatch *cl, cl_command_queue queue, bool out, cl_mem real,
                        cl_mem slots, size_t lo, size_t at, size_t bytes, size_t stride, unsigned count,
                        cl_event *event)
{
    if (count == 1)
        return cl->clEnqueueCopyBuffer(queue, out ? real : slots, out ? slots : real, out ? lo : at,
                                       out ? at : lo, bytes, 0, NULL, event);
    const size_t there[3] = {lo % stride, lo / stride, 0}, here[3] = {at % bytes, at / bytes, 0};
    const size_t region[3] = {bytes, count, 1};
    return cl->clEnqueueCopyBufferRect(queue, out ? real : slots, out ? slots : real, out ? there : here,
                                       out ? here : there, region, out ? stride : bytes, 0,
                                       out ? bytes : stride, 0, 0, NULL, event);
}

/* Enqueues all copies of a half: into the slot (out) or from it. The events of the first and the last are the
 * job's. */
static cl_int start_half(const struct cx_runs *runs, const struct cx_worker *worker, struct cx_job *job,
                         bool out)
{
    const struct cx_parcel *parcel = runs->parcel;
    const cl_icd_dispatch *cl = worker->device->cl;
    const cl_command_queue queue = cx_worker_mover(worker);
    size_t at = parcel->at, stride;
    cl_int error = CL_SUCCESS;
    unsigned count;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS; i += count) {
        struct cx_run *run = &runs->run[i];
        const size_t bytes = (size_t)(run->hi - run->lo);
        count = rows_within(runs, i, &stride);
        cl_event *event = i + count >= runs->count ? &job->event : i == 0 ? &job->first_event : &run->event;
        error = copy_rows(cl, queue, out, run->root->real[worker->index], out ? parcel->own : parcel->alias,
                          (size_t)run->lo, at, bytes, stride, count, event);
        at += count * bytes;
    }
    if (error == CL_SUCCESS)
        cl->clFlush(queue); /* others wait for it */
    else
        cl->clFinish(queue);
    return error;
}

static size_t total_of(const struct cx_runs *runs)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < runs->count; i++)
        bytes += (size_t)(runs->run[i].hi - runs->run[i].lo);
    return bytes;
}

static void tell_broken(const struct cx_parcel *parcel, cl_int error)
{
    const struct cx_worker *source = parcel->source, *member = parcel->member;
    if (cx_peer_break(member->context->peers, source->index, member->index))
        cx_warn(CX_TOPIC_DATA, "%s cannot copy from %s: %s; their bytes go through the host from now on",
                member->device->name, source->device->name, cx_cl_name(error));
}

static cl_int give_up(struct cx_runs *runs, struct cx_worker *blamed, cl_int error)
{
    cx_runs_failed(runs, blamed->context, true);
    cx_worker_leave_out(blamed, error);
    return error;
}

/* Where the slot cannot be filled the other half finds the bytes on the host. */
static cl_int run_out(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_runs *runs = job->data;
    struct cx_parcel *parcel = runs->parcel;
    cl_int error = start_half(runs, worker, job, true);
    if (error == CL_SUCCESS)
        return error;
    tell_broken(parcel, error);
    size_t at = 0;
    parcel->room = malloc(total_of(runs));
    error = parcel->room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS; i++) {
        const struct cx_run *run = &runs->run[i];
        const size_t bytes = (size_t)(run->hi - run->lo);
        error = worker->device->cl->clEnqueueReadBuffer(cx_worker_mover(worker),
                                                        run->root->real[worker->index], CL_TRUE, run->lo,
                                                        bytes, parcel->room + at, 0, NULL, NULL);
        at += bytes;
    }
    return error == CL_SUCCESS ? error : give_up(runs, worker, error);
}

/* Fetches the slot's bytes by the source, which is not shy (worker.h), where the destination cannot. */
static cl_int fetch(struct cx_parcel *parcel, size_t bytes)
{
    struct cx_worker *source = parcel->source;
    parcel->room = malloc(bytes);
    return parcel->room
               ? source->device->cl->clEnqueueReadBuffer(source->queue, parcel->own, CL_TRUE, parcel->at,
                                                         bytes, parcel->room, 0, NULL, NULL)
               : CL_OUT_OF_HOST_MEMORY;
}

static cl_int run_in(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_runs *runs = job->data;
    struct cx_parcel *parcel = runs->parcel;
    const size_t total = total_of(runs);
    cl_int error = CL_SUCCESS;
    if (!parcel->room) {
        error = start_half(runs, worker, job, false);
        if (error == CL_SUCCESS) {
            cx_traffic_add(CX_ROUTE_PEER, true, total);
            return error;
        }
        tell_broken(parcel, error);
        error = fetch(parcel, total);
        if (error != CL_SUCCESS)
            return give_up(runs, parcel->source, error);
    }
    size_t at = 0;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS; i++) {
        const struct cx_run *run = &runs->run[i];
        const size_t bytes = (size_t)(run->hi - run->lo);
        error = worker->device->cl->clEnqueueWriteBuffer(cx_worker_mover(worker),
                                                         run->root->real[worker->index], CL_TRUE, run->lo,
                                                         bytes, parcel->room + at, 0, NULL, NULL);
        at += bytes;
    }
    cx_traffic_add(CX_ROUTE_PAGEABLE, false, total);
    cx_traffic_add(CX_ROUTE_PAGEABLE, true, total);
    return error == CL_SUCCESS ? error : give_up(runs, worker, error);
}

/* ---- planning ---- */

/* One half of what a slot takes. Takes the runs over in any case. */
static struct cx_job *half_job(struct cx_worker *worker, struct cx_runs *runs, struct cx_parcel *parcel,
                               bool in)
{
    atomic_fetch_add_explicit(&parcel->refs, 1, memory_order_relaxed);
    runs->parcel = parcel;
    runs->upload = in;
    runs->source = in ? parcel->source : NULL;
    struct cx_job *job = cx_runs_job(worker, runs);
    if (!job)
        return NULL;
    job->run = in ? run_in : run_out;
    job->waits = false;
    return job;
}

static void drop_job(struct cx_job *job)
{
    if (!job)
        return;
    cx_runs_finish(job->data, NULL);
    free(job->data);
    free(job);
}

static bool plan_second(struct cx_command *command, const struct kept *kept)
{
    struct stage *stage = &command->context->stages->stage[kept->source->index];
    const struct cx_runs *runs = kept->job->data;
    const uint64_t seq = kept->worker->planned + 1;
    bool ok = true;
    for (unsigned i = 0; i < runs->count; i++)
        ok = cx_coherence_brought(runs->run[i].root->coherence, runs->run[i].lo, runs->run[i].hi,
                                  kept->worker->index, seq) &&
             ok;
    stage->slot[kept->slot].timeline = kept->worker->index;
    stage->slot[kept->slot].seq = cx_command_add_job(command, kept->worker, kept->job);
    return ok;
}

bool cx_stage_flush(struct cx_command *command)
{
    struct cx_stages *stages = command->context->stages;
    bool ok = true;
    for (unsigned i = 0; stages && i < stages->nkept; i++)
        ok = plan_second(command, &stages->kept[i]) && ok;
    if (stages)
        stages->nkept = 0;
    return ok;
}

void cx_stage_hold(struct cx_context *context)
{
    if (context->stages)
        context->stages->holds = true;
}

bool cx_stage_let(struct cx_command *command)
{
    if (command->context->stages)
        command->context->stages->holds = false;
    return cx_stage_flush(command);
}

/* Whether what is kept has to be planned first: it empties the slot, or brings what is to be copied on. */
static bool must_flush(const struct cx_stages *stages, const struct cx_worker *source, unsigned slot,
                       const struct kept *next)
{
    bool must = stages->nkept == KEPT;
    for (unsigned i = 0; i < stages->nkept && !must; i++) {
        const struct kept *kept = &stages->kept[i];
        must = (kept->source == source && kept->slot == slot) ||
               (kept->worker == source && kept->root == next->root && kept->lo < next->hi &&
                next->lo < kept->hi);
    }
    return must;
}

/* Of the runs, which are those of one root. */
static struct kept kept_of(const struct cx_runs *runs, struct cx_worker *source, struct cx_worker *worker,
                           unsigned slot)
{
    struct kept kept = {source, worker, NULL, slot, runs->run[0].root, runs->run[0].lo, runs->run[0].hi};
    for (unsigned i = 1; i < runs->count; i++) {
        kept.lo = runs->run[i].lo < kept.lo ? runs->run[i].lo : kept.lo;
        kept.hi = runs->run[i].hi > kept.hi ? runs->run[i].hi : kept.hi;
    }
    return kept;
}

/* Plans both halves of a slot's worth of runs; `in` and `out` list the same ones. */
static cl_int plan_parcel(struct cx_command *command, struct cx_worker *source, struct cx_worker *worker,
                          struct cx_runs *out, struct cx_runs *in)
{
    struct cx_stages *stages = command->context->stages;
    struct stage *stage = &stages->stage[source->index];
    struct cx_parcel *parcel = malloc(sizeof(*parcel));
    if (!parcel) {
        cx_runs_finish(out, NULL);
        cx_runs_finish(in, NULL);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const unsigned slot = stage->next;
    struct kept kept = kept_of(in, source, worker, slot);
    bool ok = !must_flush(stages, source, slot, &kept) || cx_stage_flush(command);
    *parcel = (struct cx_parcel){.source = source,
                                 .member = worker,
                                 .own = stage->own,
                                 .alias = stage->alias[worker->index],
                                 .at = slot * cx_stage_slot()};
    atomic_init(&parcel->refs, 1);
    struct cx_job *first = half_job(source, out, parcel, false), *second = half_job(worker, in, parcel, true);
    cx_parcel_unref(&parcel);
    if (!first || !second) {
        drop_job(first);
        drop_job(second);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (stage->slot[slot].seq)
        first->deps[stage->slot[slot].timeline] = stage->slot[slot].seq;
    second->deps[source->index] = cx_command_add_job(command, source, first);
    const struct cx_runs *runs = second->data;
    for (unsigned i = 0; i < runs->count; i++)
        ok = cx_coherence_validate(runs->run[i].root->coherence, runs->run[i].lo, runs->run[i].hi,
                                   runs->place) &&
             ok;
    kept.job = second;
    if (stages->holds)
        stages->kept[stages->nkept++] = kept;
    else
        ok = plan_second(command, &kept) && ok;
    stage->next = (slot + 1) % SLOTS;
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int cx_stage_copy(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                     const struct cx_move *moves, size_t count)
{
    struct cx_worker *source = cx_place_worker(command->context, from);
    struct cx_worker *worker = cx_place_worker(command->context, place);
    const struct cx_runs none = {.counted = true, .place = place};
    struct cx_runs out = none, in = none;
    size_t room = cx_stage_slot();
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++) {
        uint64_t lo = moves[i].lo;
        while (moves[i].from == from && lo < moves[i].hi && error == CL_SUCCESS) {
            const uint64_t hi = moves[i].hi - lo > room ? lo + room : moves[i].hi;
            if (!cx_runs_add(&out, root, root->real[source->index], lo, hi, NULL) ||
                !cx_runs_add(&in, root, root->real[worker->index], lo, hi, NULL))
                error = CL_OUT_OF_HOST_MEMORY;
            room -= (size_t)(hi - lo);
            lo = hi;
            if (error != CL_SUCCESS || room)
                continue;
            error = plan_parcel(command, source, worker, &out, &in);
            out = in = none;
            room = cx_stage_slot();
        }
    }
    if (in.count && error == CL_SUCCESS)
        return plan_parcel(command, source, worker, &out, &in);
    cx_runs_finish(&out, NULL);
    cx_runs_finish(&in, NULL);
    return error;
}

/* SPDX-License-Identifier: MIT */
/*
 * The bounce transport: from peer to peer (peer.h) through a slot of a bounce buffer, which is shared memory.
 * The source's queue copies regions into a slot on its device; the destination's queue copies them from
 * there, by an object of its own over the same memory. So it serves buffers of any size and kind, nothing
 * waits on the host but the second half for the first, and order is as with transfers through the host: each
 * half is a job of its device's timeline, in line with the kernels there, and what changes the source's bytes
 * later need not wait for the destination.
 *
 * A move takes as many slots as it is long, and both halves of it overlap. A slot is used again once the job
 * that emptied it is over. What cannot be copied that way goes through the host, at once and then for good.
 *
 * A slot has COEXEC_DEBUG=staging kilobytes; 0: there are none. Thread-safety: context->lock. Previous stage:
 * the table (transport.h).
 */
#include "layer/memory/transport.h"
#include "layer/memory/transfer.h"
#include "layer/memory/transfer_state.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/report/transfer_counts.h"

#include <stdlib.h>

enum {
    LEAST_SLOTS = 7,
    MOST_SLOTS = 31,
    MEMORY_PART = 256, /* of a device's memory, for all its slots but the least */
    LEAST = 2 << 20,
    MOST = 32 << 20,
    SECOND_HALVES = 128,
    MANY_PAIRS = 4096
};

struct bounce {
    struct cx_peer_memory *memory;
    cl_mem own;
    cl_mem *alias;        /* one a member: the same memory in its context, or NULL */
    bool fails;           /* no memory */
    uint64_t alias_fails; /* members, as bits */
    unsigned nslots, next;
    struct {
        unsigned timeline;
        uint64_t seq; /* the job that empties it; 0: none yet */
    } slot[MOST_SLOTS];
};

/* A second half that is kept back. */
struct second_half {
    struct cx_worker *source, *worker;
    struct cx_job *job;
    unsigned slot;
    const struct cx_mem *root;
    uint64_t lo, hi; /* all its runs lie in between */
};

/* Of a context: one a member. */
struct cx_bounce_buffers {
    bool holds;
    struct second_half second_half[SECOND_HALVES];
    unsigned nsecond_halves;
    struct bounce bounce[]; /* one a member */
};

/* What a slot holds: its two jobs share it. */
struct cx_bounce_slot_use {
    atomic_uint refs;
    struct cx_worker *source, *member;
    cl_mem own, alias;
    size_t at;           /* in that memory */
    unsigned char *room; /* the same bytes on the host where the slot could not be filled; its job's */
};

/* ---- slots ---- */

static size_t slot_bytes(void)
{
    const uint64_t bytes = cx_options_staging();
    return bytes < MOST ? (size_t)bytes : MOST;
}

/* How many the device has: with many a long move does not wait for the other device to empty them. */
static unsigned slots_of(const struct cx_real_device *device)
{
    const uint64_t room = device->limits.global_mem / MEMORY_PART / slot_bytes();
    return room < LEAST_SLOTS ? LEAST_SLOTS : room < MOST_SLOTS ? (unsigned)room : MOST_SLOTS;
}

/* The places, as bits, from which bytes of the root might come to `place`. */
static uint64_t bounce_near(const struct cx_mem *root, unsigned place)
{
    struct cx_context *context = root->context;
    const struct cx_bounce_buffers *buffers = context->memory.bounce_buffers;
    uint64_t near = 0;
    if (!context->memory.peers || place == CX_PLACE_HOST || root->image || root->storage->svm ||
        !slot_bytes() || !root->real[place - 1] || !cx_peers_are_open(context))
        return 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *source = &context->workers[m];
        if (cx_peer_reaches(context->memory.peers, m, place - 1) && root->real[m] &&
            cx_mem_place(root, source) == 1 + m && !cx_peer_broken(context->memory.peers, m, place - 1) &&
            !atomic_load(&source->left_out) &&
            !(buffers && (buffers->bounce[m].fails || buffers->bounce[m].alias_fails >> (place - 1) & 1)))
            near |= UINT64_C(1) << (1 + m);
    }
    return near;
}

static bool have_buffers(struct cx_context *context)
{
    struct cx_bounce_buffers **buffers = &context->memory.bounce_buffers;
    if (!*buffers)
        *buffers = calloc(1, sizeof(**buffers) + context->nmembers * sizeof((*buffers)->bounce[0]));
    return *buffers;
}

/* Makes the slots where there are none yet. False: they cannot be had, and never will be. */
static bool bounce_open(struct cx_context *context, unsigned from, unsigned place)
{
    const unsigned m = from - 1, to = place - 1;
    cl_int error;
    if (!have_buffers(context))
        return false;
    struct bounce *bounce = &context->memory.bounce_buffers->bounce[m];
    if (!bounce->own && !bounce->fails) {
        bounce->nslots = slots_of(context->workers[m].device);
        /* one more lies behind them: NVIDIA's driver wants whole rows of rectangles within the memory */
        const size_t bytes = (bounce->nslots + 1) * slot_bytes();
        bounce->alias = calloc(context->nmembers, sizeof(cl_mem));
        bounce->own = bounce->alias
                          ? cx_peer_allocate(context, m, bytes < LEAST ? LEAST : bytes, &bounce->memory)
                          : NULL;
        bounce->fails = !bounce->own;
    }
    if (bounce->fails)
        return false;
    if (!bounce->alias[to] && !(bounce->alias_fails >> to & 1) &&
        !(bounce->alias[to] = cx_peer_import(context, to, bounce->memory, &error))) {
        bounce->alias_fails |= UINT64_C(1) << to;
        cx_info(CX_TOPIC_DATA, "%s cannot fetch from %s: %s", context->workers[to].device->name,
                context->workers[m].device->name, cx_cl_name(error));
    }
    return bounce->alias[to];
}

static void bounce_finish(struct cx_context *context)
{
    struct cx_bounce_buffers *buffers = context->memory.bounce_buffers;
    for (unsigned m = 0; buffers && m < context->nmembers; m++) {
        struct bounce *bounce = &buffers->bounce[m];
        for (unsigned to = 0; bounce->alias && to < context->nmembers; to++)
            if (bounce->alias[to])
                cx_peer_release(context, to, bounce->alias[to]);
        if (bounce->own)
            cx_peer_release(context, m, bounce->own);
        cx_peer_free(context, m, &bounce->memory);
        free(bounce->alias);
    }
    free(buffers);
    context->memory.bounce_buffers = NULL;
}

/* Nulls the pointer. Any thread. */
static void unref(struct cx_bounce_slot_use **slot_use)
{
    if (atomic_fetch_sub_explicit(&(*slot_use)->refs, 1, memory_order_acq_rel) == 1) {
        free((*slot_use)->room);
        free(*slot_use);
    }
    *slot_use = NULL;
}

static void drop_second_half(struct cx_transfer_list *transfers)
{
    unref(&transfers->slot_use);
}

/* ---- copies ---- */

/* cx_transfer_list_rows, but all of the last row's stride lies within the buffer (transfer.c). */
static unsigned rows_within(const struct cx_transfer_list *transfers, unsigned i, size_t *stride)
{
    const struct cx_transfer_item *first = &transfers->item[i];
    const unsigned count = cx_transfer_list_rows(transfers, i, stride);
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
static cl_int start_half(const struct cx_transfer_list *transfers, const struct cx_worker *worker,
                         struct cx_job *job, bool out)
{
    const struct cx_bounce_slot_use *slot_use = transfers->slot_use;
    const cl_icd_dispatch *cl = worker->device->cl;
    const cl_command_queue queue = cx_worker_mover(worker);
    size_t at = slot_use->at, stride;
    cl_int error = CL_SUCCESS;
    unsigned count;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i += count) {
        struct cx_transfer_item *item = &transfers->item[i];
        const size_t bytes = (size_t)(item->hi - item->lo);
        count = rows_within(transfers, i, &stride);
        cl_event *event = i + count >= transfers->count ? &job->event
                          : i == 0                      ? &job->first_event
                                                        : &item->event;
        error =
            copy_rows(cl, queue, out, item->root->real[worker->index], out ? slot_use->own : slot_use->alias,
                      (size_t)item->lo, at, bytes, stride, count, event);
        at += count * bytes;
    }
    if (error == CL_SUCCESS)
        cl->clFlush(queue); /* others wait for it */
    else
        cl->clFinish(queue);
    return error;
}

static void tell_broken(const struct cx_bounce_slot_use *slot_use, cl_int error)
{
    const struct cx_worker *source = slot_use->source, *member = slot_use->member;
    if (cx_peer_break(member->context->memory.peers, source->index, member->index))
        cx_warn(CX_TOPIC_DATA, "%s cannot copy from %s: %s; their bytes go through the host from now on",
                member->device->name, source->device->name, cx_cl_name(error));
}

static cl_int give_up(struct cx_transfer_list *transfers, struct cx_worker *blamed, cl_int error)
{
    cx_transfer_list_failed(transfers, blamed->context, true);
    cx_worker_leave_out(blamed, error);
    return error;
}

/* Where the slot cannot be filled the other half finds the bytes on the host. */
static cl_int run_out(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_transfer_list *transfers = job->data;
    struct cx_bounce_slot_use *slot_use = transfers->slot_use;
    cl_int error = start_half(transfers, worker, job, true);
    if (error == CL_SUCCESS)
        return error;
    tell_broken(slot_use, error);
    size_t at = 0;
    slot_use->room = malloc((size_t)cx_transfer_list_bytes(transfers));
    error = slot_use->room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        const size_t bytes = (size_t)(item->hi - item->lo);
        error = worker->device->cl->clEnqueueReadBuffer(cx_worker_mover(worker),
                                                        item->root->real[worker->index], CL_TRUE, item->lo,
                                                        bytes, slot_use->room + at, 0, NULL, NULL);
        at += bytes;
    }
    return error == CL_SUCCESS ? error : give_up(transfers, worker, error);
}

/* Fetches the slot's bytes through the source, whose driver is not synchronous, if the destination cannot. */
static cl_int fetch(struct cx_bounce_slot_use *slot_use, size_t bytes)
{
    struct cx_worker *source = slot_use->source;
    slot_use->room = malloc(bytes);
    return slot_use->room
               ? source->device->cl->clEnqueueReadBuffer(source->queue, slot_use->own, CL_TRUE, slot_use->at,
                                                         bytes, slot_use->room, 0, NULL, NULL)
               : CL_OUT_OF_HOST_MEMORY;
}

static cl_int run_in(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_transfer_list *transfers = job->data;
    struct cx_bounce_slot_use *slot_use = transfers->slot_use;
    const size_t total = (size_t)cx_transfer_list_bytes(transfers);
    cl_int error = CL_SUCCESS;
    if (!slot_use->room) {
        transfers->tells_rate = cx_transfer_tells(total) && worker->profiles && !job->times.wanted;
        job->times.wanted |= transfers->tells_rate;
        error = start_half(transfers, worker, job, false);
        if (error == CL_SUCCESS) {
            cx_transfer_counts_add(CX_ROUTE_PEER, true, total);
            return error;
        }
        tell_broken(slot_use, error);
        error = fetch(slot_use, total);
        if (error != CL_SUCCESS)
            return give_up(transfers, slot_use->source, error);
    }
    size_t at = 0;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        const size_t bytes = (size_t)(item->hi - item->lo);
        error = worker->device->cl->clEnqueueWriteBuffer(cx_worker_mover(worker),
                                                         item->root->real[worker->index], CL_TRUE, item->lo,
                                                         bytes, slot_use->room + at, 0, NULL, NULL);
        at += bytes;
    }
    cx_transfer_counts_add(CX_ROUTE_PAGEABLE, false, total);
    cx_transfer_counts_add(CX_ROUTE_PAGEABLE, true, total);
    return error == CL_SUCCESS ? error : give_up(transfers, worker, error);
}

/* ---- planning ---- */

/* One half of what a slot takes. Takes the runs over in any case. */
static struct cx_job *half_job(struct cx_worker *worker, struct cx_transfer_list *transfers,
                               struct cx_bounce_slot_use *slot_use, bool in)
{
    atomic_fetch_add_explicit(&slot_use->refs, 1, memory_order_relaxed);
    transfers->slot_use = slot_use;
    transfers->drop = drop_second_half;
    transfers->upload = in;
    transfers->source = in ? slot_use->source : NULL;
    struct cx_job *job = cx_transfer_list_job(worker, transfers);
    if (!job)
        return NULL;
    job->run = in ? run_in : run_out;
    job->kind.waits = false;
    return job;
}

static void drop_job(struct cx_job *job)
{
    if (!job)
        return;
    cx_transfer_list_finish(job->data, NULL);
    free(job->data);
    free(job);
}

static bool plan_second(struct cx_command *command, const struct second_half *second_half)
    CX_HOLDS(cx_context_locked)
{
    struct bounce *bounce = &command->context->memory.bounce_buffers->bounce[second_half->source->index];
    const struct cx_transfer_list *transfers = second_half->job->data;
    const uint64_t seq = second_half->worker->timeline.planned + 1;
    bool ok = true;
    for (unsigned i = 0; i < transfers->count; i++)
        ok = cx_coherence_brought(transfers->item[i].root->storage->coherence, transfers->item[i].lo,
                                  transfers->item[i].hi, second_half->worker->index, seq) &&
             ok;
    bounce->slot[second_half->slot].timeline = second_half->worker->index;
    bounce->slot[second_half->slot].seq = cx_command_add_job(command, second_half->worker, second_half->job);
    return ok;
}

static bool bounce_flush(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct cx_bounce_buffers *bounce_buffers = command->context->memory.bounce_buffers;
    bool ok = true;
    for (unsigned i = 0; bounce_buffers && i < bounce_buffers->nsecond_halves; i++)
        ok = plan_second(command, &bounce_buffers->second_half[i]) && ok;
    if (bounce_buffers)
        bounce_buffers->nsecond_halves = 0;
    return ok;
}

static void bounce_hold(struct cx_context *context)
{
    if (context->memory.peers && slot_bytes() && cx_peers_are_open(context) && have_buffers(context))
        context->memory.bounce_buffers->holds = true;
}

static bool bounce_let(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    if (command->context->memory.bounce_buffers)
        command->context->memory.bounce_buffers->holds = false;
    return bounce_flush(command);
}

/* Whether any runs of the two lists, which are of one root, overlap. */
static bool runs_overlap(const struct cx_transfer_list *a, const struct cx_transfer_list *b)
{
    if ((size_t)a->count * b->count > MANY_PAIRS) /* may be: it costs a wait */
        return true;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++)
            if (a->item[i].lo < b->item[j].hi && b->item[j].lo < a->item[i].hi)
                return true;
    return false;
}

/* Whether what is kept has to be planned first: it empties the slot, or brings what is to be copied on.
 * Devices that bring each other the borders of many arrays in one buffer do so side by side. */
static bool must_flush(const struct cx_bounce_buffers *bounce_buffers, const struct cx_worker *source,
                       unsigned slot, const struct second_half *next, const struct cx_transfer_list *runs)
{
    bool must = bounce_buffers->nsecond_halves == SECOND_HALVES;
    for (unsigned i = 0; i < bounce_buffers->nsecond_halves && !must; i++) {
        const struct second_half *second_half = &bounce_buffers->second_half[i];
        must =
            (second_half->source == source && second_half->slot == slot) ||
            (second_half->worker == source && second_half->root == next->root && second_half->lo < next->hi &&
             next->lo < second_half->hi && runs_overlap(second_half->job->data, runs));
    }
    return must;
}

/* Of the runs, which are those of one root. */
static struct second_half second_half_of(const struct cx_transfer_list *transfers, struct cx_worker *source,
                                         struct cx_worker *worker, unsigned slot)
{
    struct second_half second_half = {
        source, worker, NULL, slot, transfers->item[0].root, transfers->item[0].lo, transfers->item[0].hi};
    for (unsigned i = 1; i < transfers->count; i++) {
        second_half.lo = transfers->item[i].lo < second_half.lo ? transfers->item[i].lo : second_half.lo;
        second_half.hi = transfers->item[i].hi > second_half.hi ? transfers->item[i].hi : second_half.hi;
    }
    return second_half;
}

/* Plans both halves of a slot's worth of runs; `in` and `out` list the same ones. */
static cl_int plan_halves(struct cx_command *command, struct cx_worker *source, struct cx_worker *worker,
                          struct cx_transfer_list *out, struct cx_transfer_list *in)
    CX_HOLDS(cx_context_locked)
{
    struct cx_bounce_buffers *bounce_buffers = command->context->memory.bounce_buffers;
    struct bounce *bounce = &bounce_buffers->bounce[source->index];
    struct cx_bounce_slot_use *slot_use = malloc(sizeof(*slot_use));
    if (!slot_use) {
        cx_transfer_list_finish(out, NULL);
        cx_transfer_list_finish(in, NULL);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const unsigned slot = bounce->next;
    struct second_half second_half = second_half_of(in, source, worker, slot);
    bool ok = !must_flush(bounce_buffers, source, slot, &second_half, in) || bounce_flush(command);
    *slot_use = (struct cx_bounce_slot_use){.source = source,
                                            .member = worker,
                                            .own = bounce->own,
                                            .alias = bounce->alias[worker->index],
                                            .at = slot * slot_bytes()};
    atomic_init(&slot_use->refs, 1);
    struct cx_job *first = half_job(source, out, slot_use, false),
                  *second = half_job(worker, in, slot_use, true);
    unref(&slot_use);
    if (!first || !second) {
        drop_job(first);
        drop_job(second);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (bounce->slot[slot].seq)
        first->deps[bounce->slot[slot].timeline] = bounce->slot[slot].seq;
    second->deps[source->index] = cx_command_add_job(command, source, first);
    const struct cx_transfer_list *transfers = second->data;
    for (unsigned i = 0; i < transfers->count; i++)
        ok = cx_coherence_validate(transfers->item[i].root->storage->coherence, transfers->item[i].lo,
                                   transfers->item[i].hi, transfers->place) &&
             ok;
    second_half.job = second;
    if (bounce_buffers->holds)
        bounce_buffers->second_half[bounce_buffers->nsecond_halves++] = second_half;
    else
        ok = plan_second(command, &second_half) && ok;
    bounce->next = (slot + 1) % bounce->nslots;
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int bounce_plan(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                          const struct cx_move *moves, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *source = cx_mem_place_worker(command->context, from);
    struct cx_worker *worker = cx_mem_place_worker(command->context, place);
    const struct cx_transfer_list none = {.counted = true, .place = place};
    struct cx_transfer_list out = none, in = none;
    size_t room = slot_bytes();
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++) {
        uint64_t lo = moves[i].lo;
        while (moves[i].from == from && lo < moves[i].hi && error == CL_SUCCESS) {
            const uint64_t hi = moves[i].hi - lo > room ? lo + room : moves[i].hi;
            if (!cx_transfer_list_add(&out, root, root->real[source->index], lo, hi, NULL) ||
                !cx_transfer_list_add(&in, root, root->real[worker->index], lo, hi, NULL))
                error = CL_OUT_OF_HOST_MEMORY;
            room -= (size_t)(hi - lo);
            lo = hi;
            if (error != CL_SUCCESS || room)
                continue;
            error = plan_halves(command, source, worker, &out, &in);
            out = in = none;
            room = slot_bytes();
        }
    }
    if (in.count && error == CL_SUCCESS)
        return plan_halves(command, source, worker, &out, &in);
    cx_transfer_list_finish(&out, NULL);
    cx_transfer_list_finish(&in, NULL);
    return error;
}

static unsigned bounce_price(uint64_t bytes)
{
    return bytes <= slot_bytes() ? CX_PRICE_SLOT : CX_PRICE_SLOTS;
}

/* Of what the host copy has as well all devices upload at once: 27 GB from one H200 to three took twice as
 * long by its slots. */
const struct cx_transport cx_transport_bounce = {
    .name = "bounce",
    .possible = cx_peers_possible,
    .near = bounce_near,
    .yields = true,
    .price = bounce_price,
    .open = bounce_open,
    .plan = bounce_plan,
    .hold = bounce_hold,
    .let = bounce_let,
    .flush = bounce_flush,
    .finish = bounce_finish,
};

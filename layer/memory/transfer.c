/* SPDX-License-Identifier: MIT */
/*
 * Moving regions between places: planning the jobs, and the jobs themselves.
 */
#include "layer/memory/transfer.h"
#include "layer/memory/transfer_state.h"
#include "layer/memory/image.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/report/trace.h"
#include "layer/memory/trace_transfer.h"
#include "layer/report/transfer_counts.h"
#include "layer/memory/transport.h"

#include <stdlib.h>
#include <string.h>

static bool add_item(struct cx_transfer_list *transfers, struct cx_mem *root, cl_mem real, uint64_t lo,
                     uint64_t hi, unsigned char *host)
{
    if (transfers->count == transfers->room) {
        unsigned room = transfers->room ? 2 * transfers->room : 4;
        struct cx_transfer_item *grown = realloc(transfers->item, room * sizeof(*grown));
        if (!grown)
            return false;
        transfers->item = grown;
        transfers->room = room;
    }
    const bool ours =
        root->storage->pages && host >= root->storage->host && host < root->storage->host + root->size;
    transfers->item[transfers->count++] =
        (struct cx_transfer_item){.root = cx_mem_ref(root),
                                  .real = real,
                                  .lo = lo,
                                  .hi = hi,
                                  .host = host,
                                  .pages = ours ? root->storage->pages : NULL};
    return true;
}

/* Of an image each run must be one box of texels. */
bool cx_transfer_list_add(struct cx_transfer_list *transfers, struct cx_mem *root, cl_mem real, uint64_t lo,
                          uint64_t hi, unsigned char *host)
{
    if (!root->image)
        return add_item(transfers, root, real, lo, hi, host);
    for (size_t at = (size_t)lo, start, end; at < hi; at = end) {
        end = cx_image_box_end(root->image, at, (size_t)hi, &start);
        if (start < end && !add_item(transfers, root, real, start, end, host + (start - lo)))
            return false;
    }
    return true;
}

uint64_t cx_transfer_list_bytes(const struct cx_transfer_list *transfers)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < transfers->count; i++)
        bytes += transfers->item[i].hi - transfers->item[i].lo;
    return bytes;
}

bool cx_transfer_list_cut(struct cx_transfer_list *transfers, uint64_t most, struct cx_transfer_list *part)
{
    uint64_t bytes = 0;
    unsigned whole = 0;
    while (whole < transfers->count &&
           bytes + (transfers->item[whole].hi - transfers->item[whole].lo) <= most) {
        bytes += transfers->item[whole].hi - transfers->item[whole].lo;
        whole++;
    }
    if (whole == transfers->count)
        return false;
    const unsigned count = whole ? whole : 1;
    struct cx_transfer_item *item = calloc(count, sizeof(*item)), *rest = &transfers->item[whole];
    if (!item)
        return false;
    memcpy(item, transfers->item, count * sizeof(*item));
    if (!whole) { /* part of the first one */
        (void)cx_mem_ref(rest->root);
        item->hi = rest->lo += most;
        rest->host += most;
    }
    *part = (struct cx_transfer_list){
        .upload = transfers->upload, .place = transfers->place, .count = count, .room = count, .item = item};
    transfers->count -= whole;
    memmove(transfers->item, rest, transfers->count * sizeof(*rest));
    return true;
}

/* Whether the run may be one of several rows of an image that move as one box. */
static bool is_row(const struct cx_image *image, const struct cx_transfer_item *item,
                   const struct cx_rows *rows)
{
    return item->hi - item->lo <= image->extent[0] * image->element && rows->stride == image->step[1] &&
           (item->lo + rows->count * rows->stride) / image->step[2] == item->lo / image->step[2];
}

/* The runs from the i-th on that are rows of one block: alike, and the same distances apart. NVIDIA's driver
 * wants all of the last row's stride to lie within the buffer; where it does not, that row goes by itself. */
static struct cx_rows rows_from(const struct cx_transfer_list *transfers, unsigned i,
                                const struct cx_worker *worker)
{
    const struct cx_transfer_item *first = &transfers->item[i], *second = first + 1;
    const uint64_t bytes = first->hi - first->lo;
    struct cx_rows rows = {.count = 1};
    if (i + 1 >= transfers->count || second->lo < first->hi || second->host < first->host + bytes)
        return rows;
    rows.stride = (size_t)(second->lo - first->lo);
    rows.host_stride = (size_t)(second->host - first->host);
    while (i + rows.count < transfers->count) {
        const struct cx_transfer_item *item = &transfers->item[i + rows.count];
        if (item->real != first->real || item->hi - item->lo != bytes ||
            item->lo - first->lo != rows.count * rows.stride ||
            item->host != first->host + rows.count * rows.host_stride ||
            (item->root->image && !is_row(item->root->image, first, &rows)))
            break;
        rows.count++;
    }
    if (first->root->image)
        return rows;
    const uint64_t size = first->real == first->root->real[worker->index] ? first->root->size : 0;
    if (rows.count > 1 && (first->lo / rows.stride + rows.count) * rows.stride > size)
        rows.count--;
    return rows;
}

unsigned cx_transfer_list_rows(const struct cx_transfer_list *transfers, unsigned i, size_t *stride)
{
    const struct cx_transfer_item *first = &transfers->item[i];
    unsigned count = 1;
    *stride = 0;
    if (i + 1 < transfers->count && transfers->item[i + 1].lo >= first->hi)
        *stride = (size_t)(transfers->item[i + 1].lo - first->lo);
    for (; *stride && i + count < transfers->count; count++) {
        const struct cx_transfer_item *item = &transfers->item[i + count];
        if (item->root != first->root || item->hi - item->lo != first->hi - first->lo ||
            item->lo != first->lo + count * *stride)
            break;
    }
    return count;
}

/* Counts a transfer by the way it goes. */
static void count_item(const struct cx_transfer_list *transfers, const struct cx_transfer_item *item,
                       const struct cx_transport *transport, const struct cx_rows *rows)
{
    cx_transfer_counts_add(transfers->merges ? CX_ROUTE_MERGE : transport->route(item, rows),
                           transfers->upload, (item->hi - item->lo) * rows->count);
}

cl_int cx_transfer_list_start(struct cx_transfer_list *transfers, struct cx_worker *worker, cl_event *first,
                              cl_event *last)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS;) {
        struct cx_transfer_item *item = &transfers->item[i];
        const struct cx_rows rows = rows_from(transfers, i, worker);
        size_t bytes = (size_t)(item->hi - item->lo);
        i += (unsigned)rows.count;
        cl_event *begin = item == transfers->item ? first : NULL;
        if (item->pages && item->host == item->pages->memory + item->lo)
            cx_pin_moved(item->root, worker, bytes * rows.count);
        const struct cx_transport *transport = cx_transport_for(worker, item, &rows);
        cl_event *event = i == transfers->count ? last : begin && !transport->parts ? begin : &item->event;
        item->transport = transport;
        count_item(transfers, item, transport, &rows);
        error =
            transport->start(worker, item, &rows, transfers->upload, transport->parts ? begin : NULL, event);
    }
    if (error != CL_SUCCESS && transfers->count > 1) /* those already started use the host's memory */
        worker->device->cl->clFinish(cx_worker_mover(worker));
    return error;
}

cl_int cx_transfer_list_read(struct cx_transfer_list *transfers, struct cx_worker *worker,
                             cl_command_queue queue)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const uint64_t start = cx_clock_ns();
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS;) {
        struct cx_transfer_item *item = &transfers->item[i];
        const struct cx_rows rows = rows_from(transfers, i, worker);
        i += (unsigned)rows.count;
        count_item(transfers, item, &cx_transport_host, &rows);
        error = cx_transport_host_download(queue, worker, item, &rows, &item->event);
    }
    if (error == CL_SUCCESS)
        error = cl->clFlush(queue);
    for (unsigned i = 0; i < transfers->count; i++) { /* also after an error: they use the host's memory */
        cl_event event = transfers->item[i].event;
        cl_int waited = event ? cl->clWaitForEvents(1, &event) : CL_SUCCESS;
        if (waited != CL_SUCCESS)
            waited = cl->clFinish(queue);
        error = error == CL_SUCCESS ? waited : error;
    }
    if (error == CL_SUCCESS)
        error = cx_transfer_list_status(transfers, worker);
    cx_trace_transfers(transfers, worker, start, cx_clock_ns());
    return error;
}

cl_int cx_transfer_list_status(const struct cx_transfer_list *transfers, const struct cx_worker *worker)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        if (item->event)
            error = cx_worker_event_error(worker, item->event);
        for (unsigned k = 0; k < item->nchunks && error == CL_SUCCESS; k++)
            error = cx_worker_event_error(worker, item->chunks[k]);
    }
    return error;
}

void cx_transfer_list_finish(struct cx_transfer_list *transfers, const struct cx_worker *worker)
{
    for (unsigned i = 0; i < transfers->count; i++) {
        if (transfers->item[i].event)
            worker->device->cl->clReleaseEvent(transfers->item[i].event);
        if (transfers->item[i].nchunks)
            cx_worker_drop_events(worker, transfers->item[i].chunks, transfers->item[i].nchunks);
        free(transfers->item[i].chunks);
        cx_mem_unref(&transfers->item[i].root);
    }
    free(transfers->item);
    if (transfers->drop)
        transfers->drop(transfers);
    *transfers = (struct cx_transfer_list){0};
}

void cx_transfer_list_failed(struct cx_transfer_list *transfers, struct cx_context *context, bool relied)
{
    if (!transfers->counted)
        return;
    transfers->counted = false;
    cx_context_lock(context);
    for (unsigned i = 0; i < transfers->count; i++)
        cx_coherence_lose(transfers->item[i].root->storage->coherence, transfers->item[i].lo,
                          transfers->item[i].hi, transfers->place);
    if (relied)
        atomic_fetch_add(&context->epoch, 1);
    cx_context_unlock(context);
}

/* Of what is mapped no more comes by a blocking call: more goes by pinned memory where there is some. */
#define MAPPED_BYTES (UINT64_C(1) << 16)

/* Whether the job is one plain transfer of the program's own memory, or of all that is mapped, in a call of
 * the program's that blocks: the driver's own blocking call, as the program would make it, takes the driver's
 * quick way and, where nothing needs one, saves an event and, for what is written, the wait until the device
 * has it. */
static bool may_block(const struct cx_job *job, const struct cx_worker *worker)
{
    const struct cx_transfer_list *transfers = job->data;
    const struct cx_transfer_item *item = transfers->item;
    if (transfers->count != 1 || job->kind.waits || worker->device->probe.synchronous ||
        worker->moves_aside || cx_trace_on())
        return false;
    if (transfers->counted)
        return !transfers->upload && !job->tells && !job->times.wanted &&
               item->hi - item->lo <= MAPPED_BYTES && cx_command_maps_here(job->command);
    return !item->pages && cx_command_blocks_here(job->command);
}

/* Whether such a job needs an event all the same: times are asked for by events alone, and what is written is
 * over later than the call where the program has one. */
static bool needs_event(const struct cx_job *job)
{
    const struct cx_transfer_list *transfers = job->data;
    const bool asked = !cx_command_returns_here(job->command);
    return job->tells || (asked && (transfers->upload || job->times.wanted));
}

static const struct cx_rows one_row = {.count = 1};

/* By which transport it goes so; NULL: it does not. */
static const struct cx_transport *blocks_by(const struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_transfer_list *transfers = job->data;
    const struct cx_transport *transport =
        may_block(job, worker) ? cx_transport_for(worker, transfers->item, &one_row) : NULL;
    return transport && transport->block ? transport : NULL;
}

static cl_int run_blocking(struct cx_job *job, struct cx_worker *worker, const struct cx_transport *transport)
{
    const struct cx_transfer_list *transfers = job->data;
    count_item(transfers, transfers->item, transport, &one_row);
    const cl_int error =
        transport->block(worker, transfers->item, transfers->upload, needs_event(job) ? &job->event : NULL);
    if (!transfers->upload)
        job->ended = error == CL_SUCCESS;
    else if (error == CL_SUCCESS && cx_command_returns_here(job->command))
        cx_command_hand(job->command);
    job->loose |= transfers->upload && !job->event;
    return error;
}

/* Bytes of an upload that tells of the rate; 0: it is none. */
static uint64_t telling_bytes(const struct cx_transfer_list *transfers)
{
    const struct cx_transfer_item *item = transfers->item;
    if (!transfers->upload || transfers->source || transfers->count != 1 || item->root->image ||
        !cx_transfer_tells(item->hi - item->lo))
        return 0;
    return item->hi - item->lo;
}

/* Whether the call that made the upload returned when its bytes were over, or nearly. */
static bool took_all(const struct cx_transfer_list *transfers, uint64_t bytes, bool blocking)
{
    const struct cx_transport *transport = transfers->item->transport;
    return blocking || (transport && transport->paces && transport->paces(bytes));
}

static void tell_rate(struct cx_worker *worker, uint64_t bytes, uint64_t ns)
{
    cx_transfer_rate_tell(&worker->transfers->upload_rate, bytes, ns);
}

/* It is over, and its times are known. */
static void tell_times(const struct cx_transfer_list *transfers, struct cx_worker *worker,
                       const struct cx_job_times *times)
{
    const uint64_t bytes = telling_bytes(transfers), ns = times->end_ns - times->start_ns;
    if (bytes && times->start_ns)
        tell_rate(worker, bytes, ns);
    else if (transfers->tells_rate) /* a second half: transport_bounce.c */
        cx_transfer_rate_tell(&worker->transfers->peer_rate, cx_transfer_list_bytes(transfers), ns);
}

static cl_int run_runs(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_transfer_list *transfers = job->data;
    const struct cx_transport *blocking = blocks_by(job, worker);
    const uint64_t bytes = telling_bytes(transfers);
    transfers->tells_rate = bytes && worker->profiles && !blocking && !job->times.wanted;
    job->times.wanted |= transfers->tells_rate;
    const bool alone = !job->times.wanted && atomic_load(&worker->timeline.completed) + 1 == job->seq;
    const uint64_t start = bytes && alone ? cx_clock_ns() : 0;
    cl_int error = blocking ? run_blocking(job, worker, blocking)
                            : cx_transfer_list_start(transfers, worker, &job->first_event, &job->event);
    if (start && error == CL_SUCCESS && took_all(transfers, bytes, blocking != NULL))
        tell_rate(worker, bytes, cx_clock_ns() - start);
    if (error != CL_SUCCESS) {
        cx_transfer_list_failed(transfers, worker->context, true);
        cx_worker_leave_out(worker, error);
    }
    return error;
}

static void skip_runs(struct cx_job *job, struct cx_worker *worker)
{
    cx_transfer_list_failed(job->data, worker->context, true);
}

static void finish_transfers(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_transfer_list *transfers = job->data;
    if (job->status == CL_SUCCESS)
        job->status = cx_transfer_list_status(transfers, worker);
    if (job->status < 0 &&
        transfers->counted) { /* on the device: what went there behind it ran on old bytes */
        cx_transfer_list_failed(transfers, worker->context, true);
        atomic_store(&worker->broken, atomic_load(&worker->context->epoch));
        if (!job->stale)
            cx_worker_leave_out(worker, job->status);
    }
    if (job->times.end_ns > job->times.start_ns && job->status == CL_SUCCESS)
        tell_times(transfers, worker, &job->times);
    if (transfers->tells_rate) /* nobody else asked for them */
        job->times.start_ns = job->times.end_ns = 0;
    if (job->times.start_ns)
        cx_trace_transfers(transfers, worker, job->times.start_ns, job->times.end_ns);
    cx_transfer_list_finish(transfers, worker);
    free(transfers);
}

struct cx_job *cx_transfer_list_job(const struct cx_worker *worker, struct cx_transfer_list *transfers)
{
    struct cx_job *job = cx_job_new(worker->context);
    struct cx_transfer_list *own = malloc(sizeof(*own));
    if (!job || !own) {
        free(job);
        free(own);
        cx_transfer_list_finish(transfers, NULL);
        return NULL;
    }
    *own = *transfers;
    *transfers = (struct cx_transfer_list){0};
    job->data = own;
    job->run = run_runs;
    job->skip = skip_runs;
    job->finish = finish_transfers;
    job->times.wanted = cx_trace_on();
    for (unsigned i = 0; i < own->count; i++)
        job->kind.waits |= cx_transports_may_wait(worker, own->item[i].hi - own->item[i].lo);
    return job;
}

bool cx_transfer_note(struct cx_mem *root, uint64_t lo, uint64_t hi, bool write,
                      const struct cx_worker *worker, struct cx_job *job)
{
    if (cx_mem_place(root, worker) != CX_PLACE_HOST || lo >= hi)
        return true;
    uint64_t seq = worker->timeline.planned + 1;
    return write ? cx_coherence_host_write(root->storage->coherence, lo, hi, worker->index, seq, job->deps)
                 : cx_coherence_host_read(root->storage->coherence, lo, hi, worker->index, seq, job->deps);
}

void cx_transfer_tidy(struct cx_mem *root)
{
    const struct cx_context *context = root->context;
    uint64_t completed[64];
    if (!cx_coherence_is_cluttered(root->storage->coherence))
        return;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        completed[t] = atomic_load_explicit(&context->workers[t].timeline.completed, memory_order_acquire);
    cx_coherence_tidy(root->storage->coherence, completed);
}

/* Downloads the runs of `moves` that lie at `from` into the host copy, in one job on that member's timeline.
 */
static cl_int download_from(struct cx_command *command, struct cx_mem *root, unsigned from,
                            const struct cx_move *moves, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *worker = cx_mem_place_worker(command->context, from);
    struct cx_transfer_list transfers = {.upload = false, .counted = true, .place = CX_PLACE_HOST};
    if (!cx_transports_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (moves[i].from == from &&
            !cx_transfer_list_add(&transfers, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                                  root->storage->host + moves[i].lo))
            goto fail;
    if (!transfers.count)
        return CL_SUCCESS;
    struct cx_job *job = cx_transfer_list_job(worker, &transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (moves[i].from == from) {
            cx_coherence_host_write(root->storage->coherence, moves[i].lo, moves[i].hi, worker->index,
                                    worker->timeline.planned + 1, job->deps);
            cx_coherence_validate(root->storage->coherence, moves[i].lo, moves[i].hi, CX_PLACE_HOST);
        }
    cx_command_add_job(command, worker, job);
    return CL_SUCCESS;
fail:
    cx_transfer_list_finish(&transfers, NULL);
    return CL_OUT_OF_HOST_MEMORY;
}

static cl_int upload_to(struct cx_command *command, struct cx_mem *root, unsigned place,
                        const struct cx_move *moves, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *worker = cx_mem_place_worker(command->context, place);
    struct cx_transfer_list transfers = {.upload = true, .counted = true, .place = place};
    if (!cx_transports_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!cx_transfer_list_add(&transfers, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                                  root->storage->host + moves[i].lo)) {
            cx_transfer_list_finish(&transfers, NULL);
            return CL_OUT_OF_HOST_MEMORY;
        }
    struct cx_job *job = cx_transfer_list_job(worker, &transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++) {
        cx_coherence_host_read(root->storage->coherence, moves[i].lo, moves[i].hi, worker->index,
                               worker->timeline.planned + 1, job->deps);
        cx_coherence_validate(root->storage->coherence, moves[i].lo, moves[i].hi, place);
    }
    cx_command_add_job(command, worker, job);
    return CL_SUCCESS;
}

cl_int cx_transfer_lost(const struct cx_mem *root)
{
    cx_warn(CX_TOPIC_DATA, "contents of memory object %llu were lost when a device failed",
            (unsigned long long)root->base.id);
    return CL_OUT_OF_RESOURCES;
}

static bool comes_by(uint64_t places, const struct cx_move *move)
{
    return move->from < 64 && places >> move->from & 1; /* CX_PLACE_NONE is none */
}

/* What transports that yield would bring comes from the host copy where that is valid, too. */
static void prefer_host(const struct cx_mem *root, const struct cx_near *near, struct cx_move *moves,
                        size_t count) CX_HOLDS(cx_context_locked)
{
    for (size_t i = 0; i < count; i++)
        if (comes_by(near->any & ~near->firm, &moves[i]) &&
            cx_coherence_valid(root->storage->coherence, moves[i].lo, moves[i].hi, CX_PLACE_HOST))
            moves[i].from = CX_PLACE_HOST;
}

cl_int cx_transfer_ranges(struct cx_command *command, struct cx_mem *root, const struct cx_byte_range *ranges,
                          size_t n, unsigned place, uint64_t *bytes)
{
    struct cx_move *moves = NULL;
    size_t count = 0;
    cl_int error = CL_SUCCESS;
    struct cx_near near;
    size_t first = 0;
    while (first < n &&
           cx_coherence_valid(root->storage->coherence, ranges[first].lo, ranges[first].hi, place))
        first++;
    if (first == n)
        return CL_SUCCESS;
    cx_transports_near(root, place, &near);
    for (size_t i = first; i < n && error == CL_SUCCESS; i++)
        if (!cx_coherence_valid(root->storage->coherence, ranges[i].lo, ranges[i].hi, place) &&
            !cx_coherence_missing_near(root->storage->coherence, ranges[i].lo, ranges[i].hi, place, near.any,
                                       &moves, &count))
            error = CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++)
        if (moves[i].from == CX_PLACE_NONE)
            error = cx_transfer_lost(root);
    prefer_host(root, &near, moves, count);
    for (size_t i = 0; i < count && bytes; i++)
        *bytes +=
            (moves[i].hi - moves[i].lo) * (moves[i].from && place && !comes_by(near.any, &moves[i]) ? 2 : 1);
    if (count && near.any && error == CL_SUCCESS)
        error = cx_transports_plan(command, root, place, &near, moves, &count);
    if (count && error == CL_SUCCESS && !cx_mem_host(root))
        error = CL_OUT_OF_HOST_MEMORY;
    for (unsigned from = 1; from <= command->context->nmembers && count && error == CL_SUCCESS; from++)
        error = download_from(command, root, from, moves, count);
    if (count && error == CL_SUCCESS && place != CX_PLACE_HOST)
        error = upload_to(command, root, place, moves, count);
    free(moves);
    return error;
}

cl_int cx_transfer_to(struct cx_command *command, struct cx_mem *root, uint64_t lo, uint64_t hi,
                      unsigned place, uint64_t *bytes)
{
    const struct cx_byte_range range = {lo, hi};
    return lo < hi ? cx_transfer_ranges(command, root, &range, 1, place, bytes) : CL_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Moving regions between places: planning the jobs, and the jobs themselves.
 */
#include "layer/memory/transfer.h"
#include "layer/memory/image.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/memory/transport_slots.h"
#include "layer/report/trace_file.h"
#include "layer/memory/trace_transfer.h"
#include "layer/report/transfer_counts.h"
#include "layer/memory/transport.h"
#include "layer/memory/transport_peer.h"
#include "layer/memory/transport_ring.h"

#include <stdlib.h>
#include <string.h>

static bool add_run(struct cx_runs *runs, struct cx_mem *root, cl_mem real, uint64_t lo, uint64_t hi,
                    unsigned char *host)
{
    if (runs->count == runs->room) {
        unsigned room = runs->room ? 2 * runs->room : 4;
        struct cx_run *grown = realloc(runs->run, room * sizeof(*grown));
        if (!grown)
            return false;
        runs->run = grown;
        runs->room = room;
    }
    const bool ours = root->pages && host >= root->host && host < root->host + root->size;
    runs->run[runs->count++] = (struct cx_run){.root = cx_mem_ref(root),
                                               .real = real,
                                               .lo = lo,
                                               .hi = hi,
                                               .host = host,
                                               .pages = ours ? root->pages : NULL};
    return true;
}

/* Of an image each run must be one box of texels. */
bool cx_runs_add(struct cx_runs *runs, struct cx_mem *root, cl_mem real, uint64_t lo, uint64_t hi,
                 unsigned char *host)
{
    if (!root->image)
        return add_run(runs, root, real, lo, hi, host);
    for (size_t at = (size_t)lo, start, end; at < hi; at = end) {
        end = cx_image_box_end(root->image, at, (size_t)hi, &start);
        if (start < end && !add_run(runs, root, real, start, end, host + (start - lo)))
            return false;
    }
    return true;
}

bool cx_runs_cut(struct cx_runs *runs, uint64_t most, struct cx_runs *piece)
{
    uint64_t bytes = 0;
    unsigned whole = 0;
    while (whole < runs->count && bytes + (runs->run[whole].hi - runs->run[whole].lo) <= most) {
        bytes += runs->run[whole].hi - runs->run[whole].lo;
        whole++;
    }
    if (whole == runs->count)
        return false;
    const unsigned count = whole ? whole : 1;
    struct cx_run *run = calloc(count, sizeof(*run)), *rest = &runs->run[whole];
    if (!run)
        return false;
    memcpy(run, runs->run, count * sizeof(*run));
    if (!whole) { /* part of the first one */
        (void)cx_mem_ref(rest->root);
        run->hi = rest->lo += most;
        rest->host += most;
    }
    *piece = (struct cx_runs){
        .upload = runs->upload, .place = runs->place, .count = count, .room = count, .run = run};
    runs->count -= whole;
    memmove(runs->run, rest, runs->count * sizeof(*rest));
    return true;
}

/* Whether the run may be one of several rows of an image that move as one box. */
static bool is_row(const struct cx_image *image, const struct cx_run *run, const struct cx_rows *rows)
{
    return run->hi - run->lo <= image->extent[0] * image->element && rows->stride == image->step[1] &&
           (run->lo + rows->count * rows->stride) / image->step[2] == run->lo / image->step[2];
}

/* The runs from the i-th on that are rows of one block: alike, and the same distances apart. NVIDIA's driver
 * wants all of the last row's stride to lie within the buffer; where it does not, that row goes by itself. */
static struct cx_rows rows_from(const struct cx_runs *runs, unsigned i, const struct cx_worker *worker)
{
    const struct cx_run *first = &runs->run[i], *second = first + 1;
    const uint64_t bytes = first->hi - first->lo;
    struct cx_rows rows = {.count = 1};
    if (i + 1 >= runs->count || second->lo < first->hi || second->host < first->host + bytes)
        return rows;
    rows.stride = (size_t)(second->lo - first->lo);
    rows.host_stride = (size_t)(second->host - first->host);
    while (i + rows.count < runs->count) {
        const struct cx_run *run = &runs->run[i + rows.count];
        if (run->real != first->real || run->hi - run->lo != bytes ||
            run->lo - first->lo != rows.count * rows.stride ||
            run->host != first->host + rows.count * rows.host_stride ||
            (run->root->image && !is_row(run->root->image, first, &rows)))
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

unsigned cx_runs_rows(const struct cx_runs *runs, unsigned i, size_t *stride)
{
    const struct cx_run *first = &runs->run[i];
    unsigned count = 1;
    *stride = 0;
    if (i + 1 < runs->count && runs->run[i + 1].lo >= first->hi)
        *stride = (size_t)(runs->run[i + 1].lo - first->lo);
    for (; *stride && i + count < runs->count; count++) {
        const struct cx_run *run = &runs->run[i + count];
        if (run->root != first->root || run->hi - run->lo != first->hi - first->lo ||
            run->lo != first->lo + count * *stride)
            break;
    }
    return count;
}

/* Counts a transfer by the way it goes. */
static void count_run(const struct cx_runs *runs, const struct cx_run *run, bool ring, uint64_t bytes,
                      size_t rows)
{
    const struct cx_mem *root = run->root;
    const bool pinned = run->pages && atomic_load(&run->pages->pinned);
    cx_traffic_add(runs->merges  ? CX_ROUTE_MERGE
                   : root->image ? CX_ROUTE_IMAGE
                   : rows > 1    ? CX_ROUTE_RECT
                   : ring        ? CX_ROUTE_RING
                   : pinned      ? CX_ROUTE_PINNED
                                 : CX_ROUTE_PAGEABLE,
                   runs->upload, bytes * rows);
}

/* `ring`: through it. */
static cl_int start_run(const struct cx_runs *runs, const struct cx_run *run, struct cx_worker *worker,
                        size_t bytes, const struct cx_rows *rows, bool ring, cl_event *event)
{
    const struct cx_transport *transport = &cx_transport_host;
    count_run(runs, run, ring, bytes, rows->count);
    if (run->root->image)
        return runs->upload ? cx_image_upload(worker, run->root->image, run->real, run->lo, run->host, bytes,
                                              rows, event)
                            : cx_image_download(worker, run->root->image, run->real, run->lo, run->host,
                                                bytes, rows, event);
    if (ring)
        transport = &cx_transport_ring;
    return runs->upload ? transport->upload(worker, run->real, run->lo, run->host, bytes, rows, event)
                        : transport->download(worker, run->real, run->lo, run->host, bytes, rows, event);
}

cl_int cx_runs_start(struct cx_runs *runs, struct cx_worker *worker, cl_event *first, cl_event *last)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS;) {
        struct cx_run *run = &runs->run[i];
        const struct cx_rows rows = rows_from(runs, i, worker);
        size_t bytes = (size_t)(run->hi - run->lo);
        i += (unsigned)rows.count;
        cl_event *begin = run == runs->run ? first : NULL;
        if (run->pages && run->host == run->pages->memory + run->lo)
            cx_pin_moved(run->root, worker, bytes * rows.count);
        const bool ring = !run->root->image && rows.count == 1 && cx_ring_wanted(worker, run->pages, bytes);
        cl_event *event = i == runs->count ? last : begin && !ring ? begin : &run->event;
        run->ring = ring;
        error = start_run(runs, run, worker, bytes, &rows, ring, event);
        if (ring && error == CL_SUCCESS)
            error = cx_ring_tell(worker, begin, &run->chunks, &run->nchunks);
    }
    if (error != CL_SUCCESS && runs->count > 1) /* those already started use the host's memory */
        worker->device->cl->clFinish(cx_worker_mover(worker));
    return error;
}

cl_int cx_runs_read(struct cx_runs *runs, struct cx_worker *worker, cl_command_queue queue)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const uint64_t start = cx_clock_ns();
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS;) {
        struct cx_run *run = &runs->run[i];
        const struct cx_rows rows = rows_from(runs, i, worker);
        const size_t bytes = (size_t)(run->hi - run->lo);
        i += (unsigned)rows.count;
        count_run(runs, run, false, bytes, rows.count);
        error = cx_host_download_on(queue, worker, run->real, run->lo, run->host, bytes, &rows, &run->event);
    }
    if (error == CL_SUCCESS)
        error = cl->clFlush(queue);
    for (unsigned i = 0; i < runs->count; i++) { /* also after an error: they use the host's memory */
        cl_event event = runs->run[i].event;
        cl_int waited = event ? cl->clWaitForEvents(1, &event) : CL_SUCCESS;
        if (waited != CL_SUCCESS)
            waited = cl->clFinish(queue);
        error = error == CL_SUCCESS ? waited : error;
    }
    if (error == CL_SUCCESS)
        error = cx_runs_status(runs, worker);
    cx_trace_runs(runs, worker, start, cx_clock_ns());
    return error;
}

cl_int cx_runs_status(const struct cx_runs *runs, const struct cx_worker *worker)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < runs->count && error == CL_SUCCESS; i++) {
        const struct cx_run *run = &runs->run[i];
        if (run->event)
            error = cx_worker_event_error(worker, run->event);
        for (unsigned k = 0; k < run->nchunks && error == CL_SUCCESS; k++)
            error = cx_worker_event_error(worker, run->chunks[k]);
    }
    return error;
}

void cx_runs_finish(struct cx_runs *runs, const struct cx_worker *worker)
{
    for (unsigned i = 0; i < runs->count; i++) {
        if (runs->run[i].event)
            worker->device->cl->clReleaseEvent(runs->run[i].event);
        if (runs->run[i].nchunks)
            cx_worker_drop_events(worker, runs->run[i].chunks, runs->run[i].nchunks);
        free(runs->run[i].chunks);
        cx_mem_unref(&runs->run[i].root);
    }
    free(runs->run);
    cx_parcel_unref(&runs->parcel);
    *runs = (struct cx_runs){0};
}

void cx_runs_failed(struct cx_runs *runs, struct cx_context *context, bool relied)
{
    if (!runs->counted)
        return;
    runs->counted = false;
    cx_lock(&context->lock);
    for (unsigned i = 0; i < runs->count; i++)
        cx_coherence_lose(runs->run[i].root->coherence, runs->run[i].lo, runs->run[i].hi, runs->place);
    if (relied)
        atomic_fetch_add(&context->epoch, 1);
    cx_unlock(&context->lock);
}

/* Of what is mapped no more comes by a blocking call: more goes by pinned memory where there is some. */
#define MAPPED_BYTES (UINT64_C(1) << 16)

/* Whether the job is one plain transfer of the program's own memory, or of all that is mapped, in a call of
 * the program's that blocks: the driver's own blocking call, as the program would make it, saves an event
 * and, for what is written, the wait until the device has it. Times are asked for by events and traces alone.
 */
static bool blocks(const struct cx_job *job, const struct cx_worker *worker)
{
    const struct cx_runs *runs = job->data;
    const struct cx_run *run = runs->run;
    if (runs->count != 1 || run->root->image || job->waits || job->tells ||
        worker->device->submits_in_caller || worker->moves_aside || cx_trace_on())
        return false;
    if (runs->counted)
        return !runs->upload && !job->timed && run->hi - run->lo <= MAPPED_BYTES &&
               cx_command_maps_here(job->command);
    if (run->pages)
        return false;
    return cx_command_returns_here(job->command) ||
           (!runs->upload && !job->timed && cx_command_blocks_here(job->command));
}

static cl_int run_blocking(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_runs *runs = job->data;
    const struct cx_run *run = runs->run;
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = (size_t)(run->hi - run->lo);
    count_run(runs, run, false, bytes, 1);
    cl_int error;
    if (runs->upload) {
        error = cl->clEnqueueWriteBuffer(worker->queue, run->real, CL_TRUE, run->lo, bytes, run->host, 0,
                                         NULL, NULL);
        if (error == CL_SUCCESS)
            cx_command_hand(job->command);
        job->loose = true;
    } else {
        error = cl->clEnqueueReadBuffer(worker->queue, run->real, CL_TRUE, run->lo, bytes, run->host, 0, NULL,
                                        NULL);
        job->ended = error == CL_SUCCESS;
    }
    return error;
}

/* Uploads from that many bytes on tell how fast they go; through the ring from so many times its size. */
#define TELLING_BYTES (UINT64_C(4) << 20)
#define TELLING_RINGS 4
/* How much of the rate a slower upload makes up: a busy machine slows down some, nothing makes one faster. */
#define SLOWER 0.25

/* Bytes of an upload that tells of the rate; 0: it is none. */
static uint64_t telling_bytes(const struct cx_runs *runs)
{
    const struct cx_run *run = runs->run;
    if (!runs->upload || runs->source || runs->parcel || runs->count != 1 || run->root->image ||
        run->hi - run->lo < TELLING_BYTES)
        return 0;
    return run->hi - run->lo;
}

/* Whether the call that made the upload returned when its bytes were over, or nearly. */
static bool took_all(const struct cx_runs *runs, uint64_t bytes, bool blocking)
{
    return blocking || (runs->run->ring && bytes >= TELLING_RINGS * cx_options_staging());
}

static void tell_rate(struct cx_worker *worker, uint64_t bytes, uint64_t ns)
{
    const double old = (double)atomic_load(&worker->upload_rate),
                 rate = (double)bytes * 1e9 / (double)(ns + 1);
    atomic_store(&worker->upload_rate, (uint64_t)(rate < old ? old + SLOWER * (rate - old) : rate));
}

static cl_int run_runs(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_runs *runs = job->data;
    const bool blocking = blocks(job, worker);
    const uint64_t bytes = telling_bytes(runs);
    runs->tells_rate = bytes && worker->profiles && !blocking && !job->timed;
    job->timed |= runs->tells_rate;
    const bool alone = !job->timed && atomic_load(&worker->completed) + 1 == job->seq;
    const uint64_t start = bytes && alone ? cx_clock_ns() : 0;
    cl_int error =
        blocking ? run_blocking(job, worker) : cx_runs_start(runs, worker, &job->first_event, &job->event);
    if (start && error == CL_SUCCESS && took_all(runs, bytes, blocking))
        tell_rate(worker, bytes, cx_clock_ns() - start);
    if (error != CL_SUCCESS) {
        cx_runs_failed(runs, worker->context, true);
        cx_worker_leave_out(worker, error);
    }
    return error;
}

static void skip_runs(struct cx_job *job, struct cx_worker *worker)
{
    cx_runs_failed(job->data, worker->context, true);
}

static void finish_runs(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_runs *runs = job->data;
    if (job->status == CL_SUCCESS)
        job->status = cx_runs_status(runs, worker);
    if (job->status < 0 && runs->counted) { /* on the device: what went there behind it ran on old bytes */
        cx_runs_failed(runs, worker->context, true);
        atomic_store(&worker->broken, atomic_load(&worker->context->epoch));
        if (!job->stale)
            cx_worker_leave_out(worker, job->status);
    }
    const uint64_t bytes = telling_bytes(runs);
    if (bytes && job->start_ns && job->end_ns > job->start_ns && job->status == CL_SUCCESS)
        tell_rate(worker, bytes, job->end_ns - job->start_ns);
    if (runs->tells_rate) /* nobody else asked for them */
        job->start_ns = job->end_ns = 0;
    if (job->start_ns)
        cx_trace_runs(runs, worker, job->start_ns, job->end_ns);
    cx_runs_finish(runs, worker);
    free(runs);
}

struct cx_job *cx_runs_job(const struct cx_worker *worker, struct cx_runs *runs)
{
    struct cx_job *job = cx_job_new(worker->context);
    struct cx_runs *own = malloc(sizeof(*own));
    if (!job || !own) {
        free(job);
        free(own);
        cx_runs_finish(runs, NULL);
        return NULL;
    }
    *own = *runs;
    *runs = (struct cx_runs){0};
    job->data = own;
    job->run = run_runs;
    job->skip = skip_runs;
    job->finish = finish_runs;
    job->timed = cx_trace_on();
    for (unsigned i = 0; i < own->count; i++)
        job->waits |= cx_ring_possible(worker, own->run[i].hi - own->run[i].lo);
    return job;
}

bool cx_move_note(struct cx_mem *root, uint64_t lo, uint64_t hi, bool write, const struct cx_worker *worker,
                  struct cx_job *job)
{
    if (cx_mem_place(root, worker) != CX_PLACE_HOST || lo >= hi)
        return true;
    uint64_t seq = worker->planned + 1;
    return write ? cx_coherence_host_write(root->coherence, lo, hi, worker->index, seq, job->deps)
                 : cx_coherence_host_read(root->coherence, lo, hi, worker->index, seq, job->deps);
}

void cx_move_tidy(struct cx_mem *root)
{
    const struct cx_context *context = root->context;
    uint64_t completed[64];
    if (cx_coherence_segments(root->coherence) < 48)
        return;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        completed[t] = atomic_load_explicit(&context->workers[t].completed, memory_order_acquire);
    cx_coherence_tidy(root->coherence, completed);
}

/* Downloads the runs of `moves` that lie at `from` into the host copy, in one job on that member's timeline.
 */
static cl_int download_from(struct cx_command *command, struct cx_mem *root, unsigned from,
                            const struct cx_move *moves, size_t count)
{
    struct cx_worker *worker = cx_place_worker(command->context, from);
    struct cx_runs runs = {.upload = false, .counted = true, .place = CX_PLACE_HOST};
    if (!cx_stage_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (moves[i].from == from && !cx_runs_add(&runs, root, root->real[worker->index], moves[i].lo,
                                                  moves[i].hi, root->host + moves[i].lo))
            goto fail;
    if (!runs.count)
        return CL_SUCCESS;
    struct cx_job *job = cx_runs_job(worker, &runs);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (moves[i].from == from) {
            cx_coherence_host_write(root->coherence, moves[i].lo, moves[i].hi, worker->index,
                                    worker->planned + 1, job->deps);
            cx_coherence_validate(root->coherence, moves[i].lo, moves[i].hi, CX_PLACE_HOST);
        }
    cx_command_add_job(command, worker, job);
    return CL_SUCCESS;
fail:
    cx_runs_finish(&runs, NULL);
    return CL_OUT_OF_HOST_MEMORY;
}

static cl_int upload_to(struct cx_command *command, struct cx_mem *root, unsigned place,
                        const struct cx_move *moves, size_t count)
{
    struct cx_worker *worker = cx_place_worker(command->context, place);
    struct cx_runs runs = {.upload = true, .counted = true, .place = place};
    if (!cx_stage_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!cx_runs_add(&runs, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                         root->host + moves[i].lo)) {
            cx_runs_finish(&runs, NULL);
            return CL_OUT_OF_HOST_MEMORY;
        }
    struct cx_job *job = cx_runs_job(worker, &runs);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++) {
        cx_coherence_host_read(root->coherence, moves[i].lo, moves[i].hi, worker->index, worker->planned + 1,
                               job->deps);
        cx_coherence_validate(root->coherence, moves[i].lo, moves[i].hi, place);
    }
    cx_command_add_job(command, worker, job);
    return CL_SUCCESS;
}

/* The places, as bits, from which bytes come without the host: by the ways of peer.h and transport_slots.h.
 */
struct cx_near {
    uint64_t direct, staged;
};

static bool is_near(uint64_t near, unsigned from)
{
    return from < 64 && near >> from & 1; /* CX_PLACE_NONE is none */
}

static cl_int run_copies(struct cx_job *job, struct cx_worker *worker)
{
    cx_worker_wait(worker, job->seq - 1); /* what stands at the destination may still be in use there */
    cl_int error = cx_peer_runs(job->data, worker);
    if (error != CL_SUCCESS)
        cx_runs_failed(job->data, worker->context, true);
    return error;
}

/* Copies the runs of `moves` that peer `from` holds, in one job of the destination. */
static cl_int copy_from(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                        const struct cx_move *moves, size_t count)
{
    struct cx_worker *worker = cx_place_worker(command->context, place);
    struct cx_worker *source = cx_place_worker(command->context, from);
    struct cx_runs runs = {.upload = true, .counted = true, .place = place, .source = source};
    bool ok = true;
    if (!cx_stage_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && ok; i++)
        if (moves[i].from == from)
            ok = cx_runs_add(&runs, root, root->real[worker->index], moves[i].lo, moves[i].hi, NULL);
    if (!ok)
        cx_runs_finish(&runs, NULL);
    if (!runs.count)
        return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    struct cx_job *job = cx_runs_job(worker, &runs);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    job->run = run_copies;
    job->waits = job->copies = true;
    job->times_call = job->timed;
    job->timed = false;
    cx_peers_order_copy(command->context->peers, source, worker, job);
    for (size_t i = 0; i < count && ok; i++)
        if (moves[i].from == from)
            ok = cx_coherence_peer_copy(root->coherence, moves[i].lo, moves[i].hi, source->index,
                                        worker->index, worker->planned + 1, job->deps) &&
                 cx_coherence_validate(root->coherence, moves[i].lo, moves[i].hi, place);
    cx_command_add_job(command, worker, job);
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Of the moves those that `from` holds: by a slot what fits into one, and what cannot go directly. Takes the
 * place out of *near where neither can be had. */
static cl_int copy_best(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                        struct cx_near *near, const struct cx_move *moves, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += moves[i].from == from ? moves[i].hi - moves[i].lo : 0;
    const bool direct = near->direct >> from & 1;
    if (bytes && (!direct || (near->staged >> from & 1 && bytes <= cx_stage_slot())) &&
        cx_stage_open(command->context, from, place))
        return cx_stage_copy(command, root, from, place, moves, count);
    near->staged &= ~(UINT64_C(1) << from);
    return direct ? copy_from(command, root, from, place, moves, count) : CL_SUCCESS;
}

/* Plans the copies that peers serve and takes them out of the list. */
static cl_int copy_near(struct cx_command *command, struct cx_mem *root, unsigned place, struct cx_near *near,
                        struct cx_move *moves, size_t *count)
{
    size_t left = 0;
    for (uint64_t rest = near->direct | near->staged; rest; rest &= rest - 1) {
        cl_int error = copy_best(command, root, (unsigned)__builtin_ctzll(rest), place, near, moves, *count);
        if (error != CL_SUCCESS)
            return error;
    }
    for (size_t i = 0; i < *count; i++)
        if (!is_near(near->direct | near->staged, moves[i].from))
            moves[left++] = moves[i];
    *count = left;
    return CL_SUCCESS;
}

cl_int cx_move_lost(const struct cx_mem *root)
{
    cx_warn(CX_TOPIC_DATA, "contents of memory object %llu were lost when a device failed",
            (unsigned long long)root->base.id);
    return CL_OUT_OF_RESOURCES;
}

/* What is valid in the host copy as well comes from there rather than through slots: all devices upload at
 * once, and 27 GB from one H200 to three took twice as long by its slots. */
static void prefer_host(const struct cx_mem *root, const struct cx_near *near, struct cx_move *moves,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_near(near->staged & ~near->direct, moves[i].from) &&
            cx_coherence_valid(root->coherence, moves[i].lo, moves[i].hi, CX_PLACE_HOST))
            moves[i].from = CX_PLACE_HOST;
}

cl_int cx_move_pieces(struct cx_command *command, struct cx_mem *root, const struct cx_piece *pieces,
                      size_t n, unsigned place, uint64_t *bytes)
{
    struct cx_move *moves = NULL;
    size_t count = 0;
    cl_int error = CL_SUCCESS;
    struct cx_near ways = {cx_peer_near(root, place), cx_stage_near(root, place)};
    const uint64_t near = ways.direct | ways.staged;
    for (size_t i = 0; i < n && error == CL_SUCCESS; i++)
        if (!cx_coherence_valid(root->coherence, pieces[i].lo, pieces[i].hi, place) &&
            !cx_coherence_missing_near(root->coherence, pieces[i].lo, pieces[i].hi, place, near, &moves,
                                       &count))
            error = CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++)
        if (moves[i].from == CX_PLACE_NONE)
            error = cx_move_lost(root);
    prefer_host(root, &ways, moves, count);
    for (size_t i = 0; i < count && bytes; i++)
        *bytes +=
            (moves[i].hi - moves[i].lo) * (moves[i].from && place && !is_near(near, moves[i].from) ? 2 : 1);
    if (count && near && error == CL_SUCCESS)
        error = copy_near(command, root, place, &ways, moves, &count);
    if (count && error == CL_SUCCESS && !cx_mem_host(root))
        error = CL_OUT_OF_HOST_MEMORY;
    for (unsigned from = 1; from <= command->context->nmembers && count && error == CL_SUCCESS; from++)
        error = download_from(command, root, from, moves, count);
    if (count && error == CL_SUCCESS && place != CX_PLACE_HOST)
        error = upload_to(command, root, place, moves, count);
    free(moves);
    return error;
}

cl_int cx_move_to(struct cx_command *command, struct cx_mem *root, uint64_t lo, uint64_t hi, unsigned place,
                  uint64_t *bytes)
{
    const struct cx_piece piece = {lo, hi};
    return lo < hi ? cx_move_pieces(command, root, &piece, 1, place, bytes) : CL_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Early write-back: results of packages, transferred to reads that wait. See write_back.h.
 */
#include "layer/launch/write_back_inside.h"
#include "layer/memory/host_copy.h"
#include "layer/plan/slices.h"
#include "layer/plan/pending_reads.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/launch/read_ahead.h"
#include "layer/memory/trace_transfer.h"
#include "layer/launch/region_ranges.h"

#include <stdlib.h>

enum {
    LEAST_RUN = 4 << 10, /* on average */
    PIECE = 16 << 20,    /* where nothing is staged */
};

/* What one package wrote of one read. */
struct cx_write_back {
    struct cx_write_back *next;
    struct cx_command *reader; /* a reference, and a part of it; NULL where kept, and once told */
    bool to_host;              /* it comes to the host copy */
    unsigned package;          /* host copy: whose it is */
    struct cx_transfer_list transfers;
    uint64_t end;         /* once the package's kernels up to this step are over */
    cl_event first, last; /* NULL until started; first: NULL where it is the last */
    bool started;
    uint64_t since_ns; /* then */
    bool ends;         /* context->lock: somebody waits for it */
    bool failed;       /* context->lock: there is nothing to bring, or it did not come */
    cl_int error;
};

/* What a split keeps for it. */
struct split_write_back {
    uint64_t to_host;              /* arguments, as bits, whose results may come to the host copy */
    uint64_t in_place;             /* of these, read as well: only of packages that are over */
    uint64_t foreseen;             /* of these, expected to be read */
    struct cx_write_back *arrived; /* results that have, not in the map yet */
};

static struct split_write_back kept_by(const struct split *split)
{
    return split->write_back ? *split->write_back : (struct split_write_back){0};
}

/* ---- promises ---- */

bool cx_write_back_is_fit(const struct split *split, unsigned part)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[part]];
    return part < split->plan.n && cx_options_get()->overlap && !cx_split_failed(split) &&
           !launch->run.verify && !launch->decision.protocols && !worker->device->probe.synchronous;
}

bool cx_write_back_is_sent(const struct cx_mem *root, const struct cx_access_region *region,
                           const struct cx_worker *worker)
{
    return !root->image && !root->storage->svm && region->write.lo < region->write.hi &&
           cx_mem_place(root, worker) != CX_PLACE_HOST;
}

bool cx_write_back_add_argument(struct cx_transfer_list *transfers,
                                const struct cx_pending_read *pending_read, const struct cx_mem *mem,
                                const struct cx_access_region *region, const struct cx_worker *worker)
{
    struct cx_mem *root = mem->root;
    struct cx_byte_ranges ranges;
    if (root != pending_read->root || !cx_write_back_is_sent(root, region, worker))
        return true;
    bool ok = cx_region_ranges(&ranges, mem, region, true, false);
    for (size_t i = 0; i < ranges.count && ok; i++) {
        const uint64_t lo = ranges.range[i].lo > pending_read->lo ? ranges.range[i].lo : pending_read->lo;
        const uint64_t hi = ranges.range[i].hi < pending_read->hi ? ranges.range[i].hi : pending_read->hi;
        if (lo < hi)
            ok = cx_transfer_list_add(transfers, root, root->real[worker->index], lo, hi,
                                      pending_read->pointer + (lo - pending_read->lo));
    }
    cx_byte_ranges_finish(&ranges);
    return ok;
}

static bool is_worth_it(const struct cx_transfer_list *transfers)
{
    const uint64_t bytes = cx_transfer_list_bytes(transfers);
    return bytes >= CX_WRITE_BACK_LEAST_BYTES && bytes / transfers->count >= LEAST_RUN;
}

/* A lane copies what is staged (transport_ring.c) itself, and looks at its packages after so many bytes:
 * twice the least that is staged. */
static uint64_t piece_bytes(void)
{
    const uint64_t least = cx_options_staging();
    return least ? 2 * least : PIECE;
}

/* Adds them to those of the package, in pieces. Gives how many, 0: there is no memory. `reader`: NULL where
 * they come to the host copy. The runs are taken over, unless none is added. */
static unsigned queue_write_backs(struct split *split, struct package *package, struct cx_command *reader,
                                  struct cx_transfer_list *transfers, uint64_t end)
    CX_HOLDS(cx_context_locked)
{
    struct cx_write_back **last = &package->write_backs;
    unsigned count = 0;
    while (*last)
        last = &(*last)->next;
    struct cx_write_back *back = calloc(1, sizeof(*back)); /* of the last piece */
    if (!back)
        return 0;
    for (struct cx_write_back *next = back; next; count++) {
        back = next;
        next = NULL;
        back->to_host = !reader;
        back->reader = reader ? cx_command_ref(reader) : NULL;
        back->package = (unsigned)(package - split->packages.list);
        back->end = end;
        struct cx_transfer_list first_part;
        if ((next = calloc(1, sizeof(*next))) != NULL &&
            cx_transfer_list_cut(transfers, piece_bytes(), &first_part)) {
            back->transfers = first_part;
        } else {
            free(next);
            next = NULL;
            back->transfers = *transfers;
        }
        *last = back;
        last = &back->next;
    }
    return count;
}

/* Promises the runs, which are taken over. */
static void add_write_backs(struct split *split, struct package *package, uint64_t end,
                            struct cx_command *reader, struct cx_transfer_list *transfers)
    CX_HOLDS(cx_context_locked)
{
    struct cx_pending_read *pending_read = reader->pending_read;
    const size_t before = pending_read->ndelivered;
    unsigned count = 0;
    bool ok = true;
    for (unsigned i = 0; i < transfers->count && ok; i++)
        ok = cx_read_ahead_deliver(pending_read, transfers->item[i].lo, transfers->item[i].hi);
    if (ok)
        count = queue_write_backs(split, package, reader, transfers, end);
    if (!count) {
        pending_read->ndelivered = before;
        cx_transfer_list_finish(transfers, NULL);
    }
    atomic_fetch_add(&reader->parts, count); /* one is left until it is planned */
}

/* Adds what the package wrote for certain of bytes [lo, hi) of the root, to come to its host copy. */
static bool add_to_host(struct cx_transfer_list *transfers, const struct cx_mem *mem,
                        const struct cx_access_region *region, uint64_t lo, uint64_t hi,
                        const struct cx_worker *worker)
{
    struct cx_mem *root = mem->root;
    struct cx_byte_ranges ranges, doubtful = {0};
    bool ok = cx_region_ranges(&doubtful, mem, region, true, true);
    const bool certain = ok && !doubtful.count;
    cx_byte_ranges_finish(&doubtful);
    if (!certain)
        return ok;
    ok = cx_region_ranges(&ranges, mem, region, true, false);
    for (size_t i = 0; i < ranges.count && ok; i++) {
        const uint64_t from = ranges.range[i].lo > lo ? ranges.range[i].lo : lo;
        const uint64_t to = ranges.range[i].hi < hi ? ranges.range[i].hi : hi;
        if (from < to)
            ok = cx_transfer_list_add(transfers, root, root->real[worker->index], from, to,
                                      root->storage->host + from);
    }
    cx_byte_ranges_finish(&ranges);
    return ok;
}

/* The same of an argument, as far as somebody wants it there. */
static bool add_wanted(struct cx_transfer_list *transfers, const struct split *split, unsigned arg,
                       const struct cx_access_region *region, const struct cx_waiting *waiting,
                       const struct cx_worker *worker)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    bool ok = true, read = false;
    for (unsigned w = 1; w < waiting->count && ok; w++) {
        const struct cx_pending_read *pending_read = waiting->command[w]->pending_read;
        if (pending_read->root != mem->root)
            continue;
        ok = read || !pending_read->map || !mem->storage->host ||
             add_to_host(transfers, mem, region, pending_read->lo, pending_read->hi, worker);
        read = true;
    }
    if (ok && !read && kept_by(split).foreseen >> arg & 1)
        ok = add_to_host(transfers, mem, region, 0, mem->root->size, worker);
    return ok;
}

/* Whether what the package wrote over what it read may come where that was read from: nobody reads it any
 * more, as the package is over, and nobody does it again. */
static bool is_past_use(const struct split *split, const struct package *package) CX_HOLDS(cx_context_locked)
{
    bool past = package->over && package->sent == package->range.first;
    for (unsigned i = 0; i < split->packages.n && past; i++) {
        const struct package *other = &split->packages.list[i];
        past = other == package || other->over || other->range.first >= package->range.end ||
               other->range.end <= package->range.first;
    }
    return past;
}

/* Has what a package wrote up to that step come to the host copy where that is wanted. */
static bool keep(struct split *split, struct package *package, uint64_t end, const struct cx_waiting *waiting,
                 const struct cx_access_region *regions) CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = split->launch;
    const struct split_write_back kept = kept_by(split);
    const uint64_t to_host = is_past_use(split, package) ? kept.to_host : kept.to_host & ~kept.in_place;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[package->part]];
    struct cx_transfer_list transfers = {.upload = false, .place = CX_PLACE_HOST};
    bool ok = true;
    for (unsigned i = 0; i < launch->request.args->count && ok; i++)
        if (i < 64 && to_host >> i & 1 &&
            cx_write_back_is_sent(cx_launch_mem(launch, i)->root, &regions[i], worker))
            ok = add_wanted(&transfers, split, i, &regions[i], waiting, worker);
    ok = ok && transfers.count && is_worth_it(&transfers) &&
         queue_write_backs(split, package, NULL, &transfers, end);
    if (!ok)
        cx_transfer_list_finish(&transfers, NULL);
    return ok;
}

/* Promises what a package wrote up to that step, or is going to write, to those who wait; but not so little,
 * of one that is not over, that it does not pay. */
static void promise(struct split *split, struct package *package, uint64_t end,
                    const struct cx_waiting *waiting) CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[package->part]];
    struct cx_access_region *regions = cx_access_regions_make(launch->request.args->count);
    if (!regions)
        return;
    cx_access_package(split->plan.judged->access, package->sent, end, regions);
    bool any = !cx_split_settled(split) && keep(split, package, end, waiting, regions);
    for (unsigned w = 1; w < waiting->count; w++) {
        struct cx_transfer_list transfers = {.upload = false};
        bool ok = !waiting->command[w]->pending_read->map;
        for (unsigned i = 0; i < launch->request.args->count && ok; i++) {
            const struct cx_mem *mem = cx_launch_mem(launch, i);
            ok = !mem || cx_write_back_add_argument(&transfers, waiting->command[w]->pending_read, mem,
                                                    &regions[i], worker);
        }
        if (ok && transfers.count && is_worth_it(&transfers)) {
            add_write_backs(split, package, end, waiting->command[w], &transfers);
            any = true;
        } else {
            cx_transfer_list_finish(&transfers, NULL);
        }
    }
    if (any || end == package->range.end)
        package->sent = end;
    free(regions);
}

static bool is_open(const struct package *package, unsigned part) CX_HOLDS(cx_context_locked)
{
    return package->part == part && !package->dropped && !package->copy;
}

/* Up to which step what a package wrote is there, and final: others may yet do again one that is not over,
 * but with the same results only where they are like its own device. */
static uint64_t done_to(const struct split *split, const struct package *package) CX_HOLDS(cx_context_locked)
{
    const bool final = !split->rules.reexecutes || split->rules.alike;
    return package->over ? package->range.end : final ? package->done : package->range.first;
}

void cx_write_back_promise(struct lane *lane)
{
    struct split *split = lane->split;
    struct cx_waiting waiting;
    if (cx_split_settled(split) || !cx_write_back_is_fit(split, lane->part))
        return;
    cx_pending_reads_find(&split->launch->base, &waiting);
    for (unsigned i = 0; i < split->packages.n && (waiting.count > 1 || kept_by(split).foreseen); i++) {
        struct package *package = &split->packages.list[i];
        const uint64_t done = done_to(split, package);
        if (is_open(package, lane->part) && package->sent < done)
            promise(split, package, done, &waiting);
    }
}

/* Gives the part's last package, or NULL where that is over: its lane may be, too. */
static struct package *last_of(struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    struct package *last = NULL;
    for (unsigned i = 0; i < split->packages.n; i++)
        if (split->packages.list[i].part == part && !split->packages.list[i].dropped)
            last = &split->packages.list[i];
    return last && !last->over ? last : NULL;
}

/* Promises what is left of a package, slice by slice; of the part's last one all but the last. */
static void promise_slices(struct split *split, struct package *package, bool last,
                           const struct cx_waiting *waiting) CX_HOLDS(cx_context_locked)
{
    const uint64_t granularity = split->plan.judged->verdict.granularity;
    for (unsigned i = 1; i <= package->slices - last; i++) {
        const uint64_t end = cx_slice_at(package->range, granularity, i, package->slices);
        if (package->sent < end)
            promise(split, package, end, waiting);
    }
}

void cx_write_back_settle(struct split *split)
{
    struct cx_waiting waiting;
    cx_pending_reads_find(&split->launch->base, &waiting);
    for (unsigned part = 0; part < split->plan.n && waiting.count > 1; part++) {
        const struct package *last = cx_write_back_is_fit(split, part) ? last_of(split, part) : NULL;
        for (unsigned i = 0; i < split->packages.n && last; i++)
            if (is_open(&split->packages.list[i], part))
                promise_slices(split, &split->packages.list[i], &split->packages.list[i] == last, &waiting);
    }
}

/* ---- the host copy ---- */

/* Whether nobody uses bytes of the root's host copy, or is going to. */
static bool is_idle(const struct cx_mem *root, uint64_t lo, uint64_t hi) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = root->context;
    uint64_t deps[64] = {0};
    cx_coherence_host_deps(root->storage->coherence, lo, hi, true, UINT32_MAX, deps);
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (!cx_timeline_passed(&context->workers[t].timeline, deps[t]))
            return false;
    return true;
}

/* Whether what is written through the argument may come to the host copy; what is read through it as well, no
 * other package reads, or else the launch would not be split. */
static bool may_keep(const struct cx_launch *launch, const struct cx_access_region *whole, unsigned arg)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const struct cx_access_interval *write = &whole[arg].write;
    if (!mem || mem->root->image || mem->storage->svm || mem->root->host_ptr || write->lo >= write->hi)
        return false;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *other = cx_launch_mem(launch, i);
        if (other && other->root == mem->root && i != arg)
            return false;
    }
    return is_idle(mem->root, mem->origin + write->lo, mem->origin + write->hi);
}

/* Whether copying from the host copy once more costs less than half of what the transfers would. */
static bool copies_faster(const struct split *split)
{
    const double thread_rate = 6e9; /* bytes a second, of one that copies beside others */
    return thread_rate * cx_host_copy_threads(split->launch->base.context) * cx_plan_move_seconds(1) >=
           2.0 * split->plan.n;
}

void cx_write_back_begin(struct split *split, const struct cx_access_region *whole)
{
    struct cx_launch *launch = split->launch;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const bool foresees = cx_write_back_wants(launch, &split->plan), faster = copies_faster(split);
    bool any = false;
    for (unsigned p = 0; p < split->plan.n; p++)
        any |= cx_write_back_is_fit(split, p);
    struct split_write_back kept = {0};
    for (unsigned i = 0; i < launch->request.args->count && i < 64 && any; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (!may_keep(launch, whole, i))
            continue;
        kept.to_host |= bit;
        if (whole[i].read.lo < whole[i].read.hi)
            kept.in_place |= bit;
        if (foresees && cx_result_use_expects(history, i) > 1 && (faster || cx_result_use_maps(history, i)) &&
            cx_mem_host(cx_launch_mem(launch, i)))
            kept.foreseen |= bit;
    }
    if (kept.to_host && (split->write_back = malloc(sizeof(kept))) != NULL) /* else nothing is kept */
        *split->write_back = kept;
}

void cx_write_back_free(struct split *split)
{
    free(split->write_back);
    split->write_back = NULL;
}

/* Tells the map of what came, or is going to come, to the host copy. */
static void note(struct split *split, struct cx_write_back *back, bool valid) CX_HOLDS(cx_context_locked)
{
    const struct package *package = &split->packages.list[back->package];
    const struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[package->part]];
    if (!back->to_host)
        return;
    valid &= !package->dropped && !package->copy && !back->failed;
    back->transfers.counted = valid;
    for (unsigned i = 0; i < back->transfers.count; i++) {
        const struct cx_transfer_item *item = &back->transfers.item[i];
        struct cx_coherence *map = item->root->storage->coherence;
        /* nobody used these bytes when the launch began; now two parts may, where one did again what the
           other had sent a part of */
        valid &= cx_coherence_host_share(map, item->lo, item->hi, worker->index,
                                         split->participant[package->part].seq);
        valid = valid && cx_coherence_validate(map, item->lo, item->hi, CX_PLACE_HOST);
    }
}

void cx_write_back_note(struct split *split, bool valid)
{
    for (unsigned i = 0; i < split->packages.n; i++)
        for (struct cx_write_back *back = split->packages.list[i].write_backs; back; back = back->next)
            note(split, back, valid);
    for (unsigned p = 0; p < split->nparts; p++)
        for (struct cx_write_back *back = split->participant[p].write_backs; back; back = back->next)
            note(split, back, valid);
    while (split->write_back && split->write_back->arrived) {
        struct cx_write_back *back = split->write_back->arrived;
        split->write_back->arrived = back->next;
        note(split, back, valid);
        cx_transfer_list_finish(&back->transfers, NULL);
        free(back);
    }
}

/* What should have come to the host copy did not. */
static void lose(const struct cx_write_back *back, struct cx_context *context) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < back->transfers.count; i++)
        cx_coherence_lose(back->transfers.item[i].root->storage->coherence, back->transfers.item[i].lo,
                          back->transfers.item[i].hi, CX_PLACE_HOST);
    atomic_fetch_add(&context->epoch, 1);
}

/* ---- taking ---- */

void cx_write_back_take(struct lane *lane, unsigned index, cl_int error)
{
    struct split *split = lane->split;
    struct cx_write_back **end = &split->participant[lane->part].write_backs;
    while (*end)
        end = &(*end)->next;
    for (unsigned i = 0; i < split->packages.n; i++) {
        struct package *package = &split->packages.list[i];
        while (package->part == lane->part && package->write_backs &&
               (package->over || package->write_backs->end <= package->done)) {
            struct cx_write_back *back = package->write_backs;
            package->write_backs = back->next;
            back->error = i == index && back->end > package->done ? error : CL_SUCCESS;
            back->failed = back->error != CL_SUCCESS;
            back->next = NULL;
            *end = back;
            end = &back->next;
            lane->nwrite_backs++;
        }
    }
}

bool cx_write_back_over(const struct split *split, unsigned part)
{
    const struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    for (const struct cx_write_back *back = split->participant[part].write_backs; back; back = back->next) {
        if (!back->started || back->ends || (back->last && !cx_worker_event_over(worker, back->last)))
            return false;
    }
    return true;
}

/* ---- transfers ---- */

static void start(struct cx_write_back *back, struct cx_worker *worker)
{
    if (back->error != CL_SUCCESS) /* there is nothing to bring */
        return;
    cx_debug(CX_TOPIC_DATA, "a package's results are written back: %u runs from %s", back->transfers.count,
             worker->device->name);
    worker->moves_aside = cx_worker_open_queue(worker, CX_REAL_QUEUE_TRANSFER);
    back->since_ns = cx_clock_ns();
    back->error = cx_transfer_list_start(&back->transfers, worker, &back->first, &back->last);
    if (back->error == CL_SUCCESS)
        back->error = worker->device->cl->clFlush(cx_worker_mover(worker));
    worker->moves_aside = false;
    if (back->error != CL_SUCCESS)
        cx_worker_leave_out(worker, back->error);
}

void cx_write_back_start(struct lane *lane, struct cx_worker *worker, cl_event until)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool any = false;
    for (; lane->nwrite_backs; lane->nwrite_backs--) {
        if (until ? (any || lane->nflight < CX_IN_FLIGHT) && cx_worker_event_over(worker, until) : any)
            return;
        any = true;
        cx_context_lock(context);
        struct cx_write_back *back = split->participant[lane->part].write_backs;
        while (back->started)
            back = back->next;
        for (unsigned i = 0; i < back->transfers.count; i++)
            split->launch->outcome.written_back += back->transfers.item[i].hi - back->transfers.item[i].lo;
        cx_context_unlock(context);
        start(back, worker); /* nobody ends it before it is started */
        cx_context_lock(context);
        back->started = true;
        back->failed |= back->error != CL_SUCCESS;
        cx_context_unlock(context);
    }
}

/* It is over: waits for its transfers, and tells the read. Gives the error of the transfers. */
static cl_int finish(struct cx_write_back *back, struct cx_worker *worker)
{
    cl_event ends[] = {back->last, back->first};
    uint64_t start_ns = 0, end_ns = 0, unused;
    if (back->last) {
        cl_int failed = cx_worker_wait_event(worker, back->last);
        cx_worker_event_times(worker, back->last, &start_ns, &end_ns);
        if (back->first)
            cx_worker_event_times(worker, back->first, &start_ns, &unused);
        const bool timed = start_ns && end_ns; /* else the trace tells how long they were seen under way */
        cx_trace_transfers(&back->transfers, worker, timed ? start_ns : back->since_ns,
                           timed ? end_ns : cx_clock_ns());
        const cl_int status = cx_transfer_list_status(&back->transfers, worker);
        failed = failed == CL_SUCCESS ? status : failed;
        back->error = back->error == CL_SUCCESS ? failed : back->error;
    }
    const cl_int dropped = cx_worker_drop_events(worker, ends, 2);
    back->error = back->error == CL_SUCCESS ? dropped : back->error;
    if (back->reader) {
        /* to the program it begins no sooner than it was submitted */
        const uint64_t since = atomic_load(&back->reader->times.submit_ns);
        start_ns = since > start_ns ? since : start_ns;
        end_ns = end_ns > start_ns ? end_ns : start_ns;
        cx_command_part_done(back->reader, back->error, since ? start_ns : 0, since ? end_ns : 0);
        cx_command_unref(&back->reader);
    }
    for (unsigned i = 0; i < back->transfers.count; i++)
        cx_worker_drop_events(worker, &back->transfers.item[i].event, 1);
    return dropped;
}

/* The end of one that is finished. A write-back to the host copy is recorded in the map when the launch
 * settles. context->lock held. */
static void put_away(struct split *split, struct cx_write_back *back) CX_HOLDS(cx_context_locked)
{
    if (back->transfers.counted && back->error != CL_SUCCESS)
        lose(back, split->launch->base.context);
    if (back->to_host && !cx_split_settled(split) && back->error == CL_SUCCESS) {
        back->next = split->write_back->arrived;
        split->write_back->arrived = back;
        return;
    }
    cx_transfer_list_finish(&back->transfers, NULL);
    free(back);
}

void cx_write_back_leave(struct split *split, unsigned part)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    while (split->participant[part].write_backs) { /* reads not planned yet: no command ends here */
        struct cx_write_back *back = split->participant[part].write_backs;
        split->participant[part].write_backs = back->next;
        (void)finish(back, worker); /* a straggler's failures are noticed when it is used again */
        put_away(split, back);
    }
}

void cx_write_back_end(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    while (lane->nwrite_backs)
        cx_write_back_start(lane, worker, NULL);
    for (;;) {
        cx_context_lock(context);
        struct cx_write_back *back = split->participant[lane->part].write_backs;
        if (back)
            back->ends = true;
        cx_context_unlock(context);
        if (!back)
            return;
        const cl_int error = finish(back, worker);
        cx_context_lock(context);
        split->participant[lane->part].write_backs =
            back->next; /* it was the first, and later ones come behind it */
        put_away(split, back);
        cx_context_unlock(context);
        if (error != CL_SUCCESS)
            cx_worker_leave_out(worker, error);
    }
}

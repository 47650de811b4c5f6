/* SPDX-License-Identifier: MIT */
/*
 * What packages wrote, brought to reads that wait. See write_back.h.
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
#include "layer/launch/region_pieces.h"

#include <stdlib.h>

enum {
    LEAST_RUN = 4 << 10, /* on average */
    PIECE = 16 << 20,    /* where nothing is staged */
};

/* What one package wrote of one read. */
struct cx_home {
    struct cx_home *next;
    struct cx_command *reader; /* a reference, and a part of it; NULL where kept, and once told */
    bool kept;                 /* it comes to the host copy */
    unsigned package;          /* host copy: whose it is */
    struct cx_runs runs;
    uint64_t end;         /* once the package's kernels up to this step are over */
    cl_event first, last; /* NULL until started; first: NULL where it is the last */
    bool started;
    uint64_t since_ns; /* then */
    bool ends;         /* context->lock: somebody waits for it */
    bool failed;       /* context->lock: there is nothing to bring, or it did not come */
    cl_int error;
};

/* ---- promises ---- */

bool cx_home_is_fit(const struct split *split, unsigned part)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[part]];
    return part < split->plan.n && cx_options_get()->overlap && !split->failed && !launch->verify &&
           !launch->ways && !worker->device->submits_in_caller;
}

bool cx_home_is_sent(const struct cx_mem *root, const struct cx_access_region *region,
                     const struct cx_worker *worker)
{
    return !root->image && !root->svm && region->write.lo < region->write.hi &&
           cx_mem_place(root, worker) != CX_PLACE_HOST;
}

bool cx_home_add_argument(struct cx_runs *runs, const struct cx_reading *reading, const struct cx_mem *mem,
                          const struct cx_access_region *region, const struct cx_worker *worker)
{
    struct cx_mem *root = mem->root;
    struct cx_pieces pieces;
    if (root != reading->root || !cx_home_is_sent(root, region, worker))
        return true;
    bool ok = cx_region_pieces(&pieces, mem, region, true, false);
    for (size_t i = 0; i < pieces.count && ok; i++) {
        const uint64_t lo = pieces.piece[i].lo > reading->lo ? pieces.piece[i].lo : reading->lo;
        const uint64_t hi = pieces.piece[i].hi < reading->hi ? pieces.piece[i].hi : reading->hi;
        if (lo < hi)
            ok = cx_runs_add(runs, root, root->real[worker->index], lo, hi,
                             reading->pointer + (lo - reading->lo));
    }
    cx_pieces_finish(&pieces);
    return ok;
}

static bool is_worth_it(const struct cx_runs *runs)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < runs->count; i++)
        bytes += runs->run[i].hi - runs->run[i].lo;
    return bytes >= CX_HOME_LEAST_BYTES && bytes / runs->count >= LEAST_RUN;
}

/* A lane copies what is staged (transport_ring.h) itself, and looks at its packages after so many bytes:
 * twice the least that is staged. */
static uint64_t piece_bytes(void)
{
    const uint64_t least = cx_options_staging();
    return least ? 2 * least : PIECE;
}

/* Adds them to those of the package, in pieces. Gives how many, 0: there is no memory. `reader`: NULL where
 * they come to the host copy. The runs are taken over, unless none is added. */
static unsigned queue_homes(struct split *split, struct package *package, struct cx_command *reader,
                            struct cx_runs *runs, uint64_t end)
{
    struct cx_home **last = &package->homes;
    unsigned count = 0;
    while (*last)
        last = &(*last)->next;
    struct cx_home *home = calloc(1, sizeof(*home)); /* of the last piece */
    if (!home)
        return 0;
    for (struct cx_home *next = home; next; count++) {
        home = next;
        next = NULL;
        home->kept = !reader;
        home->reader = reader ? cx_command_ref(reader) : NULL;
        home->package = (unsigned)(package - split->packages);
        home->end = end;
        struct cx_runs piece;
        if ((next = calloc(1, sizeof(*next))) != NULL && cx_runs_cut(runs, piece_bytes(), &piece)) {
            home->runs = piece;
        } else {
            free(next);
            next = NULL;
            home->runs = *runs;
        }
        *last = home;
        last = &home->next;
    }
    return count;
}

/* Promises the runs, which are taken over. */
static void add_homes(struct split *split, struct package *package, uint64_t end, struct cx_command *reader,
                      struct cx_runs *runs)
{
    struct cx_reading *reading = reader->reading;
    const size_t before = reading->nserved;
    unsigned count = 0;
    bool ok = true;
    for (unsigned i = 0; i < runs->count && ok; i++)
        ok = cx_reading_serve(reading, runs->run[i].lo, runs->run[i].hi);
    if (ok)
        count = queue_homes(split, package, reader, runs, end);
    if (!count) {
        reading->nserved = before;
        cx_runs_finish(runs, NULL);
    }
    atomic_fetch_add(&reader->parts, count); /* one is left until it is planned */
}

/* Adds what the package wrote for certain of bytes [lo, hi) of the root, to come to its host copy. */
static bool add_kept(struct cx_runs *runs, const struct cx_mem *mem, const struct cx_access_region *region,
                     uint64_t lo, uint64_t hi, const struct cx_worker *worker)
{
    struct cx_mem *root = mem->root;
    struct cx_pieces pieces, doubtful = {0};
    bool ok = cx_region_pieces(&doubtful, mem, region, true, true);
    const bool certain = ok && !doubtful.count;
    cx_pieces_finish(&doubtful);
    if (!certain)
        return ok;
    ok = cx_region_pieces(&pieces, mem, region, true, false);
    for (size_t i = 0; i < pieces.count && ok; i++) {
        const uint64_t from = pieces.piece[i].lo > lo ? pieces.piece[i].lo : lo;
        const uint64_t to = pieces.piece[i].hi < hi ? pieces.piece[i].hi : hi;
        if (from < to)
            ok = cx_runs_add(runs, root, root->real[worker->index], from, to, root->host + from);
    }
    cx_pieces_finish(&pieces);
    return ok;
}

/* The same of an argument, as far as somebody wants it there. */
static bool add_wanted(struct cx_runs *runs, const struct split *split, unsigned arg,
                       const struct cx_access_region *region, const struct cx_waiting *waiting,
                       const struct cx_worker *worker)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    bool ok = true, read = false;
    for (unsigned w = 1; w < waiting->count && ok; w++) {
        const struct cx_reading *reading = waiting->command[w]->reading;
        if (reading->root != mem->root)
            continue;
        ok = read || !reading->map || !mem->root->host ||
             add_kept(runs, mem, region, reading->lo, reading->hi, worker);
        read = true;
    }
    if (ok && !read && split->foreseen >> arg & 1)
        ok = add_kept(runs, mem, region, 0, mem->root->size, worker);
    return ok;
}

/* Whether what the package wrote over what it read may come where that was read from: nobody reads it any
 * more, as the package is over, and nobody does it again. */
static bool is_past_use(const struct split *split, const struct package *package)
{
    bool past = package->over && package->sent == package->range.first;
    for (unsigned i = 0; i < split->npackages && past; i++) {
        const struct package *other = &split->packages[i];
        past = other == package || other->over || other->range.first >= package->range.end ||
               other->range.end <= package->range.first;
    }
    return past;
}

/* Has what a package wrote up to that step come to the host copy where that is wanted. */
static bool keep(struct split *split, struct package *package, uint64_t end, const struct cx_waiting *waiting,
                 const struct cx_access_region *regions)
{
    const struct cx_launch *launch = split->launch;
    const uint64_t kept = is_past_use(split, package) ? split->kept : split->kept & ~split->kept_in_place;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[package->part]];
    struct cx_runs runs = {.upload = false, .place = CX_PLACE_HOST};
    bool ok = true;
    for (unsigned i = 0; i < launch->args->count && ok; i++)
        if (i < 64 && kept >> i & 1 && cx_home_is_sent(cx_launch_mem(launch, i)->root, &regions[i], worker))
            ok = add_wanted(&runs, split, i, &regions[i], waiting, worker);
    ok = ok && runs.count && is_worth_it(&runs) && queue_homes(split, package, NULL, &runs, end);
    if (!ok)
        cx_runs_finish(&runs, NULL);
    return ok;
}

/* Promises what a package wrote up to that step, or is going to write, to those who wait; but not so little,
 * of one that is not over, that it does not pay. */
static void promise(struct split *split, struct package *package, uint64_t end,
                    const struct cx_waiting *waiting)
{
    const struct cx_launch *launch = split->launch;
    const struct cx_worker *worker = &launch->base.context->workers[split->plan.member[package->part]];
    struct cx_access_region *regions = calloc(launch->args->count + 1u, sizeof(*regions));
    if (!regions)
        return;
    cx_access_package(split->plan.judged->access, package->sent, end, regions);
    bool any = !split->settled && keep(split, package, end, waiting, regions);
    for (unsigned w = 1; w < waiting->count; w++) {
        struct cx_runs runs = {.upload = false};
        bool ok = !waiting->command[w]->reading->map;
        for (unsigned i = 0; i < launch->args->count && ok; i++) {
            const struct cx_mem *mem = cx_launch_mem(launch, i);
            ok = !mem || cx_home_add_argument(&runs, waiting->command[w]->reading, mem, &regions[i], worker);
        }
        if (ok && runs.count && is_worth_it(&runs)) {
            add_homes(split, package, end, waiting->command[w], &runs);
            any = true;
        } else {
            cx_runs_finish(&runs, NULL);
        }
    }
    if (any || end == package->range.end)
        package->sent = end;
    free(regions);
}

static bool is_open(const struct package *package, unsigned part)
{
    return package->part == part && !package->dropped && !package->copy;
}

/* Up to which step what a package wrote is there, and final: others may yet do again one that is not over,
 * but with the same results only where they are like its own device. */
static uint64_t done_to(const struct split *split, const struct package *package)
{
    const bool final = !split->rescues || split->alike;
    return package->over ? package->range.end : final ? package->done : package->range.first;
}

void cx_home_promise(struct lane *lane)
{
    struct split *split = lane->split;
    struct cx_waiting waiting;
    if (split->settled || !cx_home_is_fit(split, lane->part))
        return;
    cx_waiting_find(&split->launch->base, &waiting);
    for (unsigned i = 0; i < split->npackages && (waiting.count > 1 || split->foreseen); i++) {
        struct package *package = &split->packages[i];
        const uint64_t done = done_to(split, package);
        if (is_open(package, lane->part) && package->sent < done)
            promise(split, package, done, &waiting);
    }
}

/* Gives the part's last package, or NULL where that is over: its lane may be, too. */
static struct package *last_of(struct split *split, unsigned part)
{
    struct package *last = NULL;
    for (unsigned i = 0; i < split->npackages; i++)
        if (split->packages[i].part == part && !split->packages[i].dropped)
            last = &split->packages[i];
    return last && !last->over ? last : NULL;
}

/* Promises what is left of a package, slice by slice; of the part's last one all but the last. */
static void promise_slices(struct split *split, struct package *package, bool last,
                           const struct cx_waiting *waiting)
{
    const uint64_t granularity = split->plan.judged->verdict.granularity;
    for (unsigned i = 1; i <= package->slices - last; i++) {
        const uint64_t end = cx_slice_at(package->range, granularity, i, package->slices);
        if (package->sent < end)
            promise(split, package, end, waiting);
    }
}

void cx_home_settle(struct split *split)
{
    struct cx_waiting waiting;
    cx_waiting_find(&split->launch->base, &waiting);
    for (unsigned part = 0; part < split->plan.n && waiting.count > 1; part++) {
        const struct package *last = cx_home_is_fit(split, part) ? last_of(split, part) : NULL;
        for (unsigned i = 0; i < split->npackages && last; i++)
            if (is_open(&split->packages[i], part))
                promise_slices(split, &split->packages[i], &split->packages[i] == last, &waiting);
    }
}

/* ---- the host copy ---- */

/* Whether nobody uses bytes of the root's host copy, or is going to. */
static bool is_idle(const struct cx_mem *root, uint64_t lo, uint64_t hi)
{
    const struct cx_context *context = root->context;
    uint64_t deps[64] = {0};
    cx_coherence_host_deps(root->coherence, lo, hi, true, UINT32_MAX, deps);
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (atomic_load_explicit(&context->workers[t].completed, memory_order_acquire) < deps[t])
            return false;
    return true;
}

/* Whether what is written through the argument may come to the host copy; what is read through it as well, no
 * other package reads, or else the launch would not be split. */
static bool may_keep(const struct cx_launch *launch, const struct cx_access_region *whole, unsigned arg)
{
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const struct cx_access_interval *write = &whole[arg].write;
    if (!mem || mem->root->image || mem->root->svm || mem->root->host_ptr || write->lo >= write->hi)
        return false;
    for (unsigned i = 0; i < launch->args->count; i++) {
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
    return thread_rate * cx_bytes_threads(split->launch->base.context) * cx_plan_move_seconds(1) >=
           2.0 * split->plan.n;
}

void cx_home_begin(struct split *split, const struct cx_access_region *whole)
{
    struct cx_launch *launch = split->launch;
    const struct cx_learned *learned = launch->kernel->function->learned;
    const bool foresees = cx_home_wants(launch, &split->plan), faster = copies_faster(split);
    bool any = false;
    for (unsigned p = 0; p < split->plan.n; p++)
        any |= cx_home_is_fit(split, p);
    for (unsigned i = 0; i < launch->args->count && i < 64 && any; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (!may_keep(launch, whole, i))
            continue;
        split->kept |= bit;
        if (whole[i].read.lo < whole[i].read.hi)
            split->kept_in_place |= bit;
        if (foresees && cx_follow_expects(learned, i) > 1 && (faster || cx_follow_maps(learned, i)) &&
            cx_mem_host(cx_launch_mem(launch, i)))
            split->foreseen |= bit;
    }
}

/* Tells the map of what came, or is going to come, to the host copy. */
static void note(struct split *split, struct cx_home *home, bool valid)
{
    const struct package *package = &split->packages[home->package];
    const struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[package->part]];
    if (!home->kept)
        return;
    valid &= !package->dropped && !package->copy && !home->failed;
    home->runs.counted = valid;
    for (unsigned i = 0; i < home->runs.count; i++) {
        const struct cx_run *run = &home->runs.run[i];
        struct cx_coherence *map = run->root->coherence;
        /* nobody used these bytes when the launch began; now two parts may, where one did again what the
           other had sent a part of */
        valid &= cx_coherence_host_share(map, run->lo, run->hi, worker->index, split->seq[package->part]);
        valid = valid && cx_coherence_validate(map, run->lo, run->hi, CX_PLACE_HOST);
    }
}

void cx_home_note(struct split *split, bool valid)
{
    for (unsigned i = 0; i < split->npackages; i++)
        for (struct cx_home *home = split->packages[i].homes; home; home = home->next)
            note(split, home, valid);
    for (unsigned p = 0; p < split->nparts; p++)
        for (struct cx_home *home = split->homes[p]; home; home = home->next)
            note(split, home, valid);
    while (split->brought) {
        struct cx_home *home = split->brought;
        split->brought = home->next;
        note(split, home, valid);
        cx_runs_finish(&home->runs, NULL);
        free(home);
    }
}

/* What should have come to the host copy did not. */
static void lose(const struct cx_home *home, struct cx_context *context)
{
    for (unsigned i = 0; i < home->runs.count; i++)
        cx_coherence_lose(home->runs.run[i].root->coherence, home->runs.run[i].lo, home->runs.run[i].hi,
                          CX_PLACE_HOST);
    atomic_fetch_add(&context->epoch, 1);
}

/* ---- taking ---- */

void cx_home_take(struct lane *lane, unsigned index, cl_int error)
{
    struct split *split = lane->split;
    struct cx_home **end = &split->homes[lane->part];
    while (*end)
        end = &(*end)->next;
    for (unsigned i = 0; i < split->npackages; i++) {
        struct package *package = &split->packages[i];
        while (package->part == lane->part && package->homes &&
               (package->over || package->homes->end <= package->done)) {
            struct cx_home *home = package->homes;
            package->homes = home->next;
            home->error = i == index && home->end > package->done ? error : CL_SUCCESS;
            home->failed = home->error != CL_SUCCESS;
            home->next = NULL;
            *end = home;
            end = &home->next;
            lane->nhomes++;
        }
    }
}

bool cx_home_over(const struct split *split, unsigned part)
{
    const struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    for (const struct cx_home *home = split->homes[part]; home; home = home->next) {
        if (!home->started || home->ends || (home->last && !cx_worker_event_over(worker, home->last)))
            return false;
    }
    return true;
}

/* ---- transfers ---- */

static void start(struct cx_home *home, struct cx_worker *worker)
{
    if (home->error != CL_SUCCESS) /* there is nothing to bring */
        return;
    cx_debug(CX_TOPIC_DATA, "a package's results go home: %u runs from %s", home->runs.count,
             worker->device->name);
    worker->moves_aside = cx_worker_open_queue(worker, CX_REAL_QUEUE_TRANSFER);
    home->since_ns = cx_clock_ns();
    home->error = cx_runs_start(&home->runs, worker, &home->first, &home->last);
    if (home->error == CL_SUCCESS)
        home->error = worker->device->cl->clFlush(cx_worker_mover(worker));
    worker->moves_aside = false;
    if (home->error != CL_SUCCESS)
        cx_worker_leave_out(worker, home->error);
}

void cx_home_start(struct lane *lane, struct cx_worker *worker, cl_event until)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool any = false;
    for (; lane->nhomes; lane->nhomes--) {
        if (until ? (any || lane->nflight < CX_IN_FLIGHT) && cx_worker_event_over(worker, until) : any)
            return;
        any = true;
        cx_lock(&context->lock);
        struct cx_home *home = split->homes[lane->part];
        while (home->started)
            home = home->next;
        for (unsigned i = 0; i < home->runs.count; i++)
            split->launch->brought += home->runs.run[i].hi - home->runs.run[i].lo;
        cx_unlock(&context->lock);
        start(home, worker); /* nobody ends it before it is started */
        cx_lock(&context->lock);
        home->started = true;
        home->failed |= home->error != CL_SUCCESS;
        cx_unlock(&context->lock);
    }
}

/* It is over: waits for its transfers, and tells the read. Gives the error of the transfers. */
static cl_int finish(struct cx_home *home, struct cx_worker *worker)
{
    cl_event ends[] = {home->last, home->first};
    uint64_t start_ns = 0, end_ns = 0, unused;
    if (home->last) {
        cl_int failed = cx_worker_wait_event(worker, home->last);
        cx_worker_event_times(worker, home->last, &start_ns, &end_ns);
        if (home->first)
            cx_worker_event_times(worker, home->first, &start_ns, &unused);
        const bool timed = start_ns && end_ns; /* else the trace tells how long they were seen under way */
        cx_trace_runs(&home->runs, worker, timed ? start_ns : home->since_ns, timed ? end_ns : cx_clock_ns());
        const cl_int status = cx_runs_status(&home->runs, worker);
        failed = failed == CL_SUCCESS ? status : failed;
        home->error = home->error == CL_SUCCESS ? failed : home->error;
    }
    const cl_int dropped = cx_worker_drop_events(worker, ends, 2);
    home->error = home->error == CL_SUCCESS ? dropped : home->error;
    if (home->reader) {
        /* to the program it begins no sooner than it was submitted */
        const uint64_t since = atomic_load(&home->reader->submit_ns);
        start_ns = since > start_ns ? since : start_ns;
        end_ns = end_ns > start_ns ? end_ns : start_ns;
        cx_command_part_done(home->reader, home->error, since ? start_ns : 0, since ? end_ns : 0);
        cx_command_unref(&home->reader);
    }
    for (unsigned i = 0; i < home->runs.count; i++)
        cx_worker_drop_events(worker, &home->runs.run[i].event, 1);
    return dropped;
}

/* The end of one that is finished. A home to the host copy is told to the map when the launch settles.
 * context->lock held. */
static void put_away(struct split *split, struct cx_home *home)
{
    if (home->runs.counted && home->error != CL_SUCCESS)
        lose(home, split->launch->base.context);
    if (home->kept && !split->settled && home->error == CL_SUCCESS) {
        home->next = split->brought;
        split->brought = home;
        return;
    }
    cx_runs_finish(&home->runs, NULL);
    free(home);
}

void cx_home_leave(struct split *split, unsigned part)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    while (split->homes[part]) { /* reads not planned yet: no command ends here */
        struct cx_home *home = split->homes[part];
        split->homes[part] = home->next;
        (void)finish(home, worker); /* a late member's failures are noticed when it is used again */
        put_away(split, home);
    }
}

void cx_home_end(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    while (lane->nhomes)
        cx_home_start(lane, worker, NULL);
    for (;;) {
        cx_lock(&context->lock);
        struct cx_home *home = split->homes[lane->part];
        if (home)
            home->ends = true;
        cx_unlock(&context->lock);
        if (!home)
            return;
        const cl_int error = finish(home, worker);
        cx_lock(&context->lock);
        split->homes[lane->part] = home->next; /* it was the first, and later ones come behind it */
        put_away(split, home);
        cx_unlock(&context->lock);
        if (error != CL_SUCCESS)
            cx_worker_leave_out(worker, error);
    }
}

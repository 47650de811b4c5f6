/* SPDX-License-Identifier: MIT */
/*
 * Merging unknown writes. See merge.h.
 */
#include "layer/merge.h"
#include "layer/diff.h"
#include "layer/enqueue.h"
#include "layer/log.h"
#include "layer/move.h"
#include "layer/notify.h"
#include "layer/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WIDTH = 8 }; /* bytes of the widest unit */

/* A run of blocks that several places changed. */
struct shared {
    uint64_t lo, hi; /* of the root */
    uint64_t at;     /* where its bytes lie in the object's temporary copies */
    uint64_t places; /* indices of those that changed something there, as bits */
};

/* One memory object under merge. Arrays are by index of place. */
struct object {
    struct cx_mem *root; /* a reference */
    uint64_t lo, hi;     /* what is looked at: whole blocks, or to the end of the root */
    uint64_t first, end; /* of that, what may be written: beside it others may be at work */
    unsigned width;
    unsigned char *snapshot; /* host: contents before, where members work in place */
    cl_mem *before;
    unsigned char **flags;
    struct shared *shared;
    unsigned nshared, room_shared, expected_shared;
    uint64_t shared_bytes;
    unsigned char **now; /* what places hold of the shared runs */
    unsigned char *old;  /* and what was there before, where there is no snapshot */
};

struct place {
    struct cx_worker *worker; /* who copies and compares there: the device's, or the host's */
    unsigned place;
};

struct cx_merge {
    atomic_uint refs; /* of the jobs, and of who began it */
    struct cx_launch *launch;
    struct cx_judged *judged; /* a reference */
    unsigned nparts, nplaces, nobjects;
    unsigned *member; /* of the parts */
    struct place *place;
    struct object *object;
    unsigned pending; /* comparisons under way */
    bool failed;
    void (*decided)(void *data);
    void *data;
};

/* What a job works on. */
struct step {
    struct cx_merge *merge;
    unsigned place;
    cl_event event[]; /* of its commands, save the one that tells of its end: two an object, or NULL */
};

static struct cx_context *context_of(const struct cx_merge *merge)
{
    return merge->launch->base.context;
}

static void free_object(const struct cx_merge *merge, struct object *object)
{
    for (unsigned p = 0; p < merge->nplaces; p++) {
        const struct cx_worker *worker = merge->place[p].worker;
        if (object->before && object->before[p])
            worker->device->cl->clReleaseMemObject(object->before[p]);
        if (object->flags)
            free(object->flags[p]);
        if (object->now)
            free(object->now[p]);
    }
    free(object->snapshot);
    free(object->before);
    free(object->flags);
    free(object->shared);
    free(object->now);
    free(object->old);
    cx_mem_unref(&object->root);
}

/* Not under context->lock, as buffers may go with it; judged is given back where the lock is held. */
static void release(struct cx_merge *merge)
{
    if (atomic_fetch_sub(&merge->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < merge->nobjects; i++)
        free_object(merge, &merge->object[i]);
    free(merge->object);
    free(merge->place);
    free(merge->member);
    free(merge);
}

static void release_later(void *data)
{
    release(data);
}

/* Gives the reference of who began it back, under context->lock. */
static void give_back(struct cx_merge *merge)
{
    cx_notify_post(release_later, merge);
}

void cx_merge_drop(struct cx_merge **merge)
{
    if (*merge) {
        cx_judged_unref(&(*merge)->judged);
        give_back(*merge);
    }
    *merge = NULL;
}

bool cx_merge_needless(const struct cx_context *context, const unsigned *member, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (context->workers[member[i]].place != CX_PLACE_HOST)
            return false;
    return true;
}

/* ---- what is remembered ---- */

static uint64_t shape_of(const struct cx_launch *launch)
{
    uint64_t hash = launch->geometry.work_dim;
    for (unsigned d = 0; d < 3; d++) {
        hash = (hash ^ launch->geometry.global[d]) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ hash >> 29 ^ launch->geometry.local[d]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (unsigned i = 0; i < launch->args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        hash = (hash ^ hash >> 29 ^ (mem ? mem->size : i)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash | 1;
}

static struct cx_merge_memory *memory_of(const struct cx_launch *launch, uint64_t shape)
{
    struct cx_learned *learned = launch->kernel->function->learned;
    return learned ? &learned->merges[(shape >> 32) % (sizeof(learned->merges) / sizeof(*learned->merges))]
                   : NULL;
}

struct cx_merge_memory *cx_merge_expect(const struct cx_launch *launch)
{
    uint64_t shape = shape_of(launch);
    struct cx_merge_memory *memory = memory_of(launch, shape);
    return memory && memory->shape == shape ? memory : NULL;
}

static void remember(const struct cx_merge *merge, uint64_t changed, uint64_t combined)
{
    uint64_t shape = shape_of(merge->launch);
    struct cx_merge_memory *memory = memory_of(merge->launch, shape);
    unsigned runs = 0;
    for (unsigned i = 0; i < merge->nobjects; i++)
        runs += merge->object[i].nshared;
    if (memory)
        *memory = (struct cx_merge_memory){shape, changed, combined, runs};
}

/* ---- what is looked at ---- */

static bool is_merged(const struct cx_launch *launch, unsigned arg, const struct cx_access_region *whole)
{
    return launch->ways && launch->ways[arg] == CX_WAY_MERGE && cx_launch_mem(launch, arg) &&
           whole[arg].write.lo < whole[arg].write.hi;
}

uint64_t cx_merge_bytes(const struct cx_launch *launch, const struct cx_access_region *whole)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < launch->args->count; i++)
        if (is_merged(launch, i, whole))
            bytes += whole[i].write.hi - whole[i].write.lo;
    return bytes;
}

/* `at` rounded up, within the root. */
static uint64_t whole_units(const struct cx_mem *root, uint64_t at, uint64_t unit)
{
    uint64_t up = (at + unit - 1) / unit * unit;
    return up < root->size ? up : root->size;
}

static void add_region(struct cx_merge *merge, struct cx_mem *mem, const struct cx_access_interval *write,
                       unsigned width)
{
    const uint64_t first = (mem->origin + write->lo) / MAX_WIDTH * MAX_WIDTH;
    const uint64_t end = whole_units(mem->root, mem->origin + write->hi, MAX_WIDTH);
    const uint64_t lo = first / CX_DIFF_BLOCK * CX_DIFF_BLOCK,
                   hi = whole_units(mem->root, end, CX_DIFF_BLOCK);
    struct object *object = merge->object;
    unsigned i = 0;
    while (i < merge->nobjects && object[i].root != mem->root)
        i++;
    if (i == merge->nobjects) {
        object[i] = (struct object){
            .root = cx_mem_ref(mem->root), .lo = lo, .hi = hi, .first = first, .end = end, .width = width};
        merge->nobjects++;
        return;
    }
    object[i].first = first < object[i].first ? first : object[i].first;
    object[i].end = end > object[i].end ? end : object[i].end;
    object[i].lo = lo < object[i].lo ? lo : object[i].lo;
    object[i].hi = hi > object[i].hi ? hi : object[i].hi;
    object[i].width = width < object[i].width ? width : object[i].width;
}

static void list_places(struct cx_merge *merge)
{
    struct cx_context *context = context_of(merge);
    for (unsigned i = 0; i < merge->nparts; i++) {
        struct cx_worker *worker = &context->workers[merge->member[i]];
        unsigned p = 0;
        while (p < merge->nplaces && merge->place[p].place != worker->place)
            p++;
        if (p < merge->nplaces)
            continue;
        if (worker->place == CX_PLACE_HOST)
            worker = &context->workers[context->nmembers];
        merge->place[merge->nplaces++] = (struct place){worker, worker->place};
    }
}

static bool is_host(const struct cx_merge *merge, unsigned place)
{
    return merge->place[place].place == CX_PLACE_HOST;
}

/* Memory for the copies and flags of one object. */
static cl_int make_room(const struct cx_merge *merge, struct object *object)
{
    const size_t bytes = (size_t)(object->hi - object->lo), n = merge->nplaces;
    cl_int error = CL_SUCCESS;
    object->before = calloc(n, sizeof(cl_mem));
    object->flags = calloc(n, sizeof(unsigned char *));
    object->now = calloc(n, sizeof(unsigned char *));
    if (!object->before || !object->flags || !object->now)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned p = 0; p < n && error == CL_SUCCESS; p++) {
        const struct cx_worker *worker = merge->place[p].worker;
        if (!(object->flags[p] = malloc(cx_diff_bytes(bytes))))
            error = CL_OUT_OF_HOST_MEMORY;
        else if (!is_host(merge, p))
            object->before[p] = worker->device->cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE,
                                                                   bytes, NULL, &error);
        else if (!(object->snapshot = malloc(bytes)))
            error = CL_OUT_OF_HOST_MEMORY;
    }
    return error;
}

static struct cx_job *step_job(struct cx_merge *merge, unsigned place,
                               cl_int (*run)(struct cx_job *, struct cx_worker *),
                               void (*finish)(struct cx_job *, struct cx_worker *))
{
    struct cx_job *job = cx_job_new(context_of(merge));
    struct step *step = calloc(1, sizeof(*step) + 2 * merge->nobjects * sizeof(step->event[0]));
    if (!job || !step) {
        free(job);
        free(step);
        return NULL;
    }
    step->merge = merge;
    step->place = place;
    atomic_fetch_add(&merge->refs, 1);
    job->data = step;
    job->run = run;
    job->finish = finish;
    job->waits = true;
    job->timed = cx_trace_on();
    return job;
}

static void finish_step(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    cl_int error = cx_worker_drop_events(worker, step->event, 2 * step->merge->nobjects);
    if (job->status == CL_SUCCESS)
        job->status = error;
    if (job->start_ns)
        cx_trace_span("merge", "merge", worker->index, job->start_ns, job->end_ns, NULL);
    release(step->merge);
    free(step);
}

/* ---- copies of what was there before ---- */

static cl_int run_snapshot(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    struct cx_merge *merge = step->merge;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        struct object *object = &merge->object[i];
        const size_t bytes = (size_t)(object->hi - object->lo);
        if (is_host(merge, step->place))
            memcpy(object->snapshot, object->root->host + object->lo, bytes);
        else
            error = worker->device->cl->clEnqueueCopyBuffer(
                worker->queue, object->root->real[worker->index], object->before[step->place],
                (size_t)object->lo, 0, bytes, 0, NULL,
                i + 1 == merge->nobjects ? &job->event : &step->event[i]);
    }
    return error;
}

/* Bytes that nobody wrote yet differ from place to place. What changed can be told, and put together, only
 * where all places begin alike: the host copy says what they are. */
static cl_int define(const struct object *object)
{
    if (!cx_mem_host(object->root) ||
        !cx_coherence_define(object->root->coherence, object->lo, object->hi, CX_PLACE_HOST))
        return CL_OUT_OF_HOST_MEMORY;
    return CL_SUCCESS;
}

/* Brings the contents to the place and queues the copy. */
static cl_int begin_place(struct cx_merge *merge, unsigned p)
{
    struct cx_command *command = &merge->launch->base;
    const struct place *place = &merge->place[p];
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++)
        error = cx_move_to(command, merge->object[i].root, merge->object[i].lo, merge->object[i].hi,
                           place->place, &merge->launch->moved);
    struct cx_job *job = error == CL_SUCCESS ? step_job(merge, p, run_snapshot, finish_step) : NULL;
    if (!job)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    for (unsigned i = 0; i < merge->nobjects; i++)
        cx_move_note(merge->object[i].root, merge->object[i].lo, merge->object[i].hi, false, place->worker,
                     job);
    cx_command_add_job(command, place->worker, job);
    return CL_SUCCESS;
}

static struct cx_merge *merge_new(struct cx_launch *launch, const unsigned *member, unsigned n)
{
    struct cx_merge *merge = calloc(1, sizeof(*merge));
    if (!merge)
        return NULL;
    atomic_init(&merge->refs, 1);
    merge->launch = launch;
    merge->nparts = n;
    merge->object = calloc(launch->args->count, sizeof(*merge->object));
    merge->place = calloc(n, sizeof(*merge->place));
    merge->member = malloc(n * sizeof(*merge->member));
    if (!merge->object || !merge->place || !merge->member) {
        release(merge);
        return NULL;
    }
    memcpy(merge->member, member, n * sizeof(*member));
    return merge;
}

cl_int cx_merge_begin(struct cx_launch *launch, struct cx_judged *judged,
                      const struct cx_access_region *whole, const unsigned *member, unsigned n,
                      struct cx_merge **out)
{
    const struct cx_access_means *means = cx_access_means(judged->access);
    cl_int error = CL_SUCCESS;
    struct cx_merge *merge = NULL;
    *out = NULL;
    for (unsigned i = 0; i < launch->args->count; i++) {
        if (!is_merged(launch, i, whole))
            continue;
        if (!merge && !(merge = merge_new(launch, member, n)))
            return CL_OUT_OF_HOST_MEMORY;
        add_region(merge, cx_launch_mem(launch, i), &whole[i].write, means[i].width ? means[i].width : 1);
    }
    if (!merge)
        return CL_SUCCESS;
    judged->refs++;
    merge->judged = judged;
    list_places(merge);
    const struct cx_merge_memory *memory = cx_merge_expect(launch);
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        merge->object[i].expected_shared = memory ? memory->runs : 0;
        error = make_room(merge, &merge->object[i]);
        if (error == CL_SUCCESS)
            error = define(&merge->object[i]);
    }
    for (unsigned p = 0; p < merge->nplaces && error == CL_SUCCESS; p++)
        error = begin_place(merge, p);
    if (error != CL_SUCCESS)
        cx_merge_drop(&merge);
    *out = merge;
    return error;
}

/* ---- putting together ---- */

static cl_int run_combine(struct cx_job *job, struct cx_worker *worker)
{
    const struct step *step = job->data;
    const struct cx_merge *merge = step->merge;
    (void)worker;
    if (atomic_load(&merge->launch->base.error) !=
        CL_SUCCESS) /* what would be put together is not all there */
        return CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects; i++) {
        const struct object *object = &merge->object[i];
        for (unsigned s = 0; s < object->nshared; s++) {
            const struct shared *shared = &object->shared[s];
            const size_t bytes = (size_t)(shared->hi - shared->lo);
            unsigned char *to = object->root->host + shared->lo;
            const unsigned char *old =
                object->snapshot ? object->snapshot + (shared->lo - object->lo) : object->old + shared->at;
            if (!object->snapshot)
                memcpy(to, old, bytes);
            for (unsigned p = 0; p < merge->nplaces; p++) {
                const unsigned char *now = object->now[p] ? object->now[p] + shared->at : NULL;
                if (!now || !(shared->places >> p & 1))
                    continue;
                for (size_t b = 0; b < bytes; b += object->width) {
                    size_t unit = bytes - b < object->width ? bytes - b : object->width;
                    if (memcmp(now + b, old + b, unit) != 0)
                        memcpy(to + b, now + b, unit);
                }
            }
        }
    }
    return CL_SUCCESS;
}

static bool add_shared(struct object *object, uint64_t lo, uint64_t hi, uint64_t places)
{
    struct shared *last = object->nshared ? &object->shared[object->nshared - 1] : NULL;
    if (last && last->hi == lo && last->places == places) {
        last->hi = hi;
        object->shared_bytes += hi - lo;
        return true;
    }
    if (object->nshared == object->room_shared) {
        unsigned room = object->room_shared ? 2 * object->room_shared : object->expected_shared + 16;
        struct shared *grown = realloc(object->shared, room * sizeof(*grown));
        if (!grown)
            return false;
        object->shared = grown;
        object->room_shared = room;
    }
    object->shared[object->nshared++] = (struct shared){lo, hi, object->shared_bytes, places};
    object->shared_bytes += hi - lo;
    return true;
}

static uint64_t changed_at(const struct cx_merge *merge, const struct object *object, size_t block)
{
    uint64_t places = 0;
    for (unsigned p = 0; p < merge->nplaces; p++)
        places |= (uint64_t)cx_diff_flag(object->flags[p], block) << p;
    return places;
}

/* Gives the object's blocks to those who changed them, and lists those that several did. */
static bool assign_blocks(struct cx_merge *merge, struct object *object, uint64_t *changed)
{
    const size_t blocks = cx_diff_blocks(object->hi - object->lo);
    bool ok = true;
    for (size_t b = 0, end; b < blocks && ok; b = end) {
        uint64_t places = changed_at(merge, object, b);
        for (end = b + 1; end < blocks && changed_at(merge, object, end) == places;)
            end++;
        uint64_t lo = object->lo + (uint64_t)b * CX_DIFF_BLOCK,
                 hi = object->lo + (uint64_t)end * CX_DIFF_BLOCK;
        lo = lo > object->first ? lo : object->first;
        hi = hi < object->end ? hi : object->end;
        if (!places || lo >= hi)
            continue;
        *changed += hi - lo;
        if (places & (places - 1))
            ok = add_shared(object, lo, hi, places);
        else
            ok = cx_coherence_own(object->root->coherence, lo, hi,
                                  merge->place[__builtin_ctzll(places)].place);
    }
    return ok;
}

/* Queues the downloads of what a device holds of the shared runs (of its copy from before with `old`). */
static cl_int download_shared(struct cx_merge *merge, unsigned p, bool old, uint64_t *seq)
{
    struct cx_runs runs = {.upload = false, .merges = true};
    struct cx_worker *worker = merge->place[p].worker;
    bool ok = true;
    for (unsigned i = 0; i < merge->nobjects && ok; i++) {
        struct object *object = &merge->object[i];
        unsigned char **to = old ? &object->old : &object->now[p];
        if (object->nshared && !*to)
            ok = (*to = malloc((size_t)object->shared_bytes)) != NULL;
        for (unsigned s = 0; s < object->nshared && ok; s++) {
            const struct shared *shared = &object->shared[s];
            uint64_t from = old ? object->lo : 0;
            if (!old && !(shared->places >> p & 1))
                continue;
            ok = cx_runs_add(&runs, object->root, old ? object->before[p] : object->root->real[worker->index],
                             shared->lo - from, shared->hi - from, *to + shared->at);
            merge->launch->moved += shared->hi - shared->lo;
        }
    }
    struct cx_job *job = ok && runs.count ? cx_runs_job(worker, &runs) : NULL;
    if (!job) {
        bool none = ok && !runs.count;
        cx_runs_finish(&runs, worker);
        return none ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    *seq = cx_command_add_job(&merge->launch->base, worker, job);
    return CL_SUCCESS;
}

/* The job is going to write the object's shared runs in the host copy, which then owns them. */
static cl_int note_shared(const struct object *object, struct cx_worker *host, struct cx_job *job)
{
    bool ok = !object->nshared || cx_mem_host(object->root);
    for (unsigned s = 0; s < object->nshared && ok; s++) {
        const struct shared *shared = &object->shared[s];
        ok = cx_move_note(object->root, shared->lo, shared->hi, true, host, job) &&
             cx_coherence_own(object->root->coherence, shared->lo, shared->hi, CX_PLACE_HOST);
    }
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* The command fails, if it did not before. */
static void fail(const struct cx_merge *merge, cl_int error)
{
    int none = CL_SUCCESS;
    atomic_compare_exchange_strong(&merge->launch->base.error, &none, error);
}

/* Queues the job that puts shared runs together in the host copy, after the downloads it needs. */
static cl_int combine(struct cx_merge *merge)
{
    struct cx_context *context = context_of(merge);
    struct cx_worker *host = &context->workers[context->nmembers];
    uint64_t seq[64] = {0};
    bool in_place = false;
    cl_int error = CL_SUCCESS;
    for (unsigned p = 0; p < merge->nplaces; p++)
        in_place |= is_host(merge, p);
    for (unsigned p = 0; p < merge->nplaces && error == CL_SUCCESS; p++)
        if (!is_host(merge, p))
            error = download_shared(merge, p, false, &seq[merge->place[p].worker->index]);
    if (!in_place && error == CL_SUCCESS)
        error = download_shared(merge, 0, true, &seq[merge->place[0].worker->index]);
    struct cx_job *job = error == CL_SUCCESS ? step_job(merge, 0, run_combine, finish_step) : NULL;
    if (!job)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    for (unsigned m = 0; m < context->nmembers; m++)
        job->deps[m] = seq[m];
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++)
        error = note_shared(&merge->object[i], host, job);
    /* the job is queued in any case, since the maps may name it; where the command failed it does nothing */
    if (error != CL_SUCCESS)
        fail(merge, error);
    cx_command_add_job(&merge->launch->base, host, job);
    return CL_SUCCESS;
}

/* Every comparison is over. */
static void decide(struct cx_merge *merge)
{
    uint64_t changed = 0, shared = 0;
    cl_int error = merge->failed ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        if (!assign_blocks(merge, &merge->object[i], &changed))
            error = CL_OUT_OF_HOST_MEMORY;
        shared += merge->object[i].shared_bytes;
    }
    if (shared && error == CL_SUCCESS)
        error = combine(merge);
    for (unsigned i = 0; i < merge->nobjects; i++)
        cx_move_tidy(merge->object[i].root);
    cx_debug(CX_TOPIC_DATA, "%s: %llu bytes changed, %llu of them on several devices",
             merge->launch->kernel->function->name, (unsigned long long)changed, (unsigned long long)shared);
    merge->launch->changed += changed;
    merge->launch->combined += shared;
    if (error == CL_SUCCESS) {
        remember(merge, changed, shared);
    } else {
        fail(merge, error);
    }
    cx_judged_unref(&merge->judged);
    merge->decided(merge->data);
}

/* ---- comparing ---- */

static cl_int run_diff(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    struct cx_merge *merge = step->merge;
    unsigned p = step->place;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        struct object *object = &merge->object[i];
        const uint64_t bytes = object->hi - object->lo;
        if (is_host(merge, p))
            cx_diff_host(object->root->host + object->lo, object->snapshot, bytes, object->flags[p]);
        else
            error = cx_diff_device(worker, object->root->real[worker->index], object->lo, object->before[p],
                                   bytes, object->flags[p], &step->event[2 * i]);
    }
    if (error == CL_SUCCESS && !is_host(merge, p)) { /* the last one tells of all */
        cl_event *last = &step->event[2 * merge->nobjects - 1];
        job->event = *last;
        *last = NULL;
    } else if (!is_host(merge, p)) {
        worker->device->cl->clFinish(worker->queue);
    }
    return error;
}

static void finish_diff(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    struct cx_merge *merge = step->merge;
    struct cx_context *context = context_of(merge);
    cl_int error = cx_worker_drop_events(worker, step->event, 2 * merge->nobjects);
    if (job->status == CL_SUCCESS)
        job->status = error;
    cx_context_lock(context);
    merge->failed |= job->status != CL_SUCCESS;
    if (--merge->pending == 0)
        decide(merge);
    cx_context_unlock(context);
    finish_step(job, worker);
}

void cx_merge_end(struct cx_merge **owned, const uint64_t *seq, void (*decided)(void *data), void *data)
{
    struct cx_merge *merge = *owned;
    struct cx_job *jobs[64];
    bool ok = true;
    *owned = NULL;
    merge->decided = decided;
    merge->data = data;
    for (unsigned p = 0; p < merge->nplaces; p++)
        ok &= (jobs[p] = step_job(merge, p, run_diff, finish_diff)) != NULL;
    merge->pending = merge->nplaces;
    for (unsigned p = 0; p < merge->nplaces && !ok; p++)
        if (jobs[p]) {
            free(jobs[p]->data);
            free(jobs[p]);
            atomic_fetch_sub(&merge->refs, 1);
        }
    if (!ok) {
        merge->failed = true;
        decide(merge);
    }
    for (unsigned p = 0; p < merge->nplaces && ok; p++) {
        for (unsigned i = 0; i < merge->nparts && is_host(merge, p); i++)
            if (context_of(merge)->workers[merge->member[i]].place == CX_PLACE_HOST)
                jobs[p]->deps[merge->member[i]] = seq[i];
        struct cx_worker *worker = merge->place[p].worker;
        /* the launch settles when it ends, so nobody may be waiting for its timeline */
        cx_worker_watch(worker, cx_command_add_job(&merge->launch->base, worker, jobs[p]));
    }
    give_back(merge);
}

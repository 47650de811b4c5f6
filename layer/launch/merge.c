/* SPDX-License-Identifier: MIT */
/*
 * Merges unknown writes: makes the twins and compares with them. See merge.h; merge_combine.c combines the
 * blocks found.
 */
#include "layer/launch/merge_inside.h"
#include "layer/launch/diff.h"
#include "layer/base/log.h"
#include "layer/memory/transfer.h"
#include "layer/base/callback_thread.h"
#include "layer/plan/trace_launch.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/merge_cost.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WIDTH = 8 }; /* bytes of the widest unit */

static void free_object(const struct cx_merge *merge, struct cx_merge_object *object)
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
    cx_callback_thread_post(release_later, merge);
}

void cx_merge_drop(struct cx_merge **merge)
{
    if (*merge) {
        cx_cached_verdict_unref(&(*merge)->judged);
        give_back(*merge);
    }
    *merge = NULL;
}

/* ---- what is remembered ---- */

static void remember(const struct cx_merge *merge, uint64_t changed, uint64_t combined)
{
    unsigned runs = 0;
    for (unsigned i = 0; i < merge->nobjects; i++)
        runs += merge->object[i].nshared;
    cx_merge_learn(merge->launch, changed, combined, runs);
}

/* ---- what is looked at ---- */

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
    struct cx_merge_object *object = merge->object;
    unsigned i = 0;
    while (i < merge->nobjects && object[i].root != mem->root)
        i++;
    if (i == merge->nobjects) {
        object[i] = (struct cx_merge_object){
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
    struct cx_context *context = cx_merge_context(merge);
    for (unsigned i = 0; i < merge->nparts; i++) {
        struct cx_worker *worker = &context->workers[merge->member[i]];
        unsigned p = 0;
        while (p < merge->nplaces && merge->place[p].place != worker->place)
            p++;
        if (p < merge->nplaces)
            continue;
        if (worker->place == CX_PLACE_HOST)
            worker = &context->workers[context->nmembers];
        merge->place[merge->nplaces++] = (struct cx_merge_place){worker, worker->place};
    }
}

/* Memory for the copies and flags of one object. */
static cl_int make_room(const struct cx_merge *merge, struct cx_merge_object *object)
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
        else if (!cx_merge_is_host(merge, p))
            object->before[p] = worker->device->cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE,
                                                                   bytes, NULL, &error);
        else if (!(object->snapshot = malloc(bytes)))
            error = CL_OUT_OF_HOST_MEMORY;
    }
    return error;
}

struct cx_job *cx_merge_job(struct cx_merge *merge, unsigned place, const char *name,
                            cl_int (*run)(struct cx_job *, struct cx_worker *),
                            void (*finish)(struct cx_job *, struct cx_worker *))
{
    struct cx_job *job = cx_job_new(cx_merge_context(merge));
    struct cx_merge_step *step = calloc(1, sizeof(*step) + 2 * merge->nobjects * sizeof(step->event[0]));
    if (!job || !step) {
        free(job);
        free(step);
        return NULL;
    }
    step->merge = merge;
    step->place = place;
    step->name = name;
    atomic_fetch_add(&merge->refs, 1);
    job->data = step;
    job->run = run;
    job->finish = finish;
    job->kind.waits = true;
    job->times.wanted = job->times.of_call = cx_trace_on();
    return job;
}

/* Bytes are those the step went through: with several objects, of all of them; buffers the first one's. */
static void trace_step(const struct cx_merge_step *step, const struct cx_job *job,
                       const struct cx_worker *worker)
{
    const struct cx_merge *merge = step->merge;
    const bool combine = !strcmp(step->name, CX_MERGE_COMBINE),
               compare = !strcmp(step->name, CX_MERGE_COMPARE);
    struct cx_trace_args args = {.used = 0};
    uint64_t bytes = 0, blocks = 0, changed = 0, runs = 0;
    for (unsigned i = 0; i < merge->nobjects; i++) {
        const struct cx_merge_object *object = &merge->object[i];
        bytes += combine ? object->shared_bytes : object->hi - object->lo;
        runs += combine ? object->nshared : 0; /* else it may change meanwhile */
        for (size_t b = 0; compare && b < cx_diff_blocks(object->hi - object->lo); b++, blocks++)
            changed += cx_diff_flag(object->flags[step->place], b);
    }
    cx_trace_count(&args, "bytes", bytes);
    if (merge->nobjects)
        cx_trace_count(&args, "buffer", merge->object[0].root->base.id);
    cx_trace_count(&args, "buffers", merge->nobjects);
    if (compare) {
        cx_trace_count(&args, "blocks", blocks);
        cx_trace_count(&args, "changed_blocks", changed);
    } else if (combine) {
        cx_trace_count(&args, "runs", runs);
    }
    cx_trace_merge(merge->launch, worker, step->name, &args, job->times.start_ns, job->times.end_ns);
}

void cx_merge_finish_job(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_merge_step *step = job->data;
    cl_int error = cx_worker_drop_events(worker, step->event, 2 * step->merge->nobjects);
    if (job->status == CL_SUCCESS)
        job->status = error;
    if (job->times.start_ns)
        trace_step(step, job, worker);
    release(step->merge);
    free(step);
}

/* ---- copies of what was there before ---- */

static cl_int run_snapshot(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_merge_step *step = job->data;
    struct cx_merge *merge = step->merge;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        struct cx_merge_object *object = &merge->object[i];
        const size_t bytes = (size_t)(object->hi - object->lo);
        if (cx_merge_is_host(merge, step->place))
            memcpy(object->snapshot, object->root->storage->host + object->lo, bytes);
        else
            error = worker->device->cl->clEnqueueCopyBuffer(worker->queue, object->root->real[worker->index],
                                                            object->before[step->place], (size_t)object->lo,
                                                            0, bytes, 0, NULL,
                                                            i + 1 == merge->nobjects ? &job->event
                                                            : i == 0                 ? &job->first_event
                                                                                     : &step->event[i]);
    }
    return error;
}

/* Bytes that nobody wrote yet differ from place to place. What changed can be told, and put together, only
 * where all places begin alike: the host copy says what they are. */
static cl_int define(const struct cx_merge_object *object) CX_HOLDS(cx_context_locked)
{
    if (!cx_mem_host(object->root) ||
        !cx_coherence_define(object->root->storage->coherence, object->lo, object->hi, CX_PLACE_HOST))
        return CL_OUT_OF_HOST_MEMORY;
    return CL_SUCCESS;
}

/* Brings the contents to the place and queues the copy. */
static cl_int begin_place(struct cx_merge *merge, unsigned p) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &merge->launch->base;
    const struct cx_merge_place *place = &merge->place[p];
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++)
        error = cx_transfer_to(command, merge->object[i].root, merge->object[i].lo, merge->object[i].hi,
                               place->place, &merge->launch->outcome.moved);
    struct cx_job *job =
        error == CL_SUCCESS ? cx_merge_job(merge, p, CX_MERGE_KEEP, run_snapshot, cx_merge_finish_job) : NULL;
    if (!job)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    for (unsigned i = 0; i < merge->nobjects; i++)
        cx_transfer_note(merge->object[i].root, merge->object[i].lo, merge->object[i].hi, false,
                         place->worker, job);
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
    merge->object = calloc(launch->request.args->count, sizeof(*merge->object));
    merge->place = calloc(n, sizeof(*merge->place));
    merge->member = malloc(n * sizeof(*merge->member));
    if (!merge->object || !merge->place || !merge->member) {
        release(merge);
        return NULL;
    }
    memcpy(merge->member, member, n * sizeof(*member));
    return merge;
}

cl_int cx_merge_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                      const struct cx_access_region *whole, const unsigned *member, unsigned n,
                      struct cx_merge **out)
{
    const struct cx_access_means *means = cx_access_means(judged->access);
    cl_int error = CL_SUCCESS;
    struct cx_merge *merge = NULL;
    *out = NULL;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        if (!cx_launch_writes_by(launch, i, CX_PROTOCOL_MERGE, whole))
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

/* Every comparison is over. */
static void decide(struct cx_merge *merge) CX_HOLDS(cx_context_locked)
{
    uint64_t changed = 0, shared = 0;
    cl_int error = merge->failed ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        if (!cx_merge_assign(merge, &merge->object[i], &changed))
            error = CL_OUT_OF_HOST_MEMORY;
        shared += merge->object[i].shared_bytes;
    }
    if (shared && error == CL_SUCCESS)
        error = cx_merge_combine(merge);
    for (unsigned i = 0; i < merge->nobjects; i++)
        cx_transfer_tidy(merge->object[i].root);
    cx_debug(CX_TOPIC_DATA, "%s: %llu bytes changed, %llu of them on several devices",
             merge->launch->request.kernel->function->name, (unsigned long long)changed,
             (unsigned long long)shared);
    merge->launch->outcome.changed += changed;
    merge->launch->outcome.combined += shared;
    if (error == CL_SUCCESS) {
        remember(merge, changed, shared);
    } else {
        cx_merge_fail(merge, error);
    }
    cx_cached_verdict_unref(&merge->judged);
    merge->decided(merge->data);
}

/* ---- comparing ---- */

static cl_int run_diff(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_merge_step *step = job->data;
    struct cx_merge *merge = step->merge;
    unsigned p = step->place;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++) {
        struct cx_merge_object *object = &merge->object[i];
        const uint64_t bytes = object->hi - object->lo;
        if (cx_merge_is_host(merge, p))
            cx_diff_host(object->root->storage->host + object->lo, object->snapshot, bytes, object->flags[p]);
        else
            error = cx_diff_device(worker, object->root->real[worker->index], object->lo, object->before[p],
                                   bytes, object->flags[p], &step->event[2 * i]);
    }
    if (error == CL_SUCCESS && !cx_merge_is_host(merge, p)) { /* the last one tells of all */
        cl_event *last = &step->event[2 * merge->nobjects - 1];
        job->event = *last;
        *last = NULL;
        job->first_event = step->event[0];
        step->event[0] = NULL;
    } else if (!cx_merge_is_host(merge, p)) {
        worker->device->cl->clFinish(worker->queue);
    }
    return error;
}

static void finish_diff(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_merge_step *step = job->data;
    struct cx_merge *merge = step->merge;
    struct cx_context *context = cx_merge_context(merge);
    cl_int error = cx_worker_drop_events(worker, step->event, 2 * merge->nobjects);
    if (job->status == CL_SUCCESS)
        job->status = error;
    cx_context_lock(context);
    merge->failed |= job->status != CL_SUCCESS;
    if (--merge->pending == 0)
        decide(merge);
    cx_context_plan_and_unlock(context);
    cx_merge_finish_job(job, worker);
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
        ok &= (jobs[p] = cx_merge_job(merge, p, CX_MERGE_COMPARE, run_diff, finish_diff)) != NULL;
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
        for (unsigned i = 0; i < merge->nparts && cx_merge_is_host(merge, p); i++)
            if (cx_merge_context(merge)->workers[merge->member[i]].place == CX_PLACE_HOST)
                jobs[p]->deps[merge->member[i]] = seq[i];
        struct cx_worker *worker = merge->place[p].worker;
        /* the launch settles when it ends, so nobody may be waiting for its timeline */
        cx_worker_watch(worker, cx_command_add_job(&merge->launch->base, worker, jobs[p]));
    }
    give_back(merge);
}

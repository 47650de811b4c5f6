/* SPDX-License-Identifier: MIT */
/*
 * The second half of a merge: gives changed blocks their owners, and combines those that several places
 * changed. See merge_inside.h.
 */
#include "layer/launch/merge_inside.h"
#include "layer/launch/diff.h"
#include "layer/memory/transfer.h"
#include "layer/launch/verify.h"

#include <stdlib.h>
#include <string.h>

static cl_int run_combine(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_merge_step *step = job->data;
    const struct cx_merge *merge = step->merge;
    (void)worker;
    if (atomic_load(&merge->launch->base.error) !=
        CL_SUCCESS) /* what would be put together is not all there */
        return CL_SUCCESS;
    for (unsigned i = 0; i < merge->nobjects; i++) {
        const struct cx_merge_object *object = &merge->object[i];
        for (unsigned s = 0; s < object->nshared; s++) {
            const struct cx_merge_shared *shared = &object->shared[s];
            const size_t bytes = (size_t)(shared->hi - shared->lo);
            unsigned char *to = object->root->storage->host + shared->lo;
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
                    if (memcmp(now + b, old + b, unit) == 0)
                        continue;
                    if (merge->launch->run.verify && memcmp(to + b, old + b, unit) != 0 &&
                        memcmp(to + b, now + b, unit) != 0)
                        cx_verify_raced(merge->launch, object->root, shared->lo + b);
                    memcpy(to + b, now + b, unit);
                }
            }
        }
    }
    return CL_SUCCESS;
}

static bool add_shared(struct cx_merge_object *object, uint64_t lo, uint64_t hi, uint64_t places)
{
    struct cx_merge_shared *last = object->nshared ? &object->shared[object->nshared - 1] : NULL;
    if (last && last->hi == lo && last->places == places) {
        last->hi = hi;
        object->shared_bytes += hi - lo;
        return true;
    }
    if (object->nshared == object->room_shared) {
        unsigned room = object->room_shared ? 2 * object->room_shared : object->expected_shared + 16;
        struct cx_merge_shared *grown = realloc(object->shared, room * sizeof(*grown));
        if (!grown)
            return false;
        object->shared = grown;
        object->room_shared = room;
    }
    object->shared[object->nshared++] = (struct cx_merge_shared){lo, hi, object->shared_bytes, places};
    object->shared_bytes += hi - lo;
    return true;
}

static uint64_t changed_at(const struct cx_merge *merge, const struct cx_merge_object *object, size_t block)
{
    uint64_t places = 0;
    for (unsigned p = 0; p < merge->nplaces; p++)
        places |= (uint64_t)cx_diff_flag(object->flags[p], block) << p;
    return places;
}

bool cx_merge_assign(struct cx_merge *merge, struct cx_merge_object *object, uint64_t *changed)
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
            ok = cx_coherence_own(object->root->storage->coherence, lo, hi,
                                  merge->place[__builtin_ctzll(places)].place);
    }
    return ok;
}

/* Queues the downloads of what a device holds of the shared runs (of its copy from before with `old`). */
static cl_int download_shared(struct cx_merge *merge, unsigned p, bool old, uint64_t *seq)
    CX_HOLDS(cx_context_locked)
{
    struct cx_transfer_list runs = {.upload = false, .merges = true};
    struct cx_worker *worker = merge->place[p].worker;
    bool ok = true;
    for (unsigned i = 0; i < merge->nobjects && ok; i++) {
        struct cx_merge_object *object = &merge->object[i];
        unsigned char **to = old ? &object->old : &object->now[p];
        if (object->nshared && !*to)
            ok = (*to = malloc((size_t)object->shared_bytes)) != NULL;
        for (unsigned s = 0; s < object->nshared && ok; s++) {
            const struct cx_merge_shared *shared = &object->shared[s];
            uint64_t from = old ? object->lo : 0;
            if (!old && !(shared->places >> p & 1))
                continue;
            ok = cx_transfer_list_add(&runs, object->root,
                                      old ? object->before[p] : object->root->real[worker->index],
                                      shared->lo - from, shared->hi - from, *to + shared->at);
            merge->launch->outcome.moved += shared->hi - shared->lo;
        }
    }
    const bool none = ok && !runs.count;
    struct cx_job *job = ok && runs.count ? cx_transfer_list_job(worker, &runs) : NULL;
    if (!job) {
        cx_transfer_list_finish(&runs, worker);
        return none ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    *seq = cx_command_add_job(&merge->launch->base, worker, job);
    return CL_SUCCESS;
}

/* The job is going to write the object's shared runs in the host copy, which then owns them. */
static cl_int note_shared(const struct cx_merge_object *object, struct cx_worker *host, struct cx_job *job)
    CX_HOLDS(cx_context_locked)
{
    bool ok = !object->nshared || cx_mem_host(object->root);
    for (unsigned s = 0; s < object->nshared && ok; s++) {
        const struct cx_merge_shared *shared = &object->shared[s];
        ok = cx_transfer_note(object->root, shared->lo, shared->hi, true, host, job) &&
             cx_coherence_own(object->root->storage->coherence, shared->lo, shared->hi, CX_PLACE_HOST);
    }
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int cx_merge_combine(struct cx_merge *merge)
{
    struct cx_context *context = cx_merge_context(merge);
    struct cx_worker *host = &context->workers[context->nmembers];
    uint64_t seq[64] = {0};
    bool in_place = false;
    cl_int error = CL_SUCCESS;
    /* queued in any case, behind what is downloaded into the merge's memory, which it keeps; since the maps
     * may name it, too. Where the command failed it does nothing */
    struct cx_job *job = cx_merge_job(merge, 0, CX_MERGE_COMBINE, run_combine, cx_merge_finish_job);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned p = 0; p < merge->nplaces; p++)
        in_place |= cx_merge_is_host(merge, p);
    for (unsigned p = 0; p < merge->nplaces && error == CL_SUCCESS; p++)
        if (!cx_merge_is_host(merge, p))
            error = download_shared(merge, p, false, &seq[merge->place[p].worker->index]);
    if (!in_place && error == CL_SUCCESS)
        error = download_shared(merge, 0, true, &seq[merge->place[0].worker->index]);
    for (unsigned m = 0; m < context->nmembers; m++)
        job->deps[m] = seq[m];
    for (unsigned i = 0; i < merge->nobjects && error == CL_SUCCESS; i++)
        error = note_shared(&merge->object[i], host, job);
    if (error != CL_SUCCESS)
        cx_merge_fail(merge, error);
    cx_command_add_job(&merge->launch->base, host, job);
    return CL_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Speculation. See speculation.h. */
#include "layer/launch/speculation.h"
#include "layer/base/callback_thread.h"
#include "layer/base/log.h"
#include "layer/memory/transfer.h"
#include "layer/program/kernel_arg.h"
#include "layer/report/transfer_counts.h"

#include <stdlib.h>
#include <string.h>

/* A memory object of F. What it was before is what its host copy has until the check. Arrays are by part. */
struct object {
    struct cx_mem *root;   /* a reference */
    cl_mem *copy;          /* made for the launch; NULL: the part works on its member's shadow */
    cl_mem *real;          /* what the part works on: its copy or that shadow */
    unsigned char **after; /* ... and what is in it afterwards, once fetched */
};

/* Bytes of R that packages write. */
struct region {
    struct cx_mem *root; /* a reference */
    uint64_t lo, hi;
    bool needed;           /* ... as they were, if it is undone */
    unsigned char *before; /* the contents, once kept; NULL: not needed, or the host copy still has them */
};

struct cx_speculation {
    atomic_uint refs; /* one for each job, and one for the split */
    atomic_bool lost;
    struct cx_launch *launch;
    unsigned nparts, nobjects, nregions, nwindows;
    const struct cx_worker **worker; /* of the parts */
    bool *filled;                    /* one a part, written by its worker */
    struct object *object;
    struct cx_speculation_copies *copies; /* of the objects, for the check */
    struct region *region;
    struct { /* sub-buffers of copies, for arguments that are such of F */
        cl_mem mem;
        unsigned part;
    } *window;
    enum cx_speculation_end end;
    unsigned changed; /* STANDS: the part that changed F; nparts: none */
    void (*decided)(void *data, enum cx_speculation_end end);
    void *data;
};

/* A job's own. */
struct step {
    struct cx_speculation *speculation;
    unsigned part;
};

/* ---- life ---- */

static void release_object(const struct cx_speculation *s, struct object *object)
{
    for (unsigned p = 0; p < s->nparts; p++) {
        if (object->copy && object->copy[p])
            s->worker[p]->device->cl->clReleaseMemObject(object->copy[p]);
        if (object->after)
            free(object->after[p]);
    }
    free(object->copy);
    free(object->real);
    free(object->after);
    cx_mem_unref(&object->root);
}

/* Not under context->lock, as buffers may go with it. */
static void release(struct cx_speculation *s)
{
    if (atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    for (unsigned w = s->nwindows; w-- > 0;) /* newest first, as in subbuffer_order.h */
        s->worker[s->window[w].part]->device->cl->clReleaseMemObject(s->window[w].mem);
    for (unsigned i = 0; i < s->nobjects; i++)
        release_object(s, &s->object[i]);
    for (unsigned i = 0; i < s->nregions; i++) {
        free(s->region[i].before);
        cx_mem_unref(&s->region[i].root);
    }
    free(s->window);
    free(s->filled);
    free(s->object);
    free(s->copies);
    free(s->region);
    free(s->worker);
    free(s);
}

static void release_later(void *data)
{
    release(data);
}

void cx_speculation_drop(struct cx_speculation **speculation)
{
    if (*speculation)
        cx_callback_thread_post(release_later, *speculation);
    *speculation = NULL;
}

void cx_speculation_lose(struct cx_speculation *speculation)
{
    atomic_store(&speculation->lost, true);
}

static struct cx_speculation *speculation_new(struct cx_launch *launch)
{
    const unsigned nargs = launch->request.args->count, nparts = launch->outcome.nparts;
    struct cx_speculation *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    atomic_init(&s->lost, false);
    s->launch = launch;
    s->nparts = s->changed = nparts;
    s->worker = calloc(nparts, sizeof(*s->worker));
    s->filled = calloc(nparts, sizeof(*s->filled));
    s->object = calloc(nargs, sizeof(*s->object));
    s->copies = calloc(nargs, sizeof(*s->copies));
    s->region = calloc(nargs, sizeof(*s->region));
    s->window = calloc((size_t)nargs * nparts, sizeof(*s->window));
    if (!s->worker || !s->filled || !s->object || !s->copies || !s->region || !s->window) {
        release(s);
        return NULL;
    }
    for (unsigned p = 0; p < nparts; p++)
        s->worker[p] = &launch->base.context->workers[launch->outcome.parts[p].member];
    return s;
}

/* ---- jobs ---- */

static void finish_step(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    (void)worker;
    release(step->speculation);
    free(step);
}

/* A job with a step, which holds a reference. NULL: no memory. */
static struct cx_job *step_job(struct cx_speculation *s, unsigned part,
                               cl_int (*run)(struct cx_job *, struct cx_worker *))
{
    struct cx_job *job = cx_job_new(s->launch->base.context);
    struct step *step = calloc(1, sizeof(*step));
    if (!job || !step) {
        free(job);
        free(step);
        return NULL;
    }
    atomic_fetch_add(&s->refs, 1);
    *step = (struct step){s, part};
    job->data = step;
    job->run = run;
    job->finish = finish_step;
    return job;
}

static void drop_job(struct cx_job *job)
{
    if (job) {
        struct step *step = job->data;
        atomic_fetch_sub(&step->speculation->refs, 1); /* not the last one */
        free(step);
        free(job);
    }
}

/* ---- before ---- */

static struct object *object_of(const struct cx_speculation *s, const struct cx_mem *mem)
{
    for (unsigned i = 0; i < s->nobjects; i++)
        if (s->object[i].root == mem->root)
            return &s->object[i];
    return NULL;
}

static bool is_host_place(const struct cx_speculation *s, const struct cx_mem *root)
{
    bool any = false;
    for (unsigned p = 0; p < s->nparts; p++)
        any |= cx_mem_place(root, s->worker[p]) == CX_PLACE_HOST;
    return any;
}

/* Whether the launch may read the root's bytes, through whatever argument. */
static bool is_read(const struct cx_launch *launch, const struct cx_mem *root,
                    const struct cx_access_region *whole)
{
    bool read = false;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        read |= cx_launch_mem(launch, i) && cx_launch_mem(launch, i)->root == root &&
                whole[i].read.lo < whole[i].read.hi;
    return read;
}

static bool add_object(struct cx_speculation *s, struct cx_mem *root)
{
    struct object *object = &s->object[s->nobjects++];
    *object = (struct object){.root = cx_mem_ref(root),
                              .copy = calloc(s->nparts, sizeof(cl_mem)),
                              .real = calloc(s->nparts, sizeof(cl_mem)),
                              .after = calloc(s->nparts, sizeof(unsigned char *))};
    return object->copy && object->real && object->after;
}

/* What the launch writes through the argument of R. One that it certainly writes all of, and never reads,
 * needs no contents to be written anew. */
static bool add_region(struct cx_speculation *s, struct cx_mem *mem, const struct cx_access_region *region,
                       bool read)
{
    struct region *kept = &s->region[s->nregions++];
    *kept = (struct region){.root = cx_mem_ref(mem->root),
                            .lo = mem->origin + region->write.lo,
                            .hi = mem->origin + region->write.hi,
                            .needed = !region->write.exact || region->nwrite || read};
    if (!kept->needed || !is_host_place(s, mem->root))
        return true;
    kept->before = malloc((size_t)(kept->hi - kept->lo));
    return kept->before != NULL;
}

/* Lists F and what is written of R. */
static bool list(struct cx_speculation *s, const struct cx_access_region *whole)
{
    const struct cx_launch *launch = s->launch;
    bool ok = true;
    for (unsigned i = 0; i < launch->request.args->count && ok; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && cx_launch_protocol(launch, i) == CX_PROTOCOL_CHECKED && !object_of(s, mem))
            ok = add_object(s, mem->root);
    }
    for (unsigned i = 0; i < launch->request.args->count && ok; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && !object_of(s, mem) && whole[i].write.lo < whole[i].write.hi)
            ok = add_region(s, mem, &whole[i], is_read(launch, mem->root, whole));
    }
    return ok;
}

/* Contents come to the host copy. */
static cl_int bring(struct cx_speculation *s, struct cx_mem *root, uint64_t lo, uint64_t hi)
    CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = s->launch;
    if (!cx_mem_host(root))
        return CL_OUT_OF_HOST_MEMORY;
    return cx_transfer_to(&launch->base, root, lo, hi, CX_PLACE_HOST, &launch->outcome.moved);
}

static cl_int run_keep(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_speculation *s = ((struct step *)job->data)->speculation;
    (void)worker;
    for (unsigned i = 0; i < s->nregions; i++)
        if (s->region[i].before)
            memcpy(s->region[i].before, s->region[i].root->storage->host + s->region[i].lo,
                   (size_t)(s->region[i].hi - s->region[i].lo));
    return CL_SUCCESS;
}

/* All of F, and what is needed of R, comes to the host copy. Bytes of F that nobody has written yet are the
 * same everywhere, too. */
static cl_int bring_all(struct cx_speculation *s) CX_HOLDS(cx_context_locked)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < s->nobjects && error == CL_SUCCESS; i++) {
        struct cx_mem *root = s->object[i].root;
        error = bring(s, root, 0, root->size);
        if (error == CL_SUCCESS &&
            !cx_coherence_define(root->storage->coherence, 0, root->size, CX_PLACE_HOST))
            error = CL_OUT_OF_HOST_MEMORY;
    }
    for (unsigned i = 0; i < s->nregions && error == CL_SUCCESS; i++)
        if (s->region[i].needed)
            error = bring(s, s->region[i].root, s->region[i].lo, s->region[i].hi);
    return error;
}

/* Queues the job that keeps what was there of R where members write the host copy in place; they wait for
 * it. */
static cl_int keep(struct cx_speculation *s) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *host = cx_context_host(s->launch->base.context);
    bool any = false, ok = true;
    for (unsigned i = 0; i < s->nregions; i++)
        any |= s->region[i].before != NULL;
    if (!any)
        return CL_SUCCESS;
    struct cx_job *job = step_job(s, 0, run_keep);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < s->nregions && ok; i++)
        ok = !s->region[i].before ||
             cx_coherence_host_read(s->region[i].root->storage->coherence, s->region[i].lo, s->region[i].hi,
                                    host->index, host->timeline.planned + 1, job->deps);
    job->kind.waits = true; /* queued in any case: the maps may name it */
    cx_command_add_job(&s->launch->base, host, job);
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* It waits for everything it does: a part whose copies are not filled must not begin. */
static cl_int run_fill(struct cx_job *job, struct cx_worker *worker)
{
    const struct step *step = job->data;
    struct cx_speculation *s = step->speculation;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < s->nobjects && error == CL_SUCCESS; i++) {
        if (!s->object[i].copy[step->part])
            continue;
        cx_transfer_counts_add(CX_ROUTE_MERGE, true, s->object[i].root->size);
        error = worker->device->cl->clEnqueueWriteBuffer(worker->queue, s->object[i].copy[step->part],
                                                         CL_TRUE, 0, s->object[i].root->size,
                                                         s->object[i].root->storage->host, 0, NULL, NULL);
    }
    if (error != CL_SUCCESS) {
        cx_warn(CX_TOPIC_WORKER, "%s takes no copies for its part of %s: %s", worker->device->name,
                s->launch->request.kernel->function->name, cx_cl_name(error));
        cx_speculation_lose(s);
    }
    s->filled[step->part] = error == CL_SUCCESS;
    return CL_SUCCESS;
}

bool cx_speculation_is_filled(const struct cx_speculation *speculation, unsigned part)
{
    return speculation->filled[part];
}

/* The part's object for an argument of F: its copy, or a window on it. NULL: *error says why. */
static cl_mem stand_in(struct cx_speculation *s, unsigned part, const struct cx_mem *mem, cl_int *error)
{
    const cl_buffer_region region = {mem->origin, mem->size};
    cl_mem copy = object_of(s, mem)->copy[part];
    *error = CL_SUCCESS;
    if (mem->origin == 0 && mem->size == mem->root->size)
        return copy;
    cl_mem window = s->worker[part]->device->cl->clCreateSubBuffer(
        copy, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
    if (*error != CL_SUCCESS)
        return NULL;
    s->window[s->nwindows].part = part;
    s->window[s->nwindows++].mem = window;
    return window;
}

/* The part's arguments, with its copies in place of F. */
static cl_int give_args(struct cx_speculation *s, unsigned part)
{
    struct cx_args *args = cx_args_clone(s->launch->request.args);
    cl_int error = args ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    s->launch->outcome.parts[part].args = args;
    for (unsigned i = 0; args && i < args->count && error == CL_SUCCESS; i++) {
        struct cx_mem *mem = cx_args_mem(args, i);
        if (!mem || !object_of(s, mem) || !object_of(s, mem)->copy[part])
            continue;
        args->arg[i].real = stand_in(s, part, mem, &error);
        args->arg[i].kind = CX_ARGS_REAL;
        args->arg[i].mem = NULL;
    }
    return error;
}

/* The part works on its member's shadow, which gets what the host copy has; one that works on the host copy
 * in place works on a copy. */
static cl_int give_object(struct cx_speculation *s, struct object *object, unsigned part)
    CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = s->launch;
    const struct cx_worker *worker = s->worker[part];
    const unsigned place = cx_mem_place(object->root, worker);
    cl_int error = CL_SUCCESS;
    if (!(object->after[part] = malloc(object->root->size)))
        return CL_OUT_OF_HOST_MEMORY;
    if (place == CX_PLACE_HOST) {
        object->real[part] = object->copy[part] = cx_mem_make_own(worker, object->root->size, &error);
        return error;
    }
    error = cx_transfer_to(&launch->base, object->root, 0, object->root->size, place, &launch->outcome.moved);
    object->real[part] = cx_mem_real(object->root, worker->index);
    return error;
}

/* Queues the job that fills the part's copies from the host copy. */
static cl_int fill(struct cx_speculation *s, unsigned part) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &s->launch->base;
    struct cx_worker *worker = &command->context->workers[s->worker[part]->index];
    cl_int error = give_args(s, part);
    struct cx_job *job = error == CL_SUCCESS ? step_job(s, part, run_fill) : NULL;
    bool ok = job;
    if (!job)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    for (unsigned i = 0; i < s->nobjects && ok; i++)
        ok = cx_coherence_host_read(s->object[i].root->storage->coherence, 0, s->object[i].root->size,
                                    worker->index, worker->timeline.planned + 1, job->deps);
    job->kind.waits = true; /* queued in any case: the maps may name it */
    cx_command_add_job(command, worker, job);
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int begin_part(struct cx_speculation *s, unsigned part) CX_HOLDS(cx_context_locked)
{
    bool copies = false;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < s->nobjects && error == CL_SUCCESS; i++) {
        error = give_object(s, &s->object[i], part);
        copies |= s->object[i].copy[part] != NULL;
    }
    s->filled[part] = !copies;
    return error == CL_SUCCESS && copies ? fill(s, part) : error;
}

cl_int cx_speculation_begin(struct cx_launch *launch, const struct cx_access_region *whole,
                            struct cx_speculation **out)
{
    bool any = false;
    *out = NULL;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        any |= cx_launch_protocol(launch, i) == CX_PROTOCOL_CHECKED && cx_launch_mem(launch, i);
    if (!any)
        return CL_SUCCESS;
    struct cx_speculation *s = speculation_new(launch);
    if (!s)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = list(s, whole) ? bring_all(s) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = keep(s);
    for (unsigned p = 0; p < s->nparts && error == CL_SUCCESS; p++)
        error = begin_part(s, p);
    if (error != CL_SUCCESS)
        cx_speculation_drop(&s);
    *out = s;
    return error;
}

/* ---- after ---- */

/* It waits for everything it does, so that no error of it reaches the launch. */
static cl_int run_fetch(struct cx_job *job, struct cx_worker *worker)
{
    const struct step *step = job->data;
    struct cx_speculation *s = step->speculation;
    cl_int error = CL_SUCCESS;
    unsigned i = 0;
    for (; i < s->nobjects && error == CL_SUCCESS && !atomic_load(&s->lost); i++) {
        const bool last = i + 1 == s->nobjects; /* the queue is in order */
        cx_transfer_counts_add(CX_ROUTE_MERGE, false, s->object[i].root->size);
        error = worker->device->cl->clEnqueueReadBuffer(worker->queue, s->object[i].real[step->part], last, 0,
                                                        s->object[i].root->size,
                                                        s->object[i].after[step->part], 0, NULL, NULL);
    }
    if (error != CL_SUCCESS || i < s->nobjects) /* earlier ones may be under way */
        worker->device->cl->clFinish(worker->queue);
    if (error != CL_SUCCESS) {
        cx_warn(CX_TOPIC_WORKER, "%s gives no results of its part of %s: %s", worker->device->name,
                s->launch->request.kernel->function->name, cx_cl_name(error));
        cx_speculation_lose(s);
    }
    return CL_SUCCESS;
}

static bool differs(const struct cx_speculation_copies *object, unsigned nobjects, unsigned part)
{
    bool same = true;
    for (unsigned i = 0; i < nobjects && same; i++)
        same = memcmp(object[i].before, object[i].after[part], object[i].size) == 0;
    return !same;
}

bool cx_speculation_judge(const struct cx_speculation_copies *object, unsigned nobjects, unsigned nparts,
                          unsigned *changed)
{
    *changed = nparts;
    for (unsigned p = 0; p < nparts; p++) {
        if (!differs(object, nobjects, p))
            continue;
        if (*changed < nparts)
            return false;
        *changed = p;
    }
    return true;
}

static enum cx_speculation_end check(struct cx_speculation *s)
{
    if (atomic_load(&s->launch->base.error) != CL_SUCCESS)
        return CX_SPECULATION_FAILED;
    if (atomic_load(&s->lost))
        return CX_SPECULATION_LOST;
    for (unsigned i = 0; i < s->nobjects; i++)
        s->copies[i] = (struct cx_speculation_copies){(size_t)s->object[i].root->size,
                                                      s->object[i].root->storage->host, s->object[i].after};
    return cx_speculation_judge(s->copies, s->nobjects, s->nparts, &s->changed) ? CX_SPECULATION_STANDS
                                                                                : CX_SPECULATION_CONFLICT;
}

/* Nobody else uses the host copy's bytes: the launch has not settled, and its packages are over. */
static cl_int run_check(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_speculation *s = ((struct step *)job->data)->speculation;
    (void)worker;
    s->end = check(s);
    for (unsigned i = 0; i < s->nobjects && s->end == CX_SPECULATION_STANDS && s->changed < s->nparts; i++)
        memcpy(s->object[i].root->storage->host, s->object[i].after[s->changed], s->object[i].root->size);
    for (unsigned i = 0; i < s->nregions; i++)
        if (s->region[i].before && (s->end == CX_SPECULATION_CONFLICT || s->end == CX_SPECULATION_LOST))
            memcpy(s->region[i].root->storage->host + s->region[i].lo, s->region[i].before,
                   (size_t)(s->region[i].hi - s->region[i].lo));
    return CL_SUCCESS;
}

static void finish_check(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_speculation *s = ((struct step *)job->data)->speculation;
    struct cx_context *context = worker->context;
    cx_context_lock(context);
    s->decided(s->data, job->status == CL_SUCCESS ? s->end : CX_SPECULATION_FAILED);
    cx_context_plan_and_unlock(context);
    finish_step(job, worker);
}

/* The check may write the host copy: all that used it comes before, and all that follows waits. */
static bool note_check(const struct cx_speculation *s, const struct cx_worker *host, struct cx_job *check)
    CX_HOLDS(cx_context_locked)
{
    bool ok = true;
    for (unsigned i = 0; i < s->nobjects && ok; i++)
        ok = cx_transfer_note(s->object[i].root, 0, s->object[i].root->size, true, host, check);
    for (unsigned i = 0; i < s->nregions && ok; i++)
        ok = cx_transfer_note(s->region[i].root, s->region[i].lo, s->region[i].hi, true, host, check);
    return ok;
}

cl_int cx_speculation_check(struct cx_speculation *s,
                            void (*decided)(void *data, enum cx_speculation_end end), void *data)
{
    struct cx_command *command = &s->launch->base;
    struct cx_worker *host = cx_context_host(command->context);
    struct cx_job *check = step_job(s, 0, run_check), *fetch[64] = {0};
    bool ok = check;
    for (unsigned p = 0; p < s->nparts && ok; p++)
        ok = (fetch[p] = step_job(s, p, run_fetch)) != NULL;
    if (!ok) {
        for (unsigned p = 0; p < s->nparts; p++)
            drop_job(fetch[p]);
        drop_job(check);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (unsigned p = 0; p < s->nparts; p++) {
        const unsigned m = s->worker[p]->index;
        fetch[p]->kind.waits = true;
        const uint64_t seq = cx_command_add_job(command, &command->context->workers[m], fetch[p]);
        check->deps[m] = seq > check->deps[m] ? seq : check->deps[m];
    }
    s->decided = decided;
    s->data = data;
    check->finish = finish_check;
    check->kind.waits = true;
    if (!note_check(s, host, check)) /* the maps may name the job */
        atomic_store(&command->error, CL_OUT_OF_HOST_MEMORY);
    /* the launch settles when it ends, so nobody may be waiting for its timeline */
    cx_worker_watch(host, cx_command_add_job(command, host, check));
    return CL_SUCCESS;
}

unsigned cx_speculation_changed(const struct cx_speculation *speculation)
{
    return speculation->changed;
}

bool cx_speculation_note(struct cx_speculation *s, enum cx_speculation_end end)
{
    const bool undone = end == CX_SPECULATION_CONFLICT || end == CX_SPECULATION_LOST;
    const bool unchanged = end == CX_SPECULATION_STANDS && s->changed == s->nparts;
    bool ok = true;
    for (unsigned i = 0; i < s->nobjects && ok && !unchanged; i++)
        ok = cx_coherence_own(s->object[i].root->storage->coherence, 0, s->object[i].root->size,
                              CX_PLACE_HOST);
    for (unsigned i = 0; i < s->nregions && ok && undone; i++)
        ok = cx_coherence_own(s->region[i].root->storage->coherence, s->region[i].lo, s->region[i].hi,
                              CX_PLACE_HOST);
    return ok;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reduction by private copies, for commutative atomics. See private_copies.h.
 */
#include "layer/launch/private_copies.h"
#include "layer/base/log.h"
#include "layer/memory/transfer.h"
#include "layer/base/callback_thread.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/trace_launch.h"
#include "layer/report/transfer_counts.h"
#include "layer/program/kernel_arg.h"

#include <stdlib.h>
#include <string.h>

/* A window of a memory object that is updated by atomics. Windows that overlap have copies of their own,
 * which are all combined with the original. Arrays are by part. */
struct object {
    struct cx_mem *root;   /* a reference */
    uint64_t origin, size; /* of the window in it */
    uint64_t lo, hi;       /* what may be updated, in the root */
    unsigned op, width;
    cl_mem *copy;
    unsigned char **delta;
};

struct cx_private_copies {
    atomic_uint refs;
    struct cx_launch *launch;
    unsigned nparts, nobjects;
    const struct cx_worker **worker; /* of the parts */
    struct object *object;
    uint64_t *read_seq;
};

struct step {
    struct cx_private_copies *copies;
    unsigned part;
    const char *name; /* for the trace */
    cl_event event[]; /* of its commands, one an object, save the last, which tells of its end */
};

/* ---- arithmetic ---- */

void cx_private_copies_neutral(unsigned op, unsigned width, unsigned char value[8])
{
    memset(value, op == CX_ATOMIC_AND || op == CX_ATOMIC_UMIN ? 0xff : 0, 8);
    if (op == CX_ATOMIC_MIN) { /* the greatest signed number */
        memset(value, 0xff, 8);
        value[width - 1] = 0x7f;
    } else if (op == CX_ATOMIC_MAX ||
               op == CX_ATOMIC_FADD) { /* the least one; minus zero, which changes no sum */
        value[width - 1] = 0x80;
    }
}

#define COMBINE(TYPE, EXPRESSION)                                                                            \
    do {                                                                                                     \
        TYPE *x = (TYPE *)(void *)to;                                                                        \
        const TYPE *y = (const TYPE *)(const void *)delta;                                                   \
        for (size_t i = 0; i < bytes / sizeof(TYPE); i++)                                                    \
            x[i] = (EXPRESSION);                                                                             \
    } while (0)

static void combine4(unsigned op, unsigned char *to, const unsigned char *delta, size_t bytes)
{
    switch (op) {
    case CX_ATOMIC_ADD:
        COMBINE(uint32_t, x[i] + y[i]);
        break;
    case CX_ATOMIC_MIN:
        COMBINE(int32_t, x[i] < y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_MAX:
        COMBINE(int32_t, x[i] > y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_UMIN:
        COMBINE(uint32_t, x[i] < y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_UMAX:
        COMBINE(uint32_t, x[i] > y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_AND:
        COMBINE(uint32_t, x[i] & y[i]);
        break;
    case CX_ATOMIC_OR:
        COMBINE(uint32_t, x[i] | y[i]);
        break;
    case CX_ATOMIC_XOR:
        COMBINE(uint32_t, x[i] ^ y[i]);
        break;
    case CX_ATOMIC_FADD:
        COMBINE(float, x[i] + y[i]);
        break;
    default:
        break;
    }
}

static void combine8(unsigned op, unsigned char *to, const unsigned char *delta, size_t bytes)
{
    switch (op) {
    case CX_ATOMIC_ADD:
        COMBINE(uint64_t, x[i] + y[i]);
        break;
    case CX_ATOMIC_MIN:
        COMBINE(int64_t, x[i] < y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_MAX:
        COMBINE(int64_t, x[i] > y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_UMIN:
        COMBINE(uint64_t, x[i] < y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_UMAX:
        COMBINE(uint64_t, x[i] > y[i] ? x[i] : y[i]);
        break;
    case CX_ATOMIC_AND:
        COMBINE(uint64_t, x[i] & y[i]);
        break;
    case CX_ATOMIC_OR:
        COMBINE(uint64_t, x[i] | y[i]);
        break;
    case CX_ATOMIC_XOR:
        COMBINE(uint64_t, x[i] ^ y[i]);
        break;
    case CX_ATOMIC_FADD:
        COMBINE(double, x[i] + y[i]);
        break;
    default:
        break;
    }
}

void cx_private_copies_combine(unsigned op, unsigned width, unsigned char *to, const unsigned char *delta,
                               size_t bytes)
{
    if (width == 8)
        combine8(op, to, delta, bytes);
    else
        combine4(op, to, delta, bytes);
}

/* ---- life ---- */

static void release(struct cx_private_copies *copies)
{
    if (atomic_fetch_sub(&copies->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < copies->nobjects; i++) {
        struct object *object = &copies->object[i];
        for (unsigned p = 0; p < copies->nparts; p++) {
            if (object->copy && object->copy[p])
                copies->worker[p]->device->cl->clReleaseMemObject(object->copy[p]);
            if (object->delta)
                free(object->delta[p]);
        }
        free(object->copy);
        free(object->delta);
        cx_mem_unref(&object->root);
    }
    free(copies->object);
    free(copies->worker);
    free(copies->read_seq);
    free(copies);
}

static void release_later(void *data)
{
    release(data);
}

void cx_private_copies_drop(struct cx_private_copies **copies)
{
    if (*copies) /* buffers may go with it: not under the lock */
        cx_callback_thread_post(release_later, *copies);
    *copies = NULL;
}

static struct cx_job *step_job(struct cx_private_copies *copies, unsigned part, const char *name,
                               cl_int (*run)(struct cx_job *, struct cx_worker *))
{
    struct cx_job *job = cx_job_new(copies->launch->base.context);
    struct step *step = calloc(1, sizeof(*step) + copies->nobjects * sizeof(step->event[0]));
    if (!job || !step) {
        free(job);
        free(step);
        return NULL;
    }
    step->copies = copies;
    step->part = part;
    step->name = name;
    job->data = step;
    job->run = run;
    job->times.wanted = job->times.of_call = cx_trace_on();
    return job;
}

static void trace_step(const struct step *step, const struct cx_job *job, const struct cx_worker *worker)
{
    struct cx_trace_args args = {.used = 0};
    uint64_t bytes = 0;
    for (unsigned i = 0; i < step->copies->nobjects; i++)
        bytes += step->copies->object[i].hi - step->copies->object[i].lo;
    cx_trace_count(&args, "bytes", bytes);
    if (step->copies->nobjects)
        cx_trace_count(&args, "buffer", step->copies->object[0].root->base.id);
    cx_trace_count(&args, "buffers", step->copies->nobjects);
    cx_trace_merge(step->copies->launch, worker, step->name, &args, job->times.start_ns, job->times.end_ns);
}

static void finish_step(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    cl_int error = cx_worker_drop_events(worker, step->event, step->copies->nobjects);
    if (job->status == CL_SUCCESS)
        job->status = error;
    if (job->times.start_ns)
        trace_step(step, job, worker);
    release(step->copies);
    free(step);
}

static uint64_t queue_step(struct cx_private_copies *copies, struct cx_worker *worker, struct cx_job *job)
    CX_HOLDS(cx_context_locked)
{
    atomic_fetch_add(&copies->refs, 1);
    job->finish = finish_step;
    return cx_command_add_job(&copies->launch->base, worker, job);
}

/* ---- before ---- */

static struct object *object_of(struct cx_private_copies *copies, const struct cx_mem *mem)
{
    for (unsigned i = 0; i < copies->nobjects; i++)
        if (copies->object[i].root == mem->root && copies->object[i].origin == mem->origin &&
            copies->object[i].size == mem->size)
            return &copies->object[i];
    return NULL;
}

static void add_object(struct cx_private_copies *copies, struct cx_mem *mem,
                       const struct cx_access_interval *write, const struct cx_access_means *means)
{
    struct object *object = object_of(copies, mem);
    uint64_t lo = mem->origin + write->lo / means->width * means->width;
    uint64_t hi = mem->origin + write->hi / means->width * means->width;
    if (!object) {
        object = &copies->object[copies->nobjects++];
        *object = (struct object){.root = cx_mem_ref(mem->root),
                                  .origin = mem->origin,
                                  .size = mem->size,
                                  .lo = lo,
                                  .hi = hi,
                                  .op = means->atomic_op,
                                  .width = means->width};
    }
    object->lo = lo < object->lo ? lo : object->lo;
    object->hi = hi > object->hi ? hi : object->hi;
}

/* What may be updated through any window of the object's root, at the first of them; else nothing. */
static struct cx_access_interval hull_of(const struct cx_private_copies *copies, unsigned first)
{
    struct cx_access_interval hull = {.lo = copies->object[first].lo, .hi = copies->object[first].hi};
    for (unsigned i = 0; i < copies->nobjects; i++) {
        const struct object *object = &copies->object[i];
        if (object->root != copies->object[first].root)
            continue;
        if (i < first)
            return (struct cx_access_interval){0};
        hull.lo = object->lo < hull.lo ? object->lo : hull.lo;
        hull.hi = object->hi > hull.hi ? object->hi : hull.hi;
    }
    return hull;
}

static cl_int run_fill(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    const struct cx_private_copies *copies = step->copies;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < copies->nobjects && error == CL_SUCCESS; i++) {
        const struct object *object = &copies->object[i];
        unsigned char neutral[8];
        cx_private_copies_neutral(object->op, object->width, neutral);
        error = worker->device->cl->clEnqueueFillBuffer(
            worker->queue, object->copy[step->part], neutral, object->width,
            (size_t)(object->lo - object->origin), (size_t)(object->hi - object->lo), 0, NULL,
            i + 1 == copies->nobjects ? &job->event : &step->event[i]);
    }
    return error;
}

/* The part's arguments, with its copies in place of the originals. */
static struct cx_args *own_args(struct cx_private_copies *copies, unsigned part,
                                const struct cx_access_region *whole)
{
    const struct cx_launch *launch = copies->launch;
    struct cx_args *args = cx_args_clone(launch->request.args);
    for (unsigned i = 0; args && i < args->count; i++)
        if (cx_launch_writes_by(launch, i, CX_PROTOCOL_REDUCTION, whole)) {
            args->arg[i].kind = CX_ARGS_REAL;
            args->arg[i].real = object_of(copies, args->arg[i].mem)->copy[part];
            args->arg[i].mem = NULL;
        }
    return args;
}

static cl_int make_copies(struct cx_private_copies *copies, struct object *object) CX_HOLDS(cx_context_locked)
{
    cl_int error = CL_SUCCESS;
    object->copy = calloc(copies->nparts, sizeof(cl_mem));
    object->delta = calloc(copies->nparts, sizeof(unsigned char *));
    if (!object->copy || !object->delta || !cx_mem_host(object->root))
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned p = 0; p < copies->nparts && error == CL_SUCCESS; p++) {
        const struct cx_worker *worker = copies->worker[p];
        object->copy[p] = cx_mem_make_own(worker, (size_t)object->size, &error);
        if (error == CL_SUCCESS && !(object->delta[p] = malloc((size_t)(object->hi - object->lo))))
            error = CL_OUT_OF_HOST_MEMORY;
    }
    return error;
}

static cl_int begin_part(struct cx_private_copies *copies, unsigned p, const struct cx_access_region *whole)
    CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = copies->launch;
    launch->outcome.parts[p].args = own_args(copies, p, whole);
    struct cx_job *job =
        launch->outcome.parts[p].args ? step_job(copies, p, "fill a private copy", run_fill) : NULL;
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    queue_step(copies, &launch->base.context->workers[launch->outcome.parts[p].member], job);
    return CL_SUCCESS;
}

static struct cx_private_copies *private_new(struct cx_launch *launch)
{
    struct cx_private_copies *copies = calloc(1, sizeof(*copies));
    if (!copies)
        return NULL;
    atomic_init(&copies->refs, 1);
    copies->launch = launch;
    copies->nparts = launch->outcome.nparts;
    copies->worker = calloc(launch->outcome.nparts, sizeof(*copies->worker));
    copies->object = calloc(launch->request.args->count, sizeof(*copies->object));
    copies->read_seq = calloc(launch->outcome.nparts, sizeof(*copies->read_seq));
    if (!copies->worker || !copies->object || !copies->read_seq) {
        release(copies);
        return NULL;
    }
    for (unsigned p = 0; p < launch->outcome.nparts; p++)
        copies->worker[p] = &launch->base.context->workers[launch->outcome.parts[p].member];
    return copies;
}

cl_int cx_private_copies_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                               const struct cx_access_region *whole, struct cx_private_copies **out)
{
    const struct cx_access_means *means = cx_access_means(judged->access);
    struct cx_private_copies *copies = NULL;
    cl_int error = CL_SUCCESS;
    *out = NULL;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        if (!cx_launch_writes_by(launch, i, CX_PROTOCOL_REDUCTION, whole))
            continue;
        if (!copies && !(copies = private_new(launch)))
            return CL_OUT_OF_HOST_MEMORY;
        add_object(copies, cx_launch_mem(launch, i), &whole[i].write, &means[i]);
    }
    if (!copies)
        return CL_SUCCESS;
    for (unsigned i = 0; i < copies->nobjects && error == CL_SUCCESS; i++) {
        struct object *object = &copies->object[i];
        struct cx_access_interval hull = hull_of(copies, i);
        error = make_copies(copies, object);
        if (error == CL_SUCCESS && hull.lo < hull.hi)
            error = cx_transfer_to(&launch->base, object->root, hull.lo, hull.hi, CX_PLACE_HOST,
                                   &launch->outcome.moved);
    }
    for (unsigned p = 0; p < copies->nparts && error == CL_SUCCESS; p++)
        error = begin_part(copies, p, whole);
    if (error != CL_SUCCESS)
        cx_private_copies_drop(&copies);
    *out = copies;
    return error;
}

/* ---- after ---- */

static cl_int run_read(struct cx_job *job, struct cx_worker *worker)
{
    struct step *step = job->data;
    const struct cx_private_copies *copies = step->copies;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < copies->nobjects && error == CL_SUCCESS; i++) {
        const struct object *object = &copies->object[i];
        cx_transfer_counts_add(CX_ROUTE_MERGE, false, object->hi - object->lo);
        error = worker->device->cl->clEnqueueReadBuffer(
            worker->queue, object->copy[step->part], CL_FALSE, (size_t)(object->lo - object->origin),
            (size_t)(object->hi - object->lo), object->delta[step->part], 0, NULL,
            i + 1 == copies->nobjects ? &job->event : &step->event[i]);
    }
    if (error != CL_SUCCESS)
        worker->device->cl->clFinish(worker->queue); /* nothing may write the deltas any more */
    else if (!worker->device->probe.synchronous)
        worker->device->cl->clFlush(worker->queue);
    return error;
}

static cl_int run_combine(struct cx_job *job, struct cx_worker *worker)
{
    const struct step *step = job->data;
    const struct cx_private_copies *copies = step->copies;
    (void)worker;
    if (atomic_load(&copies->launch->base.error) != CL_SUCCESS) /* the copies are not all there */
        return CL_SUCCESS;
    for (unsigned i = 0; i < copies->nobjects; i++) {
        const struct object *object = &copies->object[i];
        for (unsigned p = 0; p < copies->nparts; p++)
            cx_private_copies_combine(object->op, object->width, object->root->storage->host + object->lo,
                                      object->delta[p], (size_t)(object->hi - object->lo));
    }
    return CL_SUCCESS;
}

cl_int cx_private_copies_end(struct cx_private_copies **owned)
{
    struct cx_private_copies *copies = *owned;
    struct cx_command *command = &copies->launch->base;
    struct cx_context *context = command->context;
    struct cx_worker *host = &context->workers[context->nmembers];
    struct cx_job *combine = step_job(copies, 0, "combine private copies", run_combine);
    cl_int error = combine ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;

    for (unsigned p = 0; p < copies->nparts && error == CL_SUCCESS; p++) {
        const unsigned m = copies->worker[p]->index;
        struct cx_job *job = step_job(copies, p, "fetch a private copy", run_read);
        if (!job) {
            error = CL_OUT_OF_HOST_MEMORY;
            free(combine->data);
            free(combine);
            break;
        }
        combine->deps[m] = queue_step(copies, &context->workers[m], job);
        copies->launch->outcome.moved += copies->nobjects ? copies->object[0].hi - copies->object[0].lo : 0;
    }
    if (error == CL_SUCCESS) {
        for (unsigned i = 0; i < copies->nobjects && error == CL_SUCCESS; i++) {
            const struct object *object = &copies->object[i];
            struct cx_access_interval hull = hull_of(copies, i);
            if (hull.lo < hull.hi &&
                (!cx_transfer_note(object->root, hull.lo, hull.hi, true, host, combine) ||
                 !cx_coherence_own(object->root->storage->coherence, hull.lo, hull.hi, CX_PLACE_HOST)))
                error = CL_OUT_OF_HOST_MEMORY;
        }
        if (error != CL_SUCCESS) /* now, so that the job does nothing; the maps may name it */
            atomic_store(&command->error, error);
        queue_step(copies, host, combine);
    }
    cx_private_copies_drop(owned);
    return error;
}

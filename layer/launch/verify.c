/* SPDX-License-Identifier: MIT */
/*
 * The whole run beside a split launch, and the comparison.
 *
 * Three steps. (1) Under the lock, before the split is planned: all buffers come to be valid at the host
 * copy, and one job is queued on the member that runs the launch whole. It fills clones from the host copy,
 * runs the kernel on them, and reads them back; since it is noted as a reader of the host copy, no package
 * and no later command writes there before it ended. (2) The split runs as ever. (3) When its owners are
 * known, what it left comes to the host copy, and a job of the host's worker compares.
 *
 * Every buffer is cloned and compared, not only those the summary says are written: the summary may be what
 * is wrong. Left out of the comparison: constant memory and CL_MEM_READ_ONLY.
 */
#include "layer/launch/verify_inside.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/program/program.h"
#include "layer/program/kernel_bind.h"
#include "layer/memory/sampler.h"
#include "layer/report/kernel_table.h"
#include "layer/memory/svm.h"
#include "layer/memory/transfer.h"
#include "layer/memory/transport.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORTS = 100 };

/* ---- reports ---- */

/* Counts reports; true while there are not too many. */
static bool may_report(void)
{
    static atomic_uint reports;
    unsigned n = atomic_fetch_add_explicit(&reports, 1, memory_order_relaxed);
    if (n == MAX_REPORTS)
        cx_error(CX_TOPIC_PLAN, "COEXEC_VERIFY: what follows is only counted (COEXEC_SUMMARY=1)");
    return n < MAX_REPORTS;
}

static void unverified(const struct cx_launch *launch, const char *what, cl_int error)
{
    cx_kernel_table_verified(launch->request.kernel->function->stats, CX_VERIFIED_NOT);
    if (may_report())
        cx_warn(CX_TOPIC_PLAN, "COEXEC_VERIFY: a launch of %s is not verified: %s%s%s",
                launch->request.kernel->function->name, what, error ? ": " : "",
                error ? cx_cl_name(error) : "");
}

/* ---- (1) the whole run ---- */

static bool is_due(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    uint64_t every = cx_options_get()->verify;
    return every && launch->request.kernel->function->splits++ % every == 0;
}

/* The fastest member that runs the launch; nmembers: none. */
static unsigned choose_member(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    unsigned best = context->nmembers;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_kernel_runs_on(launch->request.kernel, m) && cx_plan_fits(launch, m) &&
            (best == context->nmembers || m == context->fastest ||
             (best != context->fastest &&
              context->workers[m].device->nominal_gflops > context->workers[best].device->nominal_gflops)))
            best = m;
    return best;
}

/* Whether the kernel may write through the argument, whatever the summary says of its accesses. */
static bool may_write(const struct cx_launch *launch, const struct cx_summary_kernel *summary, unsigned i)
{
    bool constant = summary && i < summary->narg && summary->arg[i].kind == CX_ARG_CONSTANT;
    return !constant && !(cx_launch_mem(launch, i)->flags & CL_MEM_READ_ONLY);
}

static void list_copies(struct cx_launch *launch, struct cx_verify *verify)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    for (unsigned i = 0; i < verify->nargs; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        unsigned c = 0;
        verify->copy_of[i] = verify->nargs;
        if (!mem)
            continue;
        while (c < verify->ncopies && verify->copy[c].root != mem->root)
            c++;
        struct cx_verify_copy *copy = &verify->copy[c];
        if (c == verify->ncopies) {
            *copy =
                (struct cx_verify_copy){.root = mem->root, .lo = mem->origin, .hi = mem->origin + mem->size};
            verify->ncopies++;
        }
        if (mem->image && mem != mem->root) { /* its clone is made from one of the whole */
            copy->lo = 0;
            copy->hi = mem->root->size;
        }
        copy->lo = mem->origin < copy->lo ? mem->origin : copy->lo;
        copy->hi = mem->origin + mem->size > copy->hi ? mem->origin + mem->size : copy->hi;
        copy->compared |= may_write(launch, summary, i);
        verify->copy_of[i] = c;
    }
}

static struct cx_verify *verify_new(struct cx_launch *launch, const struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_access_means *means = cx_access_means(plan->judged->access);
    struct cx_verify *verify = calloc(1, sizeof(*verify));
    size_t room = launch->request.args->count + 1u;
    if (!verify)
        return NULL;
    verify->nargs = launch->request.args->count;
    verify->copy = calloc(room, sizeof(*verify->copy));
    verify->copy_of = calloc(room, sizeof(*verify->copy_of));
    verify->sums = calloc(room, sizeof(*verify->sums));
    if (!verify->copy || !verify->copy_of || !verify->sums) {
        cx_verify_free(&verify);
        return NULL;
    }
    list_copies(launch, verify);
    for (unsigned i = 0; means && i < verify->nargs; i++)
        verify->sums[i] = means[i].protocol == CX_PROTOCOL_REDUCTION && means[i].atomic_op == CX_ATOMIC_FADD;
    for (unsigned c = 0; c < verify->ncopies; c++) {
        struct cx_verify_copy *copy = &verify->copy[c];
        if (copy->compared && !(copy->whole = malloc(copy->hi - copy->lo)))
            cx_verify_free(&verify);
        if (!verify)
            return NULL;
    }
    verify->member = choose_member(launch);
    if (plan->judged->verdict.checked && !cx_verify_replay_new(verify, plan)) {
        cx_verify_free(&verify);
        return NULL;
    }
    for (unsigned p = 0; p < plan->n + plan->probes && verify->member < context->nmembers; p++)
        if (!cx_context_alike(context, verify->member, plan->member[p]))
            verify->by = CX_COMPARE_ULPS;
    return verify;
}

void cx_verify_free(struct cx_verify **verify)
{
    struct cx_verify *old = *verify;
    *verify = NULL;
    if (!old)
        return;
    cx_verify_replay_free(old);
    for (unsigned c = 0; old->copy && c < old->ncopies; c++)
        free(old->copy[c].whole);
    free(old->copy);
    free(old->copy_of);
    free(old->sums);
    free(old);
}

bool cx_verify_went(struct cx_verify *verify, cl_int error, const char *what)
{
    if (error != CL_SUCCESS && !verify->failed) {
        verify->failed = what;
        verify->error = error;
    }
    return !verify->failed;
}

/* Gives the kernel its arguments; *window: an object that was made for one, to be released. */
static cl_int set_arg(const struct cx_launch *launch, const struct cx_worker *worker, cl_kernel real,
                      unsigned i, cl_mem *window)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const struct cx_arg *arg = &launch->request.args->arg[i];
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    cl_int error = CL_SUCCESS;
    cl_mem object = NULL;

    if (arg->kind == CX_ARGS_SAMPLER)
        return cl->clSetKernelArg(real, i, sizeof(cl_sampler), &arg->sampler->real[worker->index]);
    if (arg->kind != CX_ARGS_MEM)
        return cl->clSetKernelArg(real, i, arg->size, arg->kind == CX_ARGS_VALUE ? arg->value : NULL);
    if (mem)
        object = cx_verify_stand_in(launch->run.verify, i, mem, worker, window, &error);
    return error == CL_SUCCESS ? cl->clSetKernelArg(real, i, sizeof(object), &object) : error;
}

cl_int cx_verify_await(struct cx_worker *worker, cl_event event)
{
    const cl_int unwaited = cx_worker_wait_event(worker, event);
    const cl_int error = cx_worker_event_error(worker, event);
    worker->device->cl->clReleaseEvent(event);
    return error == CL_SUCCESS ? unwaited : error;
}

static cl_int start_kernel(const struct cx_launch *launch, struct cx_worker *worker, cl_kernel real)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    const cl_icd_dispatch *cl = worker->device->cl;
    size_t offset[3], global[3], local[3];
    cl_event event = NULL;
    for (unsigned d = 0; d < 3; d++) {
        offset[d] = geometry->offset[d];
        global[d] = geometry->global[d];
        local[d] = geometry->local[d];
    }
    const bool counts = cx_worker_compile_begin(worker);
    cl_int error = cl->clEnqueueNDRangeKernel(worker->queue, real, geometry->work_dim, offset, global, local,
                                              0, NULL, &event);
    cx_worker_compile_end(worker, counts, error == CL_SUCCESS ? event : NULL);
    if (error != CL_SUCCESS)
        return error;
    return cx_verify_await(worker, event);
}

static void run_kernel(const struct cx_launch *launch, struct cx_worker *worker)
{
    struct cx_verify *verify = launch->run.verify;
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_program program = launch->request.kernel->program->members[worker->index].real[CX_VARIANT_PLAIN];
    cl_mem *window = calloc(verify->nargs + 1u, sizeof(cl_mem));
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_kernel real =
        window ? cl->clCreateKernel(program, launch->request.kernel->function->name, &error) : NULL;

    for (unsigned i = 0; i < verify->nargs && error == CL_SUCCESS; i++)
        error = set_arg(launch, worker, real, i, &window[i]);
    if (error == CL_SUCCESS)
        error = start_kernel(launch, worker, real);
    cx_verify_went(verify, error, "the whole run fails");
    for (unsigned i = verify->nargs; window && i-- > 0;) /* newest first, as in subbuffer_order.h */
        if (window[i])
            cl->clReleaseMemObject(window[i]);
    if (real)
        cl->clReleaseKernel(real);
    free(window);
}

/* It waits for everything it does, so that no error of it can reach the launch. */
static cl_int run_whole(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_launch *launch = (struct cx_launch *)job->command;
    struct cx_verify *verify = launch->run.verify;
    if (cx_verify_clones_make(verify, worker))
        run_kernel(launch, worker);
    cx_verify_clones_end(verify, worker, false);
    return CL_SUCCESS;
}

void cx_verify_skip(struct cx_job *job, struct cx_worker *worker)
{
    (void)worker;
    cx_verify_went(((struct cx_launch *)job->command)->run.verify, CL_OUT_OF_RESOURCES,
                   "a transfer before it failed");
}

/* Contents come to the host copy. Where every place counts as valid nobody may have written yet, and each
 * place has bytes of its own; the host copy's then are what both runs start from. */
static cl_int bring_to_host(struct cx_launch *launch, const struct cx_verify_copy *copy, bool settle)
    CX_HOLDS(cx_context_locked)
{
    if (!cx_mem_host(copy->root))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = cx_transfer_to(&launch->base, copy->root, copy->lo, copy->hi, CX_PLACE_HOST, NULL);
    if (error == CL_SUCCESS && settle &&
        !cx_coherence_define(copy->root->storage->coherence, copy->lo, copy->hi, CX_PLACE_HOST))
        error = CL_OUT_OF_HOST_MEMORY;
    return error;
}

/* All that follows on the job's timeline and elsewhere waits before it writes there. */
static bool note_reads(const struct cx_verify *verify, const struct cx_worker *worker, struct cx_job *job,
                       bool all) CX_HOLDS(cx_context_locked)
{
    for (unsigned c = 0; c < verify->ncopies; c++) {
        const struct cx_verify_copy *copy = &verify->copy[c];
        if ((all || copy->compared) &&
            !cx_coherence_host_read(copy->root->storage->coherence, copy->lo, copy->hi, worker->index,
                                    worker->timeline.planned + 1, job->deps))
            return false;
    }
    return true;
}

void cx_verify_begin(struct cx_launch *launch, const struct cx_split_plan *plan)
{
    struct cx_context *context = launch->base.context;
    if (!is_due(launch))
        return;
    struct cx_verify *verify = verify_new(launch, plan);
    if (verify && verify->member == context->nmembers) {
        unverified(launch, "no device takes it whole", CL_SUCCESS);
        cx_verify_free(&verify);
        return;
    }
    cl_int error = verify ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; verify && i < verify->nargs && error == CL_SUCCESS; i++)
        if (launch->request.args->arg[i].kind == CX_ARGS_SAMPLER)
            error = cx_sampler_prepare(launch->request.args->arg[i].sampler, verify->member);
    for (unsigned c = 0; verify && c < verify->ncopies && error == CL_SUCCESS; c++)
        error = bring_to_host(launch, &verify->copy[c], true);
    struct cx_job *job = error == CL_SUCCESS ? cx_job_new(context) : NULL;
    struct cx_worker *worker =
        verify && verify->replay ? cx_context_host(context) : &context->workers[verify ? verify->member : 0];
    if (!job || !note_reads(verify, worker, job, true)) {
        unverified(launch, "it cannot be planned again", error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
        cx_verify_free(&verify);
        free(job);
        return;
    }
    job->run = verify->replay ? cx_verify_replay_keep : run_whole;
    job->skip = cx_verify_skip;
    job->kind.waits = true;
    launch->run.verify = verify;
    verify->seq = cx_command_add_job(&launch->base, worker, job);
}

/* ---- (3) the comparison ---- */

static const char racing[] = "work-groups race for a place: on two devices they stored unlike values at byte";

void cx_verify_raced(const struct cx_launch *launch, const struct cx_mem *root, uint64_t at)
{
    struct cx_verify *verify = launch->run.verify;
    for (unsigned c = 0; c < verify->ncopies; c++) {
        struct cx_verify_copy *copy = &verify->copy[c];
        if (copy->root == root && (!copy->raced || at < copy->race)) {
            copy->raced = true;
            copy->race = at;
        }
    }
}

/* Whether a race was seen in the argument's buffer, and at which byte from where the argument begins. */
static bool race_of(const struct cx_launch *launch, unsigned i, uint64_t *at)
{
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    const struct cx_verify_copy *copy = &launch->run.verify->copy[launch->run.verify->copy_of[i]];
    if (!copy->raced || copy->race < mem->origin || copy->race >= mem->origin + mem->size)
        return false;
    *at = copy->race - mem->origin;
    return true;
}

static void report(const struct cx_launch *launch, unsigned i, struct cx_element element,
                   const unsigned char *split, const unsigned char *whole, struct cx_difference found)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    const struct cx_verify *verify = launch->run.verify;
    size_t size = cx_launch_mem(launch, i)->size;
    uint64_t at;
    char ours[64], theirs[64], race[160] = "";
    if (!may_report())
        return;
    if (race_of(launch, i, &at))
        snprintf(race, sizeof(race), "; %s %" PRIu64 ", so it is chance that decides", racing, at);
    cx_verify_element_text(ours, sizeof(ours), split + found.first, size - found.first, element);
    cx_verify_element_text(theirs, sizeof(theirs), whole + found.first, size - found.first, element);
    bool named = summary && i < summary->narg && summary->arg[i].name[0];
    cx_error(
        CX_TOPIC_PLAN,
        "COEXEC_VERIFY: kernel %s, argument %u%s%s (%s): the split run differs from the whole run on %s, "
        "first at byte %zu: %s split, %s whole; %zu of %zu bytes differ%s",
        launch->request.kernel->function->name, i, named ? " " : "", named ? summary->arg[i].name : "",
        named ? summary->arg[i].type : "buffer", launch->base.context->workers[verify->member].device->name,
        found.first, ours, theirs, found.bytes, size, race);
}

/* A race that has left what the whole run did, this time. */
static void report_race(const struct cx_launch *launch, unsigned i)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    const bool named = summary && i < summary->narg && summary->arg[i].name[0];
    uint64_t at;
    if (race_of(launch, i, &at) && may_report())
        cx_warn(CX_TOPIC_PLAN, "COEXEC_VERIFY: kernel %s, argument %u%s%s: %s %" PRIu64 ", so chance decides",
                launch->request.kernel->function->name, i, named ? " " : "",
                named ? summary->arg[i].name : "", racing, at);
}

/* Whether an argument before this one was the same part of the same buffer. */
static bool is_repeated(const struct cx_launch *launch, unsigned i)
{
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    for (unsigned k = 0; k < i; k++) {
        const struct cx_mem *other = cx_launch_mem(launch, k);
        if (other && other->root == mem->root && other->origin == mem->origin && other->size == mem->size &&
            launch->run.verify->sums[k] == launch->run.verify->sums[i])
            return true;
    }
    return false;
}

/* Two runs of the same packages in the same order differ, so the split may differ from both. */
static void report_chance(const struct cx_launch *launch, unsigned i)
{
    if (may_report())
        cx_info(CX_TOPIC_PLAN,
                "COEXEC_VERIFY: kernel %s, argument %u: two runs in the same order leave unlike values, so "
                "chance decides",
                launch->request.kernel->function->name, i);
}

static enum cx_verified compare_arg(const struct cx_launch *launch, unsigned i)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    const struct cx_verify *verify = launch->run.verify;
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    if (!mem || !verify->copy[verify->copy_of[i]].compared || is_repeated(launch, i))
        return CX_VERIFIED_SAME;
    const struct cx_verify_copy *copy = &verify->copy[verify->copy_of[i]];
    const unsigned char *split = copy->root->storage->host + mem->origin,
                        *whole = copy->whole + mem->origin - copy->lo;
    struct cx_element element =
        cx_verify_element_of(summary && i < summary->narg ? summary->arg[i].type : "");
    struct cx_difference found;
    if (cx_verify_compare(split, whole, mem->size, element, verify->sums[i] ? CX_COMPARE_SUMS : verify->by,
                          &found)) {
        report_race(launch, i);
        return CX_VERIFIED_SAME;
    }
    if (cx_verify_replay_varies(launch, i)) {
        report_chance(launch, i);
        return CX_VERIFIED_NOT;
    }
    report(launch, i, element, split, whole, found);
    return CX_VERIFIED_DIFFERS;
}

static cl_int run_compare(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_launch *launch = (struct cx_launch *)job->command;
    const struct cx_verify *verify = launch->run.verify;
    enum cx_verified worst = CX_VERIFIED_SAME;
    (void)worker;
    if (verify->failed || atomic_load(&launch->base.error) < 0) {
        unverified(launch, verify->failed ? verify->failed : "it failed", verify->error);
        return CL_SUCCESS;
    }
    for (unsigned i = 0; i < verify->nargs; i++) {
        const enum cx_verified verified = compare_arg(launch, i);
        if (worst != CX_VERIFIED_DIFFERS && verified != CX_VERIFIED_SAME)
            worst = verified;
    }
    cx_kernel_table_verified(launch->request.kernel->function->stats, worst);
    return CL_SUCCESS;
}

static void skip_compare(struct cx_job *job, struct cx_worker *worker)
{
    (void)worker;
    unverified((struct cx_launch *)job->command, "a transfer before it failed", CL_SUCCESS);
}

void cx_verify_end(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    struct cx_verify *verify = launch->run.verify;
    struct cx_worker *host = cx_context_host(context);
    if (!verify)
        return;
    cl_int error = verify->replay ? cx_verify_replay_run(launch) : CL_SUCCESS;
    for (unsigned c = 0; c < verify->ncopies && error == CL_SUCCESS; c++)
        if (verify->copy[c].compared)
            error = bring_to_host(launch, &verify->copy[c], false);
    struct cx_job *job = error == CL_SUCCESS ? cx_job_new(context) : NULL;
    if (!job || !note_reads(verify, host, job, false)) {
        unverified(launch, "it cannot be compared", error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
        free(job);
        return;
    }
    if (job->deps[verify->member] < verify->seq)
        job->deps[verify->member] = verify->seq;
    job->run = run_compare;
    job->skip = skip_compare;
    job->kind.waits = true;
    cx_command_add_job(&launch->base, host, job);
}

/* SPDX-License-Identifier: MIT */
/* Runs the packages of a checked launch once more, in the order that the check claims. See verify.h. */
#include "layer/launch/launch.h"
#include "layer/launch/verify_inside.h"
#include "layer/program/kernel_arg.h"

#include <stdlib.h>
#include <string.h>

struct cx_verify_order {
    enum cx_variant variant;
    unsigned dim, count;
    struct cx_verify_package *package; /* NULL: not known (yet) */
};

/* ---- before the launch ---- */

bool cx_verify_replay_new(struct cx_verify *verify, const struct cx_split_plan *plan)
{
    bool ok = (verify->replay = calloc(1, sizeof(*verify->replay))) != NULL;
    for (unsigned c = 0; c < verify->ncopies && ok; c++) {
        struct cx_verify_copy *copy = &verify->copy[c];
        const size_t size = (size_t)(copy->hi - copy->lo);
        copy->before = malloc(size);
        copy->again = copy->compared ? malloc(size) : NULL;
        ok = copy->before && (copy->again || !copy->compared);
    }
    if (!ok)
        return false;
    verify->replay->variant = plan->variant[0];
    verify->replay->dim = plan->judged->verdict.dim;
    verify->member = plan->member[0];
    return true;
}

void cx_verify_replay_free(struct cx_verify *verify)
{
    for (unsigned c = 0; verify->copy && c < verify->ncopies; c++) {
        free(verify->copy[c].before);
        free(verify->copy[c].again);
    }
    if (verify->replay)
        free(verify->replay->package);
    free(verify->replay);
}

cl_int cx_verify_replay_keep(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_verify *verify = ((struct cx_launch *)job->command)->run.verify;
    (void)worker;
    for (unsigned c = 0; c < verify->ncopies; c++) {
        const struct cx_verify_copy *copy = &verify->copy[c];
        memcpy(copy->before, copy->root->storage->host + copy->lo, (size_t)(copy->hi - copy->lo));
    }
    return CL_SUCCESS;
}

/* ---- after it ---- */

void cx_verify_claim(struct cx_launch *launch, struct cx_verify_package *packages, unsigned count)
{
    struct cx_verify *verify = launch->run.verify;
    if (!verify || !verify->replay) {
        free(packages);
        return;
    }
    verify->replay->package = packages;
    verify->replay->count = count;
}

void cx_verify_forget(struct cx_launch *launch)
{
    cx_verify_free(&launch->run.verify);
}

/* The launch's arguments with clones in place of its memory; windows are what was made on these. */
static struct cx_args *clone_args(struct cx_launch *launch, const struct cx_worker *worker, cl_mem *windows)
{
    struct cx_verify *verify = launch->run.verify;
    struct cx_args *args = cx_args_clone(launch->request.args);
    cl_int error = args ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < verify->nargs && error == CL_SUCCESS; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem)
            continue;
        cl_mem real = cx_verify_stand_in(verify, i, mem, worker, &windows[i], &error);
        args->arg[i].kind = CX_ARGS_REAL;
        args->arg[i].mem = NULL;
        args->arg[i].real = real;
    }
    cx_verify_went(verify, error, "giving it copies fails");
    return args;
}

static void run_package(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                        const struct cx_verify_package *package)
{
    struct cx_verify *verify = launch->run.verify;
    cl_event event = NULL;
    cl_int error = cx_launch_package(launch, worker, part, verify->replay->dim, package->first, package->end,
                                     worker->queue, NULL, &event);
    /* there may be one in spite of an error */
    const cl_int ended = event ? cx_verify_await(worker, event) : CL_SUCCESS;
    error = error == CL_SUCCESS ? ended : error;
    cx_verify_went(verify, error, "running its packages again fails");
}

static void run_packages(struct cx_launch *launch, struct cx_worker *worker)
{
    struct cx_verify *verify = launch->run.verify;
    const struct cx_verify_order *replay = verify->replay;
    cl_mem *windows = calloc(verify->nargs + 1u, sizeof(cl_mem));
    struct cx_part part = {.member = verify->member, .variant = replay->variant};
    if (cx_verify_went(verify, windows ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "giving it copies fails"))
        part.args = clone_args(launch, worker, windows);
    for (unsigned p = 0; p < replay->count && !verify->failed; p++)
        run_package(launch, worker, &part, &replay->package[p]);
    for (unsigned i = verify->nargs; windows && i-- > 0;) /* newest first, as in subbuffer_order.h */
        if (windows[i])
            worker->device->cl->clReleaseMemObject(windows[i]);
    free(windows);
    cx_args_drop(&part.args);
}

/* It waits for everything it does, so that no error of it can reach the launch. */
static cl_int run_replay(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    struct cx_verify *verify = launch->run.verify;
    for (unsigned again = 0; again < 2 && !verify->failed; again++) {
        if (cx_verify_clones_make(verify, worker))
            run_packages(launch, worker);
        cx_verify_clones_end(verify, worker, again);
    }
    return CL_SUCCESS;
}

cl_int cx_verify_replay_run(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    struct cx_verify *verify = launch->run.verify;
    struct cx_job *job = verify->replay->package ? cx_job_new(context) : NULL;
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    job->deps[cx_context_host(context)->index] = verify->seq; /* what was kept */
    job->run = run_replay;
    job->skip = cx_verify_skip;
    job->kind.waits = true;
    verify->seq = cx_command_add_job(&launch->base, &context->workers[verify->member], job);
    return CL_SUCCESS;
}

bool cx_verify_replay_varies(const struct cx_launch *launch, unsigned arg)
{
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const struct cx_verify_copy *copy = &launch->run.verify->copy[launch->run.verify->copy_of[arg]];
    const size_t at = (size_t)(mem->origin - copy->lo);
    return copy->again && memcmp(copy->whole + at, copy->again + at, mem->size) != 0;
}

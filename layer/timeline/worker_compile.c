/* SPDX-License-Identifier: MIT */
/*
 * Calls in which a CPU device's driver may compile, or after which it may do so in a thread of its own:
 * PoCL's pthread device compiles a launch of a new kind when it takes it up. exit() waits for both
 * (exit_guard.h), as the compiler's libraries would tear themselves down meanwhile. Previous: worker.c. Next:
 * the real driver.
 */
#include "layer/base/exit_guard.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>

/* A launch that the driver has; freed once all callbacks have come, or never where the driver owes one. */
struct compiling {
    atomic_uint refs; /* callbacks that are asked for, and whoever asks */
    enum cx_compiling now;
};

static void unref(struct compiling *compiling)
{
    if (atomic_fetch_sub(&compiling->refs, 1) == 1)
        free(compiling);
}

/* By the driver, which has compiled what it runs. */
static void CL_CALLBACK on_status(cl_event event, cl_int status, void *data)
{
    struct compiling *compiling = data;
    (void)event;
    cx_exit_guard_compiling(&compiling->now, status <= CL_RUNNING ? CX_COMPILING_OVER : CX_COMPILING_BEGUN);
    unref(compiling);
}

static bool ask(const struct cx_worker *worker, cl_event event, cl_int status, struct compiling *compiling)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    atomic_fetch_add(&compiling->refs, 1);
    const bool asked =
        cl->clSetEventCallback && cl->clSetEventCallback(event, status, on_status, compiling) == CL_SUCCESS;
    if (!asked)
        atomic_fetch_sub(&compiling->refs, 1);
    return asked;
}

bool cx_worker_compile_begin(const struct cx_worker *worker)
{
    if (!cx_worker_compiles(worker) || (worker->device->probe.synchronous && !cx_exit_guard_ours()))
        return false;
    if (cx_exit_guard_enter_launch(cx_context_shares(worker->context)))
        return true;
    cx_worker_park(worker); /* the compiler may be gone by now */
    return false;
}

bool cx_worker_compiler_gone(const struct cx_worker *worker)
{
    return cx_worker_compiles(worker) && cx_exit_guard_ours() && cx_exit_guard_closed();
}

bool cx_worker_compile_late(const struct cx_worker *worker)
{
    cx_exit_guard_await_end();
    return cx_exit_guard_enter_launch(cx_context_shares(worker->context));
}

void cx_worker_compile_end(const struct cx_worker *worker, bool begun, cl_event event)
{
    if (!begun)
        return;
    struct compiling *compiling =
        event && !worker->device->probe.synchronous ? malloc(sizeof(*compiling)) : NULL;
    if (!compiling) {
        cx_exit_guard_leave();
        return;
    }
    *compiling = (struct compiling){.refs = 1, .now = CX_COMPILING_CALL};
    cx_exit_guard_compiling(&compiling->now, CX_COMPILING_QUEUED);
    /* the last one, too: one that fails may never run */
    const bool tells = ask(worker, event, CL_COMPLETE, compiling);
    if (tells) {
        ask(worker, event, CL_RUNNING, compiling);
        ask(worker, event, CL_SUBMITTED, compiling);
    } else {
        cx_exit_guard_compiling(&compiling->now, CX_COMPILING_OVER);
    }
    unref(compiling);
}

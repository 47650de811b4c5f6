/* SPDX-License-Identifier: MIT */
/*
 * The load of a context's members. See device_load.h.
 */
#include "layer/plan/device_load.h"
#include "layer/base/clock.h"

static struct cx_device_load *load_of(const struct cx_worker *worker)
{
    return &worker->context->planner->loads[worker->index];
}

bool cx_device_load_any_straggler(const struct cx_context *context)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_device_load_is_straggler(&context->workers[m]))
            return true;
    return false;
}

void cx_device_load_add(struct cx_worker *worker, double ns)
{
    struct cx_device_load *load = load_of(worker);
    const uint64_t now = cx_clock_ns();
    if (load->busy_until < now || cx_worker_idle(worker)) {
        load->busy_until = now;
        load->guessed = false;
    }
    load->guessed |= ns <= 0;
    load->busy_until += (uint64_t)(ns > 0 ? ns : CX_DEVICE_LOAD_GUESS_NS);
}

void cx_device_load_probed(const struct cx_worker *worker, double seconds)
{
    struct cx_device_load *load = load_of(worker);
    load->first_seconds = seconds > load->first_seconds / 2 ? seconds : load->first_seconds / 2;
}

void cx_device_load_supersede(const struct cx_worker *worker, uint64_t now, uint64_t superseded_until_ns)
{
    struct cx_device_load *load = load_of(worker);
    if (!load->superseded++)
        load->superseded_since_ns = now;
    load->superseded_until_ns = superseded_until_ns;
}

void cx_device_load_caught_up(const struct cx_worker *worker)
{
    if (!--load_of(worker)->superseded)
        pthread_cond_broadcast(&worker->context->planner->caught_up);
}

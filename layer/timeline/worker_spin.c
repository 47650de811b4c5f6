/* SPDX-License-Identifier: MIT */
/*
 * Waiting for another device without the time that waking a thread takes: where one device's next commands
 * need what another computes, both stand still until a thread has noticed. Waits of one device's thread for
 * another are alike from step to step of a program. So the thread naps, and looks in between, until a little
 * before the end that the last wait tells; then it looks again and again, for LOOK_NS at most, giving its
 * core to whoever wants it; only then it sleeps in the driver. See worker_reap.h.
 */
#include "layer/base/copy.h"
#include "layer/timeline/command.h"
#include "layer/base/options.h"
#include "layer/timeline/worker_reap.h"

#include <sched.h>
#include <string.h>
#include <time.h>

enum {
    LOOK_NS = 200000,
    MOST_LOOKS = 400,
    EARLY_NS = 110000,    /* naps end so long before: they are up to 60 us too long */
    NAP_NS = 20000,       /* the first; later ones a quarter of the time until then */
    MOST_NAP_NS = 250000, /* where the end is not expected before, but would be noticed so much later */
    LONG_NS = 20000000    /* of a longer wait nobody notices the end's delay */
};

/* Whether a core may be spent on it: none that computes, and not the program's own. */
static bool may_look(const struct cx_worker *worker)
{
    const struct cx_context *context = worker->context;
    const char *poll = cx_options_get()->poll;
    if (strcmp(poll, "auto") != 0)
        return strcmp(poll, "1") == 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (context->workers[m].device->type & CL_DEVICE_TYPE_CPU &&
            !atomic_load(&context->workers[m].left_out))
            return false;
    return cx_bytes_cores() >= (long)context->nmembers + 2;
}

static bool nap_until(const struct cx_worker *worker, cl_event event, uint64_t since, uint64_t until,
                      uint64_t longest)
{
    for (uint64_t now = cx_clock_ns(); now < until; now = cx_clock_ns()) {
        const uint64_t left = until - now, longer = NAP_NS + (now - since) / 4,
                       nap = longer < longest ? longer : longest;
        const struct timespec pause = {0, (long)(nap < left ? nap : left)};
        nanosleep(&pause, NULL);
        if (cx_worker_event_over(worker, event))
            return true;
    }
    return false;
}

/* Until it is over, or it pays no longer. */
static void look(const struct cx_worker *worker, cl_event event, uint64_t since)
{
    const uint64_t expected = atomic_load_explicit(&worker->waited_ns, memory_order_relaxed);
    if (expected > LONG_NS)
        return;
    if (expected > EARLY_NS && nap_until(worker, event, since, since + expected - EARLY_NS, UINT64_MAX))
        return;
    const uint64_t until = cx_clock_ns() + LOOK_NS;
    for (unsigned i = 0; i < MOST_LOOKS && cx_clock_ns() < until && !cx_worker_event_over(worker, event); i++)
        sched_yield();
}

bool cx_worker_await_until(struct cx_worker *worker, cl_event event, uint64_t until)
{
    return cx_worker_event_over(worker, event) || nap_until(worker, event, cx_clock_ns(), until, MOST_NAP_NS);
}

void cx_worker_await(struct cx_worker *worker, cl_event event)
{
    const uint64_t since = cx_clock_ns();
    const bool wait = may_look(worker) && !cx_worker_event_over(worker, event);
    if (wait)
        look(worker, event, since);
    cx_worker_wait_event(worker, event); /* a look at a status orders no memory */
    if (wait)
        atomic_store_explicit(&worker->waited_ns, cx_clock_ns() - since, memory_order_relaxed);
}

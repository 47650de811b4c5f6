/* SPDX-License-Identifier: MIT */
/*
 * The members' outstanding work. See outstanding.h.
 */
#include "layer/plan/outstanding.h"
#include "layer/plan/device_load.h"
#include "layer/timeline/worker.h"

#define APART 1e-3 /* seconds of work between two notes */
/* With less work ahead a note's job has no event, which costs microseconds on some drivers: a program that
 * waits for its launches has nothing held behind them. Half of what is left when a launch is planned again.
 */
#define AHEAD 7.5e-3

static struct cx_outstanding *outstanding_of(const struct cx_worker *worker)
{
    return &worker->context->planner->loads[worker->index].outstanding;
}

static unsigned count(const struct cx_outstanding *outstanding)
{
    return outstanding->n < CX_OUTSTANDING_NOTES ? outstanding->n : CX_OUTSTANDING_NOTES;
}

/* The i-th newest note; 0: the newest. */
static unsigned newest(const struct cx_outstanding *outstanding, unsigned i)
{
    return (outstanding->n - 1 - i) % CX_OUTSTANDING_NOTES;
}

void cx_outstanding_add(struct cx_worker *worker, double seconds)
{
    struct cx_outstanding *outstanding = outstanding_of(worker);
    if (!(seconds > 0))
        return;
    if (!outstanding->n || outstanding->planned - outstanding->note[newest(outstanding, 0)].before >= APART) {
        const unsigned at = outstanding->n++ % CX_OUTSTANDING_NOTES;
        outstanding->note[at].before = outstanding->planned;
        outstanding->note[at].seq = worker->timeline.planned;
        if (cx_outstanding_seconds(worker) >= AHEAD)
            cx_worker_tell_next(worker);
    }
    outstanding->planned += seconds;
}

double cx_outstanding_seconds(const struct cx_worker *worker)
{
    const struct cx_outstanding *outstanding = outstanding_of(worker);
    const uint64_t completed = atomic_load(&worker->timeline.completed);
    const unsigned n = count(outstanding);
    double before = outstanding->planned;
    if (completed >= worker->timeline.planned)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        before = outstanding->note[newest(outstanding, i)].before;
        if (outstanding->note[newest(outstanding, i)].seq <= completed)
            break;
    }
    return outstanding->planned - before;
}

uint64_t cx_outstanding_seq(const struct cx_worker *worker, double left)
{
    const struct cx_outstanding *outstanding = outstanding_of(worker);
    const unsigned n = count(outstanding);
    unsigned i = 0;
    while (i + 1 < n && outstanding->planned - outstanding->note[newest(outstanding, i + 1)].before <= left)
        i++;
    return n ? outstanding->note[newest(outstanding, i)].seq : worker->timeline.planned;
}

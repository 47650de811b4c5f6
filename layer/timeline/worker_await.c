/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a device up to a time: drivers have no such wait, so the thread naps and looks in between. See
 * worker.h.
 */
#include "layer/timeline/command.h"
#include "layer/timeline/worker.h"

#include <time.h>

enum {
    NAP_NS = 20000,      /* the first; later ones a quarter of the time until then */
    MOST_NAP_NS = 250000 /* so much later an end is noticed at most */
};

bool cx_worker_await_until(struct cx_worker *worker, cl_event event, uint64_t until)
{
    const uint64_t since = cx_clock_ns();
    bool over = cx_worker_event_over(worker, event);
    for (uint64_t now = since; !over && now < until; now = cx_clock_ns()) {
        const uint64_t left = until - now, longer = NAP_NS + (now - since) / 4,
                       nap = longer < MOST_NAP_NS ? longer : MOST_NAP_NS;
        const struct timespec pause = {0, (long)(nap < left ? nap : left)};
        nanosleep(&pause, NULL);
        over = cx_worker_event_over(worker, event);
    }
    return over;
}

/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a device up to a time: OpenCL has no such wait, so the thread looks now and then. It is the
 * only one of the layer's that polls by sleeping. A callback of the event could end the wait, but NVIDIA's
 * driver calls it at a tick of 20 ms: 18 to 20 ms after kernels of 0.2 and 2 ms, 3 ms after one of 17 ms
 * (H100), where this notices their ends 0.02 to 0.23 ms late. A further thread could wait in clWaitForEvents
 * (0.02 to 0.03 ms late) and wake this one; but with a driver that takes one call at a time
 * (driver/serialize.c) it would keep this one from enqueueing meanwhile, and it would be a thread more for
 * each device. See worker.h.
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

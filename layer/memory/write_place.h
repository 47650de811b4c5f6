/* SPDX-License-Identifier: MIT */
/*
 * Where new contents that the program writes into a memory object go: to the host copy or to a device's own
 * memory. Best is where they are read next; the launch that reads them first is expected to run as the one
 * did that read the last ones first.
 *
 * The only open device with memory of its own takes all. Where several are open, what is going to be split
 * goes to the host copy, from which each device fetches its part over its own link. For launches that stay
 * whole that is dear: the bytes are copied twice, the second time while the launch waits. So an object
 * whose reader was whole is written to its device:
 *  - at once where nothing about the data makes such a launch a split one (CX_USE_WHOLE);
 *  - where a split did not pay with the data where they were (CX_USE_HERE), after one write to the host copy
 *    has not changed that (TRIES of them where the object gets new contents for each launch), and again for
 *    one write of PERIOD;
 *  - where that was too dear a risk (CX_USE_DEAR), as long as the account does not hold what a split of data
 *    from the host copy may lose.
 * A device that is a CPU has the host copy as near as memory of its own.
 *
 * Called by launches as they are planned (plan/result_use.c) and by commands that write (api/). Under
 * context->lock.
 */
#ifndef CX_LAYER_MEMORY_WRITE_PLACE_H
#define CX_LAYER_MEMORY_WRITE_PLACE_H

#include "layer/timeline/context.h"

#include <stdbool.h>

struct cx_mem;

/* How a launch uses memory objects. */
enum cx_use_kind {
    CX_USE_OPEN,  /* split; or whole for a reason that will not last: a build, a length that is not known */
    CX_USE_TRIAL, /* split once, to see: tells nothing */
    CX_USE_HERE,  /* whole: a split costs too much with the data where they are */
    CX_USE_DEAR,  /* whole: a split might cost more than may be risked now */
    CX_USE_WHOLE, /* whole, wherever the data are */
};

/* How the launch that came first after the program's last write used a root, and what was written since. */
struct cx_use {
    enum cx_use_kind kind;
    bool used;
    bool tried;          /* with several devices open the program has written it to the host copy */
    double risk;         /* seconds that a split of such a launch may lose; 0: to be tried */
    unsigned times;      /* launches since it was written, 2 at most */
    unsigned at;         /* place where that launch ran, whole; CX_PLACE_HOST: it did not */
    bool written;        /* the program has written it since */
    unsigned written_to; /* at that place */
};

/* A launch uses the root at that place; CX_PLACE_HOST: it is split, or its device works on the host copy.
 * risk: seconds that the account has to hold before it may be split, with the data from the host copy; 0: not
 * known. Called by plan/result_use.c. */
void cx_write_place_used(struct cx_mem *root, unsigned place, enum cx_use_kind kind, double risk)
    CX_HOLDS(cx_context_locked);
/* Whether the next such call would change nothing: launches that follow each other only ask this. Called by
 * plan/result_use.c. */
static inline bool cx_write_place_stays(const struct cx_use *use, enum cx_use_kind kind)
{
    return kind != CX_USE_TRIAL && use->used && !use->written && use->times == 2;
}
/* Where what a command is about to write into the root goes. Called by buffer.c, api/enqueue.c and
 * api/enqueue_image.c. */
unsigned cx_write_place_of(struct cx_mem *root) CX_HOLDS(cx_context_locked);

#endif

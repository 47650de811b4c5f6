/* SPDX-License-Identifier: MIT */
/*
 * Where new contents that the program writes into a memory object go: to the host copy or to a device's own
 * memory. Best is where they are read next; what is expected of the next launches is what the last ones did.
 *
 * The only open device with memory of its own takes all. Where several are open, an object whose last launch
 * ran on one device is written to that device, as it would be without coexec: through the host copy its bytes
 * would be copied twice, the second time while the launch waits. What launches were split over, and what none
 * used yet in a context whose last launch was split, goes to the host copy, from which each device fetches
 * its part over its own link.
 *
 * An object that each launch finds new contents in is the case in between: from the host copy a split of the
 * launch may gain by the transfer alone, which is seen only when the contents are there. So some of these
 * writes go to the host copy as long as launches stay whole: the first TRIES, then one of PERIOD.
 *
 * Called by launches as they are planned (plan/result_use.c) and by commands that write (api/). Under
 * context->lock.
 */
#ifndef CX_LAYER_MEMORY_WRITE_PLACE_H
#define CX_LAYER_MEMORY_WRITE_PLACE_H

#include <stdbool.h>

struct cx_mem;

/* How launches used a root last. */
struct cx_use {
    bool used;
    unsigned at;      /* place where the last launch ran, where that was one; CX_PLACE_HOST: on several */
    unsigned times;   /* launches since the program last wrote it, 2 at most */
    unsigned written; /* place where the program's writes since then went */
};

/* A launch uses the root at that place; CX_PLACE_HOST: it is split, or its device works on the host copy.
 * Called by plan/result_use.c. */
void cx_mem_used(struct cx_mem *root, unsigned place);
/* Where what a command is about to write into the root goes. Called by buffer.c, api/enqueue.c and
 * api/enqueue_image.c. */
unsigned cx_mem_write_place(struct cx_mem *root);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Moving regions: brings bytes of a buffer to the place where a command needs them, as jobs before it.
 *
 * Previous stage: the plan functions. Next: transport.h. All under context->lock.
 */
#ifndef CX_LAYER_MEMORY_TRANSFER_H
#define CX_LAYER_MEMORY_TRANSFER_H

#include "layer/memory/buffer.h"
#include "layer/timeline/command.h"
#include "layer/memory/byte_ranges.h"
#include "layer/memory/transport.h"

/* Makes [lo, hi) of the root valid at `place`: downloads on the timelines of those who hold it, then, for a
 * member's own place, an upload on its timeline. Place > 0 must be prepared (cx_mem_prepare). *bytes (may be
 * NULL) grows by what moves. Nothing to do costs one look at the map. */
cl_int cx_move_to(struct cx_command *command, struct cx_mem *root, uint64_t lo, uint64_t hi, unsigned place,
                  uint64_t *bytes);

/* The same for many ranges at once: one job on each timeline concerned. */
cl_int cx_move_ranges(struct cx_command *command, struct cx_mem *root, const struct cx_byte_range *ranges,
                      size_t count, unsigned place, uint64_t *bytes);

/* What a command gets that needs bytes nobody has any more (CX_PLACE_NONE); says so in the log. */
cl_int cx_move_lost(const struct cx_mem *root);

/* The job's worker is about to read or write [lo, hi) at its own place: for those that work on the host copy
 * in place, notes the access and what it must wait for. seq is what the job is going to get
 * (worker->timeline.planned
 * + 1). */
bool cx_move_note(struct cx_mem *root, uint64_t lo, uint64_t hi, bool write, const struct cx_worker *worker,
                  struct cx_job *job);

/* Keeps the root's map small: forgets accesses that are complete. Cheap when there is nothing to forget. */
void cx_move_tidy(struct cx_mem *root);

/* The runs of one transfer job, for the transfers inside dynamic launches and for reads into program memory.
 */
struct cx_transfer_item {
    struct cx_mem *root; /* a reference */
    cl_mem real;
    uint64_t lo, hi;
    unsigned char *host; /* where byte lo lies in host memory */
    /* The root's host copy where `host` lies in it and it is ours, else NULL. Others may make the root one
     * meanwhile, which is not looked at without context->lock. */
    struct cx_pages *pages;
    cl_event event;   /* of a transfer whose event nobody else has */
    cl_event *chunks; /* where it parts: of those parts whose failure that event does not tell of */
    unsigned nchunks;
    const struct cx_transport *transport; /* it was started, by this one */
};
struct cx_transfer_list {
    /* They are finished: gives back what a transport has with them. NULL: nothing. */
    void (*drop)(struct cx_transfer_list *transfers);
    bool upload;
    bool merges;              /* brought to the host to be combined there: counted as that */
    bool tells_rate;          /* its times were asked for only to tell how fast uploads go */
    bool counted;             /* the map says already that `place` holds these bytes */
    unsigned place;           /* counted: where they come to be valid */
    struct cx_worker *source; /* from another member's memory; NULL: from the host's */
    struct cx_bounce_slot_use
        *slot_use; /* through a slot (transport_bounce.c), a reference; NULL: another way */
    unsigned count, room;
    struct cx_transfer_item *item;
};
bool cx_transfer_list_add(struct cx_transfer_list *transfers, struct cx_mem *root, cl_mem real, uint64_t lo,
                          uint64_t hi, unsigned char *host);
/* Moves the first so many bytes of the runs, of buffers, or a little less, to `piece`. False: they are no
 * more than that, or there is no memory, and nothing has changed. */
bool cx_transfer_list_cut(struct cx_transfer_list *transfers, uint64_t most, struct cx_transfer_list *part);
/* Enqueues all runs; the events of the first and last are given (may be NULL). */
cl_int cx_transfer_list_start(struct cx_transfer_list *transfers, struct cx_worker *worker, cl_event *first,
                              cl_event *last);
/* Downloads all runs, of buffers, by a queue of their worker's and waits for the end. Any thread; no lock
 * held. */
cl_int cx_transfer_list_read(struct cx_transfer_list *transfers, struct cx_worker *worker,
                             cl_command_queue queue);
/* How many runs from the i-th on are rows of one rectangle of their root: of one length, and *stride apart.
 */
unsigned cx_transfer_list_rows(const struct cx_transfer_list *transfers, unsigned i, size_t *stride);
/* Once all are over: whether one without an event given to the caller failed, and how. */
cl_int cx_transfer_list_status(const struct cx_transfer_list *transfers, const struct cx_worker *worker);
/* Counted runs did not arrive: takes that out of the map and, where others may have been planned on it
 * (`relied`), lets nothing run that was planned so far. Takes context->lock. */
void cx_transfer_list_failed(struct cx_transfer_list *transfers, struct cx_context *context, bool relied);
void cx_transfer_list_finish(struct cx_transfer_list *transfers, const struct cx_worker *worker);
/* A job that starts the runs (taken over) when its turn comes. NULL: no memory. */
struct cx_job *cx_transfer_list_job(const struct cx_worker *worker, struct cx_transfer_list *transfers);

#endif

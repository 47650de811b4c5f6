/* SPDX-License-Identifier: MIT */
/*
 * Moves regions: brings bytes of a buffer to the place where a command needs them, by jobs before it.
 * Previous stage: the plan functions. Next: transport.h. Called under context->lock unless stated otherwise.
 */
#ifndef CX_LAYER_MEMORY_TRANSFER_H
#define CX_LAYER_MEMORY_TRANSFER_H

#include "layer/memory/buffer.h"
#include "layer/timeline/command.h"
#include "layer/memory/byte_ranges.h"
#include "layer/memory/transport.h"

/* Makes [lo, hi) of the root valid at `place`: plans downloads on the timelines of its holders, then, for a
 * member's own place, an upload on its timeline. A place > 0 must be prepared (cx_mem_prepare). Adds the
 * bytes moved to *bytes (may be NULL). If nothing has to move, it costs one look at the map. Called by
 * api/, launch/ and plan/. */
cl_int cx_transfer_to(struct cx_command *command, struct cx_mem *root, uint64_t lo, uint64_t hi,
                      unsigned place, uint64_t *bytes) CX_HOLDS(cx_context_locked);

/* Like cx_transfer_to for many ranges at once: one job on each timeline concerned. Called by
 * api/enqueue_image.c, api/enqueue_map.c, launch/launch.c and launch/split_inputs.c. */
cl_int cx_transfer_ranges(struct cx_command *command, struct cx_mem *root, const struct cx_byte_range *ranges,
                          size_t count, unsigned place, uint64_t *bytes) CX_HOLDS(cx_context_locked);

/* The error of a command that needs lost bytes (CX_PLACE_NONE); logs it. Called by
 * api/enqueue_image_read.c, api/enqueue_transfer.c and launch/split_inputs.c. */
cl_int cx_transfer_lost(const struct cx_mem *root);

/* The job's worker is about to read or write [lo, hi) at its own place: for those that work on the host copy
 * in place, notes the access and what it must wait for. seq is what the job is going to get
 * (worker->timeline.planned
 * + 1). Called by launch/merge.c, launch/merge_combine.c and launch/private_copies.c. */
bool cx_transfer_note(struct cx_mem *root, uint64_t lo, uint64_t hi, bool write,
                      const struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked);

/* Keeps the root's map small by removing complete accesses. Cheap if there are none. Called by
 * api/enqueue_image.c, launch/launch.c and launch/merge.c. */
void cx_transfer_tidy(struct cx_mem *root) CX_HOLDS(cx_context_locked);

/* A transfer list: the byte ranges of one transfer job, also used for transfers inside dynamic launches and
 * for reads into the program's memory. Called by memory/, api/ and launch/. */
struct cx_transfer_item {
    struct cx_mem *root; /* a reference */
    cl_mem real;
    uint64_t lo, hi;
    unsigned char *host; /* the address of byte lo in host memory */
    /* The pages of the root's host copy if `host` is in it and it is the layer's, else NULL. A host copy that
     * is made later is not used, as that takes context->lock. */
    struct cx_pages *pages;
    cl_event event;   /* of its transfer, if the event is not given to the caller */
    cl_event *chunks; /* if the transport transfers in parts: events of those parts whose failure `event` does
                         not report */
    unsigned nchunks;
    const struct cx_transport *transport; /* the transport that started it */
};
struct cx_transfer_list {
    /* Called when the list is finished: frees what a transport attached to it. NULL: nothing. */
    void (*drop)(struct cx_transfer_list *transfers);
    bool upload;
    bool merges;              /* moved to the host to be combined there, and counted so */
    bool tells_rate;          /* its times are measured only for the rate of uploads */
    bool counted;             /* the map already says that these bytes are valid at `place` */
    unsigned place;           /* counted: the place at which they become valid */
    struct cx_worker *source; /* the member whose memory they come from; NULL: from the host's */
    struct cx_bounce_slot_use
        *slot_use; /* through a slot (transport_bounce.c), a reference; NULL: another way */
    unsigned count, room;
    struct cx_transfer_item *item;
};
bool cx_transfer_list_add(struct cx_transfer_list *transfers, struct cx_mem *root, cl_mem real, uint64_t lo,
                          uint64_t hi, unsigned char *host);
/* Moves the list's first `most` bytes, or a few less, to `part`; only for buffers. False: the list is not
 * longer, or there is no memory; nothing has changed. Called by launch/write_back.c. */
bool cx_transfer_list_cut(struct cx_transfer_list *transfers, uint64_t most, struct cx_transfer_list *part);
/* Enqueues all transfers of the list; gives the events of the first and last (may be NULL). Called by
 * launch/split_upload.c and launch/write_back.c. */
cl_int cx_transfer_list_start(struct cx_transfer_list *transfers, struct cx_worker *worker, cl_event *first,
                              cl_event *last);
/* Downloads the whole list through a queue of its worker, and waits; only for buffers. Any thread; no lock
 * held. Called by launch/split_inputs.c. */
cl_int cx_transfer_list_read(struct cx_transfer_list *transfers, struct cx_worker *worker,
                             cl_command_queue queue);
/* Bytes of all its items. Called by memory/ and launch/. */
uint64_t cx_transfer_list_bytes(const struct cx_transfer_list *transfers);
/* How many items from the i-th on are rows of one rectangle of their root: of one length, *stride apart.
 * Called by transport_bounce.c and transport_peer.c. */
unsigned cx_transfer_list_rows(const struct cx_transfer_list *transfers, unsigned i, size_t *stride);
/* Once all transfers are over: the error of one that failed and whose event the caller does not have.
 * Called by launch/split_upload.c and launch/write_back.c. */
cl_int cx_transfer_list_status(const struct cx_transfer_list *transfers, const struct cx_worker *worker);
/* Called if counted transfers failed: corrects the map. relied: commands may have been planned by it, so
 * nothing that was planned so far runs any more (cx_context.epoch). Takes context->lock. Called by
 * memory/, api/ and launch/. */
void cx_transfer_list_failed(struct cx_transfer_list *transfers, struct cx_context *context, bool relied);
void cx_transfer_list_finish(struct cx_transfer_list *transfers, const struct cx_worker *worker);
/* Makes a job that starts the list's transfers; takes the list over. NULL: no memory. Called by memory/,
 * api/ and launch/. */
struct cx_job *cx_transfer_list_job(const struct cx_worker *worker, struct cx_transfer_list *transfers);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Transports: ways to copy bytes from one memory to another. They are in one table, in the order in which
 * they are tried: those between two members' own memories (bounce, peer), then those between host memory and
 * a member's (image, ring, host). Adding one changes nothing else: transfer.c, launch/ and api/ use only the
 * table.
 *
 * Previous stage: transfer.c, which decides what moves. Next: transport_*.c.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_H
#define CX_LAYER_MEMORY_TRANSPORT_H

#include "layer/report/transfer_counts.h"
#include "layer/timeline/worker.h"

struct cx_command;
struct cx_image;
struct cx_mem;
struct cx_move;
struct cx_transfer_list;
struct cx_transfer_item;

/* `count` rows of one length, `stride` bytes apart in the device's buffer and `host_stride` in host memory.
 */
struct cx_rows {
    size_t count, stride, host_stride;
};

/* From how many bytes on a transfer of the worker may go through the ring; UINT64_MAX: none does. Called by
 * transfer_state.c. */
uint64_t cx_transport_ring_from(const struct cx_worker *worker);

/* What a transport between members costs; only the order matters. */
enum {
    CX_PRICE_LEAST,
    CX_PRICE_SLOT,  /* what fits in one slot */
    CX_PRICE_PEER,  /* a copy that waits */
    CX_PRICE_SLOTS, /* through several slots */
};

struct cx_transport {
    const char *name;

    /* ---- between host memory and a member's own: called by the thread that pumps the worker, which holds no
     * lock ---- */

    /* Whether it moves this item, the first of these rows; the first transport that does is used. May be
     * called twice. NULL: it is for transfers between members only. */
    bool (*takes)(struct cx_worker *worker, const struct cx_transfer_item *item, const struct cx_rows *rows);
    /* Enqueues the rows on the worker's queue for transfers and does not wait for them. Gives their event
     * (`last`) and, where it `parts`, that of the first part (`first`); either may be NULL. */
    cl_int (*start)(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                    bool upload, cl_event *first, cl_event *last);
    bool parts; /* it moves an item as several transfers */
    /* Moves one item by one call that returns when it is complete; gives the command's event unless `event`
     * is NULL. NULL: not offered. */
    cl_int (*block)(struct cx_worker *worker, const struct cx_transfer_item *item, bool upload,
                    cl_event *event);
    /* Whether starting a transfer of that many bytes may take long; then no thread of the program does it.
     * Any thread. NULL: never. */
    bool (*may_wait)(const struct cx_worker *worker, uint64_t bytes);
    /* Whether start() returns only when a transfer of that many bytes is complete, or nearly. NULL: never. */
    bool (*paces)(uint64_t bytes);
    /* The route under which it is counted (transfer_counts.h). */
    enum cx_route (*route)(const struct cx_transfer_item *item, const struct cx_rows *rows);
    /* Called when the worker ends, with nothing in flight: frees what it has for the worker. NULL: nothing.
     */
    void (*release)(struct cx_worker *worker);

    /* ---- between members' own memories: under context->lock ---- */

    /* Whether it may ever serve the context: then maps of its buffers note such copies. NULL: yes. */
    bool (*possible)(const struct cx_context *context);
    /* The places, as bits, from which bytes of the root might come to `place`. NULL: it serves the host
     * only. */
    uint64_t (*near)(const struct cx_mem *root, unsigned place);
    bool yields; /* bytes that are valid in the host copy as well are copied from there instead */
    /* The price for that many bytes: the cheapest transport that can is used, of equals the first. */
    unsigned (*price)(uint64_t bytes);
    /* Prepares what such copies need. False: it cannot be had, and another transport is used. NULL: nothing
     * is needed. */
    bool (*open)(struct cx_context *context, unsigned from, unsigned place);
    /* Plans jobs for those of `moves` that `from` holds, and notes in the map that `place` has the bytes. */
    cl_int (*plan)(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                   const struct cx_move *moves, size_t count);
    /* Copies at once, by the thread that calls, what the list says from list->source's memory to the
     * worker's, and waits for it; it holds no lock. NULL: it copies by planned jobs only. */
    cl_int (*copy)(const struct cx_transfer_list *list, struct cx_worker *worker);
    /* copy: near(), with those from which it would come another way, as copies have failed meanwhile. */
    uint64_t (*reach)(const struct cx_mem *root, unsigned place);
    /* copy: the job just planned for the worker makes such copies while it runs. NULL: nothing to do. */
    void (*copies)(struct cx_context *context, const struct cx_worker *worker, uint64_t seq);
    /* See cx_transports_hold, _let, _flush and _finish. NULL: nothing to do. */
    void (*hold)(struct cx_context *context);
    bool (*let)(struct cx_command *command);
    bool (*flush)(struct cx_command *command);
    void (*finish)(struct cx_context *context);
};

extern const struct cx_transport cx_transport_bounce, cx_transport_peer, cx_transport_image,
    cx_transport_ring, cx_transport_host;

enum { CX_TRANSPORTS_MOST = 8 /* of either kind */ };

/* Adds a transport, tried before the others. Called while no context exists. False: there is no room. */
bool cx_transport_register(const struct cx_transport *transport);

/* ---- between host memory and a member's own ---- */

/* The transport for the item, the first of these rows. Called by the thread that pumps the worker. */
const struct cx_transport *cx_transport_for(struct cx_worker *worker, const struct cx_transfer_item *item,
                                            const struct cx_rows *rows);
/* Whether a transport that may be used for that many bytes may wait. Any thread. Called by transfer.c. */
bool cx_transports_may_wait(const struct cx_worker *worker, uint64_t bytes);
/* Called when the worker ends. */
void cx_transports_release(struct cx_worker *worker);

/* ---- between members' own memories: under context->lock ---- */

/* The places, as bits, from which bytes of a root can be copied to another one without the host. Called by
 * transfer.c, plan/making_cost.c and launch/split_inputs.c. */
struct cx_near {
    uint64_t any, firm;              /* firm: by a transport that does not prefer the host copy */
    uint64_t by[CX_TRANSPORTS_MOST]; /* by each in the table */
};
void cx_transports_near(const struct cx_mem *root, unsigned place, struct cx_near *near);
/* Plans the moves that need no host, and removes them from the list. Called by transfer.c. */
cl_int cx_transports_plan(struct cx_command *command, struct cx_mem *root, unsigned place,
                          struct cx_near *near, struct cx_move *moves, size_t *count);
/* Whether a transport between members may ever serve the context. No lock needed. Called by buffer.c. */
bool cx_transports_possible(const struct cx_context *context);
/* The n-th of the transports that copy at once, in the order of the table. NULL: there are no more. No lock
 * needed. Called by launch/split_inputs.c. */
const struct cx_transport *cx_transports_copier(unsigned n);
/* Between hold and let the second halves of copies through bounce buffers are deferred, so that all first
 * halves are planned before them, and members that exchange bytes do not wait for each other in turn.
 * Meanwhile nothing may be planned that needs the bytes, unless after cx_transports_flush, which plans the
 * deferred ones. False: no memory. Called by transfer.c, transport_peer.c, launch/split_inputs.c and
 * launch/static.c. */
void cx_transports_hold(struct cx_context *context);
bool cx_transports_let(struct cx_command *command);
bool cx_transports_flush(struct cx_command *command);
/* Frees what the transports have of a context; nothing is in flight. No lock needed. Called by
 * api/context.c. */
void cx_transports_finish(struct cx_context *context);

/* ---- what single ones offer besides ---- */

/* Image objects are transferred by the driver's reads and writes of images. `offset` and `bytes` are of the
 * linear layout (image.h): part of a row, whole rows of one slice, or whole slices. Several rows are below
 * each other in one slice. Called by launch/verify_clone.c. */
cl_int cx_transport_image_upload(struct cx_worker *worker, const struct cx_image *image, cl_mem real,
                                 size_t offset, const void *host, size_t bytes, const struct cx_rows *rows,
                                 cl_event *event);
cl_int cx_transport_image_download(struct cx_worker *worker, const struct cx_image *image, cl_mem real,
                                   size_t offset, void *host, size_t bytes, const struct cx_rows *rows,
                                   cl_event *event);
/* The host transport's download on a given queue of the worker. Any thread. Called by transfer.c. */
cl_int cx_transport_host_download(cl_command_queue queue, const struct cx_worker *worker,
                                  const struct cx_transfer_item *item, const struct cx_rows *rows,
                                  cl_event *event);

#endif

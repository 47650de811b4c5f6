/* SPDX-License-Identifier: MIT */
/*
 * Transports: how bytes get from one memory to another. All stand in one table, in the order in which they
 * are asked: those between two members' own memories (bounce, peer), then those between host memory and a
 * member's (image, ring, host). Adding one touches nothing else: transfer.c, launch/ and api/ know the table
 * alone.
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
struct cx_transfer_item;

/* `count` items of one length, so many bytes after each other in the device's buffer and in host memory. */
struct cx_rows {
    size_t count, stride, host_stride;
};

/* What a transport between members costs; only the order matters. */
enum {
    CX_PRICE_LEAST,
    CX_PRICE_SLOT,  /* what fits into one slot */
    CX_PRICE_PEER,  /* a copy that waits */
    CX_PRICE_SLOTS, /* through several slots */
};

struct cx_transport {
    const char *name;

    /* ---- between host memory and a member's own: by whoever pumps the worker, who holds no lock ---- */

    /* Whether it moves this item, the first of such rows: the first transport that does is taken. It may be
     * asked twice. NULL: it serves members only. */
    bool (*takes)(struct cx_worker *worker, const struct cx_transfer_item *item, const struct cx_rows *rows);
    /* Enqueues the rows on the worker's queue for transfers and does not wait for them. Gives their event
     * (`last`) and, where it `parts`, that of the first part (`first`); either may be NULL. */
    cl_int (*start)(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                    bool upload, cl_event *first, cl_event *last);
    bool parts; /* an item goes as several transfers */
    /* The same for one item by one call that returns when it is over. NULL: there is none. */
    cl_int (*block)(struct cx_worker *worker, const struct cx_transfer_item *item, bool upload);
    /* Whether starting so many bytes may take long: then no thread of the program's does it. Any thread.
     * NULL: never. */
    bool (*may_wait)(const struct cx_worker *worker, uint64_t bytes);
    /* Whether start() returns when so many bytes are over, or nearly. NULL: never. */
    bool (*paces)(uint64_t bytes);
    /* Under what it is counted (transfer_counts.h). */
    enum cx_route (*route)(const struct cx_transfer_item *item, const struct cx_rows *rows);
    /* The worker ends, nothing is in flight: gives back what it has for it. NULL: nothing. */
    void (*release)(struct cx_worker *worker);

    /* ---- between members' own memories: under context->lock ---- */

    /* The places, as bits, from which bytes of the root might come to `place`. NULL: it serves the host
     * only. */
    uint64_t (*near)(const struct cx_mem *root, unsigned place);
    bool yields; /* what is valid in the host copy as well comes from there instead */
    /* For so many bytes: the cheapest that can is taken, of equals the first. */
    unsigned (*price)(uint64_t bytes);
    /* Makes ready what such copies need. False: it cannot be had, and bytes come another way. NULL: nothing
     * is needed. */
    bool (*open)(struct cx_context *context, unsigned from, unsigned place);
    /* Plans jobs for those of `moves` that `from` holds, and notes in the map that `place` has the bytes. */
    cl_int (*plan)(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                   const struct cx_move *moves, size_t count);
    /* See cx_transports_hold, _let, _flush and _finish. NULL: nothing to do. */
    void (*hold)(struct cx_context *context);
    bool (*let)(struct cx_command *command);
    bool (*flush)(struct cx_command *command);
    void (*finish)(struct cx_context *context);
};

extern const struct cx_transport cx_transport_bounce, cx_transport_peer, cx_transport_image,
    cx_transport_ring, cx_transport_host;

enum { CX_TRANSPORTS_MOST = 8 /* of either kind */ };

/* One more, to be asked before those that are there. While no context exists. False: there is no room. */
bool cx_transport_register(const struct cx_transport *transport);

/* ---- between host memory and a member's own ---- */

/* Which one is to move the item, the first of such rows. By whoever pumps. */
const struct cx_transport *cx_transport_for(struct cx_worker *worker, const struct cx_transfer_item *item,
                                            const struct cx_rows *rows);
/* Whether one that may take so many bytes may wait. Any thread. */
bool cx_transports_may_wait(const struct cx_worker *worker, uint64_t bytes);
/* The worker ends. */
void cx_transports_release(struct cx_worker *worker);

/* ---- between members' own memories: under context->lock ---- */

/* The places, as bits, from which bytes of a root come to another one without the host. */
struct cx_near {
    uint64_t any, firm;              /* firm: by one that does not yield to the host copy */
    uint64_t by[CX_TRANSPORTS_MOST]; /* by each in the table */
};
void cx_transports_near(const struct cx_mem *root, unsigned place, struct cx_near *near);
/* Plans the moves that come so, and takes them out of the list. */
cl_int cx_transports_plan(struct cx_command *command, struct cx_mem *root, unsigned place,
                          struct cx_near *near, struct cx_move *moves, size_t *count);
/* Between these two second halves are kept back, and all first halves planned before them: members that
 * exchange bytes need not wait for each other in turn. Until then nothing may be planned that needs the
 * bytes, save after cx_transports_flush, which plans what was kept so far. False: no memory. */
void cx_transports_hold(struct cx_context *context);
bool cx_transports_let(struct cx_command *command);
bool cx_transports_flush(struct cx_command *command);
/* Gives back what they have of a context; nothing is in flight. No lock needed. */
void cx_transports_finish(struct cx_context *context);

/* ---- what single ones offer besides ---- */

/* Image objects move by the driver's own reads and writes of images, whatever the transport of buffers:
 * `offset` and `bytes` are of the linear layout (image.h); each run lies within a row, or is whole rows of
 * one slice, or whole slices. Several rows lie below each other in one slice. */
cl_int cx_image_upload(struct cx_worker *worker, const struct cx_image *image, cl_mem real, size_t offset,
                       const void *host, size_t bytes, const struct cx_rows *rows, cl_event *event);
cl_int cx_image_download(struct cx_worker *worker, const struct cx_image *image, cl_mem real, size_t offset,
                         void *host, size_t bytes, const struct cx_rows *rows, cl_event *event);
/* The host transport's download on a queue of the worker that the caller may use: any thread. */
cl_int cx_host_download_on(cl_command_queue queue, const struct cx_worker *worker,
                           const struct cx_transfer_item *item, const struct cx_rows *rows, cl_event *event);

#endif

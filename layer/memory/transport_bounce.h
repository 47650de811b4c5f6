/* SPDX-License-Identifier: MIT */
/*
 * Staging: from peer to peer (peer.h) through a slot of shared memory. The source's queue copies regions into
 * a slot on its device, the destination's queue fetches them from there by an object of its own over the same
 * memory. So it serves buffers of any size and kind, nothing waits on the host but the second half for the
 * first, and order is as with transfers through the host: each half is a job of its device's timeline, in
 * line with the kernels there, and what changes the source's bytes later need not wait for the destination.
 *
 * A move takes as many slots as it is long, and both halves of it overlap. A slot is used again once the job
 * that emptied it is over. What cannot be copied that way goes through the host, at once and then for good.
 *
 * A slot has COEXEC_STAGING kilobytes; 0: there are none. Thread-safety: context->lock. Previous stage:
 * transfer.c.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_BOUNCE_H
#define CX_LAYER_MEMORY_TRANSPORT_BOUNCE_H

#include "layer/memory/transfer.h"

struct cx_bounce_buffers;  /* of a context: one a member */
struct cx_bounce_slot_use; /* what a slot holds: its two jobs share it */

/* The places, as bits, from which bytes of the root might come to `place` that way. */
uint64_t cx_bounce_near(const struct cx_mem *root, unsigned place);
/* Bytes of a slot. */
size_t cx_bounce_slot(void);
/* Makes the slots where there are none yet. False: they cannot be had, and never will be. */
bool cx_bounce_open(struct cx_context *context, unsigned from, unsigned place);
/* Plans jobs for the runs among `moves` that `from` holds; cx_bounce_open was true. */
cl_int cx_bounce_copy(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                      const struct cx_move *moves, size_t count);
/* Between these two second halves are kept back, and all first halves planned before them: members that
 * exchange bytes need not wait for each other in turn. Until then nothing may be planned that needs the
 * bytes, save after cx_bounce_flush, which plans what was kept so far. False: no memory. */
void cx_bounce_defer(struct cx_context *context);
bool cx_bounce_plan_deferred(struct cx_command *command);
bool cx_bounce_flush(struct cx_command *command);
/* Nulls the pointer; accepts NULL. Any thread. */
void cx_bounce_slot_use_unref(struct cx_bounce_slot_use **slot_use);
/* Gives all slots back; nothing is in flight. */
void cx_bounce_buffers_finish(struct cx_context *context);

#endif

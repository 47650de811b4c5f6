/* SPDX-License-Identifier: MIT */
/*
 * Delivers callbacks of events while a worker's thread waits for another timeline. Previous stage: worker.h.
 * Next: worker_reap.h.
 */
#ifndef CX_LAYER_TIMELINE_WORKER_CALLBACKS_H
#define CX_LAYER_TIMELINE_WORKER_CALLBACKS_H

#include "layer/timeline/worker.h"

/* The worker's thread begins or ends a wait for another timeline. The caller holds no lock. Called by
 * worker.c. */
void cx_worker_held(struct cx_worker *worker, bool held);
/* The first command with callbacks on this timeline has changed. context->lock held. Called by
 * command_watch.c. */
void cx_worker_watched(struct cx_worker *worker) CX_HOLDS(cx_context_locked);

#endif

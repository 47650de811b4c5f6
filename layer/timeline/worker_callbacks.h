/* SPDX-License-Identifier: MIT */
/*
 * Callbacks while a worker's thread is held up by another timeline. See worker_callbacks.c. Previous stage:
 * worker.h. Next: worker_reap.h.
 */
#ifndef CX_LAYER_TIMELINE_WORKER_CALLBACKS_H
#define CX_LAYER_TIMELINE_WORKER_CALLBACKS_H

#include "layer/timeline/worker.h"

/* The worker's thread is about to wait for another timeline, or is done with that. Caller holds no lock. */
void cx_worker_held(struct cx_worker *worker, bool held);
/* There is another first command with callbacks on this timeline. context->lock held. */
void cx_worker_watched(struct cx_worker *worker);

#endif

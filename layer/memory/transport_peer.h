/* SPDX-License-Identifier: MIT */
/*
 * The peer transport copies regions directly from one device's memory to another's (peer.h). If a copy fails,
 * the pair is not used again, and the same bytes go through the host at once.
 *
 * It waits for its copies, so its jobs are never run by the program's thread (cx_job.waits). Previous stage:
 * transfer.c.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_PEER_H
#define CX_LAYER_MEMORY_TRANSPORT_PEER_H

#include "layer/memory/transfer.h"

/* Copies the whole list from its source's shadows to the worker's, and waits. Meanwhile nothing on either
 * device may write the source's bytes or access the destination's. Called by launch/split_peer.c in the
 * thread that pumps the worker. */
cl_int cx_peer_runs(const struct cx_transfer_list *transfers, struct cx_worker *worker);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The peer transport: regions go straight from one device's memory to another's (peer.h). Where that fails,
 * the pair is not used again and the same bytes go through the host at once: nothing is lost.
 *
 * It waits for its copies, so its jobs are never run by the program's thread (cx_job.waits). Previous stage:
 * transfer.c.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_PEER_H
#define CX_LAYER_MEMORY_TRANSPORT_PEER_H

#include "layer/memory/transfer.h"

/* Copies all runs from runs->source's shadows into the worker's and waits for them. Nothing on either device
 * may write the source's bytes or touch the destination's meanwhile. Called by whoever pumps the worker. */
cl_int cx_peer_runs(const struct cx_transfer_list *transfers, struct cx_worker *worker);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a split whose packages are cut while it runs, where they lie with peers (peer.h): each package
 * copies what it lacks from those who held it when the launch began, and the host's copy is left alone.
 *
 * For that, the members' jobs wait for all that was planned before them on the others, and what comes after
 * them there waits for these jobs. Launches that may be rescued do without: nobody may have to wait for a
 * late member. Previous stage: split_inside.h. Next: transport_peer.h.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_PEER_H
#define CX_LAYER_LAUNCH_SPLIT_PEER_H

#include "layer/launch/split_inside.h"

/* Has packages get what their places (as bits) lack of [lo, hi) from peers or the host, if every place can;
 * false: nothing is changed. i: twice the argument, and 1 more where it is for a write. context->lock held,
 * as in the next three.
 */
bool cx_split_peer_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo, uint64_t hi,
                         uint64_t places);
/* A part's job is about to be planned, and has been. Nothing to do where no argument is served so. */
void cx_split_peer_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job);
void cx_split_peer_planned(const struct split *split, const struct cx_worker *worker, uint64_t seq);
/* The runs that the member lacks, by where they come from: from peers into lane->copies, the others into
 * `moves`. False: no memory. */
bool cx_lane_list(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker, uint64_t lo,
                  uint64_t hi, struct cx_move **moves, size_t *count);
/* Copies what was listed, and waits for it; no lock held. What fails is not held to be valid. */
cl_int cx_lane_copy(struct lane *lane, struct cx_worker *worker);

#endif

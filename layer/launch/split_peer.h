/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a split whose packages are cut while it runs, and which peers hold (peer.h): each package copies
 * what it lacks from the members that held it when the launch began; the host copy is not used.
 *
 * For that, the members' jobs wait for everything that was planned on the others before, and later jobs there
 * wait for them. Launches whose packages may be re-executed do not do this, since no job may have to wait for
 * a straggler. Previous stage: split_inside.h. Next: transport_peer.h.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_PEER_H
#define CX_LAYER_LAUNCH_SPLIT_PEER_H

#include "layer/launch/split_inside.h"

/* Has packages copy what their places (as bits) lack of [lo, hi) from peers or the host, if every place can;
 * false: nothing has changed. i: twice the argument's index, plus 1 for a written one. context->lock held, as
 * for the next three. Called by split.c. */
bool cx_split_peer_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo, uint64_t hi,
                         uint64_t places);
/* Called before (order) and after (planned) a part's job is planned, to order it with the peers. Do nothing
 * if no argument is copied from peers. Called by split.c and split_member.c. */
void cx_split_peer_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job);
void cx_split_peer_planned(const struct split *split, const struct cx_worker *worker, uint64_t seq);
/* Lists the ranges that the member lacks: those to be copied from peers in lane->copies, the others in
 * `moves`. False: no memory. Called by split_upload.c. */
bool cx_lane_list(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker, uint64_t lo,
                  uint64_t hi, struct cx_move **moves, size_t *count);
/* Copies what was listed in lane->copies, and waits for it; no lock is held. Ranges whose copy fails do not
 * become valid. Called by split_package.c. */
cl_int cx_lane_copy(struct lane *lane, struct cx_worker *worker);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a split whose packages are cut while it runs, where they lie with members that own them: each
 * package gets what it lacks from there, by way of the host copy, and nothing else moves.
 *
 * Before the launch begins, downloads are planned of what each member is expected to lack: of the part of the
 * range in which it begins (ranges.h). A package from elsewhere that lacks what the host copy lacks, too,
 * fetches it itself before it starts: it waits for all that was planned on the owner before the launch, and
 * reads by a queue of the owner's own (cx_worker_peer_read_queue), so that the owner's packages go on
 * meanwhile. They do not write those bytes: what packages of a launch read of what others of them write is
 * brought in before (split.c). One package fetches at a time. A launch does not settle while one does.
 *
 * Previous stage: split.c, split_package.c. Next: split_upload.c. All under context->lock.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_FETCH_H
#define CX_LAYER_LAUNCH_SPLIT_FETCH_H

#include "layer/launch/split_inside.h"

/* Whether packages get the input from its owners; if so, they will. i: twice the argument, and 1 more where
 * it is for a write. places: of the members, as bits. */
bool cx_split_fetch_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t places);
/* Plans what members are expected to need of such inputs. */
cl_int cx_split_foresee(struct split *split);
/* Brings to the host copy what the lane's next package (lane->regions) lacks where it runs and the host copy
 * lacks, too. Gives up the lock meanwhile: afterwards the launch may be settled, and nothing is brought for
 * it any more. What fails fails the launch. */
void cx_lane_fetch(struct lane *lane, struct cx_worker *worker);

#endif

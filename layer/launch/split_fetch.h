/* SPDX-License-Identifier: MIT */
/*
 * Owner fetch: inputs of a split whose packages are cut while it runs, and which several members own. Each
 * package gets what it lacks from the owners through the host copy, and nothing else moves.
 *
 * Before the launch begins, downloads are planned of what each member is expected to lack: the inputs of its
 * partition of the range (ranges.h). A package outside its member's partition fetches what the host copy
 * lacks, too, before it starts: it waits for everything planned on the owner before the launch, and reads
 * through a separate queue of the owner (cx_worker_peer_read_queue), so that the owner's packages go on
 * meanwhile. These do not write those bytes: what some packages of the launch read and others write is moved
 * before (split.c). One package fetches at a time. A launch does not settle while one does.
 *
 * Previous stage: split.c, split_package.c. Next: split_upload.c. All under context->lock.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_FETCH_H
#define CX_LAYER_LAUNCH_SPLIT_FETCH_H

#include "layer/launch/split_inside.h"

/* Decides whether packages get this input by owner fetch; true: they will. i: twice the argument's index,
 * plus 1 for a written one. places: of the members, as bits. Called by split.c. */
bool cx_split_fetch_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t places);
/* Plans the downloads of what members are expected to need of such inputs. Called by split.c. */
cl_int cx_split_foresee(struct split *split);
/* Fetches into the host copy what the lane's next package (lane->regions) needs and neither its member nor
 * the host copy has. Releases the lock meanwhile: the launch may settle, after which nothing more is fetched.
 * A failure fails the launch. Called by split_package.c. */
void cx_lane_fetch(struct lane *lane, struct cx_worker *worker);

#endif

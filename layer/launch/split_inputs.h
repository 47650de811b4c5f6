/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a split whose packages are cut while it runs: what each package lacks at its member, and how it
 * gets it. One walk over the inputs lists what is lacking. An input has one of three sources, chosen before
 * the launch begins:
 *
 * - The host copy: uploads beside kernels (split_upload.c).
 * - Its owners, through the host copy (owner fetch). Before the launch begins, downloads are planned of what
 *   each member is expected to lack: the inputs of its partition of the range (ranges.h). A package outside
 *   its member's partition fetches what the host copy lacks, too, before it starts: it waits for everything
 *   planned on the owner before the launch, and reads through a separate queue of the owner
 *   (cx_worker_peer_read_queue), so that the owner's packages go on meanwhile. These do not write those
 *   bytes: what some packages of the launch read and others write is moved before (split.c). One package
 *   fetches at a time. A launch does not settle while one does. Afterwards it is uploaded like the others.
 * - The other members' memories, by the first transport of the table that copies at once (transport.h): each
 *   package copies what it lacks from the members that held it when the launch began; the host copy is not
 *   used. For that, the members' jobs wait for everything that was planned on the others before, and later
 *   jobs there wait for them. Launches whose packages may be re-executed do not do this, since no job may
 *   have to wait for a straggler.
 *
 * The list is one; the three start at different times on purpose, so that transfers overlap with kernels. A
 * fetch must be over before the upload that reads its bytes is listed, and runs without the lock. Copies at
 * once make the lane's thread wait, and uploads must not.
 *
 * Previous stage: split.c for the choice, split_package.c. Next: split_upload.c.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_INPUTS_H
#define CX_LAYER_LAUNCH_SPLIT_INPUTS_H

#include "layer/launch/split_inside.h"

/* Under context->lock. i: twice the argument's index, plus 1 for a written one. */

/* Has packages copy what their places (as bits) lack of [lo, hi) from other members or the host copy, if
 * every place can; false: nothing has changed. Called by split.c. */
bool cx_split_inputs_from_members(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo,
                                  uint64_t hi, uint64_t places) CX_HOLDS(cx_context_locked);
/* Decides whether packages get this input by owner fetch; true: they will. places: of the members, as bits.
 * Called by split.c. */
bool cx_split_inputs_from_owners(struct split *split, unsigned i, const struct cx_mem *root, uint64_t places);
/* Plans the downloads of what members are expected to need of the owners' inputs. Called by split.c. */
cl_int cx_split_inputs_foresee(struct split *split) CX_HOLDS(cx_context_locked);
/* Called before (order) and after (planned) a part's job is planned, to order it with the other members'. Do
 * nothing if no argument is copied from them. Called by split.c and split_member.c. */
void cx_split_inputs_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job);
void cx_split_inputs_planned(const struct split *split, const struct cx_worker *worker, uint64_t seq);
/* Whether a package fetches from owners now; the split must not settle. Called by split.c. */
bool cx_split_inputs_are_fetched(const struct split *split);
/* Frees the state; there may be none. Called by split.c. */
void cx_split_inputs_free(struct split *split);

/* Fetches into the host copy what the lane's next package (lane->regions) needs and neither its member nor
 * the host copy has. Releases the lock meanwhile: the launch may settle, after which nothing more is fetched.
 * A failure fails the launch. Called by split_package.c. */
void cx_split_inputs_fetch(struct lane *lane, struct cx_worker *worker);
/* Lists what the package reads (and may leave unwritten) that the member's own memory lacks: copies from
 * other members in lane->copies, uploads from the host copy in `transfers`. The map says from then on that
 * the member has it. False: no memory. Called by split_package.c. */
bool cx_split_inputs_list(struct lane *lane, const struct cx_worker *worker,
                          struct cx_transfer_list *transfers) CX_HOLDS(cx_context_locked);

/* Called by the lane's worker, which holds no lock. */

/* Makes the copies listed in lane->copies, and waits for them. Ranges whose copy fails do not become valid.
 * Called by split_package.c. */
cl_int cx_split_inputs_copy(struct lane *lane, struct cx_worker *worker);
/* Drops what was listed for a package that is never started. Called by split_member.c. */
void cx_split_inputs_abandon(struct lane *lane, const struct cx_worker *worker,
                             struct cx_transfer_list *transfers);

#endif

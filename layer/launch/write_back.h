/* SPDX-License-Identifier: MIT */
/*
 * Early write-back of a split whose packages are cut while it runs: as soon as a package has ended, its
 * results are transferred straight into the memory of a read that waits only for the launch, while the next
 * packages run on the device.
 *
 * If a read behind the launch waits already, it is promised the regions of packages that have ended and, when
 * the launch settles, of packages under way that are not the last of their device. The lane carries out a
 * promise when the package is over, through the queue for transfers beside kernels, and ends after the last
 * of these transfers. So the read and all later commands, which wait for the lane, have waited for them. The
 * read is planned for the rest. Each promise is a part of the read (cx_command.parts); if it fails, the read
 * fails.
 *
 * If packages may be re-executed (reexecute.h), only a package that has ended and counts is final. Only such
 * are promised; as the launch settles when all have ended, these include each member's last. A launch does
 * not leave a straggler behind before its write-backs are complete.
 *
 * If no read waits but one is expected (result_use.h), results go to the host copy until the launch settles;
 * then the map records them, and a read copies them from there. The same is done for a mapping that waits.
 * Only bytes that the launch certainly writes are written back, and only if the host copy's bytes are not in
 * use otherwise; bytes that it also reads only from packages that are over, since another member may have to
 * run an unfinished one from its start.
 *
 * Not done if it is not clear yet which bytes count or who holds them (merged, reduced or verified launches),
 * for members that work in place (nothing moves), for synchronous drivers (nothing would overlap), and for
 * too few bytes to be worth a transfer. Previous stage: split_member.c, split_package.c.
 */
#ifndef CX_LAYER_LAUNCH_WRITE_BACK_H
#define CX_LAYER_LAUNCH_WRITE_BACK_H

#include "layer/launch/split_inside.h"

/* Called under context->lock. */

/* Whether a split whose shares are known beforehand should run in slices. Called by start.c and
 * write_back.c. */
bool cx_write_back_wants(struct cx_launch *launch, const struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked);
/* Whether a read of what the launch writes is expected. Called by split.c. */
bool cx_write_back_expected(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* The split ends. Called by split.c. */
void cx_write_back_free(struct split *split);
/* Whether nothing is left but the last slice of each part's last package, or that package whole. Called by
 * split.c. */
bool cx_write_back_is_last(const struct split *split) CX_HOLDS(cx_context_locked);
/* How many slices the lane's next package should have (slices.h); its regions are listed. Called by
 * split_package.c. */
unsigned cx_write_back_slices(struct lane *lane, const struct cx_worker *worker, unsigned index)
    CX_HOLDS(cx_context_locked);
/* Finds out which arguments may be written back to the host copy. whole: the regions of the launch. Called
 * by split.c. */
void cx_write_back_begin(struct split *split, const struct cx_access_region *whole)
    CX_HOLDS(cx_context_locked);
/* Called when the launch settles: records in the map what has arrived in the host copy, or will, if `valid`.
 */
void cx_write_back_note(struct split *split, bool valid) CX_HOLDS(cx_context_locked);
/* Promises the results of the lane's packages, or slices, that are over, before the launch settles. Called
 * by split_package.c. */
void cx_write_back_promise(struct lane *lane) CX_HOLDS(cx_context_locked);
/* Called when the launch settles: promises the results under way, of each part all but the end of its last
 * package. */
void cx_write_back_settle(struct split *split) CX_HOLDS(cx_context_locked);
/* The lane's package, or a slice of it, has ended with this error: the lane takes over the promises whose
 * results are complete. Called by split_package.c. */
void cx_write_back_take(struct lane *lane, unsigned index, cl_int error) CX_HOLDS(cx_context_locked);
/* Whether all write-backs that the part's lane took are complete. Called by reexecute.c. */
bool cx_write_back_over(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked);
/* Called when the launch settles without waiting for the part, whose write-backs are complete: ends them. */
void cx_write_back_leave(struct split *split, unsigned part) CX_HOLDS(cx_context_locked);

/* Called by the lane's worker, which holds no lock. */

/* Starts the transfers taken, until the event is complete, since the device may then want its next package,
 * which the thread could not give it meanwhile; at least one, if the lane has two. NULL: just one. Takes
 * context->lock. Called by split_member.c and split_package.c. */
void cx_write_back_start(struct lane *lane, struct cx_worker *worker, cl_event until);
/* Called at the end of the lane: starts the remaining transfers and waits for all. Takes context->lock. */
void cx_write_back_end(struct lane *lane, struct cx_worker *worker);

#endif

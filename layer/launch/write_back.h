/* SPDX-License-Identifier: MIT */
/*
 * Results of a split whose packages are cut while it runs, on their way home before it is over: what a
 * package wrote goes straight into the memory of a read that waits for nothing but the launch, as soon as the
 * package has ended, beside those that follow on its device.
 *
 * Where a read behind the launch waits already, it is promised the regions of packages that have ended, and,
 * when the launch settles, of those under way that are not the last of their device. The lane keeps such a
 * promise when the package is over, by the queue for transfers beside kernels, and ends after the last of
 * these transfers. So whoever waits for the lane, as the read and all that comes behind it does, has waited
 * for them. The read is planned for the rest. To it each promise is a part (cx_command.parts), whose failure
 * is the read's.
 *
 * Where packages may be done again (reexecute.h) one that has ended and counts is final: only such are
 * promised, and as the launch settles when all have ended, that is also each member's last. A launch does not
 * leave a member behind before what that one sends is there.
 *
 * Where no read waits but one is expected (result_use.h) the results go to the host copy, until the launch
 * settles: then the map says so, and a read copies them from there. Likewise for a mapping that waits. Only
 * what the launch writes for certain; what it reads as well, of packages that are over, since others may have
 * to do one that is not from the start; and only where the host copy's bytes are not in use otherwise.
 *
 * Not where it is open which bytes count or who holds them (packages that are merged, private or verified),
 * not for members that work in place (nothing moves), nor for drivers that run commands in the calling thread
 * (nothing would be beside anything), nor for less than it takes to be worth a transfer. Previous stage:
 * split_member.c, split_package.c.
 */
#ifndef CX_LAYER_LAUNCH_WRITE_BACK_H
#define CX_LAYER_LAUNCH_WRITE_BACK_H

#include "layer/launch/split_inside.h"

/* Under context->lock. */

/* Whether a split whose shares are known beforehand should run in slices. */
bool cx_write_back_wants(struct cx_launch *launch, const struct cx_split_plan *plan);
/* Whether a read of what the launch writes is expected. */
bool cx_write_back_expected(const struct cx_launch *launch);
/* The split ends. */
void cx_write_back_free(struct split *split);
/* Whether nothing is left but the last slice of each part's last package, or that package whole. */
bool cx_write_back_is_last(const struct split *split);
/* How many slices the lane's next package, with its regions listed, should have (slices.h). */
unsigned cx_write_back_slices(struct lane *lane, const struct cx_worker *worker, unsigned index);
/* Finds out what may come to the host copy; `whole`: what the launch touches. */
void cx_write_back_begin(struct split *split, const struct cx_access_region *whole);
/* The launch settles, owners are known: the host copy has what came there, or is going to, if `valid`. */
void cx_write_back_note(struct split *split, bool valid);
/* Promises what the lane's packages, or slices of these, wrote that are over, before the launch settles. */
void cx_write_back_promise(struct lane *lane);
/* The launch settles: promises what is under way, of each part all but the end of its last package. */
void cx_write_back_settle(struct split *split);
/* The lane's package has ended, with this error, or a slice of it; what was promised of what is over is the
 * lane's to do now. */
void cx_write_back_take(struct lane *lane, unsigned index, cl_int error);
/* Whether all that the part's lane took is there. */
bool cx_write_back_over(const struct split *split, unsigned part);
/* The launch settles without waiting for the part, and all that it took is there: ends it. */
void cx_write_back_leave(struct split *split, unsigned part);

/* By the lane's worker, which holds no lock. */

/* Starts transfers taken, until that event is over, as the device may then want its next package, which they
 * can keep the thread from giving it: one at least where it has two. NULL: just one. Takes context->lock. */
void cx_write_back_start(struct lane *lane, struct cx_worker *worker, cl_event until);
/* The lane is over: starts what is left and waits for all. Takes context->lock. */
void cx_write_back_end(struct lane *lane, struct cx_worker *worker);

#endif

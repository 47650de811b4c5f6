/* SPDX-License-Identifier: MIT */
/*
 * What launches forgo that stay whole since a split would have to move their data first.
 *
 * Admission holds a split's moves against the gain of that one launch. Where they need be made but once, as
 * in a stencil whose plates lie on one device, no launch alone pays for them, and all stay whole for ever.
 * This is the ski-rental problem. So from the first such launch on a second program is imagined beside the
 * real one, in which each launch has been split that gains by it once its data is in place. It pays for moves
 * as well: of each buffer it is known in which way it would be valid there. `ahead` is what it has gained
 * since, less what it moved. When that is not negative, the real program has forgone as much as the moves
 * cost, and launches split from then on whatever they have to move. A program that ends just then has taken
 * less than twice its time.
 *
 * The imagined program pays for moves as often as they recur, and so never gets ahead where that is too
 * often: buffers that every package reads whole and each launch writes, or a kernel that cannot be split
 * among others that can. What it does not know of, such as borders, feedback.h measures once launches are
 * split. Where what was moved is of no use any more before it has paid, the next move has to be paid for four
 * times, and so on.
 *
 * One for a whole context, since kernels share buffers. Seconds everywhere. Thread-safety: none, the caller
 * serialises. Previous stage: admission.h.
 */
#ifndef CX_SCHEDULER_MIGRATION_H
#define CX_SCHEDULER_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

/* In which ways a buffer is valid, or needed: as bits. */
enum {
    CX_VALID_WHOLE = 1, /* whole where whole launches run */
    CX_VALID_PARTS = 2, /* each device has what its part of a split launch reads */
    CX_VALID_ALL = 4    /* whole on each of them, which includes the others */
};

/* Of one buffer. Zeroed: not met. */
struct cx_migration_buffer {
    uint32_t run; /* of the imagined program, when it was met last */
    uint8_t valid;
    bool paid; /* it was moved in this run */
};

/* Zeroed: nothing is imagined. */
struct cx_migration {
    uint32_t run;    /* counts imagined programs; 0: none yet */
    bool active;     /* one is under way */
    bool moved;      /* it has been ahead: launches split */
    double ahead;    /* by how much it is */
    double once;     /* of its moves, those that were a buffer's first */
    double owed;     /* of real moves, what splits have not gained since */
    unsigned failed; /* moves in a row that did not pay */
};

/* A launch stays whole for the moves' sake: from now on a program is imagined. Called by
 * plan/plan_share.c. */
void cx_migration_begin(struct cx_migration *migration);
/* None is imagined any more: splits do not pay. Whether what was moved did is counted. Called by
 * plan/plan_share.c. */
void cx_migration_end(struct cx_migration *migration);

/* While one is under way, for each launch: the buffers that it would read, then those that it would write,
 * then the launch itself. */

/* Whether the buffer was met, so that it is known in which ways it would be valid. If not, the caller tells
 * in which ways it is. Called by plan/migration_credit.c. */
bool cx_migration_met(const struct cx_migration *migration, const struct cx_migration_buffer *buffer);
void cx_migration_meet(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                       uint8_t valid);
/* The launch reads it and needs it valid in that way (one bit), which would take so many seconds otherwise.
 * Called by plan/migration_credit.c.
 */
void cx_migration_reads(struct cx_migration *migration, struct cx_migration_buffer *buffer, uint8_t needs,
                        double seconds);
/* It writes it, which leaves it valid in that way alone. Called by plan/migration_credit.c. */
void cx_migration_writes(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                         uint8_t valid);
/* The launch would gain so much by a split (0: it stays whole in either program). Gives whether it should be
 * split, whatever it has to move. Called by plan/migration_credit.c. */
bool cx_migration_launch(struct cx_migration *migration, double gain);
/* It is split in truth, and moves that much before. Called by plan/plan_share.c. */
void cx_migration_split(struct cx_migration *migration, double gain, double moves);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Migration credit: the time that launches would have saved by splits, had their data been in place. It pays
 * for moving the data.
 *
 * Admission compares a split's moves with the gain of that one launch. If data needs to be moved only once,
 * as for a stencil whose buffers lie on one device, no single launch pays for the move, and all stay whole
 * for ever. This is the ski-rental problem. So from the first such launch on, a what-if program is simulated
 * beside the real one, in which each launch is split that gains once its data is in place. The what-if
 * program pays for its moves, too: for each buffer it is known where it would be valid. `ahead` is what the
 * what-if program has gained, less what it moved. Once that is not negative, the real program has missed as
 * much as the moves cost, and launches are split from then on, whatever they have to move. A program that
 * ends just then has taken less than twice its time.
 *
 * The what-if program pays for moves as often as they recur. It never gets ahead if that is too often:
 * buffers that every package reads whole and each launch writes, or a kernel that cannot be split among
 * others that can. Costs that it does not know, such as borders, are measured by feedback.h once launches are
 * split. If moved data becomes useless before the move has paid, the next move needs four times the credit,
 * and so on.
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
    uint32_t run; /* number of the what-if program that used it last */
    uint8_t valid;
    bool paid; /* it was moved in this run */
};

/* Zeroed: no what-if program. */
struct cx_migration {
    uint32_t run;    /* counts what-if programs; 0: none yet */
    bool active;     /* one is under way */
    bool moved;      /* it has been ahead: launches split */
    double ahead;    /* by how much it is */
    double once;     /* of its moves, those that were a buffer's first */
    double owed;     /* of real moves, what splits have not gained since */
    unsigned failed; /* moves in a row that did not pay */
};

/* A launch stays whole because of moves: starts a what-if program. Called by plan/plan_share.c. */
void cx_migration_begin(struct cx_migration *migration);
/* Ends the what-if program, as splits do not pay. Counts whether moves made for it have paid. Called by
 * plan/plan_share.c. */
void cx_migration_end(struct cx_migration *migration);

/* While one is under way, for each launch: the buffers that it would read, then those that it would write,
 * then the launch itself. */

/* Whether the what-if program has used the buffer, so that its validity there is known. If not, the caller
 * calls cx_migration_meet with the buffer's present validity. Called by plan/migration_credit.c. */
bool cx_migration_met(const struct cx_migration *migration, const struct cx_migration_buffer *buffer);
void cx_migration_meet(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                       uint8_t valid);
/* The launch reads the buffer and needs it valid in that way (one bit); a move would take that many seconds.
 * Called by plan/migration_credit.c. */
void cx_migration_reads(struct cx_migration *migration, struct cx_migration_buffer *buffer, uint8_t needs,
                        double seconds);
/* The launch writes the buffer, which leaves it valid in that way alone. Called by plan/migration_credit.c.
 */
void cx_migration_writes(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                         uint8_t valid);
/* Counts the launch, which would gain that much by a split (0: it stays whole in both programs). Returns
 * whether it should be split, whatever it has to move. Called by plan/migration_credit.c. */
bool cx_migration_launch(struct cx_migration *migration, double gain);
/* The launch is really split, and moves that much first. Called by plan/plan_share.c. */
void cx_migration_split(struct cx_migration *migration, double gain, double moves);

#endif

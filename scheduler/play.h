/* SPDX-License-Identifier: MIT */
/*
 * A whole program on two modelled devices, step by step in virtual time: what the decisions of budget.h and
 * admission.h make of it, beside the first device alone. Steps follow one another as in an in-order queue;
 * they depend on one another by their buffers, and these lie on the first device, in parts or everywhere.
 * The second device is not open at first. Launches are whole or split; slices of unknown ones are not
 * modelled. Thread-safety: none needed; nothing is shared between plays.
 * Previous stage: budget.h. Next: coexec simulate --programs.
 */
#ifndef CX_SCHEDULER_PLAY_H
#define CX_SCHEDULER_PLAY_H

#include "scheduler/budget.h"

enum { CX_PLAY_BUFFERS = 32, CX_PLAY_KERNELS = 64 };

/* Seconds, save where something else is said. */
struct cx_play_costs {
    double speed;  /* of the second device over the first one's, as told */
    double open;   /* of the second device, beside the program */
    double suffer; /* part of that by which launches meanwhile take longer */
    double first;  /* a kernel's first use there */
    double launch; /* of a package on each device */
    double link;   /* bytes a second between the devices, and from the host */
    double off;    /* times that true costs are as high as the estimates say at first */
    double bound;  /* times that bounds are as high as estimates */
};
extern const struct cx_play_costs cx_play_defaults;

struct cx_play_buffer {
    double bytes;
    uint8_t valid, imagined; /* CX_VALID_* of migration.h; the latter as if all launches had been split */
    unsigned writer;         /* the kernel that wrote it last */
};

struct cx_play_kernel {
    double speed; /* of the second device over the first one's, in truth */
    bool merges;  /* what it writes is not known: copies and merges of whole buffers */
    /* What was learned. */
    bool measured, used; /* on the first device; on the second one */
    double back;         /* what its results cost later launches, after a split of it */
    double foreseen;     /* of that, what the bound of its newest split counted */
    double held;         /* of that, what stays reserved until its results came back */
    struct cx_budget_record record;
};

enum cx_play_kind {
    CX_PLAY_LAUNCH,
    CX_PLAY_UPLOAD, /* the host writes a buffer */
    CX_PLAY_READ,   /* the host reads one and waits for it */
    CX_PLAY_HOST    /* the host computes, and the devices wait */
};

struct cx_play_step {
    enum cx_play_kind kind;
    unsigned which;                    /* kernel or buffer */
    double amount;                     /* launch, host: seconds, on the first device; else: bytes */
    uint32_t reads, reads_all, writes; /* buffers, as bits; reads_all: by every package */
};

struct cx_play_result {
    double alone, seconds; /* of the program: on the first device, and with the decisions */
    double busy;           /* the first device's */
    double lost, gained;   /* by launches, against the first device alone: sums of either */
    double beyond;         /* of what was lost, that which bounds did not say */
    double opened;         /* when opening the second device began; negative: never */
    unsigned launches, splits, trials;
};

struct cx_play {
    struct cx_play_costs costs;
    struct cx_play_buffer buffer[CX_PLAY_BUFFERS];
    struct cx_play_kernel kernel[CX_PLAY_KERNELS];
    struct cx_budget budget;
    struct cx_play_result result;
    double promised; /* seconds that launches so far would have gained on two devices */
};

/* With these costs; NULL: the defaults. Buffers' bytes and kernels' speed (0: as told) and merges are the
 * caller's to fill in. Called by tools/coexec_simulate_programs.c. */
void cx_play_init(struct cx_play *play, const struct cx_play_costs *costs);
void cx_play_step(struct cx_play *play, const struct cx_play_step *step);

#endif

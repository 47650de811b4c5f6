/* SPDX-License-Identifier: MIT */
/*
 * The experiments of "Marrow", section 4.2.2, on modelled devices: images of sizes never seen, each shared
 * out by what was learned of those before it (Table 5, Figures 9 and 10), and a CPU that gets slower in the
 * middle of a program (Figure 11). The printed shares stand for the devices' true speeds. Deterministic.
 * Thread-safety: none needed; nothing is shared between calls. Previous stage: simulate.h. Next: coexec
 * simulate --paper marrow.
 */
#ifndef CX_SCHEDULER_MARROW_PAPER_H
#define CX_SCHEDULER_MARROW_PAPER_H

#include "scheduler/simulate.h"

/* As printed. Shares are the GPU's part of the work, in per cent. */
struct cx_marrow_image {
    unsigned width, height;
    double share, seconds; /* by the search for a profile */
    double derived;        /* 0: of the first one there is none, nor what follows */
    unsigned unbalanced, operations;
    double persisted, persisted_seconds;
};
enum { CX_MARROW_IMAGES = 8 };
extern const struct cx_marrow_image cx_marrow_images[CX_MARROW_IMAGES];

/* The paper applies three images once more at the end. */
enum { CX_MARROW_APPLIED = CX_MARROW_IMAGES + 2 };
struct cx_marrow_applied {
    unsigned image;
    double derived;                  /* the share, in per cent */
    unsigned unbalanced, operations; /* of 100 runs */
    double persisted;                /* the share after them */
    double derived_time,
        time; /* of the first run and the mean of the last fifty, over those with the true share */
};
/* Images 1 to 7, then 5, 2 and 1 again. False: memory is short. Called by tools/coexec_simulate_marrow.c. */
bool cx_marrow_apply(struct cx_marrow_applied applied[CX_MARROW_APPLIED]);

/* FFT of 128 MB: runs before the CPU gets slower, with it slower, and with it as fast as before. */
enum { CX_MARROW_BEFORE = 10, CX_MARROW_LOADED = 30, CX_MARROW_BEHIND = 30 };
enum { CX_MARROW_FLUCTUATES = CX_MARROW_BEFORE + CX_MARROW_LOADED + CX_MARROW_BEHIND };
struct cx_marrow_fluctuation {
    double share[CX_MARROW_FLUCTUATES]; /* the GPUs' part of the work, in per cent */
    double time[CX_MARROW_FLUCTUATES];  /* over that of the run's true share */
    double ideal[3];                    /* true shares: before, loaded, behind */
};
/* factor: times slower. False: memory is short. Called by tools/coexec_simulate_marrow.c. */
bool cx_marrow_fluctuate(const struct cx_policy *policy, double factor, struct cx_marrow_fluctuation *result);

#endif

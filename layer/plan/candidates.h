/* SPDX-License-Identifier: MIT */
/*
 * The members that could share a launch, as the scheduler wants to know them: what their parts would cost,
 * and what would have to move. Under context->lock. Previous stage: plan.c. Next: plan_share.c.
 */
#ifndef CX_LAYER_PLAN_CANDIDATES_H
#define CX_LAYER_PLAN_CANDIDATES_H

#include "layer/plan/plan.h"

/* Regions of few arguments, which need no memory of their own. */
enum { CX_CANDIDATES_FEW = 4 };

/* What results cost to fetch is left out: they stay where they are until somebody reads them, perhaps there.
 * Bytes to bring to each place: for the whole of inputs that every package reads whole, and the share of the
 * others. */
struct cx_lacking {
    uint64_t fixed[64], shared[64];
};

/* The members of one decision, and one place more for the balancer's probe. */
struct cx_candidates {
    struct cx_admission_device device[64];
    struct cx_admission_member member[64];
    struct cx_admission_device placed[64]; /* the same without moves */
    struct cx_admission_member imagined[64];
    struct cx_access_region few[2 * CX_CANDIDATES_FEW];
    struct cx_access_region *whole; /* of the launch, then of one package, by argument; NULL: no memory */
    double astray_seconds; /* to move what a group reads from the device that computed it; 0: to stay there */
    double owned[64];      /* of such inputs, bytes that each device has */
    double moved;          /* seconds of moves that launches to come pay for */
    double speed[64];      /* what the balancer may take it to be, work-groups/s; 0: unknown */
    struct cx_balancer_device share[65];
    const struct cx_speed_record *probe_record;
    double part[64]; /* scratch: of transfer_cost, moves_of, cut_parts */
    /* transfer_cost's own */
    double fixed[64], shared[64]; /* seconds */
    uint64_t astray[64];
    struct cx_lacking lacking;
};

/* Fills in `device`, `member`, `placed`, and what it takes to move; the rest is for whoever decides. *all may
 * hold anything. whole, where it is not `few`, is the caller's to free. */
void cx_candidates_describe(const struct cx_launch *launch, const struct cx_split_plan *plan,
                            struct cx_kernel_history *history, struct cx_candidates *all);
/* Of the groups what each of n devices is expected to get, by speeds: its part of all. */
void cx_candidates_expect(const struct cx_admission_device *device, unsigned n, double *part);

#endif

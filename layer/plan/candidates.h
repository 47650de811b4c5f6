/* SPDX-License-Identifier: MIT */
/*
 * Describes to the scheduler the members that could share a launch: the costs of their parts, and of moves.
 * Called under context->lock. Previous stage: plan.c. Next: plan_share.c.
 */
#ifndef CX_LAYER_PLAN_CANDIDATES_H
#define CX_LAYER_PLAN_CANDIDATES_H

#include "layer/plan/plan.h"

/* Regions of few arguments, which need no memory of their own. */
enum { CX_CANDIDATES_FEW = 4 };

/* Bytes to be moved to each place: all of inputs that every package reads whole, and the share of the others.
 * Moves of results are not counted: they stay where they are until something reads them, perhaps there. */
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
    double astray_seconds; /* seconds to move a group's inputs from the device that computed them; 0: nothing
                              moves */
    double owned[64];      /* bytes of such inputs that each device has */
    double tied;           /* ... and that there are */
    double moved;          /* seconds of moves that pay for later launches */
    double moves_gain;     /* ... and what the launch gains with its data in place */
    bool kept;             /* split feedback counted the launch as kept whole, though only moves keep it so */
    double speed[64];      /* speed for the balancer, work-groups/s; 0: unknown */
    struct cx_balancer_device share[65];
    const struct cx_speed_record *probe_record;
    double part[64]; /* scratch: of transfer_cost, moves_of, cut_parts, plan_stake.c */
    /* transfer_cost's own */
    double fixed[64], shared[64]; /* seconds */
    double astray[64];
    struct cx_lacking lacking;
};

/* Fills in `device`, `member`, `placed`, and the costs of moves; plan_share.c uses the other fields. *all may
 * be uninitialised. The caller frees `whole` if it is not `few`. Called by plan_share.c. */
void cx_candidates_describe(const struct cx_launch *launch, const struct cx_split_plan *plan,
                            struct cx_kernel_history *history, struct cx_candidates *all)
    CX_HOLDS(cx_context_locked);
/* The part of all groups that each of n devices is expected to get, by their speeds. Called by
 * plan_share.c. */
void cx_candidates_expect(const struct cx_admission_device *device, unsigned n, double *part);

#endif

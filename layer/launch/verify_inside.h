/* SPDX-License-Identifier: MIT */
/*
 * The state of a verification: copies of a launch's buffers, on which it runs once more. Shared by verify.c
 * (what is verified, and the comparison), verify_clone.c (the buffers on the member) and verify_replay.c
 * (launches whose work-groups may run in several orders by right).
 */
#ifndef CX_LAYER_LAUNCH_VERIFY_INSIDE_H
#define CX_LAYER_LAUNCH_VERIFY_INSIDE_H

#include "layer/launch/verify.h"
#include "layer/launch/verify_compare.h"
#include "layer/plan/plan.h"

/* One buffer of the launch: the bytes that its arguments see. */
struct cx_verify_copy {
    struct cx_mem *root; /* alive with the arguments */
    uint64_t lo, hi;
    bool compared, raced;
    uint64_t race;         /* the first byte of the root that two devices gave unlike values */
    unsigned char *before; /* replayed: what was there before the launch; else NULL */
    unsigned char *whole;  /* what the other run left; NULL: not compared */
    unsigned char *again;  /* replayed: what the second such run left */
    cl_mem clone;          /* while it runs */
    unsigned char
        *memory; /* the clone's, of shared virtual memory on a member that works in place; or NULL */
};

struct cx_verify {
    unsigned member;
    uint64_t seq;          /* of the other run's job, on that member's timeline */
    cl_int error;          /* of that run */
    const char *failed;    /* what did not work of it; NULL: it is done */
    enum cx_compare_by by; /* for arguments that are no sums */
    unsigned ncopies, nargs;
    struct cx_verify_copy *copy;
    unsigned *copy_of;              /* one an argument; ncopies: it has none */
    bool *sums;                     /* one an argument: floats added up in any order */
    struct cx_verify_order *replay; /* verify_replay.c; NULL: the other run is a whole one */
};

/* Remembers what went wrong first. False: something has. Called by the member's or the host's worker. */
bool cx_verify_went(struct cx_verify *verify, cl_int error, const char *what);
/* A job's skip: what it was to do is not done. Called by verify_replay.c. */
void cx_verify_skip(struct cx_job *job, struct cx_worker *worker);
/* Waits for a kernel, releases its event, and gives what it ended with. Called by verify_replay.c. */
cl_int cx_verify_await(struct cx_worker *worker, cl_event event);

/* ---- verify_clone.c: in the member's worker; each waits for what it does ---- */

/* Makes the clones, with what was there before. False: it failed. Called by verify.c and verify_replay.c. */
bool cx_verify_clones_make(struct cx_verify *verify, struct cx_worker *worker);
/* Reads those that are compared, into `again` or `whole`, unless something failed, and releases all. Called
 * by verify.c and verify_replay.c. */
void cx_verify_clones_end(struct cx_verify *verify, struct cx_worker *worker, bool again);
/* What stands in for a memory object of the launch: its clone, or *window, made on it, which the caller
 * releases, newest first (memory/subbuffer_order.h). Called by verify.c and verify_replay.c. */
cl_mem cx_verify_stand_in(const struct cx_verify *verify, unsigned arg, const struct cx_mem *mem,
                          const struct cx_worker *worker, cl_mem *window, cl_int *error);

/* ---- verify_replay.c ---- */

/* Memory for it, for cx_verify_begin; false: there is none. Called by verify.c. */
bool cx_verify_replay_new(struct cx_verify *verify, const struct cx_split_plan *plan);
/* The host's job before the launch: keeps what is there. Called by verify.c. */
cl_int cx_verify_replay_keep(struct cx_job *job, struct cx_worker *worker);
/* For cx_verify_end: queues the replay, verify->seq. Called by verify.c. */
cl_int cx_verify_replay_run(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Whether two replays left other bytes of the argument, so that chance decides. Called by verify.c. */
bool cx_verify_replay_varies(const struct cx_launch *launch, unsigned arg);
void cx_verify_replay_free(struct cx_verify *verify); /* Called by verify.c. */

#endif

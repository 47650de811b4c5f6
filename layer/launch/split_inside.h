/* SPDX-License-Identifier: MIT */
/*
 * The state of a split whose packages are cut while it runs. Shared by split.c (beginning and end),
 * split_member.c (the loop of each member's worker), split_package.c, split_inputs.c and
 * split_upload.c.
 */
#ifndef CX_LAYER_LAUNCH_SPLIT_INSIDE_H
#define CX_LAYER_LAUNCH_SPLIT_INSIDE_H

#include "layer/plan/slices.h"
#include "layer/launch/merge.h"
#include "layer/memory/transfer.h"
#include "layer/plan/plan.h"
#include "layer/launch/private_copies.h"
#include "layer/launch/speculation.h"
#include "scheduler/ranges.h"

enum { CX_IN_FLIGHT = 2 };

struct package {
    unsigned part;
    struct cx_range range;
    /* re-executes what another part holds (reexecute.h), and does not count yet */
    bool copy CX_GUARDED_BY(cx_context_locked);
    bool reexecuted CX_GUARDED_BY(cx_context_locked); /* others re-execute it */
    bool over CX_GUARDED_BY(cx_context_locked);       /* its device has ended it */
    bool dropped CX_GUARDED_BY(cx_context_locked);    /* its results do not count */
    uint64_t serial;                                  /* copy, reexecuted: identifies the re-execution */
    uint64_t asked_ns;                                /* when it was assigned */
    uint64_t start_ns;                                /* the same; once over, when it began */
    uint64_t end_ns, busy_ns, noticed_ns;             /* once over */
    enum cx_part_note note;                           /* why it is as long as it is */
    unsigned slices;                                  /* kernels that it is run as (slices.h) */
    uint64_t done;                                    /* up to which step these are over */
    uint64_t sent;                     /* up to which step results are promised to reads (write_back.h) */
    struct cx_write_back *write_backs; /* these promises, until the lane takes them */
};

/*
 * What becomes of one participant, by its newest job:
 *
 *                                 ┌──its driver fails──> FAILED
 *   WAITING ──its job begins──> WORKING ──nothing is left──> DONE
 *      ^                          │                           │
 *      ├──goes on in a new job────┘                           │
 *      └──gets a new job, as another one failed───────────────┘
 *
 * WAITING -> FAILED: its job may not run, as what it would read is wrong.
 * When the launch settles without waiting for its job (reexecute.h): WAITING, WORKING -> LEFT; FAILED ->
 * LOST. LEFT -> LOST: its driver fails then. The probe, which gets its package from the start, ends as
 * WORKING.
 */
enum split_participant_state {
    SPLIT_PARTICIPANT_WAITING, /* its job has yet to begin */
    SPLIT_PARTICIPANT_WORKING, /* its job looks for packages, or runs some */
    SPLIT_PARTICIPANT_DONE,    /* its job is over, or about to be; another one may be planned */
    SPLIT_PARTICIPANT_FAILED,  /* it gets nothing any more: others do what it held */
    SPLIT_PARTICIPANT_LEFT,    /* the launch is over without its job, which ends some time */
    SPLIT_PARTICIPANT_LOST,    /* LEFT and FAILED */
};

/* A member in one launch. Index: part of the launch (cx_launch.parts). */
struct split_participant {
    enum split_participant_state state CX_GUARDED_BY(cx_context_locked);
    uint64_t seq; /* its newest job */
    /* ... and how many had been planned anew by then: 0 for the first ones */
    unsigned round CX_GUARDED_BY(cx_context_locked);
    /* the command's frontier on its timeline but for that job */
    uint64_t before CX_GUARDED_BY(cx_context_locked);
    /* that its speed in this launch was learned from; 0: not learned */
    double learned_seconds CX_GUARDED_BY(cx_context_locked);
    /* taken by its lane and not over yet (write_back.h) */
    struct cx_write_back *write_backs CX_GUARDED_BY(cx_context_locked);
    /* reexecute.h: */
    bool reexecutes; /* it may re-execute what others hold, and others what it holds */
    /* LEFT or LOST, and still works on what others have done: its device is a straggler */
    bool straggles CX_GUARDED_BY(cx_context_locked);
    /* it starts transfers that `upload` does not cover yet */
    bool uploading CX_GUARDED_BY(cx_context_locked);
    cl_event upload CX_GUARDED_BY(cx_context_locked); /* its last transfer, a reference, or NULL */
};

/*
 * What becomes of the launch:
 *
 *   PLANNED ──the first job begins──> OPEN ──all is assigned and started, or done──> SETTLED
 *      │                              │ └──all drivers refuse their first package──> REFUSED
 *      └──────────────────────────────┴──fails──> FAILED ──nothing is being started──> CLOSED
 *
 * SETTLED and CLOSED: owners are known, or no longer needed. A failure after SETTLED makes it CLOSED.
 * REFUSED: nothing was done (take.h says why); once the parts' jobs are over the launch runs whole.
 */
enum split_state { SPLIT_PLANNED, SPLIT_OPEN, SPLIT_REFUSED, SPLIT_FAILED, SPLIT_SETTLED, SPLIT_CLOSED };

struct split_inputs;     /* of split_inputs.c; NULL: packages get everything from the host copy */
struct split_write_back; /* of write_back.c; NULL: nothing is written back to the host copy before it settles
                          */

/* Packages assigned so far: the owners of what they write, unless dropped. */
struct split_packages {
    struct package *list;
    unsigned n, room;
};

/* What is under way, as counts. */
struct split_jobs {
    unsigned left;    /* jobs not finished */
    unsigned rounds;  /* jobs planned anew */
    unsigned issuing; /* packages assigned but not started */
    bool accepted;    /* a driver has accepted a package, or a slice of one */
};

/* How it settles, decided when it is planned; constant. */
struct split_rules {
    bool lingers;    /* only when no more is left than the last slice of each part's last package */
    bool reexecutes; /* packages may be re-executed: only when all groups are done */
    bool alike;      /* all parts' members are of one kind */
};

/* Decided as it opens. */
struct split_opening {
    bool entire; /* the process was ending: one part does everything left, without compiling */
    bool counts; /* the end of the process waits until all packages are started (exit_guard.h) */
};

/* What is left to be done once all is started; each NULL where nothing is. */
struct split_ends {
    struct cx_merge *merge CX_GUARDED_BY(cx_context_locked);           /* writes to be merged */
    struct cx_private_copies *copies CX_GUARDED_BY(cx_context_locked); /* ... combined */
    struct cx_speculation *speculation; /* ... checked (speculation.h); set before the first job is queued */
    struct cx_job *remote CX_GUARDED_BY(cx_context_locked); /* a job to be planned (remote_access.h) */
};

/* Where its first jobs stand; constant. */
struct split_origin {
    unsigned epoch;     /* the context's when they were planned */
    uint64_t since[64]; /* each timeline's last job before them */
};

/* One launch under way; context->lock guards it. Freed by the last job. */
struct split {
    enum split_state state CX_GUARDED_BY(cx_context_locked);
    struct cx_launch *launch;
    struct cx_split_plan plan;
    unsigned nparts; /* members that share, and the probed one */
    uint64_t start_ns;
    struct cx_ranges ranges; /* steps not assigned */
    struct split_packages packages CX_GUARDED_BY(cx_context_locked);
    struct split_jobs jobs CX_GUARDED_BY(cx_context_locked);
    struct split_rules rules;
    struct split_opening opening CX_GUARDED_BY(cx_context_locked);
    bool has_learned CX_GUARDED_BY(cx_context_locked); /* cx_split_learn: done */
    struct split_ends ends;
    struct split_origin origin;
    struct split_write_back *write_back;
    struct split_inputs *inputs;
    pthread_cond_t changed;
    struct split_participant participant[]; /* nparts */
};

struct flight {
    cl_event event;
    cl_event slice[CX_MOST_SLICES - 1]; /* of the kernels before that */
    unsigned nslices;                   /* of these that are not over; 0: it is one kernel */
    cl_int failed;                      /* one of those that are over */
    bool begun;                         /* refused, after a part of it had been accepted */
    bool sliced;                        /* it was several kernels */
    uint64_t first_ns, before_ns;       /* of those that are over: the first one's start, the latest end */
    cl_event upload;                    /* of the last transfer into the device before it, or NULL */
    struct cx_transfer_list transfers;  /* those transfers */
    unsigned package;                   /* which */
    uint64_t groups;
    uint64_t started_ns;
};

/* The state of one member's job between packages (a device loop). */
struct lane {
    struct split *split;
    unsigned part;
    unsigned round; /* of its job, as the split's */
    struct flight flight[CX_IN_FLIGHT];
    cl_event first_upload; /* until the queue for transfers beside kernels waits for it, then NULL */
    bool aside;            /* uploads go to that queue */
    bool two;              /* every other package goes to the worker's second queue */
    cl_event last_upload;  /* packages wait for it, and so for all before it; NULL: all are over */
    unsigned nflight;
    unsigned started; /* packages */
    unsigned kernels; /* started */
    unsigned slices;  /* of the next package */
    bool first;       /* its newest package that is over was the first of its form there (launch_form.h) */
    uint64_t last_start_ns, last_end_ns, last_groups; /* of the package that was over last */
    struct cx_access_region *regions;
    struct cx_transfer_list
        *copies; /* one a member, from other members, for the next package (split_inputs.h) */
    double
        ask_next; /* when to ask for another package beside the one in flight, on the split's clock; 0: not */
    unsigned nwrite_backs; /* of the split's for this part: not started yet */
    bool drained;          /* nothing from before the launch is in the device's queue */
};

/* All under context->lock. */

/* Drops the reference that a job holds; the last one frees the split. Called by split_member.c. */
void cx_split_unref(struct split *split) CX_HOLDS(cx_context_locked);
/* Enters the measurements of the launch's packages into the kernel history, once. Called by
 * split_member.c. */
void cx_split_learn(struct split *split) CX_HOLDS(cx_context_locked);
/* Like cx_split_learn, with each part's speed as measured so far, although jobs may still run. For splits
 * with re-execution, when they settle: called by reexecute.c if a straggler is left behind, by split.c if the
 * next launch may be planned at once. */
void cx_split_learn_early(struct split *split) CX_HOLDS(cx_context_locked);
/* Has the launch run whole, on a member that can: everything is as it was before the launch, and its parts'
 * jobs are over, or do nothing more. Drops a job's reference. Called by split_member.c. */
void cx_split_undo(struct split *split, enum cx_why reason) CX_HOLDS(cx_context_locked);
/* Fails the command; nothing more is started. Called by reexecute.c, split_inputs.c, split_member.c and
 * split_package.c. */
void cx_split_fail(struct split *split, cl_int error) CX_HOLDS(cx_context_locked);
/* Called when the part's driver failed: the part gets no more packages. */
void cx_split_part_failed(struct split *split, unsigned part) CX_HOLDS(cx_context_locked);
bool cx_split_all_assigned(const struct split *split);
/* Settles the split if every group is assigned and started (with re-execution: done). Called by
 * split_member.c and split_package.c. */
void cx_split_settle_if_due(struct split *split) CX_HOLDS(cx_context_locked);

/* Cuts a package of about that many groups from the part's range of steps. Gives groups back to the balancer
 * if the range is shorter. Called by split_member.c. */
struct cx_range cx_split_package_cut(struct split *split, unsigned part, uint64_t groups);
/* Make room for one more package; add it and return its index. Called by reexecute.c, split.c and
 * split_member.c. */
bool cx_split_package_room(struct split *split) CX_HOLDS(cx_context_locked);
unsigned cx_split_package_note(struct split *split, unsigned part, struct cx_range range)
    CX_HOLDS(cx_context_locked);
/* Called before the first package: decides whether one part does everything left (split->opening.entire).
 * Called by split_member.c. */
void cx_split_open(struct split *split) CX_HOLDS(cx_context_locked);
/* Then: adds everything left as the part's package. False: another part does it, this one gets nothing.
 * Called by split_member.c. */
bool cx_split_package_all(const struct lane *lane, const struct cx_worker *worker, unsigned *index)
    CX_HOLDS(cx_context_locked);
/* The package is over and counts. Called by reexecute.c. */
void cx_split_package_count(struct split *split, const struct package *package);

/* Prepares an assigned package for the lane: lists its transfers. May release the lock meanwhile; lists none
 * if the launch has settled by then (split_inputs.h). Called by split_member.c. */
void cx_split_package_take(struct lane *lane, struct cx_worker *worker, unsigned index,
                           struct cx_transfer_list *transfers) CX_HOLDS(cx_context_locked);

/* Makes the job that takes packages for a part until there are none. NULL: no memory. Called by split.c. */
struct cx_job *cx_split_member_job(struct split *split, unsigned part);
void cx_split_member_free(struct lane *lane);
/* Queues one more job for a part. Called by reexecute.c. */
void cx_split_member_plan(struct split *split, unsigned part) CX_HOLDS(cx_context_locked);

/* Called by the lane's worker, which holds no lock. */

/* Starts a package. Called by split_member.c. */
cl_int cx_split_package_start(struct lane *lane, struct cx_worker *worker, unsigned package,
                              struct cx_range range, struct cx_transfer_list *transfers);
/* Waits for the oldest package in flight and reports it to the balancer. Called by split_member.c. */
cl_int cx_split_package_end(struct lane *lane, struct cx_worker *worker);
/* The event of the oldest package in flight that ends next: its oldest slice's, or its own. Called by
 * split_member.c. */
cl_event cx_split_package_next_end(const struct lane *lane);
/* Waits for the package's oldest slice, of which there is one, and takes the results to be written back.
 * False: it failed. Called by split_member.c. */
bool cx_split_package_end_slice(struct lane *lane, struct cx_worker *worker);
/* Starts a package's transfers. Called by split_package.c. */
cl_int cx_split_upload_start(struct lane *lane, struct cx_worker *worker, struct flight *flight);
/* Notes the uploads' event for re-execution, which may have to wait for them (reexecute.h). Called by
 * split_package.c. */
void cx_split_upload_note(struct lane *lane, cl_event event);
/* Called when the uploads are over: drops them and returns their error. relied: the launch may be settled, so
 * that later commands rely on them. */
cl_int cx_split_upload_end(struct flight *flight, struct cx_worker *worker, cl_int error, bool relied);
/* Sets the event of the lane's last upload; NULL: it is over. Called by split_member.c and
 * split_package.c. */
void cx_split_upload_last(struct lane *lane, const struct cx_worker *worker, cl_event upload);

static inline bool cx_split_failed(const struct split *split) CX_HOLDS(cx_context_locked)
{
    return split->state == SPLIT_FAILED || split->state == SPLIT_CLOSED;
}

static inline bool cx_split_settled(const struct split *split) CX_HOLDS(cx_context_locked)
{
    return split->state >= SPLIT_SETTLED;
}

/* Nothing is assigned any more. Called by reexecute.c, split_inputs.c and split_member.c. */
static inline bool cx_split_over(const struct split *split) CX_HOLDS(cx_context_locked)
{
    return split->state >= SPLIT_REFUSED;
}

/* Whether the part's driver has failed nothing. Called by launch/. */
static inline bool cx_split_alive(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    const enum split_participant_state state = split->participant[part].state;
    return state != SPLIT_PARTICIPANT_FAILED && state != SPLIT_PARTICIPANT_LOST;
}

/* Whether the launch is over without the part's job. Called by split.c and split_member.c. */
static inline bool cx_split_left(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    return split->participant[part].state >= SPLIT_PARTICIPANT_LEFT;
}

/* Whether the part's member was a straggler when the launch was planned (cx_split_plan.stragglers). Called
 * by split.c and split_inputs.c. */
static inline bool cx_split_is_straggler(const struct split *split, unsigned part)
{
    return split->plan.stragglers >> split->plan.member[part] & 1;
}

static inline double cx_split_seconds(const struct split *split) /* since it began */
{
    return (double)(cx_clock_ns() - split->start_ns) * 1e-9;
}

#endif

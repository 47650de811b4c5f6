/* SPDX-License-Identifier: MIT */
/*
 * Commands: one struct travels from the enqueue to the last byte, and is itself the event the program may
 * hold.
 *
 * Life: created by an entry point; linked to what it waits for; *planned* (plan) as soon as all of that is
 * settled, under the context's lock, by whichever thread made it so; *settled* once its place on the workers'
 * timelines is known for good; complete when every timeline has passed its cone.
 *
 * The cone of a command is, for each timeline, the position up to which work must be complete for the command
 * and all it depends on to be complete: cone[t] = max over its dependencies' cones and its own jobs. Waiting
 * for a command, asking for its status and ordering two commands that touch the program's own memory are all
 * questions about cones. Kernels and copies between buffers need no such order: coherence_map.h orders them
 * by the bytes they touch.
 *
 * A cone has a second half, of as many positions: up to where all must be complete that may touch memory
 * which the program sees. It leaves out launches, fills and copies (cx_command.inside), so that a read into
 * memory that is none of ours (cx_command_after_memory) begins on one device while a launch before it still
 * runs on others. It is over when its whole cone is, as ever.
 *
 * Previous stage: the enqueue_*.c entry points. Next: start.h, worker.h.
 * Thread-safety: fields are guarded by context->lock unless said otherwise.
 */
#ifndef CX_LAYER_TIMELINE_COMMAND_H
#define CX_LAYER_TIMELINE_COMMAND_H

#include "layer/base/clock.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

struct cx_queue;
struct cx_callback;
struct cx_pending_read;

/* Who waits for a command: a reference to it, and whether an error passes on (wait lists; not mere queue
 * order). */
struct cx_edge {
    struct cx_command *command;
    bool passes_error;
};

struct cx_command {
    struct cx_object base;      /* the program's cl_event */
    struct cx_context *context; /* a reference */
    struct cx_queue *queue;     /* a reference; NULL for user events */
    cl_command_type type;
    const char *name; /* what the trace calls it, as long as the command lives; NULL: by its type */

    unsigned blockers; /* unsettled commands (and holds) that must settle before this one is planned */
    struct cx_edge *successors; /* planned when this settles */
    unsigned nsuccessors, room_successors;
    struct cx_command *list_next;               /* in the context's ready or finished list */
    struct cx_command *queue_prev, *queue_next; /* the queue's list of unsettled commands */
    uint64_t queue_number;                      /* order of enqueue within the queue */
    bool settled;
    bool begun;         /* cx_command_begin */
    bool inside;        /* it touches memory objects alone, not memory that the program sees */
    bool error_heard;   /* somebody hears of its error: the program has the event or waits in the call */
    bool handed;        /* cx_command_hand; the thread that enqueued it alone */
    bool watched;       /* its status must be noticed without being asked: callbacks are set */
    bool due;           /* cx_event_run_callbacks is about to look at it; who made it so gave a reference */
    cl_int noticed;     /* the least status that callbacks were told of */
    cl_int dep_error;   /* a dependency failed: the command fails instead of being planned */
    cl_int user_status; /* user events: CL_SUBMITTED until set */
    struct cx_command *due_next; /* in the context's list of those due, or one taken from it */
    /* watched and settled: in a timeline's heap (command_watch.c), the next in its parent and its first one
     */
    struct cx_command *watch_next, *watch_child;
    struct cx_callback *callbacks;
    struct cx_pending_read
        *pending_read;  /* pending_reads.h: it is a read of a buffer; else NULL. Set before it is submitted */
    uint64_t *frontier; /* two halves of one a timeline; final once settled */
    uint64_t own;       /* timelines with jobs of its own, as bits */
    uint64_t *before;   /* of these: the cone without its own jobs, up to where it waits for others */
    struct cx_job *room; /* for one job, behind the command; NULL once used. context->lock */
    /* A recorded command's enqueue of its command buffer, one of whose parts it is; a reference, or NULL. Set
     * before this one can be planned. */
    struct cx_command *whole;
    /* end_times.c: of what it waits for, or NULL: for its end, where it does nothing, from when it settles,
     * and for its start, from when it settles or devices get work of it */
    struct cx_ends *ends, *awaited;

    atomic_bool idle;             /* it had no jobs under way when it settled: it does nothing but wait */
    atomic_bool running;          /* one of its jobs was seen to run */
    atomic_bool asks_running;     /* ... and somebody wants to hear of it at once */
    atomic_bool reported_running; /* ... which was done */
    atomic_bool calls_back;       /* callbacks are or were set: its jobs shall have events of their own */
    atomic_int asked;             /* enum cx_asked (take.h) */
    atomic_int error;             /* CL_SUCCESS or the first failure of a part */
    atomic_uint parts;            /* own jobs not finished, plus one until settled */
    atomic_uint_fast64_t queued_ns, submit_ns, start_ns, end_ns; /* host clock (cx_clock_ns); 0: not yet */

    /* Turns the command into jobs. Called once, under context->lock; settles the command (cx_command_settle)
     * now or, for dynamic launches, later. */
    void (*plan)(struct cx_command *command);
    /* A part of the planned command was not carried out although others count on it: takes what it should
     * have written out of the maps (cx_coherence_void). Under context->lock. NULL: it writes no memory
     * object. */
    void (*lost)(struct cx_command *command);
    /* Frees what the kind of command owns; called when all parts are finished, without locks, once. */
    void (*drop)(struct cx_command *command);
};

CX_OBJECT_CASTS(command, cl_event, CX_TAG_EVENT)

/* Positions in a cone with both halves. */
static inline unsigned cx_frontier_size(const struct cx_context *context)
{
    return 2 * cx_context_timelines(context);
}

/* cone[t] = max(cone[t], other[t]), of n positions: a cone's, or the timelines', for one half. */
static inline void cx_frontier_raise(uint64_t *frontier, const uint64_t *other, unsigned n)
{
    for (unsigned t = 0; t < n; t++)
        if (frontier[t] < other[t])
            frontier[t] = other[t];
}

/* Whether the program may ask for the command's times, or the trace tells them: taking them costs. */
bool cx_command_is_timed(const struct cx_command *command);

/* A zeroed command of `size` bytes (a struct that begins with struct cx_command). NULL: no memory. */
struct cx_command *cx_command_new(struct cx_context *context, struct cx_queue *queue, size_t size,
                                  cl_command_type type, void (*plan)(struct cx_command *),
                                  void (*drop)(struct cx_command *));

/* Checks a wait list as the spec says. */
cl_int cx_wait_list_check(const struct cx_context *context, cl_uint count, const cl_event *list);

/* Hands the command over: links, plans if possible, pumps. Takes ownership and nulls *command. If `event` is
 * given, the program gets its reference. If `wait`, returns after completion with the command's error
 * (blocking calls). */
cl_int cx_command_submit(struct cx_command **command, cl_uint nwait, const cl_event *list, cl_event *event,
                         bool wait);

/* For a job that runs: whether this thread is enqueuing its command in a call that blocks, and nothing else
 * of that is left. The job may be a call of the driver's that blocks, too, then. No lock. */
bool cx_command_blocks_here(const struct cx_command *command);
/* The same for a mapping of which the job brings everything, and one that does nothing is left. */
bool cx_command_maps_here(const struct cx_command *command);
/* The same, and the program gets no event that would tell when the device is done. */
bool cx_command_returns_here(const struct cx_command *command);
/* Then, by that job: the program's call returns although the device has not done its part. */
void cx_command_hand(struct cx_command *command);

/* Under context->lock: `command` is planned after `on` settled; with passes_error it fails if that failed. */
void cx_command_depend(struct cx_command *command, struct cx_command *on, bool passes_error);

/* Adds one more reason not to plan yet that is no other command (those: cx_command_depend), and takes one
 * away (plans at zero). Before submit, as a replayed command buffer does for its commands; or under the lock,
 * as the planner does for a launch that waits for what a split of it lacks. */
void cx_command_hold(struct cx_command *command);
void cx_command_unhold(struct cx_command *command); /* takes and releases context->lock, pumps */
void cx_command_resume(struct cx_command *command); /* the same under the lock: planned when that is left */
/* Holds it for a task on a thread of its own, which unholds it and drops the reference that it gets as its
 * data. False: there is no thread, and it is not held. */
bool cx_command_hold_for(struct cx_command *command, void (*task)(void *command));

/* For plan functions (under context->lock): a job of this command alone, as of cx_job_new; the first one
 * needs no memory of its own. */
struct cx_job *cx_command_job(struct cx_command *command);
/* For plan functions (under context->lock): queue a job of this command on a worker; raises the cone. */
uint64_t cx_command_add_job(struct cx_command *command, struct cx_worker *worker, struct cx_job *job);
/* deps[t] = max(deps[t], cone of all the command depends on): for jobs that touch the program's memory. */
void cx_command_after_frontier(const struct cx_command *command, struct cx_job *job);
/* The same where that memory is none that launches can reach (cx_mem_is_apart): the job waits for no launch.
 * If one is under way the job is left to its worker's thread. */
void cx_command_after_memory(const struct cx_command *command, const struct cx_worker *worker,
                             struct cx_job *job);
/* The command waits for `other`, unsettled, and is planned again from the start when that settles. */
void cx_command_block_on(struct cx_command *command, struct cx_command *other);
/* Devices get work of it from now on, though what they get of it, and so its place, is not final yet: it
 * counts as submitted. Others are as they settle. context->lock held. */
void cx_command_begin(struct cx_command *command);
/* The command's place is final. Plans successors that this frees. */
void cx_command_settle(struct cx_command *command);
/* A command that settles, and has no job that ends it, ends with the last of its cone. context->lock held. */
void cx_command_ends_with(struct cx_command *command);
/* To the program a command that is settled, or of which devices are about to get work, starts after the end
 * of what it waits for. context->lock held. */
void cx_command_starts_after(struct cx_command *command);
/* Fails a command while it is planned: settles it with an error. */
void cx_command_fail(struct cx_command *command, cl_int error);

/* A part (job) ended; times in host ns or 0. Without locks. Called by workers. */
void cx_command_part_done(struct cx_command *command, cl_int status, uint64_t start_ns, uint64_t end_ns);

/* Times of a part that is not done yet, so that they are known when the command is over without it. */
void cx_command_times(struct cx_command *command, uint64_t start_ns, uint64_t end_ns);

/* Before waits for several commands, or one on several timelines: starts what drivers that run commands in
 * the calling thread would else only start once all before was waited for. `cone`: one position a timeline;
 * skip: timelines, as bits, that this thread is going to run itself. Gives skip with the first one found.
 * context->lock held. */
uint64_t cx_context_start(struct cx_context *context, const uint64_t *frontier, uint64_t skip);
/* One wait until some command settles, as far as can be told; where the system gives no threads, does what is
 * to be done meanwhile. context->lock held, and free for a while. */
void cx_context_await_settled(struct cx_context *context) CX_HOLDS(context->lock);
/* Waits until the command is settled and complete; gives its error or CL_SUCCESS. For clWaitForEvents and
 * calls that block; clFinish waits for a whole queue by itself. Caller holds no lock; takes context->lock. */
cl_int cx_command_wait(struct cx_command *command);
/* CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error. */
cl_int cx_command_status(struct cx_command *command);
/* The same, without asking drivers; an error counts as CL_COMPLETE. context->lock held. */
cl_int cx_command_stage(const struct cx_command *command);

/* command_watch.c: One of its jobs runs. Called by workers, without locks. */
void cx_command_runs(struct cx_command *command);
/* Delivers callbacks of watched commands that are over; called after timelines moved. Without locks. */
void cx_command_check_watched(struct cx_context *context);
/* When a complete command began and ended, for its queue's profiling; one that did nothing, with the end of
 * what it waited for. Always the same, and not later than now. */
void cx_command_span(const struct cx_command *command, uint64_t *start_ns, uint64_t *end_ns);
/* Asks the workers to notice the status of this command without being asked. Caller holds no lock. */
void cx_command_watch(struct cx_command *command);
/* A settled command's end shall be noticed by the workers' threads. context->lock held. */
void cx_command_see_to(struct cx_command *command);
/* The status of a watched command that is not settled may have moved. context->lock held. */
void cx_command_watch_stage(struct cx_command *command);
/* A watched command has settled. context->lock held. */
void cx_command_watch_settled(struct cx_command *command);
/* Commands, with references, whose callbacks are to be looked through. context->lock held. */
struct cx_command *cx_command_take_due(struct cx_context *context);
/* Then, without locks: has it done. */
void cx_command_post_due(struct cx_command *due);

/* event.c: runs the callbacks due by the command's stage (data: its reference, dropped) and frees them. */
void cx_event_run_callbacks(void *data);
void cx_event_free_callbacks(struct cx_command *command);
/* Behind a wait of the program's, without locks: until the callbacks that are due have been called. */
void cx_event_await_callbacks(struct cx_context *context);

/* context->lock with the bookkeeping of workers that got jobs meanwhile; unlock pumps them. */
void cx_context_lock(struct cx_context *context) CX_TAKES(context->lock);
void cx_context_unlock(struct cx_context *context) CX_RELEASES(context->lock);

#endif

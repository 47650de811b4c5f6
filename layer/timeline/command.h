/* SPDX-License-Identifier: MIT */
/*
 * Commands: one struct from the enqueue call to completion, which is also the event that the program may
 * hold.
 *
 * Life: an entry point creates it and links it to the commands that it waits for. It is *planned* (plan) as
 * soon as all of these are settled, under the context's lock, by the thread that settled the last one. It is
 * *settled* once its positions on the workers' timelines are final. It is complete when every timeline has
 * passed its frontier.
 *
 * The frontier of a command (a vector timestamp over timelines) is, for each timeline, the position up to
 * which jobs must be complete for the command and all that it depends on to be complete: frontier[t] = max
 * over its dependencies' frontiers and its own jobs. Waiting for a command, asking for its status, and
 * ordering two commands that access the program's memory are comparisons of frontiers. Kernels and copies
 * between buffers need no such order: coherence_map.h orders them by the bytes that they access.
 *
 * A frontier has a second half with as many positions: up to there all jobs must be complete that may access
 * memory which the program sees. It leaves out launches, fills and copies (cx_command.inside), so that a read
 * into the program's memory (cx_command_after_memory) can begin on one device while a launch before it still
 * runs on others. The command is complete when the whole frontier is passed.
 *
 * Previous stage: the enqueue_*.c entry points. Next: start.h, worker.h. Thread-safety: fields are guarded by
 * context->lock unless said otherwise.
 */
#ifndef CX_LAYER_TIMELINE_COMMAND_H
#define CX_LAYER_TIMELINE_COMMAND_H

#include "layer/base/clock.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

struct cx_queue;
struct cx_callback;
struct cx_pending_read;

/* A command that waits: a reference, and whether an error passes on to it (in wait lists, not by mere queue
 * order). */
struct cx_edge {
    struct cx_command *command;
    bool passes_error;
};

/* What a command with callbacks has (command_watch.c, event.c), from its first one on. context->lock. */
struct cx_command_watch {
    struct cx_callback *callbacks CX_GUARDED_BY(cx_context_locked);
    bool active CX_GUARDED_BY(cx_context_locked); /* its status must be noticed without a query */
    /* cx_event_run_callbacks will handle it, and has a reference */
    bool due CX_GUARDED_BY(cx_context_locked);
    cl_int noticed CX_GUARDED_BY(cx_context_locked); /* the least status that callbacks were called for */
    struct cx_command *due_next; /* in the context's list of those due, or one taken from it */
    /* active and settled: in a timeline's heap, the next in its parent and its first one */
    struct cx_command *next, *child CX_GUARDED_BY(cx_context_locked);
};

/* What a kind of command does. */
struct cx_command_ops {
    /* Turns the command into jobs. Called once, under context->lock; settles the command (cx_command_settle)
     * now or, for dynamic launches, later. */
    void (*plan)(struct cx_command *command);
    /* Called where it is going to be planned later than it is submitted. Under context->lock. NULL: that is
     * all the same. */
    void (*waits)(struct cx_command *command);
    /* Called if a part of the planned command was not carried out although later commands rely on it: marks
     * what it should have written as lost (cx_coherence_void). Under context->lock. NULL: it writes no memory
     * object. */
    void (*lost)(struct cx_command *command);
    /* Frees what the kind of command owns; called when all parts are finished, without locks, once. NULL:
     * nothing. */
    void (*drop)(struct cx_command *command);
};

/* After what a command is planned and after which jobs it is complete. */
struct cx_command_order {
    /* unsettled commands, and holds (cx_command_hold), for which planning waits */
    unsigned blockers CX_GUARDED_BY(cx_context_locked);
    /* a dependency failed: the command fails instead of being planned */
    cl_int dep_error CX_GUARDED_BY(cx_context_locked);
    struct cx_edge *successors CX_GUARDED_BY(cx_context_locked); /* planned when this settles */
    unsigned nsuccessors CX_GUARDED_BY(cx_context_locked), room_successors CX_GUARDED_BY(cx_context_locked);
    uint64_t *frontier; /* two halves with a position for each timeline; final once settled */
    uint64_t own;       /* timelines with jobs of its own, as bits */
    uint64_t *before;   /* of these: the frontier without its own jobs, up to where it waits for others */
};

/* A command's place in its queue's list of unsettled commands. */
struct cx_command_place {
    struct cx_command *prev CX_GUARDED_BY(cx_context_locked), *next CX_GUARDED_BY(cx_context_locked);
    uint64_t number CX_GUARDED_BY(cx_context_locked); /* order of enqueue within the queue */
};

/* When a command was enqueued, submitted, begun and over. */
struct cx_command_times {
    atomic_uint_fast64_t queued_ns, submit_ns, start_ns, end_ns; /* host clock (cx_clock_ns); 0: not yet */
    /* end_times.c: of what it waits for, or NULL: for its end, where it does nothing, from when it settles,
     * and for its start, from when it settles or devices get work of it */
    struct cx_end_times *ends, *awaited;
};

/* Whether a command runs, where a callback wants to know. */
struct cx_command_running {
    atomic_bool seen;     /* one of its jobs was seen to run */
    atomic_bool asked;    /* a callback wants to know it at once */
    atomic_bool reported; /* ... which was done */
};

struct cx_command {
    struct cx_object base;            /* the program's cl_event */
    struct cx_context *context;       /* a reference */
    struct cx_queue *queue;           /* a reference; NULL for user events */
    const struct cx_command_ops *ops; /* another one before it is submitted, at most */
    cl_command_type type;
    const char *name; /* its name in the trace, valid as long as the command; NULL: named by its type */

    struct cx_command_order order;
    struct cx_command *list_next; /* in the context's ready or finished list */
    struct cx_command_place in_queue;
    bool settled CX_GUARDED_BY(cx_context_locked);
    bool begun CX_GUARDED_BY(cx_context_locked); /* cx_command_begin */
    bool inside;        /* it accesses only memory objects, not memory that the program sees */
    bool error_heard;   /* its error is reported: the program has the event, or waits in the call */
    bool handed;        /* cx_command_hand; only used by the enqueueing thread */
    cl_int user_status; /* user events: CL_SUBMITTED until set */
    struct cx_command_watch *watch CX_GUARDED_BY(cx_context_locked); /* NULL until it has callbacks */
    /* plan/pending_reads.h: it is a read of a buffer; else NULL. Set before it is submitted */
    struct cx_pending_read *pending_read;
    struct cx_job *room; /* for one job, behind the command; NULL once used. context->lock */
    /* A recorded command's enqueue of its command buffer, one of whose parts it is; a reference, or NULL. Set
     * before this one can be planned. */
    struct cx_command *whole;

    atomic_bool idle;       /* it had no jobs when it settled: it only waits */
    atomic_bool calls_back; /* callbacks are or were set, so its jobs need events of their own */
    struct cx_command_running running;
    atomic_int asked;  /* enum cx_asked (take.h) */
    atomic_int error;  /* CL_SUCCESS or the first failure of a part */
    atomic_uint parts; /* own jobs not finished, plus one until settled */
    struct cx_command_times times;
};

CX_OBJECT_CASTS(command, cl_event, CX_TAG_EVENT)

/* The number of positions in a frontier, both halves. Called by command.c and queue.c. */
static inline unsigned cx_command_frontier_size(const struct cx_context *context)
{
    return 2 * cx_context_timelines(context);
}

/* frontier[t] = max(frontier[t], other[t]) for n positions: of both halves, or of one. Called by
 * command.c, queue.c and api/command_buffer.c. */
static inline void cx_command_frontier_raise(uint64_t *frontier, const uint64_t *other, unsigned n)
{
    for (unsigned t = 0; t < n; t++)
        if (frontier[t] < other[t])
            frontier[t] = other[t];
}

/* Whether its status must be noticed without a query. context->lock held. Called by command.c and
 * command_watch.c. */
static inline bool cx_command_is_watched(const struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    return command->watch && command->watch->active;
}

/* Whether the command's times are needed, by the program or the trace; taking them has a cost. Called by
 * timeline/, api/ and launch/. */
bool cx_command_is_timed(const struct cx_command *command);

/* Makes a zeroed command of `size` bytes (a struct that begins with struct cx_command). NULL: no memory.
 * Called by timeline/ and api/. */
struct cx_command *cx_command_new(struct cx_context *context, struct cx_queue *queue, size_t size,
                                  cl_command_type type, const struct cx_command_ops *ops);

/* Checks a wait list as the specification says. Called by api/command_buffer.c and api/enqueue.c. */
cl_int cx_command_wait_list_check(const struct cx_context *context, cl_uint count, const cl_event *list);

/* Submits the command: links it, plans it if possible, pumps. Takes ownership and nulls *command. With
 * `event`, the program gets a reference. With `wait` (blocking calls), returns after completion with the
 * command's error. Called by api/. */
cl_int cx_command_submit(struct cx_command **command, cl_uint nwait, const cl_event *list, cl_event *event,
                         bool wait);

/* Called by a job's run, without lock, and as the command is planned: whether this thread enqueues it in a
 * blocking call, and it has nothing else left. Then the job may be a blocking call of the driver. */
bool cx_command_blocks_here(const struct cx_command *command);
/* Like cx_command_blocks_here, for a mapping whose data the job brings, with only an empty job left.
 * Called by memory/transfer.c. */
bool cx_command_maps_here(const struct cx_command *command);
/* Like cx_command_blocks_here, if the program also gets no event. Called by memory/transfer.c. */
bool cx_command_returns_here(const struct cx_command *command);
/* Called by such a job: lets the program's call return although the device has not finished the job. */
void cx_command_hand(struct cx_command *command);

/* Has `command` planned after `on` is settled; with passes_error it fails if that fails. Under context->lock.
 * Called by queue.c and api/command_buffer.c.
 */
void cx_command_depend(struct cx_command *command, struct cx_command *on, bool passes_error)
    CX_HOLDS(cx_context_locked);

/* A hold keeps a command from being planned, like an unsettled command that it waits for (cx_command_depend).
 * hold adds one: before submit, as command buffers do for their commands, or under the lock, as the planner
 * does for deferred launches. unhold removes one, and plans the command if none is left. Called by
 * api/command_buffer.c, api/enqueue_kernel.c, plan/deferral.c and plan/plan.c. */
void cx_command_hold(struct cx_command *command);
void cx_command_unhold(struct cx_command *command); /* takes and releases context->lock, pumps */
void cx_command_resume(struct cx_command *command)
    CX_HOLDS(cx_context_locked); /* the same under the lock: planned when that is left */
/* Holds the command for a task in a thread of its own. The task unholds the command and drops the reference,
 * which it gets as its data. False: there is no thread, and no hold. Called by api/enqueue_kernel.c,
 * plan/deferral.c and plan/plan.c. */
bool cx_command_hold_for(struct cx_command *command, void (*task)(void *command));

/* Called by plan functions, under context->lock: makes a job for this command, like cx_job_new; the first one
 * needs no further memory. */
struct cx_job *cx_command_job(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Called by plan functions, under context->lock: queues a job of this command on a worker and raises the
 * frontier. Returns its position. */
uint64_t cx_command_add_job(struct cx_command *command, struct cx_worker *worker, struct cx_job *job)
    CX_HOLDS(cx_context_locked);
/* Orders a job that accesses the program's memory behind everything that the command depends on: raises
 * deps[t] to their frontier. Called by api/ and launch/. */
void cx_command_after_frontier(const struct cx_command *command, struct cx_job *job)
    CX_HOLDS(cx_context_locked);
/* Like cx_command_after_frontier if launches cannot reach that memory (cx_mem_is_apart): the job waits for no
 * launch. If one is under way, the worker's thread runs the job. Called by api/enqueue.c. */
void cx_command_after_memory(const struct cx_command *command, const struct cx_worker *worker,
                             struct cx_job *job) CX_HOLDS(cx_context_locked);
/* Has the command wait for `other`, which is unsettled; it is planned again from the start when that settles.
 * Called by api/command_buffer.c and memory/unsettled.c.
 */
void cx_command_block_on(struct cx_command *command, struct cx_command *other) CX_HOLDS(cx_context_locked);
/* Marks the command as submitted, since devices get work of it from now on, although its positions are not
 * final yet. Other commands are submitted when they settle. context->lock held. Called by launch/prefix.c
 * and launch/split.c. */
void cx_command_begin(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Marks the command as settled, as its positions are final. Successors that waited for it become ready to be
 * planned. Called by timeline/, api/ and launch/. */
void cx_command_settle(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* For a command that settles without a job of its own: it ends with the last job of its frontier.
 * context->lock held. Called by api/command_buffer.c. */
void cx_command_ends_with(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* For a command that settles or begins: its start time is after the end of what it waits for. context->lock
 * held. Called by api/command_buffer.c. */
void cx_command_starts_after(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Fails a command while it is planned: settles it with an error. Called by api/ and launch/. */
void cx_command_fail(struct cx_command *command, cl_int error) CX_HOLDS(cx_context_locked);

/* Ends one part (job) of the command; times in host ns, or 0. Called by workers, without locks. */
void cx_command_part_done(struct cx_command *command, cl_int status, uint64_t start_ns, uint64_t end_ns);

/* Adds times of a part that is not over yet, for a command that will be complete without it. Called by
 * api/command_buffer.c and launch/reexecute.c. */
void cx_command_times(struct cx_command *command, uint64_t start_ns, uint64_t end_ns);

/* Called before waits for several commands, or on several timelines: has other threads start the jobs of
 * synchronous drivers, which would otherwise start one after the other. frontier: a position for each
 * timeline. skip: timelines, as bits, that this thread is going to pump itself; returns it with the first one
 * found added. context->lock held. Called by event.c and queue.c. */
uint64_t cx_context_start(struct cx_context *context, const uint64_t *frontier, uint64_t skip)
    CX_HOLDS(cx_context_locked);
/* Waits until some command has settled, perhaps less; if the system gives no threads, does their work
 * meanwhile. context->lock held, and released during the wait. Called by queue.c. */
void cx_context_await_settled(struct cx_context *context) CX_HOLDS(cx_context_locked);
/* Waits until the command is settled and complete; gives its error or CL_SUCCESS. For clWaitForEvents and
 * calls that block; clFinish waits for a whole queue by itself. Caller holds no lock; takes context->lock.
 * Called by event.c. */
cl_int cx_command_wait(struct cx_command *command);
/* CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error. Called by event.c and
 * api/command_buffer.c. */
cl_int cx_command_status(struct cx_command *command);
/* Like cx_command_status, without asking drivers; an error counts as CL_COMPLETE. context->lock held.
 * Called by command_watch.c and event.c. */
cl_int cx_command_stage(const struct cx_command *command) CX_HOLDS(cx_context_locked);

/* command_watch.c: notes that one of its jobs runs. Called by workers, without locks. */
void cx_command_runs(struct cx_command *command);
/* Delivers callbacks of watched commands that are complete. Called after timelines moved, without locks.
 * Called by event.c and worker_reap.c. */
void cx_command_check_watched(struct cx_context *context);
/* The start and end of a complete command, for profiling; of one without jobs, the end of what it waited for.
 * Always the same values, not later than now. Called by event.c. */
void cx_command_span(const struct cx_command *command, uint64_t *start_ns, uint64_t *end_ns);
/* Has the workers notice the status of this command without queries. The caller holds no lock. Called by
 * event.c. */
void cx_command_watch(struct cx_command *command);
/* Has the workers' threads notice the end of a settled command. context->lock held. Called by command.c. */
void cx_command_see_to(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Called when the status of a watched, unsettled command may have changed. context->lock held. */
void cx_command_watch_stage(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Called when one that was watched is over, or never can be. Called by command.c and command_watch.c. */
void cx_command_unwatched(struct cx_context *context);
/* Called when a watched command has settled. context->lock held. */
void cx_command_watch_settled(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Takes the list of commands, with references, whose callbacks are due. context->lock held. Called by
 * plan_ready.c. */
struct cx_command *cx_command_take_due(struct cx_context *context) CX_HOLDS(cx_context_locked);
/* Has their callbacks run in the callback thread. Called without locks. Called by plan_ready.c.
 */
void cx_command_post_due(struct cx_command *due);

/* event.c: runs and frees the callbacks that are due by the command's status. data: the command, whose
 * reference is dropped. Called by command.c. */
void cx_event_run_callbacks(void *data);
void cx_event_free_callbacks(struct cx_command *command);
/* Called after a wait of the program, without locks: waits until due callbacks have been called. Called by
 * command.c and queue.c. */
void cx_event_await_callbacks(struct cx_context *context);

/* plan_ready.c: releases context->lock after it has planned the commands that became ready, or had another
 * thread go on where they are many; then drops finished ones, posts callbacks, and pumps the workers that got
 * jobs meanwhile. Called by timeline/, api/, launch/ and plan/. */
void cx_context_plan_and_unlock(struct cx_context *context) CX_RELEASES(cx_context_locked);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Workers: one for each real device of a context, and one for the host's own copies. A worker is a timeline.
 *
 * Jobs get consecutive positions (seq) when they are planned, under the context's lock, and run and complete
 * in that order. A dependency between timelines is a position on the other one; since planning gives
 * positions in one total order, waiting for a dependency can never close a circle. Jobs that must not wait
 * are run ("pumped") by the thread that enqueued them where the driver returns at once; all others by the
 * worker's own thread, or, where it can have none, by whoever waits for them. Previous stage: start.h. Next:
 * the real driver; worker_reap.h notices the end and tells command.h.
 */
#ifndef CX_LAYER_TIMELINE_WORKER_H
#define CX_LAYER_TIMELINE_WORKER_H

#include "layer/timeline/context.h"
#include "layer/timeline/timeline.h"
#include <pthread.h>

struct cx_job;
struct cx_transfer_state;
struct cx_diff_state;
struct cx_ends;

/* Whether a member has a real context: closed -> open | failed, once each, by cx_worker_ensure. */
enum cx_worker_state {
    CX_WORKER_CLOSED, /* not wanted so far: no real context, nothing of the program is there */
    CX_WORKER_OPEN,
    CX_WORKER_FAILED /* its driver gives no context: it takes no part */
};

/* A device's real queues, all in order. NULL until needed. */
enum cx_real_queue_use {
    CX_REAL_QUEUE_MAIN,       /* with profiling; the first one */
    CX_REAL_QUEUE_UNPROFILED, /* in its place where nobody wants times (worker_profiling.c) */
    CX_REAL_QUEUE_ALTERNATE,  /* for every other package of a split */
    CX_REAL_QUEUE_TRANSFER,   /* for transfers beside a kernel that runs */
    CX_REAL_QUEUE_PEER_READ,  /* for reads of the device's memory by whoever needs them while a kernel runs */
    CX_REAL_QUEUE_COUNT
};

struct cx_real_queue {
    cl_command_queue queue;
    bool failed; /* no such queue can be had */
};

/* A worker's own thread. Fields are guarded by the timeline's lock. */
struct cx_worker_thread {
    pthread_cond_t wake; /* a job came, or the end */
    bool stop CX_GUARDED_BY(cx_timeline_locked);
    bool started CX_GUARDED_BY(cx_timeline_locked);
    bool called CX_GUARDED_BY(cx_timeline_locked);    /* it is to look after workers without a thread */
    uint64_t heard CX_GUARDED_BY(cx_timeline_locked); /* held: the driver tells when this position is passed;
                                                         0: none */
    atomic_bool held;                                 /* worker_callbacks.c: it waits for another timeline */
    atomic_bool alone; /* no thread can be had at the moment: others do what it would */
    pthread_t id;      /* started */
};

struct cx_worker {
    struct cx_context *context;
    unsigned index;                /* the member's number; nmembers for the host's worker */
    struct cx_real_device *device; /* NULL for the host's worker */
    atomic_uint state;             /* enum cx_worker_state; what follows up to `quiet` is set before OPEN */
    struct cx_lock opening;        /* held while the driver opens it */
    cl_int open_error;             /* state FAILED: why */
    cl_queue_properties priority, throttle; /* hints for the queue, from before it was open; context->lock */
    cl_context real_context;
    /* Whoever pumps; PEER_READ: under the timeline's lock. */
    struct cx_real_queue queues[CX_REAL_QUEUE_COUNT];
    _Atomic(cl_command_queue) queue; /* the one in use of MAIN and UNPROFILED. Set by whoever pumps */
    bool profiles;                   /* ... which is MAIN; whoever pumps, as what follows */
    unsigned quiet;                  /* jobs in a row that wanted no times, while `profiles` */
    bool profiling_deferred; /* nothing is measured yet for the sake of learning, see cx_worker_measures */
    uint64_t
        first_ns; /* spares: when the first launch was planned that could have been; 0: none. context->lock */
    bool moves_aside;  /* transfers enqueued now go to queues[TRANSFER]; whoever pumps */
    unsigned kind;     /* one number, from 1 on, for members of the same hardware and driver */
    atomic_uint place; /* whose copy of a buffer this device works on, 0: the host's; as a rule: ask
                          cx_mem_place (buffer.h) */

    atomic_bool
        left_out; /* its transfers fail: others are used where there are any; set under context->lock */
    atomic_uint failures; /* commands that it took and that failed */
    atomic_uint broken;   /* the context's epoch since a transfer of this worker failed on the device */
    int64_t clock_offset; /* host ns minus device ns of profiling times */
    struct cx_transfer_state *transfers; /* of memory/ (transfer_state.h); NULL for the host's worker */
    struct cx_diff_state *diff;          /* of launch/ (diff.h); NULL until needed; whoever pumps */
    struct cx_timeline timeline;
    struct cx_worker_thread thread;
};

/* A piece of work on one timeline. Allocated by the planner, freed by the worker after completion. */
struct cx_job {
    struct cx_job *next;
    uint64_t seq;
    struct cx_command *command; /* holds a reference; NULL for moves nobody waits for */
    /* Hands the work to the driver (or does it, on the host's worker). May give the real event of its last
     * real command in job->event; none means that the work is done on return. Runs without locks. A negative
     * code fails the command. */
    cl_int (*run)(struct cx_job *job, struct cx_worker *worker);
    /* Called in place of run where the job must not run any more (context->epoch); the command fails. May be
     * NULL. */
    void (*skip)(struct cx_job *job, struct cx_worker *worker);
    /* Called once the job is complete, before completed moves; frees what the job owns, not the job. May be
     * NULL. */
    void (*finish)(struct cx_job *job, struct cx_worker *worker);
    void *data; /* what run and finish work on */
    cl_event event;
    cl_event first_event; /* of its first real command where that is another one: profiling starts there */
    bool track;           /* set before run: it must have an event where it can do without */
    bool tells;           /* ... since many before it have none */
    bool ended; /* set by run: it is over, and with it all that was handed to the driver before it */
    bool loose; /* set by cx_job_event: in flight without an event; a later job's event, or clFinish, tells of
                   its end */
    bool timed; /* profiling times are wanted: start_ns and end_ns are filled in before finish */
    bool samples;              /* timed: only for a look now and then, which may be left out */
    bool times_parts;          /* run asks for the times of several commands of its own */
    bool times_call;           /* where run leaves no event, its call is what these tell of */
    uint64_t start_ns, end_ns; /* host clock */
    bool urgent;               /* part of a split: starts at once, never left to the next wait */
    bool waits;                /* may wait on the host: never pumped by the program's thread */
    bool launches;             /* a launch that has no command (replay.h) */
    bool copies;  /* between peers (peer.h): it waits for no fence, and its order is planned by whoever plans
                     it */
    bool brief;   /* expected to take less time than another thread to take it over: the thread that enqueued
                     it may run it, too, where the driver runs commands in the calling thread */
    bool checked; /* the event's status is known: it is over, and status tells how */
    bool stale;   /* failed because of the context's epoch, not by itself */
    struct cx_freelist *freelist; /* the memory is of these, or NULL */
    bool within;                  /* the memory is its command's (cx_command_job) */
    bool void_;      /* set by finish: nobody counts on what it did, so that its failure is nobody's either */
    unsigned epoch;  /* the context's when it was planned */
    cl_int status;   /* CL_SUCCESS or the first error */
    uint64_t deps[]; /* one a timeline: that timeline must have completed this seq before run; 0 for none */
};

/* The host's worker of a context. */
static inline struct cx_worker *cx_context_host(const struct cx_context *context)
{
    return &context->workers[context->nmembers];
}

/* A timeline of a member that is closed, or the host's. */
void cx_worker_init(struct cx_worker *worker, struct cx_context *context, unsigned index,
                    struct cx_real_device *device);
/* Waits for all its jobs and ends its thread. All of a context end before one finishes: they look after each
 * other. */
void cx_worker_end(struct cx_worker *worker);
/* Closes its queues and real context. It ended, and what rooms above keep with it (diff, copier, ring) is
 * released. */
void cx_worker_finish(struct cx_worker *worker);
/* Opens the member's real context and queue, unless that was done: in the call, which may take a GPU's driver
 * 0.1 s and more. Any thread, several at once; the caller holds no lock. An error: its driver's, which was
 * told. */
cl_int cx_worker_ensure(struct cx_worker *worker);
/* Whether the member is open. Thread-safe. */
static inline bool cx_worker_is_open(const struct cx_worker *worker)
{
    return atomic_load_explicit(&worker->state, memory_order_acquire) == CX_WORKER_OPEN;
}
/* Gives the real queue hints of the program's queue (0: none) where the driver knows such hints. There is one
 * real queue, so this must come before the first job: else it has no effect. context->lock held. */
void cx_worker_hint(struct cx_worker *worker, cl_queue_properties priority, cl_queue_properties throttle);

/* Once all members are open: gives a GPU that is the only one a second queue, without profiling
 * (COEXEC_DEBUG=queues=one: it has none). */
void cx_worker_open_plain(struct cx_context *context);
/* Whether whole launches on the member are measured by now, to learn from; one is being planned. A GPU that
 * begins without profiling beside other devices spares its first 30 ms of launches. context->lock held. */
bool cx_worker_measures(struct cx_worker *worker);
/* Before a job is started: the queue with profiling where it wants times, the other one where the last that
 * did is long ago. idle: nothing is in flight. May take away a sampling job's wish (timed). Whoever pumps,
 * without locks. */
void cx_worker_suit_times(struct cx_worker *worker, struct cx_job *job, bool idle);
/* The queue that transfers are enqueued on now. */
static inline cl_command_queue cx_worker_mover(const struct cx_worker *worker)
{
    return worker->moves_aside ? worker->queues[CX_REAL_QUEUE_TRANSFER].queue : worker->queue;
}
/* Makes the queue where there is none yet; where the driver gives none, none is asked for again. Whether
 * there is one. Whoever pumps; not for PEER_READ. */
bool cx_worker_open_queue(struct cx_worker *worker, enum cx_real_queue_use use);
/* Whether every other package of a split is to go to a queue of its own, so that one begins while the last
 * groups of another end: it is wanted (COEXEC_DEBUG=queues) and may be had. */
bool cx_worker_wants_alternate(const struct cx_worker *worker);
/* Whether the device may work for two queues, one of which waits for the other. */
bool cx_worker_takes_two(const struct cx_worker *worker);
/* What `to` gets from now on waits for all that `from` has: whether it will. Flushes neither. Whoever pumps.
 */
bool cx_worker_order(const struct cx_worker *worker, cl_command_queue from, cl_command_queue to);
/* Whether only the thread that pumps may give commands to the device: its driver runs them in the calling
 * thread. PoCL's basic device locks itself out (pocl_update_event_running) when a second thread's command is
 * found ready. Who means to read from another worker's device asks first; peers are never shy (peer.c). */
static inline bool cx_worker_is_synchronous(const struct cx_worker *worker)
{
    return worker->device->synchronous;
}
/* The queue for reads of the device's memory by other threads than the one that pumps: one of its own, made
 * when first needed, else the worker's. Any thread; takes the timeline's lock. */
cl_command_queue cx_worker_peer_read_queue(struct cx_worker *worker);

/* worker_compile.c. Around a call that may have the driver compile in it, or in a thread of its own once it
 * takes the command up: a process that ends waits for that. Whether it does: then with an end. Without
 * locks. */
bool cx_worker_compile_begin(const struct cx_worker *worker);
/* event: of the command where there is one, else NULL. */
void cx_worker_compile_end(const struct cx_worker *worker, bool begun, cl_event event);
/* Before a worker's thread begins something: once the process ends it begins nothing more, unless the program
 * still waits for something, or is to be called back. Without locks. */
void cx_worker_park(const struct cx_worker *worker);

/* A zeroed job with room for the context's timelines. NULL: no memory. */
struct cx_job *cx_job_new(const struct cx_context *context);
size_t cx_job_size(const struct cx_context *context);
/* The same with `more` zeroed bytes behind it (*behind), of memory that goes back to the spares with it: they
 * outlive it, and are of jobs with as much behind them. */
struct cx_job *cx_job_take(struct cx_freelist *freelist, const struct cx_context *context, size_t more,
                           void **behind);
/* Frees one that was not added, or is over; NULL is fine. */
void cx_job_free(struct cx_job *job);

/* For run, where its one real command goes to worker->queue: where that leaves its event; NULL where nobody
 * asks for one, which saves what events cost (3 us on an H200). */
static inline cl_event *cx_job_event(struct cx_job *job)
{
    job->loose = !job->track;
    return job->track ? &job->event : NULL;
}

/* Plans a job: gives it the next seq and queues it. Caller holds context->lock. */
uint64_t cx_worker_plan(struct cx_worker *worker, struct cx_job *job);
/* Runs what can run now, in the calling thread where allowed, else wakes the worker. Caller holds no lock. */
void cx_worker_pump(struct cx_worker *worker);
/* Lets the worker's thread notice by itself that everything up to seq is complete. */
void cx_worker_watch(struct cx_worker *worker, uint64_t seq);
/* Hears of it when a job of this command, in flight already, runs (cx_command_runs). Caller holds no lock. */
void cx_worker_tell_running(struct cx_worker *worker, struct cx_command *command);
/* Waits until all jobs up to seq are with the driver, or over. Caller holds no lock. */
void cx_worker_hand(struct cx_worker *worker, uint64_t seq);
/* Whether the worker has a thread of its own; starts it where there is none. For jobs that wait for what jobs
 * of other workers do meanwhile. Caller may hold context->lock. */
bool cx_worker_has_thread(struct cx_worker *worker);
/* Whether the calling thread is the worker's own. */
bool cx_worker_is_this_thread(const struct cx_worker *worker);
/* Where it has none, does what that would do now, but for jobs after seq. Caller holds no lock. */
void cx_worker_stand_in(struct cx_worker *worker, uint64_t seq);
/* Waits until all jobs up to seq are complete. Caller holds no lock. */
void cx_worker_wait(struct cx_worker *worker, uint64_t seq);
/* A command that the member's driver took has failed. At the second one the member is left out, unless it is
 * the last one. Takes context->lock. */
void cx_worker_failed(struct cx_worker *worker, cl_int error);
/* The member fails to move data: leaves it out of what is planned from now on, unless it is the last one.
 * Takes context->lock. */
void cx_worker_leave_out(struct cx_worker *worker, cl_int error);
/* Whether nothing is left to do or in flight, as far as can be told without waiting and without completing
 * jobs. Caller may hold context->lock. */
bool cx_worker_idle(struct cx_worker *worker);
/* Whether all jobs up to seq are complete, without waiting. */
bool cx_worker_done(struct cx_worker *worker, uint64_t seq);
/* Waits for a real event of this worker, whatever comes of its command. An error: no way to wait works. */
cl_int cx_worker_wait_event(struct cx_worker *worker, cl_event event);
/* Waits for it until that time (cx_clock_ns) at most, by looking at it now and then. Whether it is over: it
 * is to be waited for all the same, as a look orders no memory. */
bool cx_worker_await_until(struct cx_worker *worker, cl_event event, uint64_t until);
/* The error of a real event's command; CL_SUCCESS where it has none, is not over, or the driver does not say.
 */
cl_int cx_worker_event_error(const struct cx_worker *worker, cl_event event);
/* Whether a real event's command is over, or failed, as far as the driver says. A look orders no memory. */
bool cx_worker_event_over(const struct cx_worker *worker, cl_event event);
/* Drops events (or NULL) of this worker's commands that are over. Gives the first error among them. */
cl_int cx_worker_drop_events(const struct cx_worker *worker, cl_event *events, unsigned n);
/* Whether a number that a driver gives for an event's time is one. Mesa 22.3 answers 0, 1, 2 and 3 ns for
 * every event, by which a device would be boundlessly fast: none of its clock's first microsecond counts. */
static inline bool cx_worker_is_time(cl_ulong ns)
{
    return ns >= 1000;
}
/* Profiling times of a real event of this worker on the host's clock; 0 where unknown. */
void cx_worker_event_times(const struct cx_worker *worker, cl_event event, uint64_t *start_ns,
                           uint64_t *end_ns);
/* Pushes what was handed to the driver to the device. */
void cx_worker_flush(struct cx_worker *worker);

/* end_times.c. Asks when the last of all up to this cone ends. clock: also of what has no times, which is
 * when that is noticed. NULL: all is over, or there is no memory. context->lock held. */
struct cx_ends *cx_ends_ask(struct cx_context *context, const uint64_t *frontier, bool clock);
/* Once the timelines have passed the cone: when that was, host ns; 0: nothing was asked, or it is unknown. */
uint64_t cx_ends_last(const struct cx_ends *ends);
/* The command forgets what it asked for. NULL is fine. */
void cx_ends_drop(struct cx_ends **ends);
/* The job is over, host ns; 0: others of its command tell. Called in their order, before `completed` moves.
 */
#define CX_END_UNKNOWN UINT64_MAX /* its command has no times */
void cx_worker_note_end(struct cx_worker *worker, uint64_t seq, uint64_t ns) CX_HOLDS(cx_timeline_locked);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Workers: one for each real device of a context, and one for the host's copies. A worker is a timeline.
 *
 * Jobs get consecutive positions (seq) when they are planned, under the context's lock, and run and complete
 * in that order. A dependency between timelines is a position on the other one; since planning gives
 * positions in one total order, waiting for a dependency can never close a circle. To pump a worker is to run
 * its jobs, in one thread at a time. Jobs that do not wait are pumped by the thread that enqueued them if the
 * driver returns at once; all others by the worker's own thread, or, if it can have none, by a thread that
 * waits for them. Previous stage: start.h. Next: the real driver; worker_reap.h notices the end of jobs and
 * reports it to command.h.
 */
#ifndef CX_LAYER_TIMELINE_WORKER_H
#define CX_LAYER_TIMELINE_WORKER_H

#include "layer/timeline/context.h"
#include "layer/timeline/timeline.h"
#include <pthread.h>

struct cx_job;
struct cx_transfer_state;
struct cx_diff_state;
struct cx_end_times;

/* Whether a member has a real context: closed -> open | failed, once each, by cx_worker_ensure. */
enum cx_worker_state {
    CX_WORKER_CLOSED, /* not needed so far: it has no real context and none of the program's objects */
    CX_WORKER_OPEN,
    CX_WORKER_FAILED /* its driver gives no context: it is not used */
};

/* A device's real queues, all in order. NULL until needed. */
enum cx_real_queue_use {
    CX_REAL_QUEUE_MAIN,       /* with profiling; the first one */
    CX_REAL_QUEUE_UNPROFILED, /* used in place of MAIN if no times are wanted (worker_profiling.c) */
    CX_REAL_QUEUE_ALTERNATE,  /* for every other package of a split */
    CX_REAL_QUEUE_TRANSFER,   /* for transfers beside a kernel that runs */
    CX_REAL_QUEUE_PEER_READ,  /* for reads of the device's memory by other threads while a kernel runs */
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
    bool called CX_GUARDED_BY(cx_timeline_locked); /* it is to look after workers without a thread */
    /* held: the driver tells when this position is passed; 0: none */
    uint64_t heard CX_GUARDED_BY(cx_timeline_locked);
    atomic_bool held;  /* worker_callbacks.c: it waits for another timeline */
    atomic_bool alone; /* it can have no thread at the moment: other threads do its work */
    pthread_t id;      /* started */
};

struct cx_worker {
    struct cx_context *context;
    unsigned index;                /* the member's number; nmembers for the host's worker */
    struct cx_real_device *device; /* NULL for the host's worker */
    atomic_uint state;             /* enum cx_worker_state; what follows up to `quiet` is set before OPEN */
    struct cx_lock opening;        /* held while the driver opens it */
    cl_int open_error;             /* state FAILED: why */
    /* hints for the queue, from before it was open; context->lock */
    cl_queue_properties priority CX_GUARDED_BY(cx_context_locked), throttle CX_GUARDED_BY(cx_context_locked);
    cl_context real_context;
    /* Whoever pumps; PEER_READ: under the timeline's lock. */
    struct cx_real_queue queues[CX_REAL_QUEUE_COUNT];
    _Atomic(cl_command_queue) queue; /* the one in use of MAIN and UNPROFILED. Set by whoever pumps */
    bool profiles;                   /* ... which is MAIN; whoever pumps, as what follows */
    unsigned quiet;                  /* jobs in a row that wanted no times, while `profiles` */
    bool profiling_deferred; /* launches are not measured for the kernel history yet (cx_worker_measures) */
    /* profiling_deferred: when the first launch was planned that could have been measured; 0: none.
     * context->lock */
    uint64_t first_ns CX_GUARDED_BY(cx_context_locked);
    bool moves_aside;  /* transfers enqueued now go to queues[TRANSFER]; whoever pumps */
    unsigned kind;     /* equal, from 1 on, for members of the same hardware and driver */
    atomic_uint place; /* the place on which the device normally works, 0: the host copy; cx_mem_place
                          (buffer.h) says it for a buffer */

    atomic_bool
        left_out; /* its transfers fail: it is excluded if there are others; set under context->lock */
    atomic_uint failures; /* commands that it accepted and that failed */
    atomic_uint broken;   /* the context's epoch since a transfer of this worker failed on the device */
    int64_t clock_offset; /* host ns minus device ns of profiling times */
    struct cx_transfer_state *transfers; /* of memory/ (transfer_state.h); NULL for the host's worker */
    struct cx_diff_state *diff;          /* of launch/ (diff.h); NULL until needed; whoever pumps */
    struct cx_timeline timeline;
    struct cx_worker_thread thread;
};

/* How a job is run; set before it is planned. */
struct cx_job_kind {
    bool urgent;   /* part of a split: starts at once, never left to the next wait */
    bool waits;    /* may wait on the host: never pumped by the program's thread */
    bool launches; /* a launch that has no command (replay.h) */
    bool copies; /* a copy between peers (peer.h): it waits for no fence, and its dependencies are set by the
                    code that plans it */
    bool brief;  /* expected to be shorter than handing it to another thread: the enqueueing thread may run it
                    even with a synchronous driver */
    bool computes; /* it launches kernels of the program */
};

/* A job's times. */
struct cx_job_times {
    bool wanted;               /* profiling times are: start_ns and end_ns are filled in before finish */
    bool sampled;              /* wanted: only as an occasional sample, which may be skipped */
    bool parts;                /* run asks for the times of several commands of its own */
    bool of_call;              /* if run leaves no event, the times are those of its call */
    uint64_t start_ns, end_ns; /* host clock */
};

/* A unit of work on one timeline. Allocated when it is planned, freed by the worker after completion. */
struct cx_job {
    struct cx_job *next;
    uint64_t seq;
    struct cx_command *command; /* a reference; NULL for jobs without a command */
    /* Submits the work to the driver (or does it, on the host's worker). May set job->event to the event of
     * its last real command; without an event the work is done on return. Called without locks. A negative
     * code fails the command. */
    cl_int (*run)(struct cx_job *job, struct cx_worker *worker);
    /* Called instead of run if the job must not run any more (context->epoch); the command fails. May be
     * NULL. */
    void (*skip)(struct cx_job *job, struct cx_worker *worker);
    /* Called once the job is complete, before completed moves; frees what the job owns, not the job. May be
     * NULL. */
    void (*finish)(struct cx_job *job, struct cx_worker *worker);
    void *data; /* what run and finish work on */
    cl_event event;
    cl_event first_event; /* of its first real command if that is another one: profiling starts there */
    struct cx_job_kind kind;
    struct cx_job_times times;
    bool track; /* set before run: it must have an event, even if it could do without */
    bool
        tells; /* set before it is planned: likewise; or by its worker, since many jobs before it have none */
    bool ended; /* set by run: the job and everything submitted before it are complete */
    bool loose; /* set by cx_job_event: in flight without an event; a later job's event, or clFinish, shows
                   its end */
    bool alone; /* set before finish: no other job that computes has been found to be over together with it */
    bool checked;    /* the event's status is known: the job is over, and `status` is set */
    bool stale;      /* failed because of the context's epoch, not because of itself */
    bool unused;     /* set by finish: its results are not used, so its failure is ignored */
    bool within;     /* its memory is its command's (cx_command_job) */
    bool kept;       /* its memory is from cx_job_take */
    bool behind;     /* set by cx_worker_plan_here: others of its worker are in flight */
    unsigned epoch;  /* the context's when it was planned */
    cl_int status;   /* CL_SUCCESS or the first error */
    uint64_t deps[]; /* one a timeline: that timeline must have completed this seq before run; 0 for none */
};

/* The host's worker of a context. Called by api/ and launch/. */
static inline struct cx_worker *cx_context_host(const struct cx_context *context)
{
    return &context->workers[context->nmembers];
}

/* Initialises the timeline of a closed member, or the host's. Called by api/context.c. */
void cx_worker_init(struct cx_worker *worker, struct cx_context *context, unsigned index,
                    struct cx_real_device *device);
/* Waits for all its jobs and ends its thread. All workers of a context end before one is finished, since they
 * serve each other. Called by api/context.c. */
void cx_worker_end(struct cx_worker *worker);
/* Closes its queues and real context, after cx_worker_end and after rooms above have released what they
 * attached to it (diff, copier, ring). Called by api/context.c. */
void cx_worker_finish(struct cx_worker *worker);
/* Opens the member's real context and queue, unless they are open, within the call, which takes a GPU's
 * driver 0.1 s or more. Any thread, several at once; the caller holds no lock. Errors: the driver's, which is
 * logged. Called by timeline/, memory/ and program/. */
cl_int cx_worker_ensure(struct cx_worker *worker);
/* Whether the member is open. Thread-safe. Called by timeline/, api/, memory/ and program/. */
static inline bool cx_worker_is_open(const struct cx_worker *worker)
{
    return atomic_load_explicit(&worker->state, memory_order_acquire) == CX_WORKER_OPEN;
}
/* Sets hints of the program's queue (0: none) for the real queue, if the driver supports them. Only before
 * the first job, since there is one real queue. context->lock held. Called by queue.c. */
void cx_worker_hint(struct cx_worker *worker, cl_queue_properties priority, cl_queue_properties throttle)
    CX_HOLDS(cx_context_locked);

/* Once all members are open: gives a GPU that is the only one a second queue, without profiling
 * (COEXEC_DEBUG=queues=one: it has none). Called by api/context.c. */
void cx_worker_open_plain(struct cx_context *context);
/* Whether whole launches on the member are measured for the kernel history by now; called when one is
 * planned. A GPU that begins without profiling beside other devices is not measured in its first 30 ms of
 * launches. context->lock held. */
bool cx_worker_measures(struct cx_worker *worker) CX_HOLDS(cx_context_locked);
/* Called before a job is started: changes to the queue with profiling if the job wants times, or to the other
 * one if no job has wanted times for long. idle: nothing is in flight. May clear times.wanted of a sampling
 * job. Called by the pumping thread, without locks. */
void cx_worker_suit_times(struct cx_worker *worker, struct cx_job *job, bool idle);
/* The queue that transfers are enqueued on now. Called by launch/ and memory/. */
static inline cl_command_queue cx_worker_mover(const struct cx_worker *worker)
{
    return worker->moves_aside ? worker->queues[CX_REAL_QUEUE_TRANSFER].queue : worker->queue;
}
/* Makes the queue if there is none yet, and returns whether there is one. If the driver gives none, it is not
 * asked again. Called in the pumping thread; not for PEER_READ. Called by worker_profiling.c,
 * launch/split_package.c, launch/split_upload.c and launch/write_back.c. */
bool cx_worker_open_queue(struct cx_worker *worker, enum cx_real_queue_use use);
/* Whether every other package of a split goes to a queue of its own, so that one begins while the last groups
 * of another end: the option (COEXEC_DEBUG=queues) and the device allow it. Called by launch/split_package.c,
 * launch/write_back_slices.c and plan/plan_share.c. */
bool cx_worker_wants_alternate(const struct cx_worker *worker);
/* Whether the device may have two queues in use, one of which waits for the other. Called by
 * worker_profiling.c. */
bool cx_worker_takes_two(const struct cx_worker *worker);
/* Makes everything enqueued in `to` from now on wait for everything in `from`. Returns whether that works.
 * Flushes neither. Called by the pumping thread. */
bool cx_worker_order(const struct cx_worker *worker, cl_command_queue from, cl_command_queue to);
/* Whether the driver is synchronous: it runs commands in the calling thread, so only the pumping thread may
 * give it commands. PoCL's basic device deadlocks (pocl_update_event_running) if a second thread's command is
 * ready. Called before reading from another worker's device; peers are never synchronous (peer.c). Called
 * by launch/split_inputs.c and memory/peer.c. */
static inline bool cx_worker_is_synchronous(const struct cx_worker *worker)
{
    return worker->device->probe.synchronous;
}
/* The queue for reads of the device's memory by other threads than the one that pumps: one of its own, made
 * when first needed, else the worker's. Any thread; takes the timeline's lock. Called by
 * launch/split_inputs.c. */
cl_command_queue cx_worker_peer_read_queue(struct cx_worker *worker);

/* Whether the driver may compile as a kernel is launched on the device: those of CPUs do. Called by
 * timeline/ and launch/. */
static inline bool cx_worker_compiles(const struct cx_worker *worker)
{
    return worker->device && worker->device->type & CL_DEVICE_TYPE_CPU;
}
/* worker_compile.c. Surround a call in which the driver may compile, or after which it may compile in a
 * thread of its own: exit() waits for that. begin returns whether it does, for end. Called without locks.
 * Called by launch/. */
bool cx_worker_compile_begin(const struct cx_worker *worker);
/* event: of the command, or NULL. Called by launch/. */
void cx_worker_compile_end(const struct cx_worker *worker, bool begun, cl_event event);
/* Where begin says no: whether the calling thread is one of ours, and the process so near its end that what
 * its driver compiles with may be gone. Called without locks. Called by launch/. */
bool cx_worker_compiler_gone(const struct cx_worker *worker);
/* There: begins all the same once a handler of exit() waits for work, as that may be for this. Gives whether
 * it does, for end; else the job fails. Most processes are over before it returns so, a second later, so that
 * a thread of the program that goes on while they end does not learn of it. Called without locks. Called by
 * launch/. */
bool cx_worker_compile_late(const struct cx_worker *worker);
/* Called before a worker's thread begins something. Once the process is ending it does not return, so that
 * the thread begins nothing more, unless the program still waits for something or for a callback. Called
 * without locks. Called by worker_compile.c and launch/split_member.c. */
void cx_worker_park(const struct cx_worker *worker);

/* Makes a zeroed job with room for the context's timelines. NULL: no memory. Called by timeline/, api/,
 * launch/ and memory/. */
struct cx_job *cx_job_new(const struct cx_context *context);
size_t cx_job_size(const struct cx_context *context);
/* Makes a zeroed job with so many bytes behind it, whose memory goes from one to the next: glibc would take
 * 0.1 us to allocate it and as much to free it. All of a context have the same size. NULL: no memory. Called
 * by launch/replay.c. */
struct cx_job *cx_job_take(struct cx_context *context, size_t more, void **behind)
    CX_HOLDS(cx_context_locked);
/* Frees a job that was not planned, or is over; accepts NULL. Called by worker_reap.c, api/enqueue.c,
 * launch/split.c and launch/whole.c. */
void cx_job_free(struct cx_job *job);
/* Frees a list of jobs' memory. Called by worker.c and api/context.c. */
void cx_jobs_free(struct cx_job *jobs);

/* Called by run if its one real command goes to worker->queue: where the command's event is to be stored;
 * NULL: no event is needed, which saves its cost (3 us on an H200). */
static inline cl_event *cx_job_event(struct cx_job *job)
{
    job->loose = !job->track;
    return job->track ? &job->event : NULL;
}

/* Plans a job: gives it the next seq and queues it. The caller holds context->lock. Called by command.c.
 */
uint64_t cx_worker_plan(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked);
/* Likewise, where no other work of the context became ready with it, and it waits for nothing. True: it is
 * for the caller to have it run, by cx_worker_run_here, once no lock is held. Called by launch/replay.c. */
bool cx_worker_plan_here(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked);
void cx_worker_run_here(struct cx_worker *worker, struct cx_job *job);
/* Pumps: runs what can run now, in the calling thread if allowed, else wakes the worker's thread. The caller
 * holds no lock. Called by plan_ready.c. */
void cx_worker_pump(struct cx_worker *worker);
/* Has the worker's thread notice by itself that everything up to seq is complete. Called by timeline/,
 * launch/ and plan/. */
void cx_worker_watch(struct cx_worker *worker, uint64_t seq);
/* The next job handed to the driver gets an event: without one, what is complete shows at a later one's, or
 * once all is. The caller holds context->lock. Called by plan/outstanding.c. */
static inline void cx_worker_tell_next(struct cx_worker *worker)
{
    atomic_store_explicit(&worker->timeline.tell_next, true, memory_order_relaxed);
}
/* Asks to be notified (cx_command_runs) when a job of this command that is in flight runs. The caller holds
 * no lock. Called by event.c. */
void cx_worker_tell_running(struct cx_worker *worker, struct cx_command *command);
/* Waits until all jobs up to seq are submitted to the driver, or complete. The caller holds no lock.
 * Called by api/enqueue_kernel.c. */
void cx_worker_hand(struct cx_worker *worker, uint64_t seq);
/* Whether the worker has a thread of its own, which is started if needed. For jobs that wait for jobs of
 * other workers. The caller may hold context->lock. Called by launch/split.c. */
bool cx_worker_has_thread(struct cx_worker *worker);
/* Whether the calling thread is the worker's own. Called by api/context.c. */
bool cx_worker_is_this_thread(const struct cx_worker *worker);
/* If it has none, does the work of that thread now, for jobs up to seq. The caller holds no lock. Called
 * by event.c and queue.c. */
void cx_worker_stand_in(struct cx_worker *worker, uint64_t seq);
/* Waits until all jobs up to seq are complete. The caller holds no lock. Called by timeline/, launch/ and
 * memory/. */
void cx_worker_wait(struct cx_worker *worker, uint64_t seq);
/* Counts a failed command that the member's driver had accepted. At the second one the member is excluded,
 * unless it is the last one. Takes context->lock. Called by launch/split_package.c, launch/static.c and
 * launch/whole.c. */
void cx_worker_failed(struct cx_worker *worker, cl_int error);
/* Excludes the member from further planning, since its transfers fail, unless it is the last one. Takes
 * context->lock. Called by launch/ and memory/. */
void cx_worker_leave_out(struct cx_worker *worker, cl_int error);
/* Whether no job is planned or in flight, as far as is known without waiting and without completing jobs. The
 * caller may hold context->lock. Called by plan/device_load.c and plan/plan_chains.c. */
bool cx_worker_idle(struct cx_worker *worker);
/* Whether all jobs up to seq are complete, without waiting. Called by command.c. */
bool cx_worker_done(struct cx_worker *worker, uint64_t seq);
/* Waits for a real event of this worker, whether or not its command succeeds. An error: waiting is
 * impossible. Called by timeline/, launch/ and memory/. */
cl_int cx_worker_wait_event(struct cx_worker *worker, cl_event event);
/* Waits for the event until that time (cx_clock_ns) at most, by polling. Returns whether it is complete; the
 * caller must still wait for it, since polling does not synchronise memory. Called by
 * launch/split_member.c. */
bool cx_worker_await_until(struct cx_worker *worker, cl_event event, uint64_t until);
/* The error of a real event's command; CL_SUCCESS: it has none, is not complete, or the driver does not say.
 * Called by launch/ and memory/.
 */
cl_int cx_worker_event_error(const struct cx_worker *worker, cl_event event);
/* Whether a real event's command is complete, or failed, as far as the driver says. Does not synchronise
 * memory. Called by worker_await.c and launch/write_back.c. */
bool cx_worker_event_over(const struct cx_worker *worker, cl_event event);
/* Releases events (or NULL) of this worker's complete commands. Returns the first error among them. Called
 * by launch/ and memory/. */
cl_int cx_worker_drop_events(const struct cx_worker *worker, cl_event *events, unsigned n);
/* Whether a driver's value for an event's time is plausible. Mesa 22.3 answers 0, 1, 2 and 3 ns for every
 * event, so values below a microsecond are ignored. Called by worker_open.c and worker_reap.c. */
static inline bool cx_worker_is_time(cl_ulong ns)
{
    return ns >= 1000;
}
/* Profiling times of a real event of this worker on the host's clock; 0 where unknown. Called by
 * launch/split_package.c, launch/split_upload.c and launch/write_back.c. */
void cx_worker_event_times(const struct cx_worker *worker, cl_event event, uint64_t *start_ns,
                           uint64_t *end_ns);
/* Flushes the real queues: what was submitted to the driver goes to the device. Called by command.c,
 * queue.c and worker_callbacks.c. */
void cx_worker_flush(struct cx_worker *worker);

/* end_times.c. Requests the time when the last job up to this frontier ends. clock: jobs without times count,
 * too, with the time when their end is noticed. NULL: all are complete, or there is no memory. context->lock
 * held. Called by command.c. */
struct cx_end_times *cx_end_times_ask(struct cx_context *context, const uint64_t *frontier, bool clock)
    CX_HOLDS(cx_context_locked);
/* Once the timelines have passed the frontier: that time, host ns; 0: not requested, or unknown. Called by
 * command.c. */
uint64_t cx_end_times_last(const struct cx_end_times *ends);
/* Drops a request; accepts NULL. Called by command.c. */
void cx_end_times_drop(struct cx_end_times **ends);
/* The job is over, host ns; 0: others of its command tell. Called in their order, before `completed` moves.
 */
#define CX_END_UNKNOWN UINT64_MAX /* its command has no times */
void cx_end_times_note(struct cx_worker *worker, uint64_t seq, uint64_t ns) CX_HOLDS(cx_timeline_locked);

#endif

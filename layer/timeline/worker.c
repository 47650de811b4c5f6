/* SPDX-License-Identifier: MIT */
/*
 * Workers: pumping jobs into the drivers, in order, and waiting for them. See worker.h; worker_reap.h notices
 * that they are over.
 *
 * Who pumps: at most one thread at a time (worker->timeline.pumping). Right after planning the program's
 * thread does it where the driver returns at once and nothing has to be waited for. A driver that runs
 * commands in the calling thread is pumped by the worker's thread, save for jobs known to be brief that find
 * the worker idle; a single other job that does is left to the next flush, wait, status query or job, so that
 * a program that launches and waits pays for no change of threads.
 *
 * Where the system gives a worker no thread, whoever waits for a job, asks whether it is over, or flushes
 * does all that the thread would, and so do the context's other workers while they have nothing to do. Jobs
 * that need each other at the same time (the parts of a split) are only planned for workers that have
 * threads.
 */
#include "layer/timeline/worker.h"
#include "layer/base/exit_guard.h"
#include "layer/base/exit_park.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/timeline/job_running.h"
#include "layer/base/thread.h"
#include "layer/timeline/worker_callbacks.h"
#include "layer/timeline/worker_reap.h"

#include <stdlib.h>
#include <string.h>

/* The worker whose thread this is, or NULL: what that waits for holds up a device. */
static _Thread_local const struct cx_worker *own;

/* Events cost microseconds on some drivers, so a launch nobody asks about has none, save every so manyth. */
enum { MAX_LOOSE = 31 };
/* With so many jobs in flight, and after every few more, the driver is asked once which are over: that takes
 * 1.7 us on an H200. By then the first event of so many is some launches old. */
enum { REAP_FROM = 48, REAP_EVERY = 32 };
/* After an enqueue so many jobs run in that thread at most, the others in the worker's: more may come all the
 * while, of other threads, which a call that does not block must not stay for. */
enum { MOST_IN_CALLER = 16 };

enum pump_mode {
    PUMP_CALLER, /* the program's thread after an enqueue: never waits */
    PUMP_WAITER, /* a thread that waits for this timeline anyway: may wait, but runs no dynamic launch */
    PUMP_OWNER,  /* the worker's thread */
    PUMP_FOR_IT, /* another one that does what that would */
};

struct cx_job *cx_job_new(const struct cx_context *context)
{
    return cx_zeroed(cx_job_size(context));
}

struct cx_job *cx_job_take(struct cx_context *context, size_t more, void **behind)
{
    const size_t size = cx_job_size(context);
    struct cx_job *job = context->spare_jobs;
    if (job)
        context->spare_jobs = job->next;
    else if (!(job = malloc(size + more)))
        return NULL;
    memset(job, 0, size + more);
    job->kept = true;
    *behind = (char *)job + size;
    return job;
}

size_t cx_job_size(const struct cx_context *context)
{
    return sizeof(struct cx_job) + cx_context_timelines(context) * sizeof(uint64_t);
}

void cx_job_free(struct cx_job *job)
{
    if (job && !job->within)
        free(job);
}

void cx_jobs_free(struct cx_job *jobs)
{
    while (jobs) {
        struct cx_job *job = jobs;
        jobs = job->next;
        free(job);
    }
}

static bool runs_in_caller(const struct cx_worker *worker)
{
    return !worker->device || worker->device->probe.synchronous;
}

/* Behind the copies that others make of the member's memory, and copies planned later behind it. */
static void order(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    for (unsigned t = 0; worker->timeline.fence && t < worker->context->nmembers; t++)
        job->deps[t] = job->deps[t] < worker->timeline.fence[t] ? worker->timeline.fence[t] : job->deps[t];
    worker->timeline.last_user = job->seq;
}

/* Gives the job its position. */
static uint64_t place(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    uint64_t seq = job->seq = ++worker->timeline.planned;
    job->next = NULL;
    job->epoch = atomic_load_explicit(&worker->context->epoch, memory_order_relaxed);
    if (!job->kind.copies)
        order(worker, job);
    return seq;
}

static void append(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_timeline_locked)
{
    if (worker->timeline.head)
        worker->timeline.tail->next = job;
    else
        worker->timeline.head = job;
    worker->timeline.tail = job;
}

uint64_t cx_worker_plan(struct cx_worker *worker, struct cx_job *job)
{
    uint64_t seq = place(worker, job);
    cx_timeline_lock(&worker->timeline);
    append(worker, job);
    cx_timeline_unlock(&worker->timeline);
    worker->context->pending.touched |= UINT64_C(1) << worker->index;
    return seq; /* the job may be over, and gone, by now */
}

/* The memory of jobs that are over goes back to the context. */
static void take_spare(struct cx_worker *worker) CX_HOLDS(cx_context_locked) CX_HOLDS(cx_timeline_locked)
{
    if (worker->context->spare_jobs)
        return;
    worker->context->spare_jobs = worker->timeline.spare;
    worker->timeline.spare = NULL;
    worker->timeline.nspare = 0;
}

/* ---- pumping ---- */

static bool deps_done(const struct cx_worker *worker, const struct cx_job *job)
{
    struct cx_context *context = worker->context;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (t != worker->index && job->deps[t] &&
            !cx_timeline_passed(&context->workers[t].timeline, job->deps[t]))
            return false;
    return true;
}

static void wait_deps(struct cx_worker *worker, const struct cx_job *job, enum pump_mode mode)
{
    struct cx_context *context = worker->context;
    if (mode == PUMP_OWNER)
        cx_worker_held(worker, true);
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (t != worker->index && job->deps[t])
            cx_worker_wait(&context->workers[t], job->deps[t]);
    if (mode == PUMP_OWNER)
        cx_worker_held(worker, false);
}

static bool may_run(const struct cx_worker *worker, const struct cx_job *job, enum pump_mode mode)
{
    if (mode >= PUMP_OWNER)
        return true;
    if (job->kind.waits)
        return false;
    if (mode == PUMP_CALLER && runs_in_caller(worker) && !job->kind.brief)
        return false;
    return mode == PUMP_WAITER || deps_done(worker, job);
}

static void *worker_main(void *data);

/* Whether nothing of the context needs the worker's thread any more. */
static bool is_unneeded(const void *context)
{
    return cx_exit_guard_parks() &&
           atomic_load(&((const struct cx_context *)context)->callbacks.nwatched) == 0;
}

void cx_worker_park(const struct cx_worker *worker)
{
    if (own && is_unneeded(worker->context))
        cx_exit_park(is_unneeded, worker->context, 0);
}

/* False: it can have no thread (any more); see call_others. */
static bool wake(struct cx_worker *worker) CX_HOLDS(cx_timeline_locked)
{
    if (worker->thread.started) {
        pthread_cond_signal(&worker->thread.wake);
        return true;
    }
    cx_exit_guard_expect();
    worker->thread.started = cx_thread_start(&worker->thread.id, worker_main, worker);
    atomic_store(&worker->thread.alone, !worker->thread.started);
    if (worker->thread.started)
        return true;
    return false;
}

/* Has other workers of the context look after one that has jobs and no thread. No worker's lock held. */
static void call_others(const struct cx_worker *worker)
{
    struct cx_context *context = worker->context;
    atomic_store(&context->lone, true);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        struct cx_worker *other = &context->workers[t];
        if (other == worker)
            continue;
        cx_timeline_lock(&other->timeline);
        other->thread.called = true;
        pthread_cond_signal(&other->thread.wake);
        cx_timeline_unlock(&other->timeline);
    }
}

bool cx_worker_is_this_thread(const struct cx_worker *worker)
{
    return worker == own;
}

bool cx_worker_has_thread(struct cx_worker *worker)
{
    cx_timeline_lock(&worker->timeline);
    const bool has = wake(worker);
    cx_timeline_unlock(&worker->timeline);
    return has;
}

/* at_once: nothing is before it. */
static void start(struct cx_worker *worker, struct cx_job *job, bool at_once)
{
    if (job->kind.waits && !runs_in_caller(worker)) /* to see the end of what came before it while it runs */
        cx_worker_mark_end(worker);
    job->stale = job->epoch != atomic_load(&worker->context->epoch);
    if (!job->stale) {
        if (at_once && job->command)
            cx_command_runs(job->command);
        const bool on_host = !worker->device && job->command && cx_command_is_timed(job->command);
        const uint64_t since = job->times.of_call || on_host ? cx_clock_ns() : 0;
        job->status = job->run(job, worker);
        job->loose &= job->status == CL_SUCCESS;
        if (since && !job->event) {
            job->times.start_ns = since;
            job->times.end_ns = cx_clock_ns();
        }
        return;
    }
    job->status = CL_OUT_OF_RESOURCES;
    if (job->skip)
        job->skip(job, worker);
}

/* Whether a job just started is over already. A driver that runs commands in the calling thread may leave
 * them for a flush (oclgrind): nobody else would flush, since that takes as long as they do. */
static bool ends_at_once(struct cx_worker *worker, struct cx_job *job)
{
    if (!runs_in_caller(worker))
        return false;
    if (cx_worker_ended_at_once(worker, job))
        return true;
    worker->device->cl->clFlush(worker->queue);
    return cx_worker_ended_at_once(worker, job);
}

/* Whether the job is to have an event since somebody may wait for what is ahead of it. */
static bool takes_event(struct cx_worker *worker)
{
    return atomic_load_explicit(&worker->timeline.tell_next, memory_order_relaxed) &&
           atomic_exchange(&worker->timeline.tell_next, false);
}

static void set_pumping(struct cx_worker *worker, bool pumping) CX_HOLDS(cx_timeline_locked)
{
    atomic_store_explicit(&worker->timeline.pumping, pumping, memory_order_relaxed);
}

/* Hands a job to the driver, or has it done. The caller has set `pumping`. */
static void hand_over(struct cx_worker *worker, struct cx_job *job, enum pump_mode mode, bool at_once)
    CX_TAKES(cx_timeline_locked)
{
    if (mode != PUMP_CALLER && !deps_done(worker, job))
        wait_deps(worker, job, mode);
    if (mode == PUMP_OWNER)
        cx_worker_park(worker);
    cx_worker_suit_times(worker, job, at_once);
    job->tells |= worker->timeline.nloose >= MAX_LOOSE || takes_event(worker);
    job->track = job->tells || job->times.wanted || runs_in_caller(worker) ||
                 (job->command &&
                  (atomic_load(&job->command->running.asked) || atomic_load(&job->command->calls_back)));
    start(worker, job, at_once);
    bool ended = job->ended || ends_at_once(worker, job);
    const uint64_t known = job->ended ? job->seq : 0;
    cx_timeline_lock(&worker->timeline);
    worker->timeline.nloose = job->loose ? worker->timeline.nloose + 1 : 0;
    if (ended && !worker->timeline.flying && !worker->timeline.reaping) {
        cx_worker_complete_at_once(worker, job);
        return;
    }
    cx_worker_fly(worker, job);
    const bool over = known || runs_in_caller(worker);
    const bool many =
        worker->timeline.nflying >= REAP_FROM && (worker->timeline.nflying - REAP_FROM) % REAP_EVERY == 0;
    const struct cx_job_running running =
        job->command ? cx_job_running_of(worker, job) : (struct cx_job_running){0};
    if (!over && !many && !running.command)
        return;
    cx_timeline_unlock(&worker->timeline);
    cx_job_running_tell(running);
    if (over)
        cx_worker_reap(worker, known);
    else if (many)
        cx_worker_reap_some(worker);
    cx_timeline_lock(&worker->timeline);
}

/* Runs queued jobs in order, up to `until`; leaves the rest to the worker's thread. The caller has set
 * `pumping`. */
static void pump_on(struct cx_worker *worker, enum pump_mode mode, uint64_t until)
    CX_RELEASES(cx_timeline_locked)
{
    struct cx_job *job;
    while ((job = worker->timeline.head) && job->seq <= until && may_run(worker, job, mode)) {
        worker->timeline.head = job->next;
        job->next = NULL;
        const bool at_once = runs_in_caller(worker) || !worker->timeline.flying;
        cx_timeline_unlock(&worker->timeline);
        hand_over(worker, job, mode, at_once);
    }
    set_pumping(worker, false);
    /* the owner slept while this thread pumped: jobs are left, or one that it shall see to is in flight now
     */
    const bool woken =
        mode == PUMP_OWNER ||
        !(worker->timeline.head || worker->timeline.watch > atomic_load(&worker->timeline.completed)) ||
        wake(worker);
    if (worker->timeline.waiters && worker->timeline.head) /* theirs to run where the owner has no thread */
        pthread_cond_broadcast(&worker->timeline.moved);
    cx_timeline_unlock(&worker->timeline);
    if (!woken && mode != PUMP_FOR_IT)
        call_others(worker);
}

static void pump(struct cx_worker *worker, enum pump_mode mode, uint64_t until)
{
    cx_timeline_lock(&worker->timeline);
    if (worker->timeline.pumping) {
        cx_timeline_unlock(&worker->timeline);
        return;
    }
    set_pumping(worker, true);
    if (mode == PUMP_CALLER && worker->timeline.head)
        until = worker->timeline.head->seq + MOST_IN_CALLER - 1;
    pump_on(worker, mode, until);
}

bool cx_worker_plan_here(struct cx_worker *worker, struct cx_job *job)
{
    place(worker, job);
    cx_timeline_lock(&worker->timeline);
    take_spare(worker);
    const bool here =
        !worker->timeline.head && !worker->timeline.pumping && may_run(worker, job, PUMP_CALLER);
    job->behind = worker->timeline.flying != NULL;
    if (here)
        set_pumping(worker, true);
    else
        append(worker, job);
    cx_timeline_unlock(&worker->timeline);
    if (!here)
        worker->context->pending.touched |= UINT64_C(1) << worker->index;
    return here;
}

void cx_worker_run_here(struct cx_worker *worker, struct cx_job *job)
{
    const uint64_t seq = job->seq;
    hand_over(worker, job, PUMP_CALLER, !job->behind);
    pump_on(worker, PUMP_CALLER, seq + MOST_IN_CALLER - 1);
}

void cx_worker_pump(struct cx_worker *worker)
{
    if (!runs_in_caller(worker)) {
        pump(worker, PUMP_CALLER, UINT64_MAX);
        return;
    }
    if (atomic_load_explicit(&worker->timeline.pumping, memory_order_relaxed))
        return; /* the queue's lock ordered this after the job came in */
    cx_timeline_lock(&worker->timeline);
    struct cx_job *job = worker->timeline.head;
    bool brief = job && job->kind.brief && deps_done(worker, job);
    bool alone = job && !job->next && !worker->timeline.flying && !job->kind.waits && !job->kind.urgent &&
                 worker->timeline.watch < job->seq;
    const bool woken = !job || brief || alone || worker->timeline.pumping || wake(worker);
    cx_timeline_unlock(&worker->timeline);
    if (!woken)
        call_others(worker);
    if (brief)
        pump(worker, PUMP_CALLER, UINT64_MAX);
}

void cx_worker_watch(struct cx_worker *worker, uint64_t seq)
{
    bool woken = true;
    cx_timeline_lock(&worker->timeline);
    if (worker->timeline.watch < seq) {
        worker->timeline.watch = seq;
        if (atomic_load(&worker->timeline.completed) < seq)
            woken = wake(worker);
    }
    cx_timeline_unlock(&worker->timeline);
    if (!woken)
        call_others(worker);
}

void cx_worker_flush(struct cx_worker *worker)
{
    cx_timeline_lock(&worker->timeline);
    const bool woken = !worker->timeline.head || worker->timeline.pumping || wake(worker);
    bool flying = worker->timeline.flying != NULL;
    cx_timeline_unlock(&worker->timeline);
    if (!woken)
        call_others(worker);
    if (flying && worker->queue && !runs_in_caller(worker))
        worker->device->cl->clFlush(worker->queue);
}

/* Leaves the member out of what is planned from now on where another one is left. Gives whether it was not
 * yet. */
static bool leave_out(struct cx_worker *worker)
{
    struct cx_context *context = worker->context;
    unsigned left = 0;
    cx_context_lock(context);
    for (unsigned m = 0; m < context->nmembers; m++)
        left += m != worker->index && !atomic_load(&context->workers[m].left_out);
    bool now = left && !atomic_exchange(&worker->left_out, true);
    cx_context_unlock(context);
    return now;
}

void cx_worker_leave_out(struct cx_worker *worker, cl_int error)
{
    bool now = leave_out(worker);
    cx_warn(CX_TOPIC_DATA, "%s fails to move data: %s%s", worker->device->name, cx_cl_name(error),
            now ? "; it is left out of what follows in this context" : "");
}

void cx_worker_failed(struct cx_worker *worker, cl_int error)
{
    if (atomic_fetch_add(&worker->failures, 1) == 1 && leave_out(worker))
        cx_warn(CX_TOPIC_WORKER, "%s failed twice, the last time with %s: it is left out for good",
                worker->device->name, cx_cl_name(error));
}

bool cx_worker_done(struct cx_worker *worker, uint64_t seq)
{
    if (cx_timeline_passed(&worker->timeline, seq))
        return true;
    cx_worker_mark_end(worker);
    cx_worker_flush(worker);
    cx_worker_stand_in(worker, seq);
    cx_worker_reap(worker, 0);
    return cx_timeline_passed(&worker->timeline, seq);
}

/* Until something moved. False: there is no thread to move it, and it is for the caller to do. */
static bool await_move(struct cx_worker *worker, uint64_t seq) CX_HOLDS(cx_timeline_locked)
{
    if (!worker->timeline.pumping && worker->timeline.head && !wake(worker))
        return false;
    worker->timeline.awaited =
        worker->timeline.waiters++ && worker->timeline.awaited < seq ? worker->timeline.awaited : seq;
    cx_timeline_await(&worker->timeline, &worker->timeline.moved);
    worker->timeline.waiters--;
    return true;
}

/* One step of waiting: by the driver's own wait where the work is with the driver, else until something
 * moved. */
static void wait_step(struct cx_worker *worker, uint64_t seq)
{
    uint64_t of = 0;
    bool needed = false;
    cl_event event = NULL;
    cx_timeline_lock(&worker->timeline);
    if (atomic_load(&worker->timeline.completed) >= seq) {
        cx_timeline_unlock(&worker->timeline);
        return;
    }
    if (atomic_load(&worker->timeline.submitted) >= seq && !worker->timeline.reaping) {
        event = cx_worker_end_event(worker, seq, &of, &needed);
    } else {
        (void)await_move(worker, seq);
    }
    cx_timeline_unlock(&worker->timeline);
    if (event) {
        cx_worker_wait_event(worker, event);
        worker->device->cl->clReleaseEvent(event);
    } else if (needed) {
        worker->device->cl->clFinish(worker->queue);
    }
    cx_worker_reap(worker, needed ? of : 0);
}

/* A worker's thread that does the jobs of another one may have to do its own at the same time. */
static bool does_for(const struct cx_worker *worker)
{
    return atomic_load(&worker->thread.alone) || worker == own;
}

void cx_worker_stand_in(struct cx_worker *worker, uint64_t seq)
{
    if (atomic_load(&worker->thread.alone))
        pump(worker, PUMP_FOR_IT, seq);
}

void cx_worker_hand(struct cx_worker *worker, uint64_t seq)
{
    while (atomic_load_explicit(&worker->timeline.submitted, memory_order_acquire) < seq) {
        pump(worker, does_for(worker) ? PUMP_FOR_IT : PUMP_WAITER, seq);
        cx_timeline_lock(&worker->timeline);
        if (atomic_load(&worker->timeline.submitted) < seq)
            (void)await_move(worker, seq);
        cx_timeline_unlock(&worker->timeline);
    }
}

void cx_worker_wait(struct cx_worker *worker, uint64_t seq)
{
    if (cx_timeline_passed(&worker->timeline, seq))
        return;
    const bool counts = !cx_exit_guard_ours();
    if (counts)
        cx_exit_guard_wait_begin();
    atomic_store(&worker->timeline.awaited_ns, cx_clock_ns());
    while (!cx_timeline_passed(&worker->timeline, seq)) {
        if (atomic_load_explicit(&worker->timeline.submitted, memory_order_acquire) < seq)
            pump(worker, does_for(worker) ? PUMP_FOR_IT : PUMP_WAITER, seq);
        wait_step(worker, seq);
    }
    atomic_store(&worker->timeline.awaited_ns, 0);
    if (counts)
        cx_exit_guard_wait_end();
}

/* ---- the thread ---- */

/* What the worker's thread waits for next: the first command with callbacks, else everything that it shall
 * see to. */
static uint64_t next_watch(const struct cx_worker *worker) CX_HOLDS(cx_timeline_locked)
{
    const uint64_t first = atomic_load_explicit(&worker->timeline.first_watched, memory_order_relaxed);
    return first > atomic_load(&worker->timeline.completed) && first < worker->timeline.watch
               ? first
               : worker->timeline.watch;
}

/* Does what a worker without a thread has for one to do. */
static void see_to(struct cx_worker *worker)
{
    if (!atomic_load(&worker->thread.alone))
        return;
    cx_timeline_lock(&worker->timeline);
    const uint64_t watch = next_watch(worker);
    const bool runs = worker->timeline.head && !worker->timeline.pumping,
               due = watch > atomic_load(&worker->timeline.completed) &&
                     watch <= atomic_load(&worker->timeline.submitted) && !worker->timeline.reaping;
    cx_timeline_unlock(&worker->timeline);
    if (runs)
        pump(worker, PUMP_FOR_IT, UINT64_MAX);
    else if (due)
        wait_step(worker, watch);
}

/* Everything that there is no thread for, before this worker's sleeps. */
static void help_others(const struct cx_worker *worker)
{
    struct cx_context *context = worker->context;
    cx_callback_thread_help(true);
    for (unsigned t = 0; t < cx_context_timelines(context) && atomic_load(&context->lone); t++)
        if (&context->workers[t] != worker)
            see_to(&context->workers[t]);
}

static void *worker_main(void *data)
{
    struct cx_worker *worker = data;
    bool helped = false;
    own = worker;
    cx_exit_guard_is_ours();
    cx_timeline_lock(&worker->timeline);
    for (;;) {
        uint64_t watch = next_watch(worker);
        bool due = watch > atomic_load(&worker->timeline.completed) &&
                   watch <= atomic_load(&worker->timeline.submitted);
        if (worker->timeline.head && !worker->timeline.pumping) {
            cx_timeline_unlock(&worker->timeline);
            pump(worker, PUMP_OWNER, UINT64_MAX);
        } else if (due) {
            cx_timeline_unlock(&worker->timeline);
            wait_step(worker, watch);
        } else if (worker->thread.stop && !worker->timeline.head) {
            break;
        } else if (worker->thread.called || (!helped && cx_thread_short())) {
            worker->thread.called = false;
            helped = true; /* once, before it sleeps */
            cx_timeline_unlock(&worker->timeline);
            help_others(worker);
            cx_timeline_lock(&worker->timeline);
            continue;
        } else {
            cx_timeline_await(&worker->timeline, &worker->thread.wake);
            helped = false;
            continue;
        }
        helped = false;
        cx_timeline_lock(&worker->timeline);
    }
    cx_timeline_unlock(&worker->timeline);
    return NULL;
}

void cx_worker_init(struct cx_worker *worker, struct cx_context *context, unsigned index,
                    struct cx_real_device *device)
{
    *worker = (struct cx_worker){
        .context = context, .index = index, .device = device, .place = device ? 1 + index : 0};
    cx_lock_init(&worker->opening, CX_RANK_OPENING);
    cx_lock_init(&worker->timeline.lock, CX_RANK_WORKER);
    pthread_cond_init(&worker->thread.wake, NULL);
    pthread_cond_init(&worker->timeline.moved, NULL);
}

/* Nobody else uses the context any more. */
void cx_worker_end(struct cx_worker *worker) CX_UNCHECKED
{
    cx_worker_wait(worker, worker->timeline.planned);
    cx_timeline_lock(&worker->timeline);
    const bool joins = worker->thread.started && !worker->thread.stop;
    worker->thread.stop = true;
    pthread_cond_signal(&worker->thread.wake);
    cx_timeline_unlock(&worker->timeline);
    if (joins)
        pthread_join(worker->thread.id, NULL);
}

void cx_worker_finish(struct cx_worker *worker) CX_UNCHECKED
{
    for (unsigned q = CX_REAL_QUEUE_COUNT; q-- > 0;) /* MAIN last */
        if (worker->queues[q].queue)
            worker->device->cl->clReleaseCommandQueue(worker->queues[q].queue);
    if (worker->real_context)
        worker->device->cl->clReleaseContext(worker->real_context);
    pthread_cond_destroy(&worker->timeline.moved);
    pthread_cond_destroy(&worker->thread.wake);
    cx_jobs_free(worker->timeline.spare);
    cx_lock_finish(&worker->timeline.lock);
    cx_lock_finish(&worker->opening);
}

/* SPDX-License-Identifier: MIT */
/*
 * A context of the program: one real context and one real in-order queue for each member (never one context
 * shared by several devices), and the lock under which everything in it is planned.
 *
 * Locks: lock.h has their order. None is held while a real driver runs commands, and none across a callback
 * of the program.
 */
#ifndef CX_LAYER_TIMELINE_CONTEXT_H
#define CX_LAYER_TIMELINE_CONTEXT_H

#include "layer/object/object.h"
#include "layer/driver/device.h"
#include "layer/base/lock.h"
#include <pthread.h>

struct cx_account;
struct cx_context;
struct cx_device;
struct cx_worker;
struct cx_mem;
struct cx_command;
struct cx_launch;
struct cx_kernel;
struct cx_peers;
struct cx_pinned_pool;
struct cx_bounce_buffers;

/* The lock of some context, for fields and functions that need that of theirs. */
extern struct cx_lock_kind cx_context_locked;

typedef void(CL_CALLBACK *cx_context_notify)(const char *, const void *, size_t, void *);

/* Listeners in rooms above, set when the context is assembled, before it has a job; NULL: none. No lock is
 * held when they are called. */
struct cx_context_listeners {
    void (*opened)(struct cx_context *context);    /* a member was opened */
    void (*made_kernel)(struct cx_kernel *kernel); /* the program made a kernel */
    void (*progressed)(
        struct cx_context *context); /* by cx_context_progressed, while launches are deferred */
};

/* The work left for cx_context_plan_and_unlock (plan_ready.c). */
struct cx_context_pending {
    uint64_t touched CX_GUARDED_BY(cx_context_locked); /* workers that got jobs or watches, as bits */
    /* commands to be planned, in the order in which they became so */
    struct cx_command *ready CX_GUARDED_BY(cx_context_locked);
    struct cx_command *ready_tail CX_GUARDED_BY(cx_context_locked);
    bool goes_on CX_GUARDED_BY(cx_context_locked); /* a thread plans until there are none */
    bool split CX_GUARDED_BY(cx_context_locked);   /* in this turn a launch was */
    /* commands that are settled with no part left, to be dropped outside the lock */
    struct cx_command *finished CX_GUARDED_BY(cx_context_locked);
};

/* Commands with callbacks of the program (command_watch.c). */
struct cx_context_callbacks {
    pthread_cond_t called; /* broadcast when a command's callbacks have been called */
    /* commands whose status changed, with references: their callbacks are to be called */
    struct cx_command *due CX_GUARDED_BY(cx_context_locked);
    struct cx_command *due_tail CX_GUARDED_BY(cx_context_locked);
    uint64_t ndue CX_GUARDED_BY(cx_context_locked);    /* commands that became due so far */
    uint64_t ncalled CX_GUARDED_BY(cx_context_locked); /* ... whose callbacks have been called */
    atomic_bool any;                                   /* there are, or were, callbacks */
    atomic_uint nwatched;                              /* commands with callbacks that are not complete */
};

/* How the program uses memory objects (memory/write_place.c). */
struct cx_context_use {
    /* bytes that the program gave buffers since the last split launch */
    uint64_t written CX_GUARDED_BY(cx_context_locked);
    /* of the last launch: its place, enum cx_use_kind and risk */
    unsigned at CX_GUARDED_BY(cx_context_locked);
    unsigned kind CX_GUARDED_BY(cx_context_locked);
    double risk CX_GUARDED_BY(cx_context_locked);
    /* writes since the last split that might have gone to one device */
    unsigned tries CX_GUARDED_BY(cx_context_locked);
};

/* Shared virtual memory (memory/svm.h). */
struct cx_context_svm {
    struct cx_mem **list CX_GUARDED_BY(cx_context_locked); /* allocations, sorted by address */
    size_t n CX_GUARDED_BY(cx_context_locked);
    size_t room CX_GUARDED_BY(cx_context_locked);
    unsigned owner; /* the member whose driver has it; nmembers: none */
    cl_device_svm_capabilities capabilities;
    atomic_int state; /* whether the owner's driver works as needed; 0: not tried yet */
};

/* What memory/ has for the context. */
struct cx_context_memory {
    struct cx_pinned_pool *pool;              /* pinned_pool.h: host copies lie in its pages */
    struct cx_peers *peers;                   /* peer.h; NULL: no two members can be peers */
    struct cx_bounce_buffers *bounce_buffers; /* transport_bounce.c; NULL until needed */
    atomic_uint nborrowed; /* memory objects in the program's own memory (CL_MEM_USE_HOST_PTR) */
    struct cx_context_use use;
    struct cx_context_svm svm;
};

struct cx_context {
    struct cx_object base;
    cl_context_properties *properties; /* as given, with the closing 0 */
    size_t nproperties;
    cx_context_notify notify;
    void *notify_data;
    struct cx_context_destructor *destructors; /* clSetContextDestructorCallback, last registered first */

    unsigned ndevices;
    struct cx_device **devices; /* of the program's list, each once; references */

    unsigned trace_row;            /* the first of its rows in the trace */
    struct cx_device_list members; /* their devices; nmembers */
    unsigned nmembers;             /* real devices, at least one; which of them are open: cx_worker_is_open */
    unsigned fastest; /* the member that the program begins on: the one with the highest nominal speed of
                         those whose drivers give a context */
    /* nmembers + 1 timelines: workers[m] submits to member m; workers[nmembers] does the host's own work. */
    struct cx_worker *workers;
    atomic_bool lone;           /* a worker has jobs and no thread, so other threads pump it (worker.c) */
    struct cx_planner *planner; /* plan/planner.h */
    struct cx_context_memory memory;
    struct cx_context_listeners listeners;

    struct cx_lock lock;    /* guards coherence maps, command states and queues of this context */
    atomic_uint nlocking;   /* threads that wait for it */
    pthread_cond_t settled; /* broadcast when a command settles (is planned for good) */
    struct cx_context_pending pending;
    struct cx_context_callbacks callbacks;
    atomic_uint ndeferred; /* launches deferred until something progresses */
    struct cx_job *spare_jobs CX_GUARDED_BY(cx_context_locked); /* memory for cx_job_take */
    atomic_uint nqueues;
    /* account.h: the time that splits may lose; NULL: that is not bounded, or there is one member */
    struct cx_account *account;
    /* Host clock: when the last command was completed, from the first split launch on; 0: none yet. */
    atomic_uint_fast64_t last_over;
    /* Counts transfers that failed after the map recorded them. Jobs planned before the last such failure do
     * not run any more, since bytes that they need may be missing. Raised under lock. */
    atomic_uint epoch;
};

CX_OBJECT_CASTS(context, cl_context, CX_TAG_CONTEXT)

/* Take and release the lock, and nothing else: what became ready is planned by cx_context_plan_and_unlock
 * (command.h). Called by timeline/, api/, launch/, memory/ and plan/. */
static inline void cx_context_lock(struct cx_context *context) CX_TAKES(cx_context_locked) CX_UNCHECKED
{
    if (cx_lock_try(&context->lock))
        return;
    atomic_fetch_add(&context->nlocking, 1);
    cx_lock(&context->lock);
    atomic_fetch_sub(&context->nlocking, 1);
}
static inline void cx_context_unlock(struct cx_context *context) CX_RELEASES(cx_context_locked) CX_UNCHECKED
{
    cx_unlock(&context->lock);
}
/* Wait for the condition; the lock is free meanwhile. wait_until: to `end` (CLOCK_MONOTONIC) at most; false:
 * that time has come. Called by timeline/, launch/ and plan/. */
static inline void cx_context_wait(struct cx_context *context, pthread_cond_t *condition)
    CX_HOLDS(cx_context_locked) CX_UNCHECKED
{
    cx_lock_wait(condition, &context->lock);
}
static inline bool cx_context_wait_until(struct cx_context *context, pthread_cond_t *condition,
                                         const struct timespec *end) CX_HOLDS(cx_context_locked) CX_UNCHECKED
{
    return cx_lock_wait_until(condition, &context->lock, end);
}

/* Whether the context was made for this device. Called by timeline/, api/ and program/. */
bool cx_context_has_device(const struct cx_context *context, const struct cx_device *device);
/* The members of the context that belong to the device, as bits. Called by queue.c,
 * program/program_binary.c, program/program_info.c and program/program_unit.c. */
uint64_t cx_context_members(const struct cx_context *context, const struct cx_device *device);
/* Whether two members give the same results bit for bit and run equally fast. Called by launch/, plan/ and
 * program/. */
bool cx_context_alike(const struct cx_context *context, unsigned a, unsigned b);

/* Whether launches can be shared. Otherwise the one device is passed through: nothing is analysed or built
 * for splits. Called by timeline/, api/ and program/. */
static inline bool cx_context_shares(const struct cx_context *context)
{
    return context->nmembers > 1;
}
/* Called after jobs completed or a build ended: deferred launches may be planned. The caller holds no lock.
 * Called by worker_reap.c, program/build_deferred.c and program/variant.c.
 */
static inline void cx_context_progressed(struct cx_context *context)
{
    if (atomic_load(&context->ndeferred) > 0 && context->listeners.progressed)
        context->listeners.progressed(context);
}
/* Opens the fastest closed member, within the call. Returns it; nmembers: none can be opened. The caller
 * holds no lock. Called by api/context.c and memory/buffer.c. */
unsigned cx_context_open_next(struct cx_context *context);

/* Timelines of the context: one a member, and the host's. Called by timeline/, api/, launch/, memory/ and
 * plan/. */
static inline unsigned cx_context_timelines(const struct cx_context *context)
{
    return context->nmembers + 1;
}

#endif

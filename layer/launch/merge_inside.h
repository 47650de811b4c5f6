/* SPDX-License-Identifier: MIT */
/*
 * Shared by merge.c and merge_combine.c: a merge under way. Guarded by context->lock; a job's step is its
 * own.
 */
#ifndef CX_LAYER_LAUNCH_MERGE_INSIDE_H
#define CX_LAYER_LAUNCH_MERGE_INSIDE_H

#include "layer/launch/merge.h"

/* Consecutive blocks that several places changed. */
struct cx_merge_shared {
    uint64_t lo, hi; /* in the root */
    uint64_t at;     /* offset of its bytes in the object's temporary copies */
    uint64_t places; /* indices of the places that changed something there, as bits */
};

/* One memory object under merge. Arrays are by index of place. */
struct cx_merge_object {
    struct cx_mem *root; /* a reference */
    uint64_t lo, hi;     /* the compared bytes: whole blocks, or up to the end of the root */
    uint64_t first, end; /* of these, the bytes that may be written; other commands may use the rest */
    unsigned width;
    unsigned char *snapshot; /* host: contents before, where members work in place */
    cl_mem *before;
    unsigned char **flags;
    struct cx_merge_shared *shared;
    unsigned nshared, room_shared, expected_shared;
    uint64_t shared_bytes;
    unsigned char **now; /* the places' contents of the shared blocks */
    unsigned char *old;  /* ... and the contents before, if there is no snapshot */
};

struct cx_merge_place {
    struct cx_worker *worker; /* the worker that copies and compares there: the device's, or the host's */
    unsigned place;
};

struct cx_merge {
    atomic_uint refs; /* one for each job and one for the split */
    struct cx_launch *launch;
    struct cx_cached_verdict *judged; /* a reference */
    unsigned nparts, nplaces, nobjects;
    unsigned *member; /* of the parts */
    struct cx_merge_place *place;
    struct cx_merge_object *object;
    unsigned pending; /* comparisons under way */
    bool failed;
    void (*decided)(void *data);
    void *data;
};

/* What the jobs' steps are called in a trace. */
#define CX_MERGE_KEEP    "keep a copy"
#define CX_MERGE_COMPARE "find changes"
#define CX_MERGE_COMBINE "put together"

/* The data of one job. */
struct cx_merge_step {
    struct cx_merge *merge;
    unsigned place;
    const char *name; /* for the trace */
    cl_event event[]; /* two for each object, or NULL: of its commands, except the last one */
};

static inline struct cx_context *cx_merge_context(const struct cx_merge *merge)
{
    return merge->launch->base.context;
}

static inline bool cx_merge_is_host(const struct cx_merge *merge, unsigned place)
{
    return merge->place[place].place == CX_PLACE_HOST;
}

/* Sets the command's error, unless it has one. Called by merge.c and merge_combine.c. */
static inline void cx_merge_fail(const struct cx_merge *merge, cl_int error)
{
    int none = CL_SUCCESS;
    atomic_compare_exchange_strong(&merge->launch->base.error, &none, error);
}

/* merge.c: makes a job of the merge at that place, with a step. NULL: no memory. Called by
 * merge_combine.c. */
struct cx_job *cx_merge_job(struct cx_merge *merge, unsigned place, const char *name,
                            cl_int (*run)(struct cx_job *, struct cx_worker *),
                            void (*finish)(struct cx_job *, struct cx_worker *));
/* The last part of such a job's finish: drops the step, its events and its reference to the merge. Called
 * through a pointer set in merge_combine.c. */
void cx_merge_finish_job(struct cx_job *job, struct cx_worker *worker);

/* Called when every comparison is over: makes places the owners of the blocks that they alone changed, and
 * lists the blocks that several changed. Adds the bytes to *changed. False: no memory. */
bool cx_merge_assign(struct cx_merge *merge, struct cx_merge_object *object, uint64_t *changed)
    CX_HOLDS(cx_context_locked);
/* Then, if there are shared blocks: queues the downloads and the job that combines them in the host copy.
 * Called by merge.c. */
cl_int cx_merge_combine(struct cx_merge *merge) CX_HOLDS(cx_context_locked);

#endif

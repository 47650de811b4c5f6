/* SPDX-License-Identifier: MIT */
/*
 * What merge.c and merge_combine.c share: a merge under way. Under context->lock, but for what jobs do with
 * their own step.
 */
#ifndef CX_LAYER_LAUNCH_MERGE_INSIDE_H
#define CX_LAYER_LAUNCH_MERGE_INSIDE_H

#include "layer/launch/merge.h"

/* A run of blocks that several places changed. */
struct cx_merge_shared {
    uint64_t lo, hi; /* of the root */
    uint64_t at;     /* where its bytes lie in the object's temporary copies */
    uint64_t places; /* indices of those that changed something there, as bits */
};

/* One memory object under merge. Arrays are by index of place. */
struct cx_merge_object {
    struct cx_mem *root; /* a reference */
    uint64_t lo, hi;     /* what is looked at: whole blocks, or to the end of the root */
    uint64_t first, end; /* of that, what may be written: beside it others may be at work */
    unsigned width;
    unsigned char *snapshot; /* host: contents before, where members work in place */
    cl_mem *before;
    unsigned char **flags;
    struct cx_merge_shared *shared;
    unsigned nshared, room_shared, expected_shared;
    uint64_t shared_bytes;
    unsigned char **now; /* what places hold of the shared runs */
    unsigned char *old;  /* and what was there before, where there is no snapshot */
};

struct cx_merge_place {
    struct cx_worker *worker; /* who copies and compares there: the device's, or the host's */
    unsigned place;
};

struct cx_merge {
    atomic_uint refs; /* of the jobs, and of who began it */
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

/* What a job works on. */
struct cx_merge_step {
    struct cx_merge *merge;
    unsigned place;
    const char *name; /* for the trace */
    cl_event event[]; /* of its commands, save the one that tells of its end: two an object, or NULL */
};

static inline struct cx_context *cx_merge_context(const struct cx_merge *merge)
{
    return merge->launch->base.context;
}

static inline bool cx_merge_is_host(const struct cx_merge *merge, unsigned place)
{
    return merge->place[place].place == CX_PLACE_HOST;
}

/* The command fails, if it did not before. */
static inline void cx_merge_fail(const struct cx_merge *merge, cl_int error)
{
    int none = CL_SUCCESS;
    atomic_compare_exchange_strong(&merge->launch->base.error, &none, error);
}

/* A job of the merge at that place, with a step of its own; merge.c. NULL: no memory. */
struct cx_job *cx_merge_job(struct cx_merge *merge, unsigned place, const char *name,
                            cl_int (*run)(struct cx_job *, struct cx_worker *),
                            void (*finish)(struct cx_job *, struct cx_worker *));
/* How such a job finishes: drops the step, its events and its reference to the merge. */
void cx_merge_finish_job(struct cx_job *job, struct cx_worker *worker);

/* Every comparison is over: gives the object's blocks to those who changed them, and lists those that several
 * did. Adds the bytes to *changed. False: no memory. */
bool cx_merge_assign(struct cx_merge *merge, struct cx_merge_object *object, uint64_t *changed);
/* Then, where there are any: queues the job that puts shared runs together in the host copy, after the
 * downloads it needs. */
cl_int cx_merge_combine(struct cx_merge *merge);

#endif

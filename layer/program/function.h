/* SPDX-License-Identifier: MIT */
/*
 * Kernel functions: a name within a program, which all kernel objects of that name share, with what the
 * drivers tell of it, the analysis and the history.
 *
 * Previous stage: program.h. Next: kernel.h. Thread-safety: as said for each field.
 */
#ifndef CX_LAYER_PROGRAM_FUNCTION_H
#define CX_LAYER_PROGRAM_FUNCTION_H

#include "layer/timeline/context.h"
#include "layer/object/object.h"
#include "layer/source/subrange.h"

struct cx_algo;
struct cx_function_stats;
struct cx_kernel_history;
struct cx_program;
struct cx_summary_kernel;

/* The kind of a kernel's parameter, as drivers report it or as trials show (function.c). */
enum cx_param_kind {
    CX_PARAM_VALUE,
    CX_PARAM_LOCAL,
    CX_PARAM_MEM,
    CX_PARAM_IMAGE,
    CX_PARAM_SAMPLER,
    CX_PARAM_OTHER, /* pipes, queues */
};

struct cx_param {
    enum cx_param_kind kind;
    bool
        reported; /* a driver reports it; else trials found it, which cannot distinguish images from values */
    cl_kernel_arg_access_qualifier access; /* IMAGE: as reported, else NONE */
    atomic_size_t size;                    /* VALUE: bytes that the drivers have accepted, 0 when none yet */
};

struct cx_algo;

/* One kernel name within one program. Owned by the program, lives as long as its build. */
struct cx_function {
    char *name;
    struct cx_program *program;
    unsigned index;
    const struct cx_algo *algo;      /* scheduler/algo.h: what shares out its launches */
    unsigned live;                   /* live.h: its number there */
    struct cx_function_stats *stats; /* kernel_table.h: what COEXEC_SUMMARY prints; survives the program */
    uint64_t splits CX_GUARDED_BY(cx_context_locked); /* verify.h: split launches so far; context->lock */
    struct cx_kernel_history *history;                /* kernel_history.h; context->lock. NULL: nothing yet */
    void (*forget)(struct cx_kernel_history *history); /* frees it; set with it */

    struct cx_lock
        lock;          /* guards what follows until `known`; then sizes in params, check and variant_limit */
    atomic_bool known; /* the drivers were asked: what follows is filled in */
    cl_int error;      /* why no kernel can be made of it, or CL_SUCCESS */
    unsigned nargs;
    struct cx_param *params;
    /* one a member: a real kernel for queries and argument checks; NULL: not there. Once it is, group_limit
     * and local_bytes are; those of members that build later come later, then both without the lock. */
    _Atomic(cl_kernel) *check;
    /* one a member: its access summary once the analysis has it, which is final; NULL: ask the analysis */
    _Atomic(const struct cx_summary_kernel *) *summary;
    size_t *group_limit;   /* one a member: CL_KERNEL_WORK_GROUP_SIZE */
    cl_ulong *local_bytes; /* ... and CL_KERNEL_LOCAL_MEM_SIZE without its arguments, where the device's
                              multiprocessor is known; else 0 */
    size_t required[3];    /* reqd_work_group_size, zeros when none */
    size_t *variant_limit; /* at m * CX_VARIANT_COUNT + v: member m's variant v; 0: not asked yet */
};

/* Asks the drivers about the function, once; returns function->error. The caller holds no lock. Called by
 * kernel.c. */
cl_int cx_function_learn(struct cx_function *function);
/* Like cx_function_learn for one member that has built its program since. Does nothing if the others were not
 * asked yet. Called by build_deferred.c. */
void cx_function_adopt(struct cx_function *function, unsigned member);
/* Asks the drivers whether they accept this value for a parameter that is no memory object. Called by
 * kernel.c and program.c. */
cl_int cx_function_try(struct cx_function *function, unsigned index, size_t size, const void *value);
void cx_function_init(struct cx_function *function, struct cx_program *program, unsigned index, char *name);
void cx_function_finish(struct cx_function *function);

#endif

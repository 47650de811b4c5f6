/* SPDX-License-Identifier: MIT */
/*
 * Kernels: the program's arguments, captured by value, and the real kernel of each member.
 *
 * Arguments form an immutable, counted snapshot (struct cx_args). clSetKernelArg replaces it; a launch takes a
 * reference. A real kernel remembers which snapshot it holds, so repeated launches set nothing.
 * A kernel function (name within a program) is shared by all kernels of that name: what was analysed and learned.
 * Thread-safety: kernel->lock guards the snapshot pointer; the real kernels of member m are touched by whoever
 * pumps worker m alone.
 */
#ifndef CX_LAYER_KERNEL_H
#define CX_LAYER_KERNEL_H

#include "layer/object.h"
#include <pthread.h>

struct cx_program;
struct cx_mem;
struct cx_kernel_summary;
struct cx_function_stats;

/* Which build of a program a real kernel comes from. */
enum cx_variant {
    CX_VARIANT_PLAIN, /* the program's own text */
    CX_VARIANT_SPLIT, /* with the sub-range prelude (prelude.h) */
    CX_VARIANT_COUNT
};

enum cx_arg_kind { CX_ARG_UNSET, CX_ARG_VALUE, CX_ARG_LOCAL, CX_ARG_MEM };

struct cx_arg {
    enum cx_arg_kind kind;
    size_t size;          /* bytes of the value, or of the local memory */
    struct cx_mem *mem;   /* MEM: a reference held, or NULL for a NULL buffer */
    void *value;          /* VALUE: owned copy of size bytes (points into the snapshot) */
};

struct cx_args {
    atomic_uint refs;
    unsigned count;
    struct cx_arg arg[];
};
struct cx_args *cx_args_ref(struct cx_args *args);
void cx_args_unref(struct cx_args **args);

/* One kernel name within one program. Owned by the program, lives as long. */
struct cx_function {
    char *name;
    struct cx_program *program;
    unsigned index;
    struct cx_function_stats *stats; /* stats.h: what COEXEC_SUMMARY prints; survives the program */
    void *learned;                   /* plan.h: speeds per member; owned by the planner (freed by cx_function_forget) */
};

struct cx_kernel {
    struct cx_object base;
    struct cx_program *program; /* a reference */
    struct cx_function *function;
    unsigned nargs;
    pthread_mutex_t lock;
    struct cx_args *args;               /* current snapshot */
    struct cx_kernel_member *members;   /* one a member: real kernels and what they hold (kernel.c) */
};

CX_OBJECT_CASTS(kernel, cl_kernel, CX_TAG_KERNEL)

/* The current arguments with a reference for the caller; NULL when one is not set (*missing tells which). */
struct cx_args *cx_kernel_capture(struct cx_kernel *kernel, unsigned *missing);

/* Member m's real kernel of a variant with these arguments set, buffers as cx_mem_real gives them (their shadows must
 * be allocated). For the thread that pumps worker m. Errors: the driver's code; CL_INVALID_PROGRAM_EXECUTABLE
 * where that member has no such build. */
cl_int cx_kernel_bind(struct cx_kernel *kernel, unsigned member, enum cx_variant variant, struct cx_args *args,
                      cl_kernel *real);

/* Whether member m can run this kernel (its build of the program succeeded, the kernel exists there). */
bool cx_kernel_runs_on(const struct cx_kernel *kernel, unsigned member);
/* Whether the split variant is built for member m. Starts nothing. */
bool cx_kernel_split_ready(const struct cx_kernel *kernel, unsigned member);
/* Takes a member out for this kernel after its driver failed on it; logs once. */
void cx_kernel_leave_out(struct cx_kernel *kernel, unsigned member, const char *why);

/* The access summary, or NULL with *why set ("analysis still running", "source not available", ...). Never waits. */
const struct cx_kernel_summary *cx_kernel_summary(const struct cx_kernel *kernel, const char **why);

/* clGetKernelWorkGroupInfo values the planner needs, cached: smallest CL_KERNEL_WORK_GROUP_SIZE over members that may
 * run it (or of one member), required size (zeros when none). */
size_t cx_kernel_group_limit(const struct cx_kernel *kernel, unsigned member);
void cx_kernel_required_size(const struct cx_kernel *kernel, size_t size[3]);

#endif

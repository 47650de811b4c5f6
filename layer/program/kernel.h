/* SPDX-License-Identifier: MIT */
/*
 * Kernels: the program's arguments, captured by value, and the real kernel of each member.
 *
 * Arguments form an immutable, counted snapshot (struct cx_args). clSetKernelArg replaces it (or changes it
 * in place while nobody else looks); a launch takes a reference. A real kernel remembers which snapshot it
 * holds, so repeated launches set nothing. As OpenCL says, a kernel object keeps no buffer alive; a captured
 * snapshot does. A kernel function (a name within a program) is shared by all kernels of that name, and has
 * the analysis and the history. Previous stage: program.h. Next: the planner, and subrange.h for how a
 * package is launched. Thread-safety: kernel->lock guards the snapshot pointer; the real kernels of member m
 * are used only by the thread that pumps worker m.
 */
#ifndef CX_LAYER_PROGRAM_KERNEL_H
#define CX_LAYER_PROGRAM_KERNEL_H

#include "layer/program/function.h"
#include "layer/object/object.h"
#include "layer/source/subrange.h"
#include "layer/base/lock.h"

struct cx_device;
struct cx_program;
struct cx_mem;
struct cx_sampler;

/* Member number that stands for all members that may run the kernel. */
#define CX_ALL_MEMBERS (~0u)

enum cx_args_kind {
    CX_ARGS_UNSET,
    CX_ARGS_VALUE,
    CX_ARGS_LOCAL,
    CX_ARGS_MEM,
    CX_ARGS_SAMPLER,
    CX_ARGS_REAL, /* a device's own buffer in place of the program's; only in copies of the arguments for one
                     device */
};

struct cx_arg {
    enum cx_args_kind kind;
    size_t size;                /* bytes of the value, or of the local memory */
    struct cx_mem *mem;         /* MEM: alive while the snapshot is captured; NULL for a NULL buffer */
    uint64_t mem_id;            /* MEM: id of mem, to recognise another object at the same address */
    bool svm;                   /* MEM: it lies in shared virtual memory */
    struct cx_mem *window;      /* MEM: mem if that is a cached window (svm.h): a reference of the snapshot */
    cl_mem real;                /* REAL: borrowed */
    struct cx_sampler *sampler; /* SAMPLER: a reference of the snapshot */
    void *value;                /* VALUE: owned copy of size bytes: small, or memory of its own */
    unsigned char small[16];
};

struct cx_args {
    /* who has it: four numbers, in units of CX_ARGS_OWNER and those after it. Freed when the first three are
     * 0 */
    atomic_uint_fast64_t holders;
    /* arguments, as bits, whose values changed after the one real kernel that holds it was given them */
    atomic_uint_fast64_t untold;
    unsigned count;
    const void **svm; /* CL_KERNEL_EXEC_INFO_SVM_PTRS: owned; NULL: never given */
    size_t nsvm;
    struct cx_arg arg[];
};
#define CX_ARGS_OWNER   UINT64_C(1)         /* the kernel, or who has just made it or is about to free it */
#define CX_ARGS_BOUND   (UINT64_C(1) << 8)  /* real kernels that hold these values */
#define CX_ARGS_CAPTURE (UINT64_C(1) << 20) /* captures: while there is one, every mem is referenced */
#define CX_ARGS_PASSED  (UINT64_C(1) << 42) /* ... that will read no values any more: the driver has them */
enum { CX_ARGS_UNTOLD = 64 };               /* arguments that have a bit in `untold` */

/* The memory object behind an argument, or NULL for other kinds and NULL objects. Called by launch/ and
 * plan/. */
static inline struct cx_mem *cx_args_mem(const struct cx_args *args, unsigned arg)
{
    return args->arg[arg].kind == CX_ARGS_MEM ? args->arg[arg].mem : NULL;
}
/* Takes one more reference to a captured snapshot (cx_kernel_capture). Called by api/enqueue_kernel.c. */
struct cx_args *cx_args_ref(struct cx_args *args);
/* Drops a captured reference and nulls it. Accepts a pointer to NULL. Called by api/command_buffer_record.c,
 * api/enqueue_kernel.c and launch/replay.c. */
void cx_args_unref(struct cx_args **args);
/* The holder of a captured reference has given the values to the driver: it will read buffers alone, and
 * clSetKernelArg may change values in place. Called by launch/replay.c. */
void cx_args_pass(struct cx_args *args);
/* cx_args_unref of a reference that cx_args_pass was called for. Called by launch/replay.c. */
void cx_args_unref_passed(struct cx_args **args);

struct cx_kernel {
    struct cx_object base;
    struct cx_program *program; /* the unit whose build it is: a reference */
    struct cx_program *whole;   /* the program it was made of: a reference; NULL: it is in another's `on` */
    /* One a device of the context: the kernel that its queues launch, with this one's arguments: itself, or
     * of another unit (a reference); NULL: the program is not built for it. NULL: itself on all. */
    struct cx_kernel **on;
    struct cx_function *function;
    unsigned nargs;
    struct cx_lock lock;
    struct cx_args *args;             /* current snapshot, not captured */
    struct cx_kernel_member *members; /* one a member: real kernels and what they hold (kernel_bind.c) */
};

CX_OBJECT_CASTS(kernel, cl_kernel, CX_TAG_KERNEL)

/* The kernel to launch in place of this one on a device of the context. NULL: the program is not built for
 * it. Called by kernel_info.c and api/enqueue_kernel.c. */
struct cx_kernel *cx_kernel_on(struct cx_kernel *kernel, const struct cx_device *device);
/* cx_function_try for the functions of all kernels that stand for this one. Called by kernel_arg.c. */
cl_int cx_kernel_try(struct cx_kernel *kernel, unsigned index, size_t size, const void *value);

/* Captures the current arguments: returns a snapshot with a reference for the caller. NULL: one is not set
 * (*missing says which) or names a buffer that is gone, or there is no memory (*missing is the number of
 * arguments). Thread-safe. Called by api/command_buffer_record.c and api/enqueue_kernel.c. */
struct cx_args *cx_kernel_capture(struct cx_kernel *kernel, unsigned *missing);

/* Makes a snapshot with one reference and uninitialised arguments. NULL: no memory. Called by kernel_arg.c.
 */
struct cx_args *cx_args_new(unsigned count);
/* Releases the snapshot reference of its owner (not a captured one), and nulls it. Called by program/, api/
 * and launch/. */
void cx_args_drop(struct cx_args **args);
/* Takes, and releases, the reference of a real kernel that holds the snapshot's values. The caller has
 * another one as it takes it. Called by kernel_bind.c. */
void cx_args_bind(struct cx_args *args);
void cx_args_unbind(struct cx_args **args);
/* A real kernel that holds the snapshot was given what is `untold`; if others hold it, one of them may be the
 * one that was not. The caller has a captured reference. Called by kernel_bind.c. */
void cx_args_told(struct cx_args *args);
/* Whether anything of the snapshot may be changed in place, since only its owner has it; or just values, as
 * whoever else has it needs them no more: *values. The kernel's lock is held. Called by kernel_arg.c. */
bool cx_args_alone(const struct cx_args *args, bool *values);

#endif

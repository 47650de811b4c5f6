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

#include "layer/object/object.h"
#include "layer/source/subrange.h"
#include "layer/base/lock.h"

struct cx_device;
struct cx_program;
struct cx_mem;
struct cx_sampler;
struct cx_summary_kernel;
struct cx_function_stats;
struct cx_kernel_history;

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
    atomic_uint refs;    /* holders of the struct: the kernel, real kernels, and all captures together */
    atomic_uint capture; /* captures: while there is one, every mem is referenced */
    unsigned count;
    const void **svm; /* CL_KERNEL_EXEC_INFO_SVM_PTRS: owned; NULL: never given */
    size_t nsvm;
    struct cx_arg arg[];
};
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
    size_t size;                           /* VALUE: bytes that the drivers have accepted, 0 when none yet */
};

struct cx_algo;

/* One kernel name within one program. Owned by the program, lives as long as its build. */
struct cx_function {
    char *name;
    struct cx_program *program;
    unsigned index;
    const struct cx_algo *algo;        /* scheduler/algo.h: what shares out its launches */
    struct cx_function_stats *stats;   /* kernel_table.h: what COEXEC_SUMMARY prints; survives the program */
    uint64_t splits;                   /* verify.h: split launches so far; context->lock */
    struct cx_kernel_history *history; /* kernel_history.h; context->lock. NULL: nothing yet */
    void (*forget)(struct cx_kernel_history *history); /* frees it; set with it */

    struct cx_lock
        lock;          /* guards what follows until `known`; then sizes in params, check and variant_limit */
    atomic_bool known; /* the drivers were asked: what follows is filled in */
    cl_int error;      /* why no kernel can be made of it, or CL_SUCCESS */
    unsigned nargs;
    struct cx_param *params;
    /* one a member: a real kernel for queries and argument checks; NULL: not there. Once it is, group_limit
     * is; those of members that build later come later, then both without the lock. */
    _Atomic(cl_kernel) *check;
    /* one a member: its access summary once the analysis has it, which is final; NULL: ask the analysis */
    _Atomic(const struct cx_summary_kernel *) *summary;
    size_t *group_limit;   /* one a member: CL_KERNEL_WORK_GROUP_SIZE */
    size_t required[3];    /* reqd_work_group_size, zeros when none */
    size_t *variant_limit; /* at m * CX_VARIANT_COUNT + v: member m's variant v; 0: not asked yet */
};

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

/* Whether the driver may have to compile for such a launch on member m, as it has had none like it.
 * may_compile also notes that the launch follows. Called in the thread that pumps worker m. local: NULL: the
 * driver chooses. Called by launch/launch.c. */
bool cx_kernel_is_new(const struct cx_kernel *kernel, unsigned m, enum cx_variant variant, unsigned dims,
                      const size_t *offset, const size_t *global, const size_t *local);
bool cx_kernel_may_compile(struct cx_kernel *kernel, unsigned m, enum cx_variant variant, unsigned dims,
                           const size_t *offset, const size_t *global, const size_t *local);
/* Gives member m's real kernel of a variant, with these captured arguments set; buffers are those of
 * cx_mem_real, whose shadows must be allocated. Called in the thread that pumps worker m. Errors: the
 * driver's code; CL_INVALID_PROGRAM_EXECUTABLE where that member has no such build. *real stays the kernel's.
 * Called by launch/launch.c and launch/whole.c. */
cl_int cx_kernel_bind(struct cx_kernel *kernel, unsigned member, enum cx_variant variant,
                      struct cx_args *args, cl_kernel *real);

/* Whether the kernel has inline assembly and member m is of another driver or model than the fastest member
 * that builds the program. Compilers accept assembly for other devices, and the kernel is then wrong.
 * Thread-safe. Called by plan/plan.c. */
bool cx_kernel_is_foreign(const struct cx_kernel *kernel, unsigned member);
/* Whether member m can run this kernel (its build of the program succeeded, the kernel exists there, and it
 * is not foreign there). Thread-safe. Called by program/, api/, launch/ and plan/. */
bool cx_kernel_runs_on(const struct cx_kernel *kernel, unsigned member);
/* Excludes a member for this kernel after its driver failed, unless it is the last one; logs that once.
 * Thread-safe. Called by launch/split_member.c, launch/split_package.c, launch/static.c and launch/whole.c.
 */
void cx_kernel_leave_out(struct cx_kernel *kernel, unsigned member, const char *why);

/* Split variants of the kernel's program. ready: whether it is built for member m (always for PLAIN, if the
 * kernel runs there); starts nothing, takes nanoseconds. failed: its build has failed. want: starts
 * background builds on every member, unless that was done before; does not wait. wait: waits until no member
 * builds it any more, at most ms (false: the time is up); only in threads of the layer. Thread-safe; the
 * caller holds no lock. Called by program/, api/ and plan/. */
bool cx_kernel_variant_ready(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant);
bool cx_kernel_variant_failed(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant);
void cx_kernel_variant_want(struct cx_kernel *kernel, enum cx_variant variant);
bool cx_kernel_variant_wait(struct cx_kernel *kernel, enum cx_variant variant, unsigned ms);

/* The access summary by the fastest member that runs the kernel, or NULL with *why set ("analysis still
 * running", ...; the text lives as long as the kernel). Never waits. Called by program/, api/, launch/ and
 * plan/. */
const struct cx_summary_kernel *cx_kernel_summary(const struct cx_kernel *kernel, const char **why);
/* Waits for the analysis of the kernel's program, at most ms; only in threads of the layer. False: it still
 * runs. Called by api/enqueue_kernel.c and plan/plan.c. */
bool cx_kernel_summary_wait(const struct cx_kernel *kernel, unsigned ms);

/* Cached values of clGetKernelWorkGroupInfo: group_limit is CL_KERNEL_WORK_GROUP_SIZE of one member, or with
 * CX_ALL_MEMBERS the smallest of the members that may run the kernel (0: none). cx_kernel_required_size is
 * the required work-group size (zeros: none). Called by plan/plan_size.c. */
size_t cx_kernel_group_limit(const struct cx_kernel *kernel, unsigned member);
/* The largest work-group that a launch may have on a member: the kernel's limit, or the device's until the
 * member has built the program; 0: none. Called by api/enqueue_kernel.c and plan/plan_size.c. */
size_t cx_kernel_group_most(const struct cx_kernel *kernel, unsigned member);
void cx_kernel_required_size(const struct cx_kernel *kernel, size_t size[3]);
/* The work-group limit of a split variant that is ready, which may be lower. Called by plan/plan.c. */
size_t cx_kernel_variant_limit(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant);

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

/* Makes a snapshot with one reference and uninitialised arguments. NULL: no memory. Called by kernel_arg.c.
 */
struct cx_args *cx_args_new(unsigned count);
/* kernel_arg.c: copies a snapshot; the copy has one reference and is not captured. NULL: no memory. The
 * caller holds the kernel's lock. Called by kernel.c, launch/private_copies.c and launch/remote_access.c. */
struct cx_args *cx_args_clone(const struct cx_args *args);
/* kernel_bind.c: make and destroy the real kernels of all members. Called by kernel.c. */
struct cx_kernel_member *cx_kernel_members_create(unsigned count);
/* Makes, in clCreateKernel, the real kernel that a launch most likely needs, if it is for a GPU: programs
 * expect that call to take that time. No other thread has the kernel yet. Called by kernel.c. */
void cx_kernel_foresee(struct cx_kernel *kernel);
void cx_kernel_members_destroy(struct cx_kernel *kernel);

/* Releases the snapshot reference that a kernel object or a real kernel holds (not a captured one), and nulls
 * it. Called by program/, api/ and launch/. */
void cx_args_drop(struct cx_args **args);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The real kernels of a kernel object: which members have one, whether split variants are ready, and what
 * the real kernels hold. Previous stage: kernel.h. Next: launch.h. Thread-safety: as said.
 */
#ifndef CX_LAYER_PROGRAM_KERNEL_BIND_H
#define CX_LAYER_PROGRAM_KERNEL_BIND_H

#include "layer/program/kernel.h"

/* Whether the driver may have to compile for such a launch on member m, as it has had none like it.
 * may_compile also notes that the launch follows. Called in the thread that pumps worker m. local: NULL: the
 * driver chooses. Called by launch/launch.c and launch/whole.c. */
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
const struct cx_summary_kernel *cx_kernel_summary(const struct cx_kernel *kernel, struct cx_no_summary *why);
/* Waits for the analysis of the kernel's program, at most ms; only in threads of the layer. False: it still
 * runs. Called by api/enqueue_kernel.c and plan/plan.c. */
bool cx_kernel_summary_wait(const struct cx_kernel *kernel, unsigned ms);

/* Make and destroy the real kernels of all members. Called by kernel.c. */
struct cx_kernel_member *cx_kernel_members_create(unsigned count);
/* Makes, in clCreateKernel, the real kernel that a launch most likely needs, if it is for a GPU: programs
 * expect that call to take that time. No other thread has the kernel yet. Called by kernel.c. */
void cx_kernel_foresee(struct cx_kernel *kernel);
void cx_kernel_members_destroy(struct cx_kernel *kernel);

#endif

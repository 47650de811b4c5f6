/* SPDX-License-Identifier: MIT */
/*
 * Speculation: a launch is split first and checked afterwards (optimistic concurrency with validation). For
 * kernels that keep their work-groups apart but for something small that few of them change: a counter of
 * what was found, an error code, a short list.
 *
 * Let F be all memory objects of the launch with any access that is not proved apart (CX_PROTOCOL_CHECKED),
 * and R all others: those that are only read, and those of which no package writes what another one reads or
 * writes, wherever the borders are and whatever values are read from F or returned by atomics
 * (access/checked.c). Each participant works on a copy of all of F, with all accesses of all its packages: on
 * its member's shadows, which hold what the host copy does when its first package begins; one that works on
 * the host copy in place gets buffers of its own. Afterwards each copy is compared with F as it was, which
 * the host copy still has. The launch stands if at most one participant's copy differs in any byte of any
 * object; that copy then becomes F.
 *
 * Why that is right. Take the participants one after the other, the one that changed F last. Each of the
 * others begins with F as it was before the launch, does what it did, and leaves F as it found it: byte by
 * byte, so what happened to its copy meanwhile (a lock taken and given back, the same value stored again)
 * makes no difference to who comes after it. The last one begins with the same F, too, and leaves what
 * becomes F. In R nobody meets. So this is what the launch does where the participants' work-groups run so
 * one after the other, which OpenCL allows; within a participant they ran as its device ran them. That
 * asks neither for freedom from races nor for any order of memory accesses: no work-group ever saw what one
 * of another participant did. It does ask that none waits for another one, which analyser/ending.h sees to,
 * and that nobody looks meanwhile, which plan/check_rules.h does.
 *
 * If two or more copies differ, or a participant failed, and with it its copy, the launch is undone and runs
 * whole on one device: F is still as it was in the host copy, and what the packages wrote of R is given back
 * the contents from before, which were kept, unless the launch certainly writes every byte and reads none of
 * the object. Until that is decided the launch has not settled: its event is not complete, its buffers are
 * unsettled (memory/unsettled.h), so that no other command is planned on them, nothing is written back, and
 * nothing is re-executed.
 *
 * Previous stage: split.c. Beside: private_copies.h, merge.h. Called under context->lock unless stated
 * otherwise.
 */
#ifndef CX_LAYER_LAUNCH_SPECULATION_H
#define CX_LAYER_LAUNCH_SPECULATION_H

#include "layer/plan/plan.h"

struct cx_speculation;

/* What came of the check. */
enum cx_speculation_end {
    CX_SPECULATION_STANDS,   /* F is what it should be */
    CX_SPECULATION_CONFLICT, /* several participants changed F: the launch must be undone */
    CX_SPECULATION_LOST,     /* a participant failed: likewise */
    CX_SPECULATION_FAILED,   /* the command has failed before */
};

/*
 * For a launch with arguments that are CHECKED: moves F, and what is to be kept of R, to the host copy, and F
 * to the members; where one works in place, queues jobs that keep R and fill copies of F, and gives the part
 * its arguments (launch->outcome.parts[i].args). Called by split.c before the packages' jobs are queued.
 * *speculation stays NULL if no argument is CHECKED. Errors: CL_OUT_OF_HOST_MEMORY or a driver's.
 */
cl_int cx_speculation_begin(struct cx_launch *launch, const struct cx_access_region *whole,
                            struct cx_speculation **speculation) CX_HOLDS(cx_context_locked);
/* A participant failed: its copies count for nothing. Any thread, no lock needed. Called by split_member.c
 * and split_package.c. */
void cx_speculation_lose(struct cx_speculation *speculation);
/* Whether the part's copies are there, so that it may begin. Called by split_package.c, on the part's worker,
 * without a lock. */
bool cx_speculation_is_filled(const struct cx_speculation *speculation, unsigned part);
/* All packages are started on the parts' queues: queues the jobs that fetch the copies and check them. Then
 * calls decided(data, end) once, under context->lock. Called by split.c. */
cl_int cx_speculation_check(struct cx_speculation *speculation,
                            void (*decided)(void *data, enum cx_speculation_end end), void *data)
    CX_HOLDS(cx_context_locked);
/* Notes who holds F, and what was written of R if it is undone, once decided. False: no memory. Called by
 * split.c. */
bool cx_speculation_note(struct cx_speculation *speculation, enum cx_speculation_end end)
    CX_HOLDS(cx_context_locked);
/* An object of F: its contents before, and in each participant's copy afterwards. */
struct cx_speculation_copies {
    size_t size;
    const unsigned char *before;
    unsigned char *const *after; /* by participant */
};
/* The check itself: whether at most one participant's copies differ from before in any byte of any object;
 * *changed is that one, or nparts if there is none. Needs no lock. Called by speculation.c and tests. */
bool cx_speculation_judge(const struct cx_speculation_copies *object, unsigned nobjects, unsigned nparts,
                          unsigned *changed);
/* Of a launch that stands: the part that changed F; the number of parts if none did. Called by split.c. */
unsigned cx_speculation_changed(const struct cx_speculation *speculation);
/* Gives the reference of split.c back; jobs may still run. Accepts a pointer to NULL. Called by split.c. */
void cx_speculation_drop(struct cx_speculation **speculation);

#endif

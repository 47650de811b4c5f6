/* SPDX-License-Identifier: MIT */
/*
 * Program objects: the text, one real program for each member, the analysis, and the split variants.
 *
 * clBuildProgram starts (1) the build of the member that whole launches run on, (2) the analyser (analysis.h)
 * beside it, and (3) the other members' builds, beside the first (COEXEC_DEBUG=build=lazy: once they are
 * wanted, build_deferred.c). No call waits for (2), nor for (4): a split variant, which is built in the
 * background once a kernel needs it (variant.c). A query that needs the answer of a member which has not
 * built yet waits for (3). A member whose compiler fails is excluded for this program, with a log line;
 * clBuildProgram fails only if every member's build fails. Build logs are joined, each under its device's
 * name if there are several. Virtual devices that are built separately have a program object of their own
 * each, a unit (program_unit.c). Thread-safety: program->lock guards states; build results are written once a
 * build, while `build.running` is set.
 */
#ifndef CX_LAYER_PROGRAM_PROGRAM_H
#define CX_LAYER_PROGRAM_PROGRAM_H

#include "layer/program/kernel.h"
#include "layer/source/analysis.h"
#include "layer/timeline/context.h"
#include "layer/base/lock.h"

struct cx_analysis;
struct cx_stored;
struct cx_il;
struct cx_device;

typedef void(CL_CALLBACK *cx_program_notify)(cl_program, void *);

enum cx_build_state {
    CX_BUILD_NONE,
    CX_BUILD_DEFERRED, /* PLAIN: deferred (build_deferred.c); not begun yet */
    CX_BUILD_RUNNING,
    CX_BUILD_READY,
    CX_BUILD_FAILED
};

struct cx_program_member {
    cl_program real[CX_VARIANT_COUNT];   /* written before state becomes READY */
    atomic_uint state[CX_VARIANT_COUNT]; /* enum cx_build_state */
    atomic_bool
        coming; /* a deferred build has ended, but the drivers were not yet asked about all of its kernels */
    cl_int error;              /* the result of the plain build (or compilation, or link) */
    enum cx_files_moved moved; /* why a deferred build was of another text than the program's */
    char *log;                 /* the plain build's, NULL when there is none */
    bool log_shown;            /* ... which is part of the program's build log: the build was not deferred */
    /* compile_record.h: 0: not asked yet; and cx_compile_record_changes then */
    _Atomic uint64_t expected_ns[CX_VARIANT_COUNT];
    atomic_uint expected_at[CX_VARIANT_COUNT];
    bool ahead; /* it was built ahead, or tried; context->lock (plan/compile_ahead.c) */
};

/* What a program is made of: one of these, and with a binary its source, too, if it has it. Constant once the
 * object is made, so read without a lock. */
struct cx_program_origin {
    char *source;             /* all strings joined; NULL for a linked program */
    struct cx_stored *stored; /* made from a binary: its contents (program_binary.c); else NULL */
    struct cx_il *il;         /* made from an intermediate language (program_il.c); else NULL */
    char *builtins;           /* made of built-in kernels: their names, separated by ; else NULL */
};

/* The last build, compilation or link. `running`, status, nattached, saving and the binary are under
 * program->lock; the rest is written by the build alone (build.c), which has set `running`, and read by
 * others while it is not set. */
struct cx_program_build {
    bool running;
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *options;      /* never NULL */
    char *text;         /* the text of analysis and split variants, if that is not source and */
    char *text_options; /* options: embedded headers put in, linked of one object; else NULL */
    uint64_t took_ns;
    atomic_uint ndeferred;       /* members whose deferred build has not ended (build_deferred.c) */
    atomic_uint variables_owner; /* 1 + the member whose program-scope variables count; 0: none yet. Written
                                    by plan/ */
    unsigned nattached;          /* kernels, and links under way, for which builds are refused */
    unsigned saving;             /* threads that make the binary, for which builds wait (`changed`) */
    unsigned char *binary;       /* made when it is first queried (program_binary.c); NULL: not yet */
    size_t binary_size;
};

/* What is known of the text. Written by the build, like cx_program_build. */
struct cx_program_analysed {
    struct cx_analysis *analysis; /* of the last build; NULL: none was started */
    struct cx_no_summary why_not; /* why there is none */
    bool assembles;               /* its text has inline assembly, whether used or not */
    bool may_assemble; /* it may have, perhaps in included files or in objects whose text is not known */
};

/* The kernel functions, after a successful build: written by program.c at its end; `more` under
 * program->lock, when it is first needed. */
struct cx_program_kernels {
    char *names; /* joined with ; */
    unsigned nfunctions;
    struct cx_function *functions;
    unsigned nmore; /* functions that only members with deferred builds know */
    struct cx_function *more;
};

/* Which program object stands for which device (program_unit.c). A unit that is another object than the one
 * that the program sees has none of these. */
struct cx_program_division {
    unsigned ndevices;          /* that it is associated with; constant */
    struct cx_device **devices; /* the context's; constant */
    struct cx_lock lock;        /* guards units */
    struct cx_program **units;  /* one a device */
};

/* The devices of a unit. Written by the build that claims the unit or its devices (program_unit.c), under
 * the division's lock. */
struct cx_program_unit {
    unsigned ndevices;
    uint64_t *device_members; /* one a device: its members, as bits */
    uint64_t reach;           /* all of them */
};

struct cx_program {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    struct cx_program_origin origin;
    struct cx_lock lock;
    pthread_cond_t changed; /* a build or the build of a variant ended */
    struct cx_program_build build;
    struct cx_program_analysed analysed;
    struct cx_program_kernels kernels;
    struct cx_program_member *members; /* one a member of the context; each field says who writes it */
    struct cx_program_division division;
    struct cx_program_unit unit;
};

CX_OBJECT_CASTS(program, cl_program, CX_TAG_PROGRAM)

/* Like cx_program_new (program_unit.h), without devices. Called by program_unit.c. */
struct cx_program *cx_program_blank(struct cx_context *context, char *source);

/* Releases the results of the last build. The caller has set `build.running`, or holds the last reference.
 * Called by build.c. */
void cx_program_clear(struct cx_program *program);
/* Fills in functions and kernel_names from the members' builds. Called by build.c. */
cl_int cx_program_list_functions(struct cx_program *program);
/* Lists, once, the functions that only members with deferred builds know (`more`). No deferred build is left;
 * program->lock is held. Called by kernel.c. */
void cx_program_list_more(struct cx_program *program);

/* Whether members a and b compile the same preprocessed text, so that they may share a launch. False while
 * that is not known; then *why is set (why may be NULL; the text lives until the next build). Never waits.
 * Thread-safe. Called by plan/plan.c. */
bool cx_program_compatible(const struct cx_program *program, unsigned a, unsigned b,
                           struct cx_no_summary *why);
/* Why the deferred build of member m failed if included files had changed. SAME: they had not, or its build
 * has not failed. Called by plan/plan.c. */
enum cx_files_moved cx_program_moved(const struct cx_program *program, unsigned member);
/* Whether member m's build succeeded. Called by program/ and plan/. */
bool cx_program_runs_on(const struct cx_program *program, unsigned member);
/* The function of that name, or NULL. Called by kernel.c. */
struct cx_function *cx_program_find(const struct cx_program *program, const char *name);
/* Whether the program's kernels may take images, as far as its text shows; errs on the side of true. Called
 * by kernel_arg.c. */
bool cx_program_may_take_images(const struct cx_program *program);
/* The options with which member m's driver builds the program's text; the caller frees them. NULL: no memory.
 * If the text mentions images, the option to keep information about arguments is added: some drivers accept
 * anything for an image argument, and crash in the launch. Called by build.c and link.c. */
char *cx_program_driver_options(const struct cx_program *program, unsigned member, const char *options);
/* The k-th member in order of preference: the fastest first, then the others. Called by program/. */
unsigned cx_program_member_at(const struct cx_program *program, unsigned k);

#endif

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
    cl_int error;      /* the result of the plain build (or compilation, or link) */
    const char *moved; /* why a deferred build was of another text than the program's; NULL: it was not */
    char *log;         /* the plain build's, NULL when there is none */
    bool log_shown;    /* ... which is part of the program's build log: the build was not deferred */
    _Atomic uint64_t expected_ns[CX_VARIANT_COUNT]; /* compile_record.h; 0: not asked yet */
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
    const char *why_not;          /* why there is none */
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

/* Makes a program object without real programs, associated with these devices of the context (0: all). Takes
 * source (may be NULL) over, also on failure. NULL: no memory. blank: without devices. Called by link.c,
 * program_binary.c and program_il.c. */
struct cx_program *cx_program_new(struct cx_context *context, cl_uint ndevices, const cl_device_id *devices,
                                  char *source);
struct cx_program *cx_program_blank(struct cx_context *context, char *source);

/* The names of all units' kernels, each once, separated by ; and their number. The caller frees the text.
 * NULL: *error says why. Thread-safe. Called by kernel.c. */
char *cx_program_kernels(struct cx_program *program, size_t *count, cl_int *error);

/* program_unit.c. The device's index in the program's list; ndevices: it is not in it. Called by program/. */
unsigned cx_program_device(const struct cx_program *program, const struct cx_device *device);
/* Like cx_program_device; for a sub-device that is not in the list, the index of the device that it is part
 * of. Called by kernel.c. */
unsigned cx_program_device_of(const struct cx_program *program, const struct cx_device *device);
/* The unit of the d-th device, with a reference for the caller. Thread-safe. Called by program_info.c. */
struct cx_program *cx_program_unit(struct cx_program *program, unsigned d);
/* Whether the d-th device is the first one of its unit. The caller holds program->division.lock. Called by
 * kernel.c and program_info.c. */
bool cx_program_first(const struct cx_program *program, unsigned d);
/* Whether a member of the device has built the unit, or has a deferred build of it. Called by kernel.c and
 * program_info.c. */
bool cx_program_serves(const struct cx_program *unit, const struct cx_device *device);
/* Divides these devices (0: all) into units for a build and marks the units as being built. units[] (room for
 * all devices) gets them with references, *count their number. CL_INVALID_OPERATION: one is being built
 * already, or kernels are attached to the program. unclaim: the unit is not built after all. Thread-safe.
 * Called by build.c. */
cl_int cx_program_claim(struct cx_program *program, cl_uint ndevices, const cl_device_id *devices,
                        struct cx_program **units, unsigned *count);
void cx_program_unclaim(struct cx_program *unit);
/* While a program is made from binaries, for one device after the other: adds the device's binary and its
 * text, which are taken over, also on failure. False: no memory. Called by program.c and program_binary.c. */
bool cx_program_take_binary(struct cx_program *program, unsigned d, struct cx_stored *stored, char *source);
void cx_program_units_finish(struct cx_program *program);

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
bool cx_program_compatible(const struct cx_program *program, unsigned a, unsigned b, const char **why);
/* Why the deferred build of member m failed if included files had changed: a static text. NULL: they had not,
 * or its build has not failed. Called by plan/plan.c. */
const char *cx_program_moved(const struct cx_program *program, unsigned member);
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

/* program_binary.c: returns the size of a unit's binary. `give`, if not NULL, is called with the binary under
 * the unit's lock, since another thread may build the program anew. 0: there is none. Thread-safe; the caller
 * holds no lock. Called by program_info.c. */
size_t cx_program_binary_give(struct cx_program *program,
                              void (*give)(void *data, const void *binary, size_t size), void *data);
/* The contents of a binary that a program was made from; reference-counted. same: whether both are of the
 * same bytes. Called by program.c and program_unit.c. */
struct cx_stored *cx_program_binary_ref(struct cx_stored *stored);
void cx_program_binary_unref(struct cx_stored **stored);
bool cx_program_binary_same(const struct cx_stored *a, const struct cx_stored *b);
/* The options in the binary, which every build uses; NULL: it has none, and builds use their own. Called by
 * build.c. */
const char *cx_program_binary_options(const struct cx_stored *stored);
/* Whether the binary contains the program's whole text, so that it can be built from that. Called by build.c
 * and variant.c. */
bool cx_program_binary_has_text(const struct cx_stored *stored);
/* Makes member m's real program from the binary, not built. NULL with *error: the binary has none for that
 * device. Called by build.c. */
cl_program cx_program_binary_program(const struct cx_program *program, unsigned member, cl_int *error);
/* Makes an analysis of the summaries in the binary. NULL with *why: there are none. Called by build.c. */
struct cx_analysis *cx_program_binary_analysis(const struct cx_program *program, const char **why);

/* Checks a list of devices, for all functions that make programs for such a list. Called by program_il.c. */
cl_int cx_program_check_devices(cl_context context, cl_uint count, const cl_device_id *devices);

/* program_il.c: the program's intermediate language; and makes member m's real program of it, with the
 * specialisation constants set, not built. Called by program/. */
const void *cx_program_il_text(const struct cx_il *il, size_t *size);
cl_program cx_program_il_program(const struct cx_program *program, unsigned member, cl_int *error);
struct cx_il *cx_program_il_ref(struct cx_il *il);
void cx_program_il_unref(struct cx_il **il, const struct cx_context *context);
/* The step of a build that makes member m's program of built-in kernels. Called through a pointer set in
 * build.c. */
struct cx_build;
cl_int cx_program_il_builtin_step(struct cx_build *build, unsigned member, cl_program *real);
/* The virtual device's answers about intermediate languages and built-in kernels (names separated by ;),
 * which the caller frees. NULL: there are none. Called by api/device_info.c. */
char *cx_program_il_device_versions(const struct cx_device *device);
char *cx_program_il_device_builtins(const struct cx_device *device);
/* Joins two lists of names separated by ; each name once. Returns the new list and frees both. NULL: no
 * memory. Called by program_info.c. */
char *cx_program_il_join_names(char *list, char *more);

/* build.c: a build: one step for each member of a unit's devices, all at the same time. */
struct cx_build {
    struct cx_program *program;         /* the unit: a reference, claimed */
    char *options;                      /* owned; becomes program->build.options */
    cl_program_binary_type binary_type; /* what a success makes of the program */
    cl_int failure;                     /* the error code if no driver gives one */
    /* Makes and builds member m's real program. Sets *real, also if the build fails, for its log. */
    cl_int (*step)(struct cx_build *build, unsigned member, cl_program *real);
    bool may_be_deferred;       /* the steps of all but one member may be deferred (cx_build_deferred_run) */
    bool analyse;               /* the text is the whole program: the analyser starts beside the builds */
    char *text, *text_options;  /* owned; become the program's */
    struct cx_program **inputs; /* headers, or units to link (attached): referenced */
    char **names;               /* of the headers */
    unsigned ninputs;
};

/* The builds of one call: mostly one, otherwise run one after the other. */
struct cx_builds {
    struct cx_program *program; /* a reference */
    unsigned count;
    struct cx_build **build;
    cx_program_notify notify;
    void *notify_data;
};
/* Make and destroy the list of builds of a call. NULL: no memory. Builds that have not run leave their
 * devices unchanged. Called by link.c, program_binary.c and program_il.c. */
struct cx_builds *cx_builds_new(struct cx_program *program, cx_program_notify notify, void *notify_data);
void cx_builds_destroy(struct cx_builds **builds);
/* Adds builds for these devices (0: all) with these options (NULL: none; a binary keeps its own).
 * CL_INVALID_OPERATION: a device is being built, or kernels are attached. Called by link.c, program_binary.c
 * and program_il.c. */
cl_int cx_builds_add(struct cx_builds *builds, cl_uint ndevices, const cl_device_id *devices,
                     const char *options);
/* Releases the results of earlier builds, runs the builds and frees the list. With a callback they run in the
 * background, and it is called at the end. Returns the first error of a device for which no member's build
 * succeeded. Called by link.c, program_binary.c and program_il.c. */
cl_int cx_builds_run(struct cx_builds **builds);
/* The checks that clBuildProgram, clCompileProgram and clLinkProgram share: devices (of the program, or with
 * NULL the context) and callback. Called by link.c. */
cl_int cx_build_check(const struct cx_context *context, const struct cx_program *program, cl_uint ndevices,
                      const cl_device_id *devices, cx_program_notify notify, const void *data,
                      const char **reason);
/* Makes a real program of this text in member m's real context. Called by link.c and variant.c. */
cl_program cx_build_source(const struct cx_program *program, unsigned member, cl_uint count,
                           const char **text, cl_int *error);
/* The real program's build log, which the caller frees. NULL: it is empty, or there is no memory. Called by
 * variant.c. */
char *cx_build_log(const struct cx_program *program, unsigned member, cl_program real);

/* Checks whether files that the program includes have changed since its first build, so that a build now
 * would be of another text. Returns why; NULL: nothing has changed. Deferred builds (cx_build_deferred_run)
 * and builds of split variants (variant.c) ask it before and after, with no lock held. `options` are that
 * build's, since a new build may change the program's own. Called by variant.c. */
const char *cx_build_files_moved(const struct cx_program *program, const char *options);
/* Runs the deferred build of member m with these options and stores the result. True: it succeeded. Called by
 * build_deferred.c. */
bool cx_build_deferred_run(struct cx_program *program, unsigned member, const char *options);

/* build_deferred.c. Whether any member's deferred build has not ended. Thread-safe. Called by program/, api/
 * and plan/. */
static inline bool cx_build_deferred_any(const struct cx_program *program)
{
    return atomic_load_explicit(&program->build.ndeferred, memory_order_acquire) > 0;
}
/* Whether the member's deferred build has not ended. Thread-safe. Called by program/, api/ and plan/. */
static inline bool cx_build_deferred_on(const struct cx_program *program, unsigned member)
{
    unsigned state =
        atomic_load_explicit(&program->members[member].state[CX_VARIANT_PLAIN], memory_order_acquire);
    return cx_build_deferred_any(program) && (state == CX_BUILD_DEFERRED || state == CX_BUILD_RUNNING ||
                                              atomic_load(&program->members[member].coming));
}
/* want: starts all deferred builds in the background; never waits; the caller holds no program's lock. wait:
 * waits until they have ended, at most ms (false: the time is up); the caller holds no lock. Thread-safe.
 * Called by program/, api/ and plan/. */
void cx_build_deferred_want(struct cx_program *program);
bool cx_build_deferred_wait(struct cx_program *program, unsigned ms);
/* Called by builds. leave: marks the builds of all members that have no build yet as deferred (program->lock
 * held). end: drops deferred builds that have not begun and waits for the others (the caller has set
 * `build.running`). Called by build.c. */
void cx_build_deferred_leave(struct cx_program *program);
void cx_build_deferred_end(struct cx_program *program);

/* variant.c: implement cx_kernel_variant_want and cx_kernel_variant_wait (kernel.h). Called by build.c,
 * build_deferred.c and kernel_bind.c. */
void cx_program_variant_want(struct cx_program *program, enum cx_variant variant);
bool cx_program_variant_wait(struct cx_program *program, enum cx_variant variant, unsigned ms);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Programs: the program's own text, one real program for each member, its analysis, and the split variants.
 *
 * clBuildProgram starts (1) the build of the member that whole launches run on, (2) the analyser (analysis.h)
 * beside it, and (3) the other members' builds, beside the first (COEXEC_BUILD=lazy: once they are wanted,
 * build_deferred.c). Nobody ever waits for (2), nor for (4): a split variant, built in the background once a
 * kernel needs it (variant.c). Who needs the answer of a member that has not built yet waits for (3). A
 * member whose compiler fails is left out for this program with a log line; the build fails for the program
 * only when every member failed. Logs are joined, each under its device's name when there are several.
 * Virtual devices that are built apart have a program of their own each, a unit (program_unit.c).
 * Thread-safety: program->lock guards states; build results are written once a build, while `building` is
 * set.
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
    CX_BUILD_DEFERRED, /* PLAIN: left for later; nobody has asked for it yet */
    CX_BUILD_RUNNING,
    CX_BUILD_READY,
    CX_BUILD_FAILED
};

struct cx_program_member {
    cl_program real[CX_VARIANT_COUNT];   /* written before state becomes READY */
    atomic_uint state[CX_VARIANT_COUNT]; /* enum cx_build_state */
    atomic_bool coming;                  /* a build left for later: its kernels are not all asked about yet */
    cl_int error;                        /* what the plain build (compile, link) gave */
    const char *moved; /* why a build left for later was not that of the program's text; NULL: it was */
    char *log;         /* the plain build's, NULL when there is none */
    bool log_shown;    /* ... which is part of the program's: it was not left for later */
    _Atomic uint64_t expected_ns[CX_VARIANT_COUNT]; /* compile_record.h; 0: not asked yet */
};

struct cx_program {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    char *source;               /* all strings joined; NULL for a linked program */
    struct cx_stored *stored;   /* made from a binary: what is in it (program_binary.c); else NULL */
    char *text;         /* what analysis and split variants are made of, where that is not source and */
    char *text_options; /* options: embedded headers put in, linked of one object; else NULL */
    struct cx_il *il;   /* made from an intermediate language (program_il.c); else NULL */
    char *builtins;     /* names of built-in kernels it was made of, ; between them; else NULL */
    char *options;      /* of the last build, compilation or link; never NULL */
    struct cx_lock lock;
    pthread_cond_t changed; /* a build or the build of a variant ended */
    bool building;
    cl_build_status status;
    cl_program_binary_type binary_type;
    struct cx_program_member *members; /* one a member of the context */
    atomic_uint ndeferred;             /* members whose build was left for later and has not ended */
    unsigned nfunctions;
    struct cx_function *functions; /* after a successful build */
    char *kernel_names;            /* joined with ; */
    unsigned nmore;                /* functions that only members know whose build was left for later */
    struct cx_function *more;      /* NULL until one was asked for */
    struct cx_analysis *analysis;  /* of the last build; NULL: none was started */
    const char *unanalysed;        /* why there is none */
    bool assembles;                /* its text has inline assembly, used or not */
    bool may_assemble;             /* it may have, also in files, or in objects that we do not see */
    uint64_t build_ns;             /* how long the last build took */
    atomic_uint variables_owner;   /* 1 + the member whose program-scope variables count; 0: none yet */
    unsigned nattached;            /* kernels, and links under way: builds are refused then */
    unsigned saving;               /* threads that make the binary: builds wait for them (`changed`) */
    unsigned char *binary;         /* of the last build, once it was asked for; NULL: not yet */
    size_t binary_size;
    /* program_unit.c: what the program shows; a unit that is not the program itself has none of these */
    unsigned ndevices;          /* that it is associated with */
    struct cx_device **devices; /* the context's */
    struct cx_lock apart;       /* guards units */
    struct cx_program **units;  /* one a device */
    /* the devices of a unit; written by who claims it, or claims devices of it */
    unsigned ndevice_members;
    uint64_t *device_members; /* one a device: its members, as bits */
    uint64_t reach;           /* all of them */
};

CX_OBJECT_CASTS(program, cl_program, CX_TAG_PROGRAM)

/* A program without real ones yet, associated with these devices of the context (0: all). Takes source (may
 * be NULL) over, also on failure. NULL: no memory. blank: with no devices. Called by link.c,
 * program_binary.c and program_il.c. */
struct cx_program *cx_program_new(struct cx_context *context, cl_uint ndevices, const cl_device_id *devices,
                                  char *source);
struct cx_program *cx_program_blank(struct cx_context *context, char *source);

/* The names of all units' kernels, each once, ; between them, and their number; free() it. NULL: *error tells
 * why. Thread-safe. Called by kernel.c. */
char *cx_program_kernels(struct cx_program *program, size_t *count, cl_int *error);

/* program_unit.c. The device's place in the program's list; ndevices: it has none. Called by program/. */
unsigned cx_program_device(const struct cx_program *program, const struct cx_device *device);
/* The same of a sub-device that it is not associated with: the place of the device that it is part of.
 * Called by kernel.c. */
unsigned cx_program_device_of(const struct cx_program *program, const struct cx_device *device);
/* The unit of the d-th device: a reference. Thread-safe. Called by program_info.c. */
struct cx_program *cx_program_unit(struct cx_program *program, unsigned d);
/* Whether the d-th device is the first one of its unit; the caller holds program->apart. Called by
 * kernel.c and program_info.c. */
bool cx_program_first(const struct cx_program *program, unsigned d);
/* Whether a member of the device built the unit, or will once it is asked to. Called by kernel.c and
 * program_info.c. */
bool cx_program_serves(const struct cx_program *unit, const struct cx_device *device);
/* Makes these devices (0: all) units for a build to come, and marks those as being built: references, at most
 * ndevices of the program, their number in *count. CL_INVALID_OPERATION: one is being built, or kernels are
 * attached to the program. unclaim: it is not built after all. Thread-safe. Called by build.c. */
cl_int cx_program_claim(struct cx_program *program, cl_uint ndevices, const cl_device_id *devices,
                        struct cx_program **units, unsigned *count);
void cx_program_unclaim(struct cx_program *unit);
/* For a program that is being made, one device after the other: its binary and that one's text, which it
 * takes over, also on failure. false: no memory. Called by program.c and program_binary.c. */
bool cx_program_take_binary(struct cx_program *program, unsigned d, struct cx_stored *stored, char *source);
void cx_program_units_finish(struct cx_program *program);

/* Releases everything that the last build left. The caller set `building`, or is the last one here. Called
 * by build.c. */
void cx_program_clear(struct cx_program *program);
/* Fills the functions and kernel_names from the members' builds. Called by build.c. */
cl_int cx_program_list_functions(struct cx_program *program);
/* Lists those that are known to late members alone, once. No late build is left; program->lock held.
 * Called by kernel.c. */
void cx_program_list_more(struct cx_program *program);

/* Whether members a and b see the same program text, so that they may share one launch. False while that is
 * not known; *why (may be NULL; lives until the next build) tells then. Never waits. Thread-safe. Called
 * by plan/plan.c. */
bool cx_program_compatible(const struct cx_program *program, unsigned a, unsigned b, const char **why);
/* Why member m, whose build was left for later and failed, did not get the program's text: a static string.
 * NULL: it did, or its build has not failed. Called by plan/plan.c. */
const char *cx_program_moved(const struct cx_program *program, unsigned member);
/* Whether member m's build succeeded. Called by program/ and plan/. */
bool cx_program_runs_on(const struct cx_program *program, unsigned member);
/* The function of that name, or NULL. Called by kernel.c. */
struct cx_function *cx_program_find(const struct cx_program *program, const char *name);
/* Whether its kernels may take images, as far as its own text tells; errs on the side of true. Called by
 * kernel_arg.c. */
bool cx_program_may_take_images(const struct cx_program *program);
/* The options that its own text is built with by member m's driver; free() it. NULL: no memory. Where that
 * speaks of images, drivers are asked to keep what the arguments are: some take anything for an image, and
 * crash in the launch. Called by build.c and link.c.
 */
char *cx_program_driver_options(const struct cx_program *program, unsigned member, const char *options);
/* The k-th member in order of preference: the fastest first, then the others. Called by program/. */
unsigned cx_program_member_at(const struct cx_program *program, unsigned k);

/* program_binary.c: the size of a unit's binary, and with `give` the binary goes to it, under the unit's
 * lock, as another thread may build the program anew. 0: none can be had. Thread-safe; the caller
 * holds no lock. Called by program_info.c.
 */
size_t cx_program_binary(struct cx_program *program,
                         void (*give)(void *data, const void *binary, size_t size), void *data);
/* What a program was made from that is no source. Counted. same: of the same bytes. Called by program.c
 * and program_unit.c. */
struct cx_stored *cx_stored_ref(struct cx_stored *stored);
void cx_stored_unref(struct cx_stored **stored);
bool cx_stored_same(const struct cx_stored *a, const struct cx_stored *b);
/* The options in the binary, which every build takes; NULL: it has none, builds take their own. Called by
 * build.c. */
const char *cx_stored_options(const struct cx_stored *stored);
/* Whether the text in the binary is all there is to the program, so that it can be built from it. Called
 * by build.c and variant.c. */
bool cx_stored_has_text(const struct cx_stored *stored);
/* Member m's real program as the binary has it, not built; NULL with *error: it has none for that device.
 * Called by build.c. */
cl_program cx_stored_program(const struct cx_program *program, unsigned member, cl_int *error);
/* An analysis of the summaries in the binary; NULL with *why: there are none. Called by build.c. */
struct cx_analysis *cx_stored_analysis(const struct cx_program *program, const char **why);

/* The checks that functions which make programs for a list of devices share. Called by program_il.c. */
cl_int cx_program_check_devices(cl_context context, cl_uint count, const cl_device_id *devices);

/* program_il.c: what the program's intermediate language is; and member m's real program of it, with the
 * constants set, not built. Called by program/. */
const void *cx_il_text(const struct cx_il *il, size_t *size);
cl_program cx_il_program(const struct cx_program *program, unsigned member, cl_int *error);
struct cx_il *cx_il_ref(struct cx_il *il);
void cx_il_unref(struct cx_il **il, const struct cx_context *context);
/* The step that makes member m's program of built-in kernels. Called through a pointer set in build.c. */
struct cx_build;
cl_int cx_builtin_step(struct cx_build *build, unsigned member, cl_program *real);
/* What the virtual device says of intermediate languages, and of built-in kernels (; between names): free()
 * it. NULL: there are none. Called by api/device_info.c. */
char *cx_device_il_versions(const struct cx_device *device);
char *cx_device_builtins(const struct cx_device *device);
/* Adds names that are not there yet, ; between them; gives the new list and frees both. NULL: no memory.
 * Called by program_info.c. */
char *cx_names_join(char *list, char *more);

/* build.c: one step of work for each member that a unit's devices have, all at the same time. */
struct cx_build {
    struct cx_program *program;         /* the unit: a reference, claimed */
    char *options;                      /* owned; becomes program->options */
    cl_program_binary_type binary_type; /* what a success makes of the program */
    cl_int failure;                     /* code for a failure that the drivers do not name */
    /* Makes and builds member m's real program: sets *real (also when the build failed, for its log). */
    cl_int (*step)(struct cx_build *build, unsigned member, cl_program *real);
    bool may_be_deferred;       /* all but one member may run the step later (cx_build_deferred_run) */
    bool analyse;               /* the text is the whole program: start the analyser beside the builds */
    char *text, *text_options;  /* owned; become the program's */
    struct cx_program **inputs; /* headers, or units to link (attached): referenced */
    char **names;               /* of the headers */
    unsigned ninputs;
};

/* One call's builds: most often one, else one after the other. */
struct cx_builds {
    struct cx_program *program; /* a reference */
    unsigned count;
    struct cx_build **build;
    cx_program_notify notify;
    void *notify_data;
};
/* NULL: no memory. destroy: what has not run leaves its devices as they were. Called by link.c,
 * program_binary.c and program_il.c. */
struct cx_builds *cx_builds_new(struct cx_program *program, cx_program_notify notify, void *notify_data);
void cx_builds_destroy(struct cx_builds **builds);
/* Adds builds for these devices (0: all) with these options (NULL: none; a binary keeps its own).
 * CL_INVALID_OPERATION when one is being built or kernels are attached. Called by link.c, program_binary.c
 * and program_il.c. */
cl_int cx_builds_add(struct cx_builds *builds, cl_uint ndevices, const cl_device_id *devices,
                     const char *options);
/* Drops what an earlier build left, runs the builds (in the background when there is a callback, which is
 * then called) and frees them. Gives the first error of a device that none of its members built. Called by
 * link.c, program_binary.c and program_il.c. */
cl_int cx_builds_run(struct cx_builds **builds);
/* The checks that clBuildProgram, clCompileProgram and clLinkProgram share: devices (of the program, or with
 * NULL the context) and callback. Called by link.c. */
cl_int cx_build_check(const struct cx_context *context, const struct cx_program *program, cl_uint ndevices,
                      const cl_device_id *devices, cx_program_notify notify, const void *data,
                      const char **reason);
/* A real program of this text in member m's real context. Called by link.c and variant.c. */
cl_program cx_build_source(const struct cx_program *program, unsigned member, cl_uint count,
                           const char **text, cl_int *error);
/* The real program's build log, NULL when empty or without memory; free() it. Called by variant.c. */
char *cx_build_log(const struct cx_program *program, unsigned member, cl_program real);

/* Why a build of the program's text may now be one of another text than its first, because files that it
 * includes have changed; NULL: nothing has. Asked before and after each later build: of another member
 * (cx_build_deferred_run) and of a split variant (variant.c), with no lock held. The options are that
 * build's: the program's own may become a new build's meanwhile. Called by variant.c. */
const char *cx_build_files_moved(const struct cx_program *program, const char *options);
/* Runs the build that was left for member m, with the program's options, and notes what came of it. true: it
 * succeeded. Called by build_deferred.c. */
bool cx_build_deferred_run(struct cx_program *program, unsigned member, const char *options);

/* build_deferred.c. Whether the builds of members that were left for later have not all ended. Thread-safe.
 * Called by program/, api/ and plan/.
 */
static inline bool cx_build_deferred_any(const struct cx_program *program)
{
    return atomic_load_explicit(&program->ndeferred, memory_order_acquire) > 0;
}
/* The same of one member. Thread-safe. Called by program/, api/ and plan/. */
static inline bool cx_build_deferred_on(const struct cx_program *program, unsigned member)
{
    unsigned state =
        atomic_load_explicit(&program->members[member].state[CX_VARIANT_PLAIN], memory_order_acquire);
    return cx_build_deferred_any(program) && (state == CX_BUILD_DEFERRED || state == CX_BUILD_RUNNING ||
                                              atomic_load(&program->members[member].coming));
}
/* Has them begun in the background; never waits. wait: until they have ended, at most ms. false: time is up.
 * Thread-safe; the caller holds no program's lock, to wait none at all. Called by program/, api/ and
 * plan/. */
void cx_build_deferred_want(struct cx_program *program);
bool cx_build_deferred_wait(struct cx_program *program, unsigned ms);
/* For builds: leaves those of all members that have none for later (program->lock held); drops those not
 * begun and waits for the others (the caller set `building`). Called by build.c. */
void cx_build_deferred_leave(struct cx_program *program);
void cx_build_deferred_end(struct cx_program *program);

/* variant.c: see cx_kernel_variant_want and friends. Called by build.c, build_deferred.c and
 * kernel_bind.c. */
void cx_program_variant_want(struct cx_program *program, enum cx_variant variant);
bool cx_program_variant_wait(struct cx_program *program, enum cx_variant variant, unsigned ms);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Records how long drivers' compilers took, from process to process (COEXEC_CACHE_DIR). Drivers cache what
 * they compiled on disk, so a build that was quick does not tell how long the same build takes for a device
 * that has not done it yet. A record is an expectation: if the driver's own cache is gone, the next build is
 * slow once. Nothing is recorded for programs without text, if there is one device, or if PoCL caches nothing
 * (POCL_KERNEL_CACHE=0). Thread-safe, takes no lock. A kernel of the program must exist, so that the program
 * is not built anew meanwhile; only cx_compile_record_built is called by builds. A call that is not answered
 * from memory reads a small file.
 */
#ifndef CX_LAYER_PROGRAM_COMPILE_RECORD_H
#define CX_LAYER_PROGRAM_COMPILE_RECORD_H

#include "layer/base/disk_cache.h"
#include "layer/source/subrange.h"

#include <stdbool.h>
#include <stdint.h>

struct cx_program;

/* Whether the member's device, or one of the same name and driver, has compiled this in this or an earlier
 * process; *seconds: how long it took (0: not known). kernel: in the kernel's first launch of that form;
 * NULL: in the program's build. Called by plan/launch_form.c. */
bool cx_compile_record_find(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double *seconds);
/* Records that it has, in that many seconds; only a longer time replaces a recorded one. May write a file.
 * Called by plan/launch_form.c. */
void cx_compile_record_keep(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double seconds);

/* The key under which that is recorded, a double; false: nothing is recorded of it. For a process that
 * compiles for this one (plan/compile_ahead.h), which then calls cx_compile_record_changed: what was asked
 * for before is asked for again when _changes returns another number. */
bool cx_compile_record_key(const struct cx_program *program, unsigned member, enum cx_variant variant,
                           const char *kernel, uint64_t form, char key[CX_DISK_CACHE_KEY_SIZE]);
void cx_compile_record_changed(void);
unsigned cx_compile_record_changes(void);

/* Records that a build with these options is done. Does nothing for the program's own build, in its call, if
 * it was so short that it came from the driver's cache. Called by build.c and variant.c. */
void cx_compile_record_built(const struct cx_program *program, const char *options, unsigned member,
                             enum cx_variant variant, uint64_t ns);
/* The expected seconds of building a variant on a member that has not done so in this process: as long as the
 * program's first build took now, or, if the member's driver has never built it, in the process in which that
 * took longest. For a CPU there is at least a guess. Called by plan/plan_size.c. */
double cx_compile_record_expected(const struct cx_program *program, unsigned member, enum cx_variant variant);

#endif

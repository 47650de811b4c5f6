/* SPDX-License-Identifier: MIT */
/*
 * The analysis of one build of a program: runs the helper program coexec-analyse beside the vendors'
 * compilers, or finds its result on disk (disk_cache.h), and keeps the access summaries.
 *
 * Members whose predefined macros differ may compile different texts. Where the source looks at such macros,
 * it is analysed once for each distinct set, after the members' compilers were asked (compiler_macros.h)
 * where need be; members share a launch only where the preprocessed texts are the same. Life: counted; the
 * background thread holds a reference of its own, so nothing ever waits for the helper. Previous stage:
 * build.c. Next: summary.h, access.h. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_ANALYSIS_H
#define CX_LAYER_SOURCE_ANALYSIS_H

#include "layer/access/summary.h"
#include "layer/driver/device.h"

enum cx_analysis_state { CX_ANALYSIS_PENDING, CX_ANALYSIS_READY, CX_ANALYSIS_FAILED };

struct cx_analysis;

/* Starts the analysis for these devices and returns at once; where macros do not matter `first` speaks for
 * all. NULL with *why set where none can be started (COEXEC_ANALYSIS=0,
 * no helper, no memory). trace_row: where the trace shows it. Called by program/build.c and
 * program/variant.c. */
struct cx_analysis *cx_analysis_start(const struct cx_device_list *members, unsigned first,
                                      const char *source, const char *options, unsigned trace_row,
                                      const char **why);
/* One member's result, to be kept elsewhere: the blob, and the hash of the text it is about (NULL: unknown).
 */
struct cx_analysis_blob {
    const void *data; /* NULL: there is none */
    size_t size;
    const unsigned char *text; /* 32 bytes */
};
/* READY: member m's result; it lives as long as the analysis. Never waits. Called by
 * program/program_binary.c and program/variant.c. */
struct cx_analysis_blob cx_analysis_blob(const struct cx_analysis *analysis, unsigned member);
/* Keeps member m's result on disk under the key (binary_summaries.h) once it is there. Before that, releasing
 * the analysis does not stop it. Never waits. Called by program/program_binary.c. */
void cx_analysis_keep(struct cx_analysis *analysis, unsigned member, const char *key);
/* An analysis of kept results, one a member of the context; ready at once. NULL with *why set where none of
 * them is sound, or without memory. Called by program/program_binary.c. */
struct cx_analysis *cx_analysis_restore(const struct cx_device_list *members,
                                        const struct cx_analysis_blob *blobs, const char **why);
/* Stops the helper if it still runs, drops the caller's reference and nulls it. Accepts a pointer to NULL.
 * Never waits. Summaries handed out die with the last reference. Called by program/build.c,
 * program/program.c and program/variant.c. */
void cx_analysis_release(struct cx_analysis **analysis);

/* How it stands for member m. Called by program/program_binary.c. */
enum cx_analysis_state cx_analysis_state(const struct cx_analysis *analysis, unsigned member);
/* READY: member m's summary; else NULL with *why set (may be NULL; lives as long as the analysis). Never
 * waits. Called by program/kernel_bind.c. */
const struct cx_summary *cx_analysis_summary(const struct cx_analysis *analysis, unsigned member,
                                             const char **why);
/* READY: what member m's compiler told of its macros (compiler_macros.h), NULL where it was not asked. Lives
 * as long as the analysis. Called by plan/record_launch.c. */
const char *cx_analysis_replies(const struct cx_analysis *analysis, unsigned member);
/* Whether both members' analyses are ready and the same; else *why (may be NULL; lives as long as the
 * analysis) tells what is in the way. Never waits. Called by program/program.c and
 * program/program_binary.c. */
bool cx_analysis_same(const struct cx_analysis *analysis, unsigned a, unsigned b, const char **why);
/* Waits until nothing is pending, at most ms. false: time is up. Only where COEXEC_ANALYSIS_WAIT allows it.
 * Called by program/kernel_bind.c and program/variant.c.
 */
bool cx_analysis_wait(struct cx_analysis *analysis, unsigned ms);
/* Why what is made of the program's text now may be of another text than what was analysed, and built when
 * the analysis began: files that it includes (include_hash.h). NULL: it is the same. Called by
 * program/build.c. */
const char *cx_analysis_files_moved(const struct cx_analysis *analysis);
/* The program's text with the files that it includes put in, as they were when it was built; NULL: it
 * includes none, or cx_includes_resolve cannot tell. free() it. Called by program/program_binary.c. */
char *cx_analysis_resolve(const struct cx_analysis *analysis);

#endif

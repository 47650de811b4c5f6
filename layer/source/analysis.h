/* SPDX-License-Identifier: MIT */
/*
 * The analysis of one build of a program: runs the helper program coexec-analyse beside the vendors'
 * compilers, or finds its result on disk (disk_cache.h), and keeps the access summaries.
 *
 * Members whose predefined macros differ may compile different texts. If the source uses such macros, it is
 * analysed once for each distinct set of them, if necessary after the members' compilers were asked
 * (compiler_macros.h); members share a launch only if their preprocessed texts are equal. An analysis is
 * reference-counted; the background task holds a reference, so releasing never waits for the helper program.
 * Previous stage: build.c. Next: summary.h, access.h. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_ANALYSIS_H
#define CX_LAYER_SOURCE_ANALYSIS_H

#include "layer/access/summary.h"
#include "layer/driver/device.h"
#include "layer/source/no_summary.h"

enum cx_analysis_state { CX_ANALYSIS_PENDING, CX_ANALYSIS_READY, CX_ANALYSIS_FAILED };

struct cx_analysis;

/* Starts the analysis for these devices and returns at once. If macros do not matter, it is done once, with
 * those of member `first`. NULL with *why set: none can be started (COEXEC_DEBUG=analysis=0, coexec-analyse
 * is missing, no memory). trace_row: the trace's row. Called by program/build.c and program/variant.c. */
struct cx_analysis *cx_analysis_start(const struct cx_device_list *members, unsigned first,
                                      const char *source, const char *options, unsigned trace_row,
                                      struct cx_no_summary *why);
/* One member's result as bytes: the summary's blob, and the hash of the text that was analysed (NULL:
 * unknown). */
struct cx_analysis_blob {
    const void *data; /* NULL: there is none */
    size_t size;
    const unsigned char *text; /* 32 bytes */
};
/* Member m's result if its state is READY; it lives as long as the analysis. Never waits. Called by
 * program/program_binary.c and program/variant.c. */
struct cx_analysis_blob cx_analysis_blob(const struct cx_analysis *analysis, unsigned member);
/* Stores member m's result on disk under the key (binary_summaries.h) once it is known. Until then, releasing
 * the analysis does not stop it. Never waits. Called by program/program_binary.c. */
void cx_analysis_keep(struct cx_analysis *analysis, unsigned member, const char *key);
/* Makes an analysis, ready at once, of stored results, one for each member. NULL with *why set: none of them
 * is sound, or there is no memory. Called by program/program_binary.c. */
struct cx_analysis *cx_analysis_restore(const struct cx_device_list *members,
                                        const struct cx_analysis_blob *blobs, struct cx_no_summary *why);
/* Stops the helper program if it still runs, drops the caller's reference and nulls it. Accepts a pointer to
 * NULL. Never waits. Summaries live as long as the last reference. Called by program/build.c,
 * program/program.c and program/variant.c. */
void cx_analysis_release(struct cx_analysis **analysis);

/* The state of member m's analysis. Called by program/program_binary.c. */
enum cx_analysis_state cx_analysis_state(const struct cx_analysis *analysis, unsigned member);
/* Member m's summary if its state is READY; else NULL, with *why set (why may be NULL). Never waits. Called
 * by program/kernel_bind.c. */
const struct cx_summary *cx_analysis_summary(const struct cx_analysis *analysis, unsigned member,
                                             struct cx_no_summary *why);
/* The macros that member m's compiler reported (compiler_macros.h) if the state is READY; NULL: it was not
 * asked. Lives as long as the analysis. Called by plan/record_launch.c. */
const char *cx_analysis_replies(const struct cx_analysis *analysis, unsigned member);
/* Whether both members' analyses are ready and of equal texts. Else *why is set (why may be NULL). Never
 * waits. Called by program/program.c and program/program_binary.c. */
bool cx_analysis_same(const struct cx_analysis *analysis, unsigned a, unsigned b, struct cx_no_summary *why);
/* Waits until no member's state is PENDING, at most ms. False: the time is up. Only if
 * COEXEC_DEBUG=analysis_wait allows waiting. Called by program/kernel_bind.c and program/variant.c. */
bool cx_analysis_wait(struct cx_analysis *analysis, unsigned ms);
/* Checks whether files that the program includes have changed since the analysis began (include_hash.h), so
 * that what is built now would be of another text. Called by program/build.c. */
enum cx_files_moved {
    CX_FILES_SAME,
    CX_FILES_UNKNOWN,    /* which ones it includes */
    CX_FILES_CHANGED,    /* one of them */
    CX_FILES_UNANALYSED, /* it includes some, and there is no analysis (program/build.c) */
    CX_FILES_MOVED
};
enum cx_files_moved cx_analysis_files_moved(const struct cx_analysis *analysis);
/* Half a sentence, "" for SAME. Called by plan/why.c, program/build.c and program/variant.c. */
const char *cx_analysis_moved_text(enum cx_files_moved moved);
/* The program's text with the text of included files in place of the directives, as they were when it was
 * built; the caller frees it. NULL: it includes none, or cx_include_hash_resolve cannot do it. Called by
 * program/program_binary.c. */
char *cx_analysis_resolve(const struct cx_analysis *analysis);

#endif

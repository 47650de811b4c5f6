/* SPDX-License-Identifier: MIT */
/*
 * One run of coexec-analyse: its command line, its files, its result, and the result's place on disk.
 * Previous stage: analysis.c. Next: subprocess.c, disk_cache.c. Thread-safe; waits as long as the helper
 * runs.
 */
#ifndef CX_LAYER_SOURCE_ANALYSER_RUN_H
#define CX_LAYER_SOURCE_ANALYSER_RUN_H

#include "layer/base/subprocess.h"
#include "layer/source/macro_identity.h"
#include "layer/access/summary.h"

struct cx_analyse_task {
    const char *analyser, *source, *options;
    const struct cx_identity *identity;
    const char
        *replies; /* what the device's compiler says of itself (compiler_macros.h); NULL: it was not asked */
    const unsigned char *files; /* the sum over the files that the text includes (include_hash.h); NULL: it
                                   includes none, or it cannot be told which */
    bool text;                  /* the result's text is wanted */
    bool patient;               /* nobody waits: it runs while a core has nothing else to do */
};

struct cx_analyse_result {
    struct cx_summary *summary; /* NULL: there is none */
    void *blob;
    size_t size;
    bool has_text;
    unsigned char text[32]; /* hash of the preprocessed text, where has_text */
    char *question;         /* in place of a summary: what to ask the device (compiler_macros.h) */
    char why[256];          /* why there is no summary */
};
void cx_analyse_result_finish(struct cx_analyse_result *result);

/* The helper's path, found once; NULL when there is none. Called by analysis.c. */
const char *cx_analyse_program(void);
/* Names the helper: another one, also of the same version, may judge otherwise. Called by
 * binary_summaries.c. */
enum { CX_ANALYSE_TOOL_SIZE = 160 };
void cx_analyse_tool(char tool[CX_ANALYSE_TOOL_SIZE]);
/* The result from disk, a refusal among them; false when it is not there or must not be used, as it cannot be
 * told which files the text includes. Called by analysis.c and tools/coexec_judge.c. */
bool cx_analyse_cached(const struct cx_analyse_task *task, struct cx_analyse_result *result);
/* Runs the helper, and keeps its result on disk. Called by analysis.c and tools/coexec_judge.c. */
void cx_analyse_run(const struct cx_analyse_task *task, struct cx_helper *helper,
                    struct cx_analyse_result *result);

#endif

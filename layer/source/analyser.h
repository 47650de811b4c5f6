/* SPDX-License-Identifier: MIT */
/*
 * One run of coexec-analyse: its command line, its files, its result, and the result's place on disk.
 * Previous stage: analysis.c. Next: subprocess.c, disk_cache.c. Thread-safe; waits as long as the helper
 * runs.
 */
#ifndef CX_LAYER_SOURCE_ANALYSER_H
#define CX_LAYER_SOURCE_ANALYSER_H

#include "layer/base/subprocess.h"
#include "layer/source/macro_identity.h"
#include "layer/access/summary.h"

struct cx_analyser_task {
    const char *analyser, *source, *options;
    const struct cx_macro_identity *identity;
    const char *replies; /* the macros that the device's compiler defines (compiler_macros.h); NULL: it was
                            not asked */
    const unsigned char *files; /* the hash of the files that the text includes (include_hash.h); NULL: it
                                   includes none, or they are not known */
    bool text;                  /* the hash of the preprocessed text is wanted */
    bool patient;               /* no thread waits: it runs at the lowest priority */
};

struct cx_analyser_result {
    struct cx_summary *summary; /* NULL: there is none */
    void *blob;
    size_t size;
    bool has_text;
    unsigned char text[32]; /* hash of the preprocessed text, where has_text */
    char *question; /* in place of a summary: a question for the device's compiler (compiler_macros.h) */
    char why[256];  /* why there is no summary */
};
void cx_analyser_result_finish(struct cx_analyser_result *result);

/* The path of coexec-analyse, looked for once; NULL: it was not found. Called by analysis.c. */
const char *cx_analyser_program(void);
/* A text that identifies the installed coexec-analyse. Another build of it, even of the same version, may
 * give other results. Called by binary_summaries.c. */
enum { CX_ANALYSER_TOOL_SIZE = 160 };
void cx_analyser_tool(char tool[CX_ANALYSER_TOOL_SIZE]);
/* Loads the result from disk; a refusal is a result, too. False: there is none, or it must not be used, since
 * it is not known which files the text includes. Called by analysis.c and tools/coexec_judge.c. */
bool cx_analyser_cached(const struct cx_analyser_task *task, struct cx_analyser_result *result);
/* Runs coexec-analyse, and stores its result on disk. Waits for its end. Called by analysis.c and
 * tools/coexec_judge.c. */
void cx_analyser_run(const struct cx_analyser_task *task, struct cx_subprocess *helper,
                     struct cx_analyser_result *result);
/* Warns, once, that the cache's folder cannot be used. Called by compiler_macros.c. */
void cx_analyser_cannot_keep(const char *folder);

#endif

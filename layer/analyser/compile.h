/* SPDX-License-Identifier: MIT */
/*
 * From OpenCL C to unoptimised LLVM bitcode, by running clang as the vendors' compilers would be asked to.
 *
 * Previous stage: main.c (the request), macros.c. Next stage: pipeline.c.
 */
#ifndef CX_LAYER_ANALYSER_COMPILE_H
#define CX_LAYER_ANALYSER_COMPILE_H

#include "layer/analyser/process.h"

#include <stdbool.h>

/* A growing list of strings, ended by NULL. Called by macro_names.c, macros.c and main.c. */
struct cx_strings {
    char **item;
    size_t count;
};
void cx_strings_add(struct cx_strings *list, const char *text, size_t length);
void cx_strings_finish(struct cx_strings *list);
/* Cuts an OpenCL options string at blanks outside quotes; the quotes go. Called by main.c. */
void cx_strings_split(struct cx_strings *list, const char *options);

struct cx_compile_request {
    const char *clang;          /* program to run */
    const char *source;         /* file, or "-" for standard input */
    const char *extensions;     /* the device's, blank-separated; NULL: all that clang knows */
    struct cx_strings includes; /* folders, -I of our own caller */
    const char *replies; /* file of #undef and #define lines: the device's answers, which clang takes first;
                         or NULL */
    struct cx_strings defines; /* NAME or NAME=VALUE: a device's macros */
    struct cx_strings options; /* the program's build options, one each */
    unsigned limit_ms, memory_mb;
    bool bits32;
    bool assembly; /* the text may have inline assembly (assembly.h) */
};

/* The text of a file (free() it); NULL: it cannot be read. Called by macros.c and main.c. */
char *cx_source_read(const char *path);

/* The bitcode in *out; otherwise a message of one line in *message (free() it). Called by main.c. */
enum cx_process_status cx_compile(const struct cx_compile_request *request, struct cx_buffer *out,
                                  char **message);

/* The text with its headers in their places and nothing else done; the directives stay. Called by
 * macros.c. */
enum cx_process_status cx_compile_include(const struct cx_compile_request *request, struct cx_buffer *out);

/* The text as the kernels' compiler proper gets it, without the built-in header, one line of tokens a line;
 * what cannot change a kernel (extension pragmas) is left out. Called by main.c. */
enum cx_process_status cx_compile_text(const struct cx_compile_request *request, struct cx_buffer *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Puts embedded headers of clCompileProgram into the text that includes them, so that the analyser and split
 * variants get one text. Next stage: link.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_SOURCE_EMBEDDED_HEADERS_H
#define CX_LAYER_SOURCE_EMBEDDED_HEADERS_H

#include <stdbool.h>

struct cx_embedded_headers {
    unsigned count;
    const char *const *name;   /* as the text includes them */
    const char *const *source; /* of each header */
};

/* Replaces each #include of one of the headers (in quotes or angle brackets, also within headers) by its
 * text; #line directives keep line numbers and name the headers. Other includes stay. The caller frees the
 * result. NULL: no memory, or headers include each other without end. Called by program/link.c. */
char *cx_embedded_headers_insert(const char *text, const struct cx_embedded_headers *headers);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Embedded headers of clCompileProgram put into the text that includes them, so that the analyser and the
 * split variants see one text. Next stage: link.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_SOURCE_EMBEDDED_HEADERS_H
#define CX_LAYER_SOURCE_EMBEDDED_HEADERS_H

#include <stdbool.h>

struct cx_embed {
    unsigned count;
    const char *const *name;   /* as the text includes them */
    const char *const *source; /* of each header */
};

/* The text with each line that includes one of the headers, by quotes or angle brackets, replaced by that
 * header's text, in headers too; #line keeps the lines' numbers and gives the headers' names. Other includes
 * stay. free() it. NULL: no memory, or headers that include each other without end. Called by
 * program/link.c. */
char *cx_embed(const char *text, const struct cx_embed *headers);

#endif

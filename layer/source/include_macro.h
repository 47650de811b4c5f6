/* SPDX-License-Identifier: MIT */
/*
 * The files that a directive may mean which names them by macros (C11, 6.10.2 and 6.10.3): `-D HEADER="a.h"`
 * and `#include HEADER`, or `-D Q(x)=#x -D DIR=/usr/include/a` and `#include Q(DIR/a.h)`.
 *
 * Which lines of the text count only a compiler can tell. So a name stands for each of its definitions in the
 * options and the text, and for itself where it may have none: all files that any of them gives may be meant.
 * Only definitions of names that directives use are kept: until no more are found, the text is to be gone
 * through again.
 * Next: include_hash.c. Not thread-safe.
 */
#ifndef CX_LAYER_SOURCE_INCLUDE_MACRO_H
#define CX_LAYER_SOURCE_INCLUDE_MACRO_H

#include <stdbool.h>

struct cx_include_macros;

/* NULL: no memory. Called by include_hash.c. */
struct cx_include_macros *cx_include_macros_new(void);
void cx_include_macros_free(struct cx_include_macros *macros);

/* What -D says (NAME, NAME=TEXT, NAME(PARAMETER, PARAMETER)=TEXT), or -U. False: no memory, or no name.
 * Called by include_hash.c. */
bool cx_include_macros_option(struct cx_include_macros *macros, char letter, const char *value);
/* A #define or #undef of the text, `at` behind that word. False: no memory. Called by include_hash.c. */
bool cx_include_macros_define(struct cx_include_macros *macros, const char *at);
bool cx_include_macros_undefine(struct cx_include_macros *macros, const char *at);
/* Whether more has been found since this was asked last, so that directives may mean more. Called by
 * include_hash.c. */
bool cx_include_macros_more(struct cx_include_macros *macros);

/* take(data, name) gets each name of a file, without its quotes or brackets, of a directive's words up to the
 * line's end; maybe one several times. False: it cannot be told which these are. Called by include_hash.c. */
bool cx_include_macros_names(struct cx_include_macros *macros, const char *words,
                             void (*take)(void *data, const char *name), void *data);

#endif

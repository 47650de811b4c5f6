/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that an #include with macros may mean (C11, 6.10.2 and 6.10.3): `-D HEADER="a.h"` and
 * `#include HEADER`, or `-D Q(x)=#x -D DIR=/usr/include/a` and `#include Q(DIR/a.h)`.
 *
 * Only a preprocessor could say which lines of the text count. So a name stands for each of its definitions
 * in the options and the text, and for itself if it may have none; every file that one of them gives may be
 * meant. Only definitions of names that directives use are stored, so the caller scans the text again until
 * no more names are found. Next: include_hash.c. Not thread-safe.
 */
#ifndef CX_LAYER_SOURCE_INCLUDE_MACROS_H
#define CX_LAYER_SOURCE_INCLUDE_MACROS_H

#include <stdbool.h>

struct cx_include_macros;

/* NULL: no memory. Called by include_hash.c. */
struct cx_include_macros *cx_include_macros_new(void);
void cx_include_macros_free(struct cx_include_macros *macros);

/* Adds an option: -D (NAME, NAME=TEXT, NAME(PARAMETER, PARAMETER)=TEXT) or -U. False: no memory, or no name.
 * Called by include_hash.c. */
bool cx_include_macros_option(struct cx_include_macros *macros, char letter, const char *value);
/* Add a #define or #undef of the text; `at` is behind that word. False: no memory. Called by include_hash.c.
 */
bool cx_include_macros_define(struct cx_include_macros *macros, const char *at);
bool cx_include_macros_undefine(struct cx_include_macros *macros, const char *at);
/* Whether more names were found since the last call, so that the text must be scanned again. Called by
 * include_hash.c. */
bool cx_include_macros_more(struct cx_include_macros *macros);

/* Calls take(data, name) for each file name (without quotes or brackets) that a directive may mean, maybe
 * several times for one; `words` is the directive's text up to the line's end. False: the names cannot be
 * found out. Called by include_hash.c. */
bool cx_include_macros_names(struct cx_include_macros *macros, const char *words,
                             void (*take)(void *data, const char *name), void *data);

#endif

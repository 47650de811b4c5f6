/* SPDX-License-Identifier: MIT */
/*
 * Scans a program's text as the first phases of a compiler do: comments, strings and escaped line ends (C11,
 * 5.1.1.2 and 6.4). Thread-safe.
 */
#ifndef CX_LAYER_BASE_TEXT_H
#define CX_LAYER_BASE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* The end of the line that contains `at`, continued lines included. Called by source/macro_identity.c. */
const char *cx_text_line_end(const char *at);
/* If a comment, string or character constant begins at `at`, returns its end, else `at`. An unterminated
 * string or character constant ends with its line. Called by analyser/assembly.c, source/include_hash.c,
 * source/include_macros.c and source/macro_identity.c. */
const char *cx_text_skip(const char *at);

/* A copy of the text without escaped line ends (some compilers allow blanks in them), which the caller frees.
 * NULL: no memory. Called by program/variant.c and source/include_hash.c. */
char *cx_text_joined(const char *source);

/* Whether the program may include text of files, or depend on which files exist. Errs on the side of true:
 * any word that contains "include", "import" or "embed" counts, outside comments and strings. Called by
 * analyser/macros.c and source/macro_identity.c. */
bool cx_text_includes(const char *source);

/* Whether a word that introduces inline assembly begins at `at`; whether the text has one outside comments
 * and strings. Called by analyser/assembly.c, analyser/macros.c and program/build.c. */
bool cx_text_is_assembly(const char *at);
bool cx_text_assembles(const char *source);

/* Writes a #line directive: the following line has this number, in the file of this name. Called by
 * source/embedded_headers.c and source/include_hash.c. */
void cx_text_put_line(FILE *file, unsigned number, const char *name);

#endif

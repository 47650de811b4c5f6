/* SPDX-License-Identifier: MIT */
/*
 * A program's text as the first stages of a compiler see it: comments, strings and escaped line ends (C11,
 * 5.1.1.2 and 6.4). Thread-safe.
 */
#ifndef CX_LAYER_BASE_TEXT_H
#define CX_LAYER_BASE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* The end of the line that `at` is in, continued lines included. Called by source/macro_identity.c. */
const char *cx_text_line_end(const char *at);
/* If `at` begins a comment, a string or a character: its end, else `at`. Strings and characters end with
 * their line, where nothing else ends them. Called by analyser/assembly.c, source/include_hash.c,
 * source/include_macro.c and source/macro_identity.c. */
const char *cx_text_skip(const char *at);

/* A copy, the caller's, without escaped line ends, in which some compilers allow blanks. NULL: no memory.
 * Called by program/variant.c and source/include_hash.c. */
char *cx_text_joined(const char *source);

/* Whether text of files may belong to the program, or what it says may depend on which there are. Errs on the
 * side of true: any word with "include", "import" or "embed" in it that is in no comment or string, such as
 * licences have them. Called by analyser/macros.c and source/macro_identity.c. */
bool cx_text_includes(const char *source);

/* Whether a word that begins inline assembly begins here; and whether one is in the text, comments and
 * strings left out. Called by analyser/assembly.c, analyser/macros.c and program/build.c. */
bool cx_text_is_assembly(const char *at);
bool cx_text_assembles(const char *source);

/* Writes a #line directive: the line behind it has this number, in the file of this name. Called by
 * source/embedded_headers.c and source/include_hash.c. */
void cx_text_put_line(FILE *file, unsigned number, const char *name);

#endif

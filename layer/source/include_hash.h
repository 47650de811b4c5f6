/* SPDX-License-Identifier: MIT */
/*
 * Hashes the files that a program's text includes. A program is built once, but what is made of its text
 * later (the analysis, builds for other devices, split variants) reads those files again, and they may have
 * changed or moved since.
 *
 * Every place where a file could be counts, whether it exists or not: the folder of the including file, the
 * -I folders of the options, and the current folder; also for #include directives that the preprocessor would
 * skip. Previous stage: analysis.h, when a program is built. Next: analysis.c, which finds out whether files
 * have changed, and analyser.c, which stores results under the hash. Any thread.
 */
#ifndef CX_LAYER_SOURCE_INCLUDE_HASH_H
#define CX_LAYER_SOURCE_INCLUDE_HASH_H

#include <stdbool.h>

enum { CX_INCLUDE_HASH_SIZE = 32 }; /* of a hash */

/* Computes the hash. False: the files are not known, since options such as -include or macros that cannot be
 * expanded name them (include_macros.h), or there are too many. Called by analysis.c. */
bool cx_include_hash_sum(const char *source, const char *options, unsigned char sum[CX_INCLUDE_HASH_SIZE]);
/* Whether the files still have this hash. Called by analyser.c, analysis.c and analyser/main.c. */
bool cx_include_hash_are(const char *source, const char *options,
                         const unsigned char sum[CX_INCLUDE_HASH_SIZE]);

/* Replaces each #include, also within included files, by the file's text; #line directives keep line numbers
 * and name the files. One whose file is nowhere, which the preprocessor must have skipped, becomes an #error.
 * The caller frees the result. NULL: the hash has changed, or it is not clear which of several different
 * files a directive means. Called by analysis.c. */
char *cx_include_hash_resolve(const char *source, const char *options,
                              const unsigned char sum[CX_INCLUDE_HASH_SIZE]);

/* Convert a hash to hexadecimal digits and back; false: the text is no hash. Called by analyser.c and
 * analyser/main.c. */
enum { CX_INCLUDE_HASH_TEXT_SIZE = 2 * CX_INCLUDE_HASH_SIZE + 1 };
void cx_include_hash_text(const unsigned char sum[CX_INCLUDE_HASH_SIZE],
                          char text[CX_INCLUDE_HASH_TEXT_SIZE]);
bool cx_include_hash_parse(const char *text, unsigned char sum[CX_INCLUDE_HASH_SIZE]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the files that a program's text includes say now, as one sum: a program is built once, and everything
 * made of its text later (its analysis, the builds for other devices, split variants) reads those files
 * again, which may have changed, gone, or lie elsewhere since.
 *
 * Every place where a file could lie counts, whether there is one or not: the folder of the including file,
 * the -I folders of the options, and the current folder; also of inclusions that no compiler would reach.
 * Previous stage: analysis.h, when a program is built. Next: analysis.c, build_deferred.c and variant.c,
 * which drop what was made of other files, and analyser_run.c, which keeps results under the sum. Any thread.
 */
#ifndef CX_LAYER_SOURCE_INCLUDE_HASH_H
#define CX_LAYER_SOURCE_INCLUDE_HASH_H

#include <stdbool.h>

enum { CX_INCLUDES_SIZE = 32 }; /* of a sum */

/* False: it cannot be told which files those are, as options such as -include name them, or macros that
 * cannot be followed (include_macro.h), or there are too many. Called by analysis.c. */
bool cx_includes_sum(const char *source, const char *options, unsigned char sum[CX_INCLUDES_SIZE]);
/* Whether the sum is this one still. Called by analyser_run.c, analysis.c and analyser/main.c. */
bool cx_includes_are(const char *source, const char *options, const unsigned char sum[CX_INCLUDES_SIZE]);

/* The source with each file that it includes put in, in files too, so that it needs none; #line keeps the
 * lines' numbers and gives the files' names. NULL: the sum is another by now, or it cannot be told which file
 * an inclusion means, where several may lie and not all say the same. free() it. Called by analysis.c. */
char *cx_includes_resolve(const char *source, const char *options, const unsigned char sum[CX_INCLUDES_SIZE]);

/* The sum as hexadecimal digits, and from such; false: they are none. Called by analyser_run.c and
 * analyser/main.c. */
enum { CX_INCLUDES_TEXT_SIZE = 2 * CX_INCLUDES_SIZE + 1 };
void cx_includes_text(const unsigned char sum[CX_INCLUDES_SIZE], char text[CX_INCLUDES_TEXT_SIZE]);
bool cx_includes_parse(const char *text, unsigned char sum[CX_INCLUDES_SIZE]);

#endif

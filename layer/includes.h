/* SPDX-License-Identifier: MIT */
/*
 * What the files that a program's text includes say now, as one sum: a program is built once, and everything
 * made of its text later (its analysis, the builds for other devices, split variants) reads those files
 * again, which may have changed, gone, or lie elsewhere since.
 *
 * Every place where a file could lie counts, whether there is one or not: the folder of the including file,
 * the -I folders of the options, and the current folder; also of inclusions that no compiler would reach.
 * Previous stage: analysis.h, when a program is built. Next: analysis.c, late.c and variant.c, which drop
 * what was made of other files. Any thread.
 */
#ifndef CX_LAYER_INCLUDES_H
#define CX_LAYER_INCLUDES_H

#include "layer/checksum.h"

#include <stdbool.h>

/* False: it cannot be told which files those are, as options such as -include name them, or macros that
 * cannot be followed (include_macro.h), or there are too many. */
bool cx_includes_sum(const char *source, const char *options, unsigned char sum[CX_CHECKSUM_SIZE]);

#endif

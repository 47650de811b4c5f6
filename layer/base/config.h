/* SPDX-License-Identifier: MIT */
/*
 * The configuration file: options of all programs, and of single ones, that stay switched on. Lines
 * `option = value`, below `[pattern ...]` those of the executables whose name fits a pattern (of the shell),
 * else of all; what begins with # or ; is a comment. Of lines that apply and name one option the last one
 * counts. Called by options.c, once.
 */
#ifndef CX_LAYER_BASE_CONFIG_H
#define CX_LAYER_BASE_CONFIG_H

#include <stdbool.h>

/* Calls take() for each line that applies to the program that this process runs, with its name and value, or
 * with NULL and what is wrong with the line. The texts are valid during the call. Returns NULL, or why the
 * file was not read: *missing: it is not there. */
const char *cx_config_read(const char *path, bool *missing,
                           void (*take)(unsigned line, const char *name, const char *value));
/* The same for a program of that name, in place of this process' own. Called by tools/coexec_info.c. */
void cx_config_pretend(const char *program);

#endif

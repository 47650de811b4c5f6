/* SPDX-License-Identifier: MIT */
/*
 * Names of files that several processes may write, such as COEXEC_SUMMARY_FILE: %p in them is the process'
 * number, %h the machine's name, %% a %. Other letters stay as they are. Thread-safe.
 */
#ifndef CX_LAYER_BASE_FILE_NAME_H
#define CX_LAYER_BASE_FILE_NAME_H

#include <limits.h>

/* The name, which the caller frees. NULL: no memory. Called by log.c, report/kernel_table.c and
 * report/trace.c. */
char *cx_file_name(const char *pattern);
/* The name of the executable that this process runs, without its folder, in `path`. Called by config.c and
 * object/executables.c. */
const char *cx_file_name_executable(char path[PATH_MAX]);

#endif

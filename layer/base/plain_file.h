/* SPDX-License-Identifier: MIT */
/*
 * Files as they are, read and written whole: what the library and its helper programs hand each other in
 * /tmp, and what other files here are made of. disk_cache.h keeps results, with checks. Interrupted calls go
 * on. Thread-safe.
 */
#ifndef CX_LAYER_BASE_PLAIN_FILE_H
#define CX_LAYER_BASE_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* All bytes to or from an open file. False: errno says why, or, of a read, the file has ended. Called by
 * disk_cache.c, plan/compile_ahead.c and report/recording.c. */
bool cx_plain_file_put(int descriptor, const void *data, size_t size);
bool cx_plain_file_get(int descriptor, void *data, size_t size);

/* Makes a file that is not there yet (mode 0600). False: it was there, or not all could be written; what was
 * stays. Called by source/analyser.c. */
bool cx_plain_file_make(const char *path, const void *data, size_t size);
/* The bytes of a regular file, which the caller frees, and their number. NULL: it cannot be read, or is
 * empty. Called by analyser/outlast.c, source/analyser.c and tools/compile_main.c. */
void *cx_plain_file_read(const char *path, size_t *size);
/* Whether this process may write a file of that size. Beyond its limit (RLIMIT_FSIZE) a signal would end the
 * process. Called by disk_cache.c, plan/compile_ahead.c and
 * report/live.c. */
bool cx_plain_file_may_write(size_t size);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef CX_TESTS_FILE_H
#define CX_TESTS_FILE_H

#include <stddef.h>

/* The file's bytes and a 0 behind them, which *size (NULL: nobody wants it) does not count; the caller frees.
 * NULL: it cannot be read, or there is no memory. Not for pipes. */
char *file_read(const char *path, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Results of analyses that end after the program's binary was saved. They are stored on disk (disk_cache.h)
 * under a checksum of the real driver's binary, so that a program loaded from that binary finds them.
 *
 * Such a file is trusted no more than others in the cache: a blob that is not sound counts as absent.
 * Previous stage: analysis.c, program_binary.c. Next: disk_cache.c. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_BINARY_SUMMARIES_H
#define CX_LAYER_SOURCE_BINARY_SUMMARIES_H

#include "layer/source/analysis.h"
#include "layer/base/disk_cache.h"

/* Makes the key for one kind of device and its binary. Called by program/program_binary.c. */
void cx_binary_summaries_key(char key[CX_DISK_CACHE_KEY_SIZE], const char *device, const void *binary,
                             size_t size);
/* Stores a blob with its text's hash; does nothing if the hash is unknown. Called by analysis.c. */
void cx_binary_summaries_store(const char *key, const struct cx_analysis_blob *blob);
/* Loads what was stored: the caller frees `data`, into which `text` points. data is NULL if there is nothing.
 * Called by program/program_binary.c. */
struct cx_analysis_blob cx_binary_summaries_load(const char *key);

#endif

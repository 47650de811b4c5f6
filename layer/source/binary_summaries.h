/* SPDX-License-Identifier: MIT */
/*
 * Results of analyses that end after the program's binary was saved: kept on disk (disk_cache.h) under a
 * checksum of the real driver's binary, of which the loaded program is made again.
 *
 * Such a file is trusted no more than any other of the cache: a blob that is not sound counts as absent.
 * Previous stage: analysis.c, program_binary.c. Next: disk_cache.c. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_BINARY_SUMMARIES_H
#define CX_LAYER_SOURCE_BINARY_SUMMARIES_H

#include "layer/source/analysis.h"
#include "layer/base/disk_cache.h"

/* The key for one kind of device and its binary. Called by program/program_binary.c. */
void cx_binary_summary_key(char key[CX_CACHE_KEY_SIZE], const char *device, const void *binary, size_t size);
/* Keeps a blob with its text's hash; without that it is of no use. Called by analysis.c. */
void cx_binary_summary_store(const char *key, const struct cx_analysis_blob *blob);
/* What was kept: its data is to be freed, and text points into it. Data is NULL where there is nothing.
 * Called by program/program_binary.c. */
struct cx_analysis_blob cx_binary_summary_load(const char *key);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The disk cache of analysis results: one file a result in a private folder (COEXEC_CACHE_DIR), named by the
 * hash of all that the result depends on.
 *
 * A damaged, foreign or unreadable file counts as absent and is written anew. Writers go through a temporary
 * file and rename, so readers and other processes see whole files. Previous stage: analysis.h. Thread-safe.
 */
#ifndef CX_LAYER_BASE_DISK_CACHE_H
#define CX_LAYER_BASE_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define CX_DISK_CACHE_KEY_SIZE 65 /* 64 hexadecimal digits and the closing 0 */

/* Makes the key of a list of texts. The lengths of the texts count: the same bytes divided differently give
 * another key. Called by driver/, program/ and source/. */
void cx_disk_cache_key(char key[CX_DISK_CACHE_KEY_SIZE], unsigned count, const char *const *texts);

/* Returns the stored bytes (the caller frees them) and their number, or NULL. Called by driver/, power/ and
 * source/. */
void *cx_disk_cache_load(const char *folder, const char *key, size_t *size);
/* Stores bytes under the key; makes the folder (mode 0700) where it is missing. False: not stored. Called
 * by analyser/, driver/ and source/. */
bool cx_disk_cache_store(const char *folder, const char *key, const void *data, size_t size);
/* A record of how long something took, of which the longest time is kept: a shorter one is that of somebody
 * who found it done. load: false where there is none. keep: false if it could not be stored. Called by
 * program/compile_record.c and tools/compile_main.c. */
bool cx_disk_cache_load_seconds(const char *folder, const char *key, double *seconds);
bool cx_disk_cache_keep_seconds(const char *folder, const char *key, double seconds);
/* Stores a result: a blob, followed by the hash of the text that it was made from. Called by
 * analyser/outlast.c, source/analyser.c and source/binary_summaries.c. */
enum { CX_DISK_CACHE_TEXT_SIZE = 32 };
bool cx_disk_cache_store_result(const char *folder, const char *key, const void *blob, size_t size,
                                const unsigned char text[CX_DISK_CACHE_TEXT_SIZE]);
/* Makes the folder (mode 0700) and those above it. False: it is not there. Called by disk_cache.c and
 * tools/coexec_icd.c. */
bool cx_disk_cache_make_folder(const char *folder);

#endif

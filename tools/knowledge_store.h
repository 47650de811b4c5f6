/* SPDX-License-Identifier: MIT */
/*
 * The knowledge base: an SQLite file in the knowledge folder (layer/knowledge/folder.h), opened by
 * coexec-knowledge only, one at a time.
 *
 * It holds a row a profile: its key, its kernel's name, when it was seen last, and its line. Bounded: at most
 * CX_STORE_ROWS rows, those seen last, in a file of CX_STORE_BYTES; what was not seen for CX_STORE_DAYS goes.
 * Written ahead (WAL) but on file systems of other machines, which lack what that needs. A base that is
 * damaged is set aside as `knowledge.sqlite.damaged`, and another begun. One thread.
 */
#ifndef CX_TOOLS_KNOWLEDGE_STORE_H
#define CX_TOOLS_KNOWLEDGE_STORE_H

#include "layer/knowledge/table.h"

enum { CX_STORE_ROWS = 8000, CX_STORE_VIEW = 1000, CX_STORE_DAYS = 180, CX_STORE_BYTES = 16 << 20 };

struct cx_store;

/* Opens the base, and makes it where there is none. waits: for others that have it open; else NULL, too, if
 * there are some. NULL: *why says why, in a text that stays. */
struct cx_store *cx_store_open(const char *folder, bool waits, const char **why);
void cx_store_close(struct cx_store *store);

/* Takes what processes learned since into the base, drops what is too old or too much, and writes the view
 * anew. False: not all of it. */
bool cx_store_take_in(struct cx_store *store);
/* Calls see(data, profile) for all whose kernel's name matches (NULL: all), the ones seen last first. False:
 * it cannot be read. */
bool cx_store_each(struct cx_store *store, const char *pattern,
                   void (*see)(void *data, const struct cx_profile *profile), void *data);
/* What is known of sets of devices: adds them to the table. */
void cx_store_sets(struct cx_store *store, struct cx_profile_table *table);
/* Adds the profiles and sets of a table, as those of later processes. False: not all. */
bool cx_store_add(struct cx_store *store, const struct cx_profile_table *table);
/* Drops those whose kernel's name matches (NULL: all) and that were seen last before that time (UINT64_MAX:
 * whenever); gives how many. -1: it failed. */
int cx_store_forget(struct cx_store *store, const char *pattern, uint64_t before);
/* Checks the file: "ok", or what is wrong, in a text that stays until the next call. */
const char *cx_store_check(struct cx_store *store);
/* Whether a damaged one was set aside when it was opened. */
bool cx_store_was_damaged(const struct cx_store *store);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Profiles in memory, found by their keys, and the text of many: a first line that names its version, one
 * "set HASH" for each set of devices, with what opening each took and, for people, their names, and one line
 * a profile. Lines that make no sense, and what is over the table's limit, are left out. Thread-safety: none,
 * the caller serialises. Previous stage: profile.h. Next: folder.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_TABLE_H
#define CX_LAYER_KNOWLEDGE_TABLE_H

#include "layer/knowledge/profile.h"

#include <stdio.h>

enum { CX_TABLE_SETS = 16, CX_TABLE_SET_TEXT = 200 };

struct cx_device_set {
    unsigned char hash[CX_PROFILE_HASH];
    double opening[CX_PROFILE_DEVICES]; /* seconds, by member; 0: not known */
    char text[CX_TABLE_SET_TEXT];       /* names of the devices */
};

/* Zeroed: empty. */
struct cx_profile_table {
    struct cx_profile *profile; /* `count` of them */
    unsigned count, room;
    unsigned *slot; /* open addressing: 1 + index; 0: free */
    unsigned nslots;
    unsigned nsets;
    struct cx_device_set *set; /* room for CX_TABLE_SETS */
};

enum { CX_TABLE_MOST = 4096 }; /* profiles */

void cx_profile_table_free(struct cx_profile_table *table);
/* NULL: there is none. The result holds until something is added. Called by knowledge/ and
 * tools/knowledge_main.c. */
struct cx_profile *cx_profile_table_find(const struct cx_profile_table *table,
                                         const struct cx_profile_key *key);
/* The profile of that key, made empty where there is none. NULL: no memory, or the table is full. Called by
 * knowledge.c. */
struct cx_profile *cx_profile_table_make(struct cx_profile_table *table, const struct cx_profile_key *key);
/* Tells of a set of devices: its text, of which unprintable characters become ?, and seconds that openings
 * took, CX_PROFILE_DEVICES of them (0: not known; NULL: none is). Called by knowledge.c and
 * tools/knowledge_store.c. */
void cx_profile_table_tell_set(struct cx_profile_table *table, const unsigned char *hash, const char *text,
                               const double *opening);
/* Seconds that opening that member of the set took; 0: not known. Called by knowledge.c. */
double cx_profile_table_opening(const struct cx_profile_table *table, const unsigned char *hash,
                                unsigned member);

/* Adds the profiles of a text, as those of a later process; gives how many. -1: it is no such text, or there
 * is no memory. Called by folder.c and tools/knowledge_main.c. */
int cx_profile_table_read(struct cx_profile_table *table, const char *text, size_t size);
/* Writes all. line: room for one. Called by folder.c and tools/knowledge_main.c. */
void cx_profile_table_write(const struct cx_profile_table *table, FILE *out, char line[CX_PROFILE_LINE]);

#endif

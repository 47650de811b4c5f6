/* SPDX-License-Identifier: MIT */
/*
 * The files of the knowledge base, in the folder `knowledge` of the cache: `salt`, by which hashes differ
 * from machine to machine; `view`, the profiles that were seen last; one file `new.PROCESS.NUMBER` for what
 * each process learned and is in neither yet; and `knowledge.sqlite`, the base itself.
 *
 * A program only reads `view` and the new files, and adds one. The base is opened by coexec-knowledge
 * alone (tools/knowledge_main.c), a process of its own, which the driver or `coexec knowledge` starts: it
 * takes the new files into it and writes `view` anew. So SQLite is in no program's address space: it cannot
 * meet a program's own copy and its settings, no descriptor of the base can be closed by a program that
 * closes all, and neither a signal for a map of a file that became shorter nor one for a limit on files'
 * sizes can come from it. All other files are written whole and renamed, with a checksum (disk_cache.h):
 * readers see whole ones or none, on any file system, with any number of processes, whenever one is killed.
 * Files that somebody else could have written are not read. Thread-safe. Previous stage: table.h. Next:
 * knowledge.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_FOLDER_H
#define CX_LAYER_KNOWLEDGE_FOLDER_H

#include "layer/knowledge/table.h"

enum { CX_KNOWLEDGE_SALT = 32 };
#define CX_KNOWLEDGE_BASE "knowledge.sqlite"
/* New files at most: what comes then is dropped, as nobody seems to take them in. */
enum { CX_KNOWLEDGE_NEW_MOST = 200 };

/* The folder's path, which the caller frees; NULL: no memory. cache: cx_options_cache_dir. Called by
 * folder.c, power/record.c and tools/. */
char *cx_knowledge_folder(const char *cache);
/* The same where COEXEC_KNOWLEDGE and the like have the process learn or be told anything; else NULL. Called
 * by knowledge.c and cut_search.c. */
char *cx_knowledge_folder_wanted(void);
/* Reads the salt, or makes one. False: there is none. Called by knowledge.c. */
bool cx_knowledge_salt(const char *folder, bool may_write, unsigned char salt[CX_KNOWLEDGE_SALT]);
/* Adds the profiles of `view` to the table. Called by knowledge.c. */
void cx_knowledge_read_view(const char *folder, struct cx_profile_table *table);
/* Calls take(data, name) for each new file, at most CX_KNOWLEDGE_NEW_MOST times; gives how many there are.
 * Called by knowledge.c and tools/knowledge_store.c. */
unsigned cx_knowledge_each_new(const char *folder, void (*take)(void *data, const char *name), void *data);
/* Adds the profiles of a file to the table. False: it is damaged, or not ours. Called by knowledge.c and
 * tools/knowledge_store.c. */
bool cx_knowledge_read(const char *folder, const char *name, struct cx_profile_table *table);
/* Writes the table to a file. False: it is not written. Called by folder.c and tools/knowledge_store.c. */
bool cx_knowledge_write(const char *folder, const char *name, const struct cx_profile_table *table);
/* Writes the table to a new file of this process. Called by knowledge.c. */
bool cx_knowledge_add_new(const char *folder, const struct cx_profile_table *table);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What coexec learned that is in files of its own beside the base: devices' powers (layer/power/record.h),
 * and levels at which programs' CPU devices were cut (layer/knowledge/cut_record.h). Not thread-safe. Next:
 * knowledge_main.c.
 */
#ifndef CX_TOOLS_KNOWLEDGE_FILES_H
#define CX_TOOLS_KNOWLEDGE_FILES_H

#include <json-c/json.h>
#include <stdbool.h>

/* Prints both as tables, if there is any; gives how many lines. Called by knowledge_main.c. */
unsigned cx_knowledge_files_print(const char *folder);
/* Adds arrays `powers` and `programs`. Called by knowledge_main.c. */
void cx_knowledge_files_add(const char *folder, struct json_object *object);
/* Deletes all. Called by knowledge_main.c. */
void cx_knowledge_files_forget(const char *folder);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Lists of names copied from texts. Used by include_hash.c and include_macros.c. Not thread-safe.
 */
#ifndef CX_LAYER_SOURCE_NAME_LIST_H
#define CX_LAYER_SOURCE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct cx_name_list {
    char **item;
    unsigned count;
};

/* Whether the name equals the `length` characters at `at`; whether a list has such a name. Called by
 * include_macros.c. */
bool cx_name_list_is(const char *name, const char *at, size_t length);

/* Whether the list has the name of `length` characters at `at`. Called by include_macros.c. */
bool cx_name_list_have(const struct cx_name_list *names, const char *at, size_t length);
/* Adds a copy of the name. False: no memory. Called by include_hash.c and include_macros.c. */
bool cx_name_list_add(struct cx_name_list *names, const char *at, size_t length);
void cx_name_list_finish(struct cx_name_list *names);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Lists of names. See name_list.h.
 */
#include "layer/source/name_list.h"

#include <stdlib.h>
#include <string.h>

bool cx_name_list_is(const char *name, const char *at, size_t length)
{
    return !strncmp(name, at, length) && !name[length];
}

bool cx_name_list_have(const struct cx_name_list *names, const char *at, size_t length)
{
    for (unsigned i = 0; i < names->count; i++)
        if (cx_name_list_is(names->item[i], at, length))
            return true;
    return false;
}

bool cx_name_list_add(struct cx_name_list *names, const char *at, size_t length)
{
    char **grown = realloc(names->item, (names->count + 1) * sizeof(*grown));
    if (grown)
        names->item = grown;
    if (!grown || !(grown[names->count] = strndup(at, length)))
        return false;
    names->count++;
    return true;
}

void cx_name_list_finish(struct cx_name_list *names)
{
    for (unsigned i = 0; i < names->count; i++)
        free(names->item[i]);
    free(names->item);
    *names = (struct cx_name_list){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * Finds programs beside the library. See own_program.h.
 */
#include "layer/base/own_program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *place, char path[PATH_MAX])
{
    return *place && strlen(place) < PATH_MAX && !access(place, X_OK) && strcpy(path, place);
}

/* At that place, seen from the library's folder. */
static bool is_program_at(const char *library, const char *place, char path[PATH_MAX])
{
    char *joined = NULL;
    const int length = (int)(strrchr(library, '/') - library);
    const bool found = asprintf(&joined, "%.*s/%s", length, library, place) >= 0 && is_program(joined, path);
    free(joined);
    return found;
}

bool cx_own_program_find(const struct cx_own_program *places, char path[PATH_MAX])
{
    static const char in_library;
    char *library = NULL;
    Dl_info info;
    if (dladdr(&in_library, &info) && info.dli_fname)
        library = realpath(info.dli_fname, NULL);
    const bool found = library && (is_program_at(library, places->in_build, path) ||
                                   is_program_at(library, places->beside, path));
    free(library);
    return found || is_program(places->installed, path) || is_program(places->built, path);
}

/* SPDX-License-Identifier: MIT */
/*
 * File names with %p and %h, and the executable's: see file_name.h.
 */
#include "layer/base/file_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *cx_file_name(const char *pattern)
{
    char host[256] = "", *name = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&name, &size);
    if (!out)
        return NULL;
    gethostname(host, sizeof host - 1);
    for (const char *at = pattern; *at; at++) {
        if (at[0] == '%' && at[1] == 'p')
            fprintf(out, "%d", (int)getpid());
        else if (at[0] == '%' && at[1] == 'h')
            fputs(host, out);
        else
            fputc(*at, out);
        at += at[0] == '%' && (at[1] == 'p' || at[1] == 'h' || at[1] == '%');
    }
    if (fclose(out) == 0)
        return name;
    free(name);
    return NULL;
}

/* Not the name that the process gives itself, as an interpreter is what runs its scripts; but the linker,
 * which some bundles call to run their programs, is nobody's. */
const char *cx_file_name_executable(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *last = strrchr(path, '/');
    const char *name = last ? last + 1 : path;
    const bool is_linker = strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0;
    return is_linker || !*name ? program_invocation_short_name : name;
}

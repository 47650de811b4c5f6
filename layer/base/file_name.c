/* SPDX-License-Identifier: MIT */
/*
 * File names with %p and %h: see file_name.h.
 */
#include "layer/base/file_name.h"

#include <stdio.h>
#include <stdlib.h>
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

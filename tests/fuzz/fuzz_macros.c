/* SPDX-License-Identifier: MIT */
/* Fuzz target: names of included files by macros. Each line is an option (-D, -U), a definition of the text,
 * or a directive's words. */
#include "layer/source/include_macros.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void take(void *data, const char *name)
{
    size_t *sum = data;
    *sum += strlen(name);
    if (!*name)
        abort();
}

static void read_line(struct cx_include_macros *macros, const char *line, size_t *sum)
{
    if (line[0] == '-' && (line[1] == 'D' || line[1] == 'U'))
        cx_include_macros_option(macros, line[1], line + 2);
    else if (!strncmp(line, "#define ", 8))
        cx_include_macros_define(macros, line + 8);
    else if (!strncmp(line, "#undef ", 7))
        cx_include_macros_undefine(macros, line + 7);
    else
        cx_include_macros_names(macros, line, take, sum);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct cx_include_macros *macros = cx_include_macros_new();
    size_t sum = 0;
    for (unsigned pass = 0; macros && pass < 3; pass++) {
        char *text = strndup((const char *)data, size), *rest = text, *line;
        while (text && (line = strsep(&rest, "\n")))
            read_line(macros, line, &sum);
        free(text);
        if (!cx_include_macros_more(macros))
            break;
    }
    cx_include_macros_free(macros);
    return 0;
}

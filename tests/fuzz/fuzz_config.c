/* SPDX-License-Identifier: MIT */
/* Fuzz target: the lines of a configuration file. */
#include "layer/base/config.c"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void take(unsigned line, const char *name, const char *value)
{
    if (!line || (name && (!*name || strchr(blanks, *name) || strchr(name, '='))) ||
        (*value && strchr(blanks, *value)))
        abort(); /* a text that is not trimmed */
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = strndup((const char *)data, size), *rest, *line = text ? strtok_r(text, "\n", &rest) : NULL;
    bool applies = true;
    cx_config_pretend("program");
    for (unsigned number = 1; line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, number++, "program", &applies, take);
    free(text);
    return 0;
}

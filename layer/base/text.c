/* SPDX-License-Identifier: MIT */
/*
 * A program's text. See text.h.
 */
#include "layer/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *cx_text_line_end(const char *at)
{
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

const char *cx_text_skip(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return cx_text_line_end(at);
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at == '"' || *at == '\'') {
        const char *end = at + 1;
        while (*end && *end != *at && *end != '\n')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        return *end == *at ? end + 1 : end;
    }
    return at;
}

char *cx_text_joined(const char *source)
{
    char *copy = malloc(strlen(source) + 1), *to = copy;

    while (copy && *source) {
        const size_t blanks = *source == '\\' ? strspn(source + 1, " \t\r\v\f") : 0;
        if (*source == '\\' && source[1 + blanks] == '\n')
            source += 2 + blanks;
        else
            *to++ = *source++;
    }
    if (copy)
        *to = 0;
    return copy;
}

/* Whether a word that tells of files begins here. */
static bool tells_of_files(const char *at)
{
    return *at == 'i' ? !strncmp(at, "include", 7) || !strncmp(at, "import", 6)
                      : *at == 'e' && !strncmp(at, "embed", 5);
}

static bool may_tell_of_files(const char *text)
{
    return strstr(text, "include") || strstr(text, "import") || strstr(text, "embed");
}

bool cx_text_includes(const char *source)
{
    bool found = false;

    if (!may_tell_of_files(source) && !strchr(source, '\\'))
        return false;
    char *text = cx_text_joined(source);
    if (!text)
        return true;
    found = may_tell_of_files(text);
    /* trigraphs may hide an escaped line end, and raw strings of C++ what is none */
    if (found && !strstr(text, "?\?") && !strstr(text, "R\"")) {
        const char *at = text;
        while (*at && !tells_of_files(at)) {
            const char *next = cx_text_skip(at);
            at = next > at ? next : at + 1;
        }
        found = *at;
    }
    free(text);
    return found;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

bool cx_text_is_assembly(const char *at)
{
    const size_t length = word_length(at);

    return (length == 3 && !strncmp(at, "asm", 3)) || (length == 5 && !strncmp(at, "__asm", 5)) ||
           (length == 7 && !strncmp(at, "__asm__", 7));
}

bool cx_text_assembles(const char *source)
{
    if (!strstr(source, "asm"))
        return false;
    for (const char *at = source; *at;) {
        if (cx_text_is_assembly(at))
            return true;
        const char *next = cx_text_skip(at);
        at = next > at ? next : at + (word_length(at) ? word_length(at) : 1);
    }
    return false;
}

void cx_text_put_line(FILE *file, unsigned number, const char *name)
{
    fprintf(file, "#line %u \"", number);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', file);
        fputc(*name, file);
    }
    fputs("\"\n", file);
}

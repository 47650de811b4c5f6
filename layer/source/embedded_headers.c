/* SPDX-License-Identifier: MIT */
/*
 * Embedded headers: line by line. Comments that span lines are followed, since an include within one is none;
 * a name that a macro gives is not looked at.
 */
#include "layer/source/embedded_headers.h"
#include "layer/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, LARGEST = 64 << 20 };

struct writer {
    const struct cx_embedded_headers *headers;
    FILE *file;
    unsigned depth;
    bool failed;
};

/* Whether a comment is open behind these bytes of a line, where one was open before them or not. */
static bool comment_behind(const char *at, const char *end, bool open)
{
    char quote = 0;

    for (; at < end; at++) {
        if (open) {
            if (at[0] == '*' && at[1] == '/') {
                open = false;
                at++;
            }
        } else if (quote) {
            if (*at == '\\' && at + 1 < end)
                at++;
            else if (*at == quote)
                quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (at[0] == '/' && at[1] == '/') {
            return false;
        } else if (at[0] == '/' && at[1] == '*') {
            open = true;
            at++;
        }
    }
    return open;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The header that the line includes, or headers->count. */
static unsigned included(const struct cx_embedded_headers *headers, const char *line, const char *end)
{
    const char *at = skip_blanks(line);

    if (*at++ != '#')
        return headers->count;
    at = skip_blanks(at);
    if (strncmp(at, "include", 7) != 0)
        return headers->count;
    at = skip_blanks(at + 7);
    if (*at != '"' && *at != '<')
        return headers->count;
    const char *name = at + 1, *stop = memchr(name, *at == '"' ? '"' : '>', (size_t)(end - name));
    for (unsigned i = 0; stop && i < headers->count; i++)
        if (strlen(headers->name[i]) == (size_t)(stop - name) &&
            !memcmp(headers->name[i], name, (size_t)(stop - name)))
            return i;
    return headers->count;
}

/* name: none is that of the text that includes all others: clang has given it one, which is not known here.
 */
static void put_text(struct writer *writer, const char *text, const char *name)
{
    bool comment = false;
    unsigned number = 1;

    if (++writer->depth > DEEPEST || ftell(writer->file) > LARGEST)
        writer->failed = true;
    while (*text && !writer->failed) {
        const char *end = text + strcspn(text, "\n");
        unsigned header = comment ? writer->headers->count : included(writer->headers, text, end);
        if (header < writer->headers->count) {
            const char *inner = writer->headers->name[header];
            cx_text_put_line(writer->file, 1, inner);
            put_text(writer, writer->headers->source[header], inner);
            fputc('\n', writer->file);
            cx_text_put_line(writer->file, number + 1, name);
        } else {
            fwrite(text, 1, (size_t)(end - text), writer->file);
            if (*end)
                fputc('\n', writer->file);
            comment = comment_behind(text, end, comment);
        }
        text = *end ? end + 1 : end;
        number++;
    }
    writer->depth--;
}

char *cx_embedded_headers_insert(const char *text, const struct cx_embedded_headers *headers)
{
    char *whole = NULL;
    size_t size = 0;
    struct writer writer = {.headers = headers, .file = open_memstream(&whole, &size)};

    if (!writer.file)
        return NULL;
    put_text(&writer, text, "");
    if (fclose(writer.file) != 0 || writer.failed) {
        free(whole);
        return NULL;
    }
    return whole;
}

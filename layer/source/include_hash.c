/* SPDX-License-Identifier: MIT */
/*
 * The hash of included files. See include_hash.h.
 */
#include "layer/source/include_hash.h"
#include "layer/source/include_macros.h"
#include "layer/source/name_list.h"
#include "layer/base/sha256.h"
#include "layer/base/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 2000, MOST_BYTES = 64 << 20, MOST_PASSES = 8 };

/* A place where a file was looked for. */
struct place {
    char *path;
    char *text; /* what it says, without escaped line ends; NULL: there is none */
    bool seen;  /* in this pass */
};

struct reader {
    struct cx_name_list folders; /* of -I, in order, and "." */
    struct place *place;
    unsigned nplaces;
    struct cx_include_macros *macros;
    char *log; /* what the sum is made of */
    size_t length;
    size_t read; /* bytes of files */
    bool clear;  /* all could be told so far */
    bool vague;  /* not what a directive means, but maybe the next pass knows its macros */
};

/* ---- options ---- */

/* The next word of the options, quotes and escapes taken off; NULL at the end. */
static char *next_word(const char **at)
{
    const char *from = *at + strspn(*at, " \t\n\r");
    char *word = *from ? malloc(strlen(from) + 1) : NULL, *to = word, quote = 0;
    if (!word)
        return NULL;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == quote)
            quote = 0;
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else if (*from == '\\' && from[1] && quote != '\'')
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *to = 0;
    *at = from;
    return word;
}

/* What -I, -D or -U says. */
static bool read_option(struct reader *reader, char letter, const char *value)
{
    return letter == 'I' ? cx_name_list_add(&reader->folders, value, strlen(value))
                         : cx_include_macros_option(reader->macros, letter, value);
}

/* The folders and macros, and whether nothing else in the options names files. */
static bool read_options(struct reader *reader, const char *options)
{
    bool clear = true;
    char *word;
    while (clear && (word = next_word(&options))) {
        char *next = NULL;
        if (word[0] == '-' && word[1] && strchr("IDU", word[1]))
            clear = (word[2] || (next = next_word(&options))) &&
                    read_option(reader, word[1], word[2] ? word + 2 : next);
        else
            clear = strncmp(word, "-i", 2) != 0 && word[0] != '@';
        free(next);
        free(word);
    }
    return clear && cx_name_list_add(&reader->folders, ".", 1);
}

/* ---- files ---- */

static bool note(struct reader *reader, const char *text, size_t length)
{
    char *grown = realloc(reader->log, reader->length + length + 1);
    if (!grown)
        return false;
    memcpy(grown + reader->length, text, length);
    grown[reader->length + length] = 0;
    reader->log = grown;
    reader->length += length + 1;
    return true;
}

/* The text of a regular file; NULL: there is none. A file too long for us is one that cannot be told of. */
static char *file_text(struct reader *reader, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *text = NULL;
    ssize_t got = 0;
    size_t length = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        reader->clear &= (size_t)status.st_size <= MOST_BYTES - reader->read;
        text = reader->clear ? malloc((size_t)status.st_size + 1) : NULL;
        while (text && length < (size_t)status.st_size &&
               (got = read(fd, text + length, (size_t)status.st_size - length)) > 0)
            length += (size_t)got;
        reader->clear &= text && length == (size_t)status.st_size;
    }
    close(fd);
    if (text) {
        text[length] = 0;
        reader->read += length;
        reader->clear &= strlen(text) == length;
    }
    return text;
}

static const char has_file[] = "__has_include";

/* Whether the operator, which begins at `at`, is in a condition, and asks for a file by its name or for
 * nothing. */
static bool asks_plainly(const char *text, const char *at)
{
    const char *line = at, *name = at + strlen(has_file);
    while (line > text && line[-1] != '\n')
        line--;
    line += strspn(line, " \t");
    if (*line != '#' || strncmp(line + 1 + strspn(line + 1, " \t"), "define", 6) == 0)
        return false;
    name += strspn(name, " \t");
    return *name != '(' || name[1 + strspn(name + 1, " \t")] == '"' ||
           name[1 + strspn(name + 1, " \t")] == '<';
}

/* What the compiler's first stages make of it; the caller's. */
static char *clear_text(struct reader *reader, const char *source)
{
    /* other spellings of # and of escaped line ends, raw strings of C++, conditions on files but the simple
     * one, and macros put aside, which variants cannot bear (variant.c) */
    static const char *const unclear[] = {"?\?=",           "?\?/",        "%:",       "R\"",
                                          "__has_include_", "__has_embed", "pop_macro"};
    char *text = cx_text_joined(source);
    reader->clear &= text != NULL;
    for (unsigned i = 0; reader->clear && i < sizeof(unclear) / sizeof(unclear[0]); i++)
        reader->clear = !strstr(text, unclear[i]);
    for (const char *at = text; reader->clear && (at = strstr(at, has_file)); at++)
        reader->clear = asks_plainly(text, at);
    return text;
}

/* A place that was not met before, whose path it takes over; it becomes part of the sum. */
static void add_place(struct reader *reader, char *path)
{
    struct place *grown =
        reader->nplaces < MOST_FILES ? realloc(reader->place, (reader->nplaces + 1) * sizeof(*grown)) : NULL;
    if (!grown) {
        reader->clear = false;
        free(path);
        return;
    }
    reader->place = grown;
    grown[reader->nplaces++] = (struct place){.path = path};
    char *source = file_text(reader, path);
    reader->clear &= note(reader, path, strlen(path)) && note(reader, source ? "1" : "0", 1) &&
                     (!source || note(reader, source, strlen(source)));
    if (source)
        grown[reader->nplaces - 1].text = clear_text(reader, source);
    free(source);
}

static void read_text(struct reader *reader, const char *text, const char *folder);

/* A file that may be meant: what it says, or that there is none. */
static void read_place(struct reader *reader, const char *folder, const char *name)
{
    char *path = NULL;
    unsigned i = 0;
    if (name[0] == '/' ? !(path = strdup(name)) : asprintf(&path, "%s/%s", folder, name) < 0) {
        reader->clear = false;
        return;
    }
    while (i < reader->nplaces && strcmp(reader->place[i].path, path) != 0)
        i++;
    if (i == reader->nplaces)
        add_place(reader, path);
    else
        free(path);
    if (!reader->clear || reader->place[i].seen)
        return;
    reader->place[i].seen = true;
    const char *text = reader->place[i].text, *own = reader->place[i].path, *slash = strrchr(own, '/');
    char *beside = text ? strndup(own, slash ? (size_t)(slash - own) : 0) : NULL;
    reader->clear = beside || !text;
    if (beside)
        read_text(reader, text, beside);
    free(beside);
}

struct meant {
    struct cx_name_list names;
    bool whole;
};

static void take_name(void *data, const char *name)
{
    struct meant *meant = data;
    meant->whole &= cx_name_list_add(&meant->names, name, strlen(name));
}

/* The names that the directive's words may mean; whole: that is all. */
static struct meant meant_by(struct reader *reader, const char *words)
{
    struct meant meant = {.whole = true};
    words += strspn(words, " \t\v\f");
    if (*words == '"' || *words == '<') {
        const size_t length = strcspn(words + 1, *words == '"' ? "\"\n" : ">\n");
        meant.whole = length && words[1 + length] == (*words == '"' ? '"' : '>') &&
                      cx_name_list_add(&meant.names, words + 1, length);
    } else { /* macros, or a comment before it */
        meant.whole = cx_include_macros_names(reader->macros, words, take_name, &meant) && meant.whole;
    }
    return meant;
}

/* `at` is behind the directive's word. */
static void read_names(struct reader *reader, const char *at, const char *folder)
{
    struct meant meant = meant_by(reader, at);
    reader->vague |= !meant.whole;
    for (unsigned n = 0; reader->clear && n < meant.names.count; n++) {
        for (unsigned i = 0; reader->clear && i < reader->folders.count; i++)
            read_place(reader, reader->folders.item[i], meant.names.item[n]);
        if (reader->clear)
            read_place(reader, folder, meant.names.item[n]);
    }
    cx_name_list_finish(&meant.names);
}

static bool ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

/* If `at` begins one of the words: how long it is, else 0. */
static size_t word_among(const char *const *words, const char *at)
{
    for (; *words; words++) {
        const size_t length = strlen(*words);
        if (strncmp(at, *words, length) == 0 && ends_word(at[length]))
            return length;
    }
    return 0;
}

static const char *skip_blanks(const char *at)
{
    while ((*at && strchr(" \t\v\f", *at)) || cx_text_skip(at) != at)
        at = cx_text_skip(at) != at ? cx_text_skip(at) : at + 1;
    return at;
}

/* The files that a condition asks for. */
static void read_condition(struct reader *reader, const char *at, const char *folder)
{
    const char *end = at + strcspn(at, "\n");
    while ((at = strstr(at, has_file)) && at < end) {
        at += strlen(has_file);
        at += strspn(at, " \t");
        if (*at == '(')
            read_names(reader, ++at, folder);
    }
}

/* A directive, `at` behind its #: what follows the word that says which. */
static const char *read_directive(struct reader *reader, const char *at, const char *folder)
{
    static const char *const files[] = {"include", "include_next", "import", "embed", NULL};
    static const char *const define[] = {"define", NULL}, *const undefine[] = {"undef", NULL};
    static const char *const conditions[] = {"if", "elif", NULL};
    at = skip_blanks(at);
    size_t length;
    if ((length = word_among(conditions, at)))
        read_condition(reader, at + length, folder);
    else if ((length = word_among(files, at)))
        read_names(reader, at + length, folder);
    else if ((length = word_among(define, at)))
        reader->clear &= cx_include_macros_define(reader->macros, skip_blanks(at + length));
    else if ((length = word_among(undefine, at)))
        reader->clear &= cx_include_macros_undefine(reader->macros, skip_blanks(at + length));
    return at + length;
}

/* All that the text, which lies in `folder`, includes. */
static void read_text(struct reader *reader, const char *text, const char *folder)
{
    for (const char *at = text; reader->clear && *at;) {
        const char *next = cx_text_skip(at);
        if (next == at && *at++ == '#')
            at = read_directive(reader, at, folder);
        else if (next > at)
            at = next;
    }
}

/* Goes through the text and all that it includes until no more is found. */
static void read_all(struct reader *reader, const char *text)
{
    cx_include_macros_more(reader->macros); /* what the options say counts from the first pass on */
    for (unsigned passes = 0; reader->clear; passes++) {
        reader->vague = false;
        reader->clear = passes + 1 < MOST_PASSES;
        for (unsigned i = 0; i < reader->nplaces; i++)
            reader->place[i].seen = false;
        read_text(reader, text, ".");
        if (!cx_include_macros_more(reader->macros))
            break;
    }
    reader->clear &= !reader->vague;
}

/* Goes through the source and its files; gives the source as the compiler's first stages see it, the
 * caller's. reader->clear: all could be told. */
static char *read_source(struct reader *reader, const char *source, const char *options)
{
    *reader = (struct reader){.macros = cx_include_macros_new()};
    reader->clear = reader->macros && read_options(reader, options);
    char *text = reader->clear ? clear_text(reader, source) : NULL;
    if (reader->clear)
        read_all(reader, text);
    return text;
}

static void finish(struct reader *reader)
{
    for (unsigned i = 0; i < reader->nplaces; i++) {
        free(reader->place[i].path);
        free(reader->place[i].text);
    }
    free(reader->place);
    cx_name_list_finish(&reader->folders);
    cx_include_macros_free(reader->macros);
    free(reader->log);
}

static void end_sum(const struct reader *reader, unsigned char sum[CX_INCLUDE_HASH_SIZE])
{
    struct cx_sha256 hash;
    cx_sha256_init(&hash);
    cx_sha256_add(&hash, reader->log ? reader->log : "", reader->length);
    cx_sha256_end(&hash, sum);
}

bool cx_include_hash_sum(const char *source, const char *options, unsigned char sum[CX_INCLUDE_HASH_SIZE])
{
    struct reader reader;
    free(read_source(&reader, source, options));
    if (reader.clear)
        end_sum(&reader, sum);
    finish(&reader);
    return reader.clear;
}

bool cx_include_hash_are(const char *source, const char *options,
                         const unsigned char sum[CX_INCLUDE_HASH_SIZE])
{
    unsigned char now[CX_INCLUDE_HASH_SIZE];
    return cx_include_hash_sum(source, options, now) && !memcmp(now, sum, sizeof(now));
}

/* ---- one text ---- */

enum { DEEPEST = 32 };

struct writer {
    struct reader *reader;
    FILE *file;
    unsigned depth; /* files within files */
};

/* The one file that is there among the places where it may lie; NULL: there is none (*none), or several, or
 * no memory. */
static const struct place *find_place(const struct reader *reader, const char *folder, const char *name,
                                      bool *none)
{
    const struct place *found = NULL;
    *none = false;
    for (unsigned i = 0; i <= reader->folders.count; i++) {
        const char *in = i < reader->folders.count ? reader->folders.item[i] : folder;
        char *path = NULL;
        if (name[0] == '/' ? !(path = strdup(name)) : asprintf(&path, "%s/%s", in, name) < 0)
            return NULL;
        for (unsigned p = 0; p < reader->nplaces; p++)
            if (reader->place[p].text && strcmp(reader->place[p].path, path) == 0) {
                if (found && strcmp(found->text, reader->place[p].text) != 0) {
                    free(path);
                    return NULL;
                }
                found = &reader->place[p];
            }
        free(path);
    }
    *none = !found;
    return found;
}

/* What was written last may lack its line's end. */
static void put_line(const struct writer *writer, unsigned number, const char *name)
{
    fputc('\n', writer->file);
    cx_text_put_line(writer->file, number, name);
}

/* Whether the directive, `at` behind its #, is `pragma once`. */
static bool is_once(const char *at)
{
    static const char *const pragma[] = {"pragma", NULL}, *const once[] = {"once", NULL};
    at = skip_blanks(at);
    const size_t length = word_among(pragma, at);
    return length && word_among(once, skip_blanks(at + length));
}

/* The next directive's #, or the text's end. */
static const char *next_directive(const char *at)
{
    while (*at && *at != '#')
        at = cx_text_skip(at) != at ? cx_text_skip(at) : at + 1;
    return at;
}

/* Whether nothing but the directive is on its lines: blanks before its #, and no comment at its end that goes
 * on behind them. */
static bool is_alone(const char *text, const char *at, const char *end)
{
    const char *open = NULL;
    for (const char *c = at; c<end; c = cx_text_skip(c)> c ? cx_text_skip(c) : c + 1)
        open = cx_text_skip(c) > end ? c : open;
    while (at > text && strchr(" \t\v\f", at[-1]))
        at--;
    return !open && (at == text || at[-1] == '\n');
}

static bool put_text(struct writer *writer, const char *text, const char *folder, const char *name);

/* What an inclusion, `at` behind its word, puts there. */
static bool put_inclusion(struct writer *writer, const char *at, const char *folder)
{
    struct meant meant = meant_by(writer->reader, at);
    bool none = false;
    const struct place *place = meant.whole && meant.names.count == 1
                                    ? find_place(writer->reader, folder, meant.names.item[0], &none)
                                    : NULL;
    const char *slash = place ? strrchr(place->path, '/') : NULL;
    char *beside = place ? strndup(place->path, slash ? (size_t)(slash - place->path) : 0) : NULL;
    bool ok = beside && writer->depth < DEEPEST && ftell(writer->file) < MOST_BYTES;
    if (ok) {
        const char *first = next_directive(place->text);
        const bool once = *first && is_once(first + 1);
        writer->depth++;
        if (once) {
            const unsigned file = (unsigned)(place - writer->reader->place);
            fprintf(writer->file, "\n#ifndef coexec_once_%u\n#define coexec_once_%u\n", file, file);
        }
        put_line(writer, 1, meant.names.item[0]);
        ok = put_text(writer, place->text, beside, meant.names.item[0]);
        if (once)
            fputs("\n#endif\n", writer->file);
        writer->depth--;
    } else if (none) { /* the text was compiled: the directive is skipped there, as this one is then */
        fputs("#error \"no such file\"\n", writer->file);
    }
    free(beside);
    cx_name_list_finish(&meant.names);
    return ok || none;
}

/* The text, which lies in `folder`, with all that it includes. False: what that is cannot be told. */
static bool put_text(struct writer *writer, const char *text, const char *folder, const char *name)
{
    static const char *const include[] = {"include", NULL};
    static const char *const others[] = {"include_next", "import", "embed", NULL};
    const char *from = text;
    unsigned number = 1;
    bool ok = !strstr(text, "__LINE__") && !strstr(text, "__FILE__"); /* they would be others */
    for (const char *at = next_directive(text), *before = text; ok && *at; at = next_directive(at)) {
        const char *word = skip_blanks(at + 1), *end = word + strcspn(word, "\n");
        const size_t length = word_among(include, word);
        const bool once = is_once(at + 1);
        ok = !word_among(others, word) && (!once || at == next_directive(text));
        if (length || once) {
            for (; before < end; before++)
                number += *before == '\n';
            fwrite(from, 1, (size_t)(at - from), writer->file);
            ok = ok && is_alone(text, at, end) && (!length || put_inclusion(writer, word + length, folder));
            put_line(writer, number + 1, name);
            from = *end ? end + 1 : end;
            at = from;
        } else {
            at++;
        }
    }
    fputs(from, writer->file);
    return ok;
}

char *cx_include_hash_resolve(const char *source, const char *options,
                              const unsigned char sum[CX_INCLUDE_HASH_SIZE])
{
    struct reader reader;
    unsigned char now[CX_INCLUDE_HASH_SIZE];
    char *whole = NULL, *text = read_source(&reader, source, options);
    size_t size;
    if (reader.clear)
        end_sum(&reader, now);
    if (reader.clear && !memcmp(now, sum, sizeof(now)) && !strstr(text, has_file)) {
        struct writer writer = {.reader = &reader, .file = open_memstream(&whole, &size)};
        const bool ok = writer.file && put_text(&writer, text, ".", "");
        if (!writer.file || fclose(writer.file) != 0 || !ok) {
            free(whole);
            whole = NULL;
        }
    }
    finish(&reader);
    free(text);
    return whole;
}

void cx_include_hash_text(const unsigned char sum[CX_INCLUDE_HASH_SIZE], char text[CX_INCLUDE_HASH_TEXT_SIZE])
{
    for (unsigned i = 0; i < CX_INCLUDE_HASH_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", sum[i]);
}

bool cx_include_hash_parse(const char *text, unsigned char sum[CX_INCLUDE_HASH_SIZE])
{
    unsigned value;

    if (strlen(text) != CX_INCLUDE_HASH_TEXT_SIZE - 1 ||
        strspn(text, "0123456789abcdef") != CX_INCLUDE_HASH_TEXT_SIZE - 1)
        return false;
    for (unsigned i = 0; i < CX_INCLUDE_HASH_SIZE && sscanf(text + 2 * i, "%2x", &value) == 1; i++)
        sum[i] = (unsigned char)value;
    return true;
}

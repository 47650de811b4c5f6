/* SPDX-License-Identifier: MIT */
/*
 * Which macros a text depends on, by reading its directives. See macros.h.
 *
 * Known to be the same on both sides: what the program defines itself, what the caller told of the device or
 * the device itself, the language's extensions (defined if and only if the device lists them), and what the
 * specification fixes.
 * Conditions that choose between nothing but pragmas and errors do not matter, nor does what is never
 * compiled.
 */
#include "layer/analyser/macros.h"
#include "layer/analyser/condition.h"
#include "layer/analyser/macro_names.h"
#include "layer/analyser/map.h"
#include "layer/source/compiler_macros.h"
#include "layer/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 256 };

/* An #if that is open. */
struct group {
    char *doubt; /* the first doubtful macro that its conditions ask for */
    unsigned line;
    bool inert; /* so far it holds nothing that matters */
    bool dead;  /* the branch is never compiled */
    bool over;  /* nor are those that follow */
};

struct scan {
    struct cx_macro_sources known;
    bool rewritten;            /* by clang, which moves conditions away from what they choose */
    struct cx_strings wrapped; /* operators that macros of the text use */
    struct cx_strings tested;  /* names in conditions */
    struct group group[MAX_DEPTH];
    unsigned depth, line;
    struct cx_macros *found;
};

static bool starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static void add_name(struct scan *scan, const char *word, const char *argument)
{
    struct cx_strings *names = &scan->found->names;
    const size_t length = strlen(word) + strlen(argument) + 3;
    char *name = cx_alloc(length, 1);

    snprintf(name, length, "%s(%s)", word, argument);
    cx_strings_add(names, name, length - 1);
    free(name);
}

/* An operator alone is asked for as WORD(). */
static void ask(struct scan *scan, const char *word)
{
    if (!cx_macro_is_askable(word)) {
        return;
    }
    if (cx_macro_is_operator(word) && !strchr(word, '(')) {
        add_name(scan, word, "");
    } else {
        cx_strings_add(&scan->found->names, word, strlen(word));
    }
}

/* The first doubt is told, or the first that no device can remove. */
static void answer(struct scan *scan, const char *word, unsigned line)
{
    struct cx_macros *found = scan->found;
    size_t size = strlen(word) + 96;

    ask(scan, word);
    if (!found->doubt || (found->askable && !cx_macro_is_askable(word))) {
        free(found->doubt);
        found->askable = cx_macro_is_askable(word);
        found->doubt = cx_alloc(size, 1);
        int used = snprintf(found->doubt, size, "%s may be another macro to a device's compiler", word);
        if (!scan->rewritten) {
            snprintf(found->doubt + used, size - (size_t)used, " (line %u)", line);
        }
    }
}

/* ---- words and lines ---- */

/* The next identifier at or after *at as a string to free(), and *at behind it; NULL at the end. */
static char *next_word(const char **at)
{
    const char *c = *at;

    while (*c && !isalpha((unsigned char)*c) && *c != '_') {
        if (isdigit((unsigned char)*c)) { /* a number's suffix is no name */
            c += strspn(c, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.");
        } else {
            c++;
        }
    }
    size_t length = 0;
    while (isalnum((unsigned char)c[length]) || c[length] == '_') {
        length++;
    }
    *at = c + length;
    return length ? strndup(c, length) : NULL;
}

/* Whether the file is there for whoever includes it, from a folder of the options or the current one. */
static bool is_found(const struct scan *scan, const char *quoted)
{
    const struct cx_strings *options = &scan->known.request->options;
    const size_t length = strlen(quoted);
    char path[4096];

    if (length < 3 || (*quoted != '"' && *quoted != '<')) {
        return false;
    }
    for (size_t i = 0; i <= options->count; i++) {
        const char *folder = i == options->count ? "." : options->item[i];
        if (i < options->count && !starts(folder, "-I")) {
            continue;
        }
        if (i < options->count) {
            folder = folder[2] ? folder + 2 : options->item[i + 1] ? options->item[++i] : "";
        }
        snprintf(path, sizeof(path), "%s/%.*s", quoted[1] == '/' ? "" : folder, (int)length - 2, quoted + 1);
        if (access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* As next_word, but an operator comes with its argument, as WORD(ARGUMENT), unless the text has its own, or
 * the argument is a file that is there. */
static char *next_name(const struct scan *scan, const char **at)
{
    char *word = next_word(at);
    const char *from, *end;

    if (!word || !cx_macro_is_operator(word) || cx_strings_hold(&scan->known.settled, word)) {
        return word;
    }
    from = *at + strspn(*at, " \t");
    end = *from == '(' ? strchr(from, ')') : NULL;
    if (!end) {
        return word;
    }
    from++;
    from += strspn(from, " \t");
    *at = end + 1;
    while (end > from && isspace((unsigned char)end[-1])) {
        end--;
    }
    const size_t length = (size_t)(end - from), room = strlen(word) + length + 4;
    char *item = cx_alloc(room, 1);
    snprintf(item, room, "%.*s", (int)length, from);
    if (starts(word, "__has_include") && is_found(scan, item)) {
        free(item);
        return word;
    }
    snprintf(item, room, "%s(%.*s)", word, length ? (int)length : 1, length ? from : "?");
    free(word);
    return item;
}

static void check_uses(struct scan *scan, const char *text)
{
    for (char *word; (word = next_name(scan, &text)); free(word)) {
        if (cx_macro_is_doubtful_use(&scan->known, word)) {
            answer(scan, word, scan->line);
        }
    }
}

static void check_condition(struct scan *scan, const char *text)
{
    struct group *group = &scan->group[scan->depth - 1];

    for (char *word; (word = next_name(scan, &text)); free(word)) {
        cx_strings_add(&scan->tested, word, strlen(word));
        if (!cx_strings_hold(&scan->known.given, word) && !cx_strings_hold(&scan->known.settled, word)) {
            ask(scan, word); /* the more it tells the better, once it is asked */
        }
        if (!cx_macro_is_doubtful_test(&scan->known, word)) {
            continue;
        }
        if (scan->rewritten) {
            answer(scan, word, scan->line);
        } else if (!group->doubt) {
            group->doubt = strdup(word);
            group->line = scan->line;
        }
    }
}

static enum cx_condition_name look_up(const void *data, const char *name, const char **text)
{
    const struct cx_macro_sources *known = data;

    if (cx_strings_hold(&known->defined, name) || cx_strings_hold(&known->undone, name)) {
        return CX_NAME_OPEN; /* it depends on where in the text */
    }
    for (size_t i = known->given.count; i > 0; i--) {
        const char *item = known->given.item[i - 1];
        const size_t length = strcspn(item, "=");
        if (strlen(name) == length && !memcmp(item, name, length)) {
            *text = item + length + 1;
            return item[length] ? CX_NAME_TEXT : CX_NAME_OPEN;
        }
    }
    const bool none = cx_strings_hold(&known->missing, name) || cx_macro_is_nobodys(known, name);
    return none ? CX_NAME_NONE : CX_NAME_OPEN;
}

/* What the branch behind the condition is. It then matters whether its compilers agree on the condition. */
static void begin_branch(struct scan *scan, const char *word, const char *text)
{
    struct group *group = &scan->group[scan->depth - 1];
    enum cx_condition is = CX_CONDITION_OPEN;
    const size_t room = strlen(text) + 16;
    char *expression;

    group->dead = group->over;
    if (group->dead) {
        return;
    }
    if (!scan->rewritten) {
        expression = cx_alloc(room, 1);
        snprintf(expression, room, "%s%s",
                 strcmp(word, "ifdef") == 0    ? "defined "
                 : strcmp(word, "ifndef") == 0 ? "! defined "
                                               : "",
                 text);
        is = cx_condition_read(expression, look_up, &scan->known);
        free(expression);
    }
    if (is == CX_CONDITION_OPEN) {
        check_condition(scan, text);
    }
    group->dead = is == CX_CONDITION_FALSE;
    group->over = is == CX_CONDITION_TRUE;
}

static bool is_dead(const struct scan *scan)
{
    return scan->depth && scan->group[scan->depth - 1].dead;
}

static void open_group(struct scan *scan)
{
    const bool dead = is_dead(scan);

    if (scan->depth == MAX_DEPTH) {
        answer(scan, "#if", scan->line);
        scan->depth--;
    }
    scan->group[scan->depth++] = (struct group){.inert = true, .dead = dead, .over = dead};
}

static void close_group(struct scan *scan)
{
    if (scan->depth == 0) {
        return;
    }
    struct group *group = &scan->group[--scan->depth];
    if (group->doubt && !group->inert) {
        answer(scan, group->doubt, group->line);
    }
    free(group->doubt);
}

static void matters(struct scan *scan)
{
    for (unsigned i = 0; i < scan->depth; i++) {
        scan->group[i].inert = false;
    }
}

/* Behind #define. */
static void take_define(struct scan *scan, const char *text)
{
    char *macro = next_word(&text), *word;

    if (macro && scan->depth == 0) {
        cx_strings_add(&scan->known.settled, macro, strlen(macro));
    }
    if (macro && cx_macro_is_doubtful_use(&scan->known, macro)) {
        answer(scan, macro, scan->line);
    }
    free(macro);
    check_uses(scan, text);
    for (; (word = next_word(&text)); free(word)) {
        if (cx_macro_is_operator(word)) {
            cx_strings_add(&scan->wrapped, word, strlen(word));
        }
    }
}

/* A directive, behind its #. */
static void take_directive(struct scan *scan, const char *text)
{
    static const char *const idle[] = {"pragma", "error", "warning", "line", NULL};
    char *name = next_word(&text);

    if (!name || cx_is_one_of(name, idle)) {
        free(name);
        return;
    }
    if (strcmp(name, "endif") == 0) {
        close_group(scan);
    } else if (strcmp(name, "else") == 0 && scan->depth) {
        scan->group[scan->depth - 1].dead = scan->group[scan->depth - 1].over;
    } else if (starts(name, "if") || (starts(name, "elif") && scan->depth)) {
        if (name[0] == 'i') {
            open_group(scan);
        }
        begin_branch(scan, name + (name[0] == 'e' ? 2 : 0), text);
    } else if (!is_dead(scan)) {
        matters(scan);
        if (strcmp(name, "define") == 0) {
            take_define(scan, text);
        } else if (strcmp(name, "undef") != 0) {
            check_uses(scan, text);
        }
    }
    free(name);
}

static void take_line(struct scan *scan, const char *line)
{
    line += strspn(line, " \t\r\f\v");
    if (*line == '#') {
        take_directive(scan, line + 1);
    } else if (*line && !is_dead(scan)) {
        matters(scan);
        check_uses(scan, line);
    }
}

static void note_define(struct scan *scan, const char *line)
{
    line += strspn(line, " \t\r\f\v");
    if (*line++ == '#') {
        char *name = next_word(&line), *macro = next_word(&line);
        if (name && macro && strcmp(name, "define") == 0) {
            cx_strings_add(&scan->known.defined, macro, strlen(macro));
        } else if (name && macro && strcmp(name, "undef") == 0) {
            cx_strings_add(&scan->known.undone, macro, strlen(macro));
        }
        free(name);
        free(macro);
    }
}

static void each_line(struct scan *scan, char *text, void (*take)(struct scan *, const char *))
{
    scan->line = 1;
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        take(scan, line);
        if (end) {
            *end++ = '\n';
        }
        scan->line++;
    }
}

/* ---- the text ---- */

/* Joins continued lines, in place. Line ends that go come back behind the line, so that counting stays right.
 */
static void splice(char *text)
{
    char *to = text;
    unsigned owed = 0;

    for (const char *at = text; *at; at++) {
        size_t blank = *at == '\\' ? strspn(at + 1, " \t\r") : 0;
        if (*at == '\\' && at[1 + blank] == '\n') {
            at += 1 + blank;
            owed++;
            continue;
        }
        *to++ = *at;
        for (; *at == '\n' && owed; owed--) {
            *to++ = '\n';
        }
    }
    *to = '\0';
}

/* The end of the string or character that begins at `at`. */
static const char *quote_end(const char *at)
{
    const char *end = at + 1;

    while (*end && *end != *at && *end != '\n') {
        end += end[0] == '\\' && end[1] && end[1] != '\n' ? 2 : 1;
    }
    return *end == *at ? end + 1 : end;
}

/* Whether what lies between, which ends at `to`, closes with __has_include(. */
static bool asks_for_file(const char *text, const char *to)
{
    static const char operator[] = "__has_include(";

    return (size_t)(to - text) >= strlen(operator) &&
           !strncmp(to - strlen(operator), operator, strlen(operator));
}

/* Makes each comment and each quotation one blank, in place; counting stays right as above. Names of files
 * that are asked for stay. */
static void blank_out(char *text)
{
    char *to = text;
    unsigned owed = 0;

    for (const char *at = text; *at;) {
        const char *end = at;
        if (at[0] == '/' && at[1] == '/') {
            end = at + strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
        } else if (*at == '"' || *at == '\'') {
            end = quote_end(at);
            if (asks_for_file(text, to)) {
                memmove(to, at, (size_t)(end - at));
                to += end - at;
                at = end;
                continue;
            }
        }
        if (end == at) {
            *to++ = *at;
            for (; *at == '\n' && owed; owed--) {
                *to++ = '\n';
            }
            at++;
            continue;
        }
        *to++ = ' ';
        for (; at < end; at++) {
            owed += *at == '\n';
        }
    }
    *to = '\0';
}

/* Notes NAME=VALUE of a -D that defines no function; else NAME. */
static void give(struct scan *scan, char letter, const char *name, const char *word)
{
    const size_t room = strlen(name) + 3;
    char *item = cx_alloc(room, 1);
    const bool plain = letter == 'D' && name[strlen(word)] != '(';

    snprintf(item, room, "%s%s", plain ? name : word, plain && !strchr(name, '=') ? "=1" : "");
    cx_strings_add(&scan->known.given, item, strlen(item));
    free(item);
}

/* A -D or -U. Compilers may have their own way with those that name macros of theirs. */
static void take_definition(struct scan *scan, const char *kind, const char *name)
{
    struct cx_strings *kept = &scan->found->options;
    char *word = strndup(name, strcspn(name, "=("));

    if (!cx_macro_is_own(word)) {
        give(scan, kind[1], name, word);
    }
    if (cx_macro_is_own(word) || cx_macro_is_vendors(word) || word[0] == '_' || starts(word, "cl_")) {
        cx_strings_add(kept, kind, 2);
        cx_strings_add(kept, name, strlen(name));
    }
    if (strchr(name, '=')) {
        check_uses(scan, strchr(name, '=') + 1);
    }
    free(word);
}

/* What the build options define or undefine, and whether they bring in files or a version. */
static bool take_options(struct scan *scan)
{
    static const char *const with_word[] = {"-I", "-include", "-x", NULL};
    const struct cx_strings *options = &scan->known.request->options;
    bool files = false;

    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->item[i], *name = option + 2;
        scan->known.has_standard |= starts(option, "-cl-std=");
        files |= starts(option, "-include");
        if (starts(option, "-D") || starts(option, "-U")) {
            if (!*name && i + 1 < options->count) {
                name = options->item[++i];
            }
            take_definition(scan, option, name);
        } else if (cx_is_one_of(option, with_word)) {
            i++;
        } else if (starts(option, "-cl-") || starts(option, "-O") || starts(option, "-g") ||
                   starts(option, "-f") || starts(option, "-m") || starts(option, "-q")) {
            cx_strings_add(&scan->found->options, option, strlen(option));
        }
    }
    return files;
}

/* Whether the line that follows defines the name. */
static bool defines(const char *at, const char *name)
{
    static const char define[] = "\n#define ";
    return starts(at, define) && starts(at + strlen(define), name);
}

/* What the file of answers is about: what it undefines, for it does so before it defines any, and lines that
 * say so of operators. */
static void take_replies(struct scan *scan, const char *path)
{
    char *text = path ? cx_source_read(path) : NULL;

    for (const char *at = text; at && (at = strstr(at, "#undef "));) {
        at += strlen("#undef ");
        char *word = next_word(&at);
        if (word) {
            cx_strings_add(&scan->known.replies, word, strlen(word));
        }
        if (word && !defines(at, word)) {
            cx_strings_add(&scan->known.missing, word, strlen(word));
        }
        free(word);
    }
    for (const char *at = text; at && (at = strstr(at, CX_MACRO_TOLD));) {
        at += strlen(CX_MACRO_TOLD);
        cx_strings_add(&scan->known.replies, at, strcspn(at, "\n"));
    }
    free(text);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct cx_strings *names)
{
    size_t count = 0;

    if (names->count) {
        qsort(names->item, names->count, sizeof(*names->item), compare_names);
    }
    for (size_t i = 0; i < names->count; i++) {
        if (count && strcmp(names->item[count - 1], names->item[i]) == 0) {
            free(names->item[i]);
        } else {
            names->item[count++] = names->item[i];
        }
    }
    names->count = count;
}

/* Macros of the text hand operators what conditions name. */
static void ask_wrapped(struct scan *scan)
{
    sort_once(&scan->wrapped);
    sort_once(&scan->tested);
    for (size_t i = 0; i < scan->wrapped.count; i++) {
        for (size_t j = 0; j < scan->tested.count; j++) {
            if (!strchr(scan->tested.item[j], '(') && strcmp(scan->tested.item[j], "defined") != 0 &&
                !cx_macro_is_operator(scan->tested.item[j])) {
                add_name(scan, scan->wrapped.item[i], scan->tested.item[j]);
            }
        }
    }
}

static void read_directives(struct scan *scan, char *text)
{
    if (strstr(text, "?\?=") || strstr(text, "?\?/") || strstr(text, "%:")) {
        answer(scan, "a disguised #", 0);
    }
    splice(text);
    blank_out(text);
    each_line(scan, text, note_define);
    each_line(scan, text, take_line);
    while (scan->depth) {
        close_group(scan);
    }
    ask_wrapped(scan);
    sort_once(&scan->found->names);
}

/* Drivers differ in how they read quotes, so options that would need some are not handed on. */
static bool are_plain(const struct cx_strings *options)
{
    for (size_t i = 0; i < options->count; i++) {
        if (options->item[i][strcspn(options->item[i], " \t\r\n\v\f\"'\\")]) {
            return false;
        }
    }
    return true;
}

void cx_macros_read(const struct cx_compile_request *request, struct cx_macros *macros)
{
    struct scan scan = {.known = {.request = request}, .found = macros};
    char *text = strcmp(request->source, "-") ? cx_source_read(request->source) : NULL;

    *macros = (struct cx_macros){0};
    if (!text) { /* clang will tell that there is no file */
        return;
    }
    if (!request->extensions) { /* no device is named */
        macros->assembly = cx_text_assembles(text) || cx_text_includes(text);
        free(text);
        return;
    }
    take_replies(&scan, request->replies);
    if (take_options(&scan) || cx_text_includes(text)) {
        struct cx_buffer whole;
        scan.rewritten = true;
        if (cx_compile_include(request, &whole) == CX_PROCESS_OK && whole.data) {
            free(text);
            text = strndup(whole.data, whole.size);
        }
        free(whole.data);
    }
    macros->assembly = cx_text_assembles(text);
    read_directives(&scan, text);
    macros->askable = macros->askable && are_plain(&macros->options);
    free(text);
    cx_macro_sources_finish(&scan.known);
    cx_strings_finish(&scan.wrapped);
    cx_strings_finish(&scan.tested);
}

void cx_macros_finish(struct cx_macros *macros)
{
    free(macros->doubt);
    cx_strings_finish(&macros->names);
    cx_strings_finish(&macros->options);
}

/* SPDX-License-Identifier: MIT */
/*
 * Joined texts: what each one defines and uses, found without a compiler. Words in comments and strings count
 * for nothing; everything unusual is refused.
 */
#include "layer/source/join.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

enum {
    WORD_TOP = 1,     /* stands outside of all brackets: may be a name that the object declares */
    WORD_MACRO = 2,   /* the object defines it as a macro, or undefines it */
    WORD_CHANGES = 4, /* ... in another way than "#ifndef NAME" and "#define NAME" */
};

static const char *const reasons[CX_JOIN_REASONS] = {
    [CX_JOIN_JOINED] = "",
    [CX_JOIN_NO_MEMORY] = "there is no memory",
    [CX_JOIN_NO_TEXT] = "the text of an object is not known",
    [CX_JOIN_OPTIONS] = "the objects were compiled with different options",
    [CX_JOIN_LIBRARY] = "the library has options of its own",
    [CX_JOIN_DIGRAPHS] = "it has digraphs or trigraphs",
    [CX_JOIN_COMMENT] = "a comment ends with a backslash",
    [CX_JOIN_LITERAL] = "a literal does not end on its line",
    [CX_JOIN_CONTINUED] = "a word may go on in the next line",
    [CX_JOIN_DIRECTIVE] = "it includes a file, or has a directive that is not known",
    [CX_JOIN_NAMELESS] = "a macro has no name",
    [CX_JOIN_TOO_DEEP] = "conditions are nested too deep",
    [CX_JOIN_CONDITION] = "a condition cuts through braces",
    [CX_JOIN_BRACKETS] = "brackets do not match",
    [CX_JOIN_OPEN] = "brackets or conditions do not match",
    [CX_JOIN_PRAGMA] = "it uses _Pragma or __COUNTER__",
    [CX_JOIN_PRAGMAS] = "the objects have different pragmas",
    [CX_JOIN_NAME] = "a name that one object declares is used in another that does not declare it",
};

const char *cx_join_reason_text(enum cx_join_reason reason)
{
    return reasons[reason];
}

struct word {
    const char *at;
    size_t length;
    unsigned flags;
};

struct scan {
    const char *at;
    struct word *word;
    size_t count, room;
    unsigned braces, brackets;         /* open ones */
    unsigned if_braces[DEEPEST], nifs; /* open braces at each open #if */
    struct word guard;                 /* of the directive before, where that was #ifndef */
    FILE *pragmas;
    enum cx_join_reason why;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && !memcmp(word->at, text, word->length);
}

static bool same_word(const struct word *a, const struct word *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->at, b->at, a->length));
}

static int by_text(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    size_t least = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->at, y->at, least);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void add_word(struct scan *scan, struct word word)
{
    if (isdigit((unsigned char)*word.at))
        return;
    if (scan->count == scan->room) {
        size_t room = scan->room ? 2 * scan->room : 256;
        struct word *grown = realloc(scan->word, room * sizeof(*grown));
        if (!grown) {
            scan->why = CX_JOIN_NO_MEMORY;
            return;
        }
        scan->word = grown;
        scan->room = room;
    }
    scan->word[scan->count++] = word;
}

/* Past one comment, literal or continued line, or gives false. */
static bool skip_hidden(struct scan *scan)
{
    const char *at = scan->at;

    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        scan->at = end ? end + 2 : at + strlen(at);
    } else if (at[0] == '/' && at[1] == '/') {
        scan->at = at + strcspn(at, "\n");
        for (at = scan->at; strchr(" \t\r", at[-1]);)
            at--;
        if (at[-1] == '\\')
            scan->why = CX_JOIN_COMMENT;
    } else if (*at == '"' || *at == '\'') {
        for (scan->at++; *scan->at && *scan->at != *at && *scan->at != '\n'; scan->at++)
            if (scan->at[0] == '\\' && scan->at[1])
                scan->at++;
        if (*scan->at++ != *at) {
            scan->at--;
            scan->why = CX_JOIN_LITERAL;
        }
    } else if (*at == '\\' && at[1 + strspn(at + 1, " \t\r")] == '\n') {
        scan->at = strchr(at, '\n') + 1;
        if (*scan->at && (is_word(*scan->at) || strchr("/*'\"#", *scan->at)))
            scan->why = CX_JOIN_CONTINUED;
    } else {
        return false;
    }
    return true;
}

/* The next word of a directive's line; empty: there is none. */
static struct word directive_word(struct scan *scan)
{
    struct word word = {0};
    while (*scan->at && *scan->at != '\n' && !is_word(*scan->at) && !scan->why)
        if (!skip_hidden(scan))
            scan->at++;
    word.at = scan->at;
    while (is_word(*scan->at))
        scan->at++;
    word.length = (size_t)(scan->at - word.at);
    return word;
}

/* Each branch of a condition must leave as many braces open as it found. */
static void scan_condition(struct scan *scan, const struct word *name)
{
    if (!strncmp(name->at, "if", 2)) {
        if (scan->nifs == DEEPEST)
            scan->why = CX_JOIN_TOO_DEEP;
        else
            scan->if_braces[scan->nifs++] = scan->braces;
    } else if (!scan->nifs || scan->if_braces[scan->nifs - 1] != scan->braces) {
        scan->why = CX_JOIN_CONDITION;
    } else if (word_is(name, "endif")) {
        scan->nifs--;
    }
}

static void scan_macro(struct scan *scan, const struct word *name)
{
    struct word macro = directive_word(scan);
    const bool guarded = word_is(name, "define") && same_word(&macro, &scan->guard);
    macro.flags = WORD_MACRO | (guarded ? 0u : WORD_CHANGES);
    if (!macro.length)
        scan->why = CX_JOIN_NAMELESS;
    else
        add_word(scan, macro);
}

static void scan_directive(struct scan *scan)
{
    struct word name, guard = {0}, word;

    scan->at++;
    name = directive_word(scan);
    if (word_is(&name, "define") || word_is(&name, "undef")) {
        scan_macro(scan, &name);
    } else if (word_is(&name, "if") || word_is(&name, "ifdef") || word_is(&name, "ifndef") ||
               word_is(&name, "elif") || word_is(&name, "else") || word_is(&name, "endif")) {
        scan_condition(scan, &name);
        if (word_is(&name, "ifndef")) {
            guard = directive_word(scan);
            add_word(scan, guard);
        }
    } else if (word_is(&name, "pragma")) {
        fprintf(scan->pragmas, "%.*s\n", (int)strcspn(scan->at, "\n"), scan->at);
    } else if (name.length && !word_is(&name, "error") && !word_is(&name, "line")) {
        scan->why = CX_JOIN_DIRECTIVE;
    }
    while (!scan->why && (word = directive_word(scan)).length)
        add_word(scan, word);
    scan->guard = guard;
}

static void scan_bracket(struct scan *scan)
{
    const char c = *scan->at++;
    unsigned *open = c == '{' || c == '}' ? &scan->braces : &scan->brackets;
    if (c == '{' || c == '(' || c == '[')
        ++*open;
    else if (!*open)
        scan->why = CX_JOIN_BRACKETS;
    else
        --*open;
}

/* Sorts the words; equal ones become one. */
static void settle(struct scan *scan)
{
    size_t kept = 0;
    if (scan->count)
        qsort(scan->word, scan->count, sizeof(*scan->word), by_text);
    for (size_t i = 0; i < scan->count; i++) {
        if (kept && same_word(&scan->word[kept - 1], &scan->word[i]))
            scan->word[kept - 1].flags |= scan->word[i].flags;
        else
            scan->word[kept++] = scan->word[i];
    }
    scan->count = kept;
}

static void scan_text(struct scan *scan, const char *text)
{
    bool fresh = true; /* only blanks so far on this line */

    scan->at = text;
    if (strstr(text, "%:") || strstr(text, "??"))
        scan->why = CX_JOIN_DIGRAPHS;
    while (*scan->at && !scan->why) {
        if (skip_hidden(scan))
            continue;
        if (*scan->at == '#' && fresh) {
            scan_directive(scan);
        } else if (is_word(*scan->at)) {
            const char *begin = scan->at;
            scan->at += strspn(scan->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
            add_word(scan, (struct word){begin, (size_t)(scan->at - begin),
                                         scan->braces || scan->brackets ? 0 : WORD_TOP});
            fresh = false;
        } else if (strchr("{}()[]", *scan->at)) {
            scan_bracket(scan);
            fresh = false;
        } else {
            fresh = *scan->at == '\n' || (fresh && isspace((unsigned char)*scan->at));
            scan->at++;
        }
    }
    if (!scan->why && (scan->braces || scan->brackets || scan->nifs))
        scan->why = CX_JOIN_OPEN;
    settle(scan);
}

/* Names of the language, which every object may use without declaring them. */
static bool is_language(const struct word *word)
{
    static const char *const names[] = {
        "void",      "bool",     "char",      "uchar",       "short",      "ushort",       "int",
        "uint",      "long",     "ulong",     "float",       "double",     "half",         "size_t",
        "ptrdiff_t", "signed",   "unsigned",  "const",       "constant",   "__constant",   "global",
        "__global",  "local",    "__local",   "private",     "__private",  "generic",      "__generic",
        "kernel",    "__kernel", "static",    "inline",      "extern",     "restrict",     "volatile",
        "struct",    "union",    "enum",      "typedef",     "image1d_t",  "image2d_t",    "image3d_t",
        "sampler_t", "event_t",  "read_only", "__read_only", "write_only", "__write_only", "__attribute__",
    };
    size_t length = word->length;
    while (length && isdigit((unsigned char)word->at[length - 1]))
        length--; /* vectors */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && !memcmp(names[i], word->at, length))
            return true;
    return false;
}

static const struct word *find(const struct scan *scan, const struct word *word)
{
    return scan->count ? bsearch(word, scan->word, scan->count, sizeof(*word), by_text) : NULL;
}

/* What one object declares, another must not know by other means: it would be a built-in function's name. */
static enum cx_join_reason judge_pair(const struct scan *one, const struct scan *other)
{
    for (size_t i = 0; i < one->count; i++) {
        const struct word *theirs;
        if (!(one->word[i].flags & WORD_TOP) || is_language(&one->word[i]))
            continue;
        theirs = find(other, &one->word[i]);
        if (theirs && !(theirs->flags & WORD_TOP))
            return CX_JOIN_NAME;
    }
    return CX_JOIN_JOINED;
}

static enum cx_join_reason judge(const struct scan *scan, unsigned count, char *const *pragmas)
{
    static const char *const forbidden[] = {"_Pragma", "__COUNTER__", "push_macro", "pop_macro"};
    for (unsigned a = 0; a < count; a++) {
        if (scan[a].why)
            return scan[a].why;
        for (size_t f = 0; f < sizeof(forbidden) / sizeof(forbidden[0]); f++)
            if (find(&scan[a], &(struct word){forbidden[f], strlen(forbidden[f]), 0}))
                return CX_JOIN_PRAGMA;
        if (!pragmas[a] || strcmp(pragmas[a], pragmas[0]) != 0)
            return CX_JOIN_PRAGMAS;
    }
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++) {
            const enum cx_join_reason why = a == b ? CX_JOIN_JOINED : judge_pair(&scan[a], &scan[b]);
            if (why)
                return why;
        }
    return CX_JOIN_JOINED;
}

static void put_fence(FILE *file, const struct scan *scan, bool before)
{
    for (size_t i = 0; i < scan->count; i++) {
        const struct word *word = &scan->word[i];
        const int length = (int)word->length;
        if (!(word->flags & WORD_MACRO))
            continue;
        if (before && word->flags & WORD_CHANGES)
            fprintf(file, "#ifdef %.*s\n#error defined before\n#endif\n", length, word->at);
        else if (before)
            fprintf(file, "#ifdef %.*s\n#define COEXEC__HAD_%.*s\n#endif\n", length, word->at, length,
                    word->at);
        else
            fprintf(file, "#ifdef COEXEC__HAD_%.*s\n#undef COEXEC__HAD_%.*s\n#else\n#undef %.*s\n#endif\n",
                    length, word->at, length, word->at, length, word->at);
    }
}

static char *put_texts(unsigned count, const char *const *text, const struct scan *scan)
{
    char *joined = NULL;
    size_t size;
    FILE *file = open_memstream(&joined, &size);
    if (!file)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        put_fence(file, &scan[i], true);
        fprintf(file, "#line 1\n%s\n", text[i]);
        put_fence(file, &scan[i], false);
    }
    if (fclose(file) == 0)
        return joined;
    free(joined);
    return NULL;
}

char *cx_join(unsigned count, const char *const *text, enum cx_join_reason *why)
{
    struct scan *scan = calloc(count, sizeof(*scan));
    char **pragmas = calloc(count, sizeof(*pragmas)), *joined = NULL;
    enum cx_join_reason reason = CX_JOIN_NO_MEMORY;
    size_t size;

    for (unsigned i = 0; scan && pragmas && i < count; i++) {
        scan[i].pragmas = open_memstream(&pragmas[i], &size);
        if (!scan[i].pragmas) {
            scan[i].why = reason;
            continue;
        }
        scan_text(&scan[i], text[i]);
        fclose(scan[i].pragmas);
    }
    if (scan && pragmas && !(reason = judge(scan, count, pragmas)) &&
        !(joined = put_texts(count, text, scan)))
        reason = CX_JOIN_NO_MEMORY;
    for (unsigned i = 0; scan && pragmas && i < count; i++) {
        free(scan[i].word);
        free(pragmas[i]);
    }
    free(scan);
    free(pragmas);
    if (why)
        *why = reason;
    return joined;
}

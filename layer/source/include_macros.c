/* SPDX-License-Identifier: MIT */
/*
 * File names given by macros. See include_macros.h.
 */
#include "layer/source/include_macros.h"
#include "layer/source/name_list.h"
#include "layer/base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PARAMETERS = 8,
    /* of one way through an expansion: what is open at a time, what is done in all, what comes out */
    MOST_DEPTH = 64,
    MOST_USES = 1000,
    MOST_BYTES = 64 << 10,
    MOST_CHOICES = 32,
    MOST_WAYS = 256
};

struct macro {
    char *name, *body;
    char *parameter[MOST_PARAMETERS];
    unsigned parameters;
    bool function; /* of parameters, be there none */
    bool unknown;  /* its parameters or its text are none that we can follow */
};

/* One way through an expansion: which meaning each name with several was given, in order. */
struct choices {
    unsigned at, count;
    unsigned char pick[MOST_CHOICES], of[MOST_CHOICES];
};

struct cx_include_macros {
    struct macro *macro;
    size_t count;
    struct cx_name_list met;    /* in expansions, whether macros or not: only their definitions are kept */
    struct cx_name_list itself; /* may stand for themselves besides: the text has definitions of them */
    struct choices choices;
    unsigned depth, uses; /* of the way under way */
    bool more;            /* more names were met, or definitions of such were found */
};

/* What is being expanded, innermost first. */
struct within {
    const char *name;
    const struct within *outer;
};

/* ---- names ---- */

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

/* Compilers for systems and processors define names outside those that the language reserves. */
static bool may_be_defined_elsewhere(const char *at, size_t length)
{
    static const char *const known[] = {"unix", "linux", "i386", "sun", "sparc", "mips", "arm", "PPC"};
    if (*at == '_' || !strncmp(at, "cl_", 3))
        return true;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (cx_name_list_is(known[i], at, length))
            return true;
    return false;
}

/* ---- definitions ---- */

struct cx_include_macros *cx_include_macros_new(void)
{
    return calloc(1, sizeof(struct cx_include_macros));
}

static void macro_finish(struct macro *macro)
{
    free(macro->name);
    free(macro->body);
    for (unsigned i = 0; i < macro->parameters; i++)
        free(macro->parameter[i]);
}

void cx_include_macros_free(struct cx_include_macros *macros)
{
    if (!macros)
        return;
    for (size_t i = 0; i < macros->count; i++)
        macro_finish(&macros->macro[i]);
    free(macros->macro);
    cx_name_list_finish(&macros->met);
    cx_name_list_finish(&macros->itself);
    free(macros);
}

/* The parameters that begin at `at`, behind the parenthesis; what follows them, NULL: none that we know. */
static const char *read_parameters(struct macro *macro, const char *at)
{
    macro->function = true;
    at += strspn(at, " \t");
    while (*at != ')') {
        const size_t length = word_length(at);
        if (!length || macro->parameters == MOST_PARAMETERS ||
            !(macro->parameter[macro->parameters] = strndup(at, length)))
            return NULL;
        macro->parameters++;
        at += length;
        at += strspn(at, " \t");
        if (*at != ',' && *at != ')')
            return NULL;
        if (*at == ',')
            at += 1 + strspn(at + 1, " \t");
    }
    return at + 1;
}

static bool same(const struct macro *a, const struct macro *b)
{
    bool same = !strcmp(a->name, b->name) && !strcmp(a->body, b->body) && a->function == b->function &&
                a->unknown == b->unknown && a->parameters == b->parameters;
    for (unsigned i = 0; same && i < a->parameters; i++)
        same = !strcmp(a->parameter[i], b->parameter[i]);
    return same;
}

/* Takes the macro over. */
static bool add_macro(struct cx_include_macros *macros, struct macro *macro)
{
    const bool whole = macro->name && macro->body;
    size_t i = 0;
    while (whole && i < macros->count && !same(&macros->macro[i], macro))
        i++;
    struct macro *grown =
        whole && i == macros->count ? realloc(macros->macro, (i + 1) * sizeof(*grown)) : NULL;
    if (grown) {
        macros->macro = grown;
        macros->more = true;
        grown[macros->count++] = *macro;
        return true;
    }
    macro_finish(macro);
    return whole && i < macros->count;
}

/* A definition; by an option: NAME=TEXT, where a name alone is 1. */
static bool define(struct cx_include_macros *macros, const char *at, bool option)
{
    const size_t length = word_length(at);
    if (!length)
        return false;
    struct macro macro = {.name = strndup(at, length)};
    at += length;
    if (*at == '(' && !(at = read_parameters(&macro, at + 1)))
        macro.unknown = true;
    if (at && option)
        at = *at ? at + (*at == '=') : "1";
    while (at && !option && *at && isspace((unsigned char)*at))
        at++;
    macro.body = strdup(at ? at : "");
    return add_macro(macros, &macro);
}

static void forget(struct cx_include_macros *macros, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < macros->count; i++)
        if (strcmp(macros->macro[i].name, name) != 0)
            macros->macro[kept++] = macros->macro[i];
        else
            macro_finish(&macros->macro[i]);
    macros->count = kept;
}

bool cx_include_macros_option(struct cx_include_macros *macros, char letter, const char *value)
{
    char *name = strndup(value, word_length(value));
    if (name)
        forget(macros, name); /* the last one counts */
    const bool ok = name && *name && (letter == 'U' || define(macros, value, true));
    free(name);
    return ok;
}

/* The end of a definition's text, which a comment may follow up to the line's end. */
static const char *text_end(const char *at)
{
    while (*at && *at != '\n' && *at != '\r') {
        const char *next = cx_text_skip(at);
        if (*at == '/' && next != at && (!*next || *next == '\n' || *next == '\r'))
            break;
        at = next != at ? next : at + 1;
    }
    return at;
}

/* The name and what follows it, up to the line's end; the caller's. */
static char *definition(const char *at)
{
    const char *end = text_end(at);
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    return strndup(at, (size_t)(end - at));
}

static bool note_itself(struct cx_include_macros *macros, const char *at)
{
    const size_t length = word_length(at);
    if (cx_name_list_have(&macros->itself, at, length))
        return true;
    macros->more = true;
    return cx_name_list_add(&macros->itself, at, length);
}

static bool is_met(const struct cx_include_macros *macros, const char *at)
{
    return cx_name_list_have(&macros->met, at, word_length(at));
}

bool cx_include_macros_define(struct cx_include_macros *macros, const char *at)
{
    char *text = is_met(macros, at) ? definition(at) : NULL;
    const bool ok = !is_met(macros, at) || (text && note_itself(macros, text) && define(macros, text, false));
    free(text);
    return ok;
}

bool cx_include_macros_undefine(struct cx_include_macros *macros, const char *at)
{
    return !is_met(macros, at) || note_itself(macros, at);
}

bool cx_include_macros_more(struct cx_include_macros *macros)
{
    const bool more = macros->more;
    macros->more = false;
    return more;
}

/* ---- choices ---- */

/* Which of so many meanings this way takes. */
static unsigned choose(struct choices *choices, unsigned of)
{
    if (choices->at == MOST_CHOICES)
        return 0;
    if (choices->at == choices->count) {
        choices->pick[choices->count] = 0;
        choices->of[choices->count++] = (unsigned char)of;
    }
    return choices->pick[choices->at++];
}

/* The next way; false: all have been gone. */
static bool choose_next(struct choices *choices)
{
    while (choices->count && choices->pick[choices->count - 1] + 1 == choices->of[choices->count - 1])
        choices->count--;
    if (!choices->count)
        return false;
    choices->pick[choices->count - 1]++;
    choices->at = 0;
    return true;
}

/* What the name stands for on this way: *macro, NULL where that is itself. False: it cannot be told. */
static bool meaning(struct cx_include_macros *macros, const char *at, size_t length,
                    const struct macro **macro)
{
    unsigned n = 0, k = 0;
    *macro = NULL;
    for (size_t i = 0; i < macros->count; i++)
        n += cx_name_list_is(macros->macro[i].name, at, length);
    if (n + 1 > UCHAR_MAX)
        return false;
    const unsigned all = n + (!n || cx_name_list_have(&macros->itself, at, length));
    const unsigned chosen = all > 1 ? choose(&macros->choices, all) : 0;
    for (size_t i = 0; i < macros->count && !*macro; i++)
        if (cx_name_list_is(macros->macro[i].name, at, length) && k++ == chosen)
            *macro = &macros->macro[i];
    return *macro ? !(*macro)->unknown : !may_be_defined_elsewhere(at, length);
}

/* ---- expansion ---- */

struct arguments {
    const char *at[MOST_PARAMETERS];
    size_t length[MOST_PARAMETERS];
    unsigned count;
};

/* The end of a preprocessing number (C11, 6.4.8), NULL: none begins here. */
static const char *number_end(const char *at, const char *end)
{
    const char *digit = at + (*at == '.');
    if (digit == end || !isdigit((unsigned char)*digit))
        return NULL;
    for (at = digit + 1; at < end; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '.' &&
            !((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
            break;
    return at;
}

/* The end of the token that `at` begins: a word, a number, a string, or one character. */
static const char *token_end(const char *at, const char *end)
{
    const char *next = number_end(at, end);
    if (next || word_length(at))
        return next ? next : at + word_length(at);
    next = at + 1;
    if (*at == '"' || *at == '\'') {
        while (next < end && *next != *at)
            next++;
        next += next < end;
    }
    return next;
}

/* No comments, no escapes in strings, no letters that are none in C: what paths seldom have, and compilers
 * may make something else of. */
static bool plain(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == '\\' || *at == '$' || (unsigned char)*at >= 0x80 ||
            (at + 1 < end && at[0] == '/' && (at[1] == '/' || at[1] == '*')))
            return false;
    return true;
}

static const char *behind_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

static bool expand(struct cx_include_macros *macros, FILE *out, const char *at, const char *end,
                   const struct within *within);

/* The arguments that begin at `at`, behind the parenthesis; what follows them, NULL: they do not end. */
static const char *read_arguments(struct arguments *arguments, const char *at, const char *end)
{
    unsigned deep = 0;
    const char *from = at;
    arguments->count = 0;
    for (; at < end; at = token_end(at, end)) {
        const bool ends = !deep && (*at == ')' || *at == ',');
        if (ends && arguments->count == MOST_PARAMETERS)
            return NULL;
        if (ends) {
            const char *last = at;
            from = behind_blanks(from, at);
            while (last > from && isspace((unsigned char)last[-1]))
                last--;
            arguments->at[arguments->count] = from;
            arguments->length[arguments->count++] = (size_t)(last - from);
            from = at + 1;
        }
        if (ends && *at == ')')
            return at + 1;
        deep += *at == '(';
        deep -= *at == ')';
    }
    return NULL;
}

static unsigned parameter_of(const struct macro *macro, const char *at, const char *end)
{
    unsigned p = 0;
    while (p < macro->parameters && !cx_name_list_is(macro->parameter[p], at, (size_t)(end - at)))
        p++;
    return p;
}

/* The body with its arguments in place: as they are behind #, else expanded. */
static bool substitute(struct cx_include_macros *macros, FILE *out, const struct macro *macro,
                       const struct arguments *arguments, const struct within *within)
{
    const char *at = macro->body, *end = at + strlen(at);
    bool ok = true;
    while (ok && at < end && ftell(out) < MOST_BYTES) {
        const bool quoted = *at == '#';
        if (quoted)
            at += 1 + strspn(at + 1, " \t");
        const char *next = token_end(at, end);
        const unsigned p = parameter_of(macro, at, next);
        if (p == macro->parameters)
            ok = !quoted && fwrite(at, 1, (size_t)(next - at), out);
        else if (quoted)
            ok = !memchr(arguments->at[p], '"', arguments->length[p]) &&
                 fprintf(out, "\"%.*s\"", (int)arguments->length[p], arguments->at[p]) > 0;
        else
            ok = expand(macros, out, arguments->at[p], arguments->at[p] + arguments->length[p], within);
        at = next;
    }
    return ok && at == end;
}

/* One use of the macro, whose name ends before `at`, and which has its parenthesis if it needs one; what
 * follows it, NULL: it cannot be told. */
static const char *expand_macro(struct cx_include_macros *macros, FILE *out, const struct macro *macro,
                                const char *at, const char *end, const struct within *within)
{
    const struct within inner = {macro->name, within};
    struct arguments arguments = {.count = 0};
    char *body = NULL;
    size_t size = 0;
    bool ok = ++macros->uses < MOST_USES && plain(macro->body, macro->body + strlen(macro->body)) &&
              !strstr(macro->body, "##");
    if (macro->function) {
        at = ok ? read_arguments(&arguments, behind_blanks(at, end) + 1, end) : NULL;
        ok = at && (arguments.count == macro->parameters ||
                    (arguments.count == 1 && !macro->parameters && !arguments.length[0]));
    }
    FILE *file = ok ? open_memstream(&body, &size) : NULL;
    if (file) {
        ok = macro->function ? substitute(macros, file, macro, &arguments, within)
                             : fputs(macro->body, file) >= 0;
        ok = fclose(file) == 0 && ok && expand(macros, out, body, body + size, &inner);
    }
    free(body);
    return file && ok ? at : NULL;
}

static bool expanding(const struct within *within, const struct macro *macro)
{
    while (within && strcmp(within->name, macro->name) != 0)
        within = within->outer;
    return within;
}

static bool meet(struct cx_include_macros *macros, const char *at, size_t length)
{
    if (cx_name_list_have(&macros->met, at, length))
        return true;
    macros->more = true;
    return cx_name_list_add(&macros->met, at, length);
}

/* The word, or what it stands for; what follows it, NULL: it cannot be told. */
static const char *expand_word(struct cx_include_macros *macros, FILE *out, const char *at, const char *next,
                               const char *end, const struct within *within)
{
    const size_t length = (size_t)(next - at);
    const char *follows = behind_blanks(next, end);
    const struct macro *macro = NULL;
    if (!meet(macros, at, length) || !meaning(macros, at, length, &macro))
        return NULL;
    /* within itself it stands for itself from then on, also where it comes to be looked at again */
    if (macro && expanding(within, macro))
        return NULL;
    if (macro && (!macro->function || (follows < end && *follows == '(')))
        return expand_macro(macros, out, macro, next, end, within);
    if (macro && follows == end && macros->depth > 1) /* what comes behind may give it arguments */
        return NULL;
    return fwrite(at, 1, length, out) == length ? next : NULL;
}

static bool expand(struct cx_include_macros *macros, FILE *out, const char *at, const char *end,
                   const struct within *within)
{
    bool ok = macros->depth < MOST_DEPTH;
    macros->depth++;
    while (ok && at < end) {
        const char *next = token_end(at, end);
        const size_t length = (size_t)(next - at);
        if (word_length(at))
            next = expand_word(macros, out, at, next, end, within);
        else if (fwrite(at, 1, length, out) != length)
            next = NULL;
        ok = next && ftell(out) < MOST_BYTES;
        at = next;
    }
    macros->depth--;
    return ok;
}

/* The words on one way; the caller's, NULL: they cannot be told. */
static char *expanded(struct cx_include_macros *macros, const char *words)
{
    const char *end = words + strcspn(words, "\r\n");
    char *text = NULL;
    size_t size = 0;
    FILE *out = plain(words, end) ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    macros->depth = macros->uses = 0;
    const bool ok = expand(macros, out, words, end, NULL);
    if (fclose(out) == 0 && ok && macros->choices.at < MOST_CHOICES)
        return text;
    free(text);
    return NULL;
}

/* Where the text is a name between quotes or brackets, that goes to take(). False: it begins with one, but
 * compilers may make something of what is in it or behind it. */
static bool take_name(char *text, void (*take)(void *data, const char *name), void *data, bool *any)
{
    char *from = text + (behind_blanks(text, text + strlen(text)) - text);
    size_t length = strlen(from);
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    const char close = *from == '"' ? '"' : *from == '<' ? '>' : 0;
    if (!close)
        return true;
    if (length < 3 || from[length - 1] != close || memchr(from + 1, close, length - 2))
        return false;
    from[length - 1] = 0;
    for (const char *at = from; *at; at++)
        if (isspace((unsigned char)*at))
            return false;
    take(data, from + 1);
    *any = true;
    return true;
}

bool cx_include_macros_names(struct cx_include_macros *macros, const char *words,
                             void (*take)(void *data, const char *name), void *data)
{
    bool ok = true, any = false;
    unsigned ways = 0;
    macros->choices = (struct choices){0};
    do {
        char *text = ++ways < MOST_WAYS ? expanded(macros, words) : NULL;
        ok = text && take_name(text, take, data, &any);
        free(text);
    } while (ok && choose_next(&macros->choices));
    return ok && any;
}

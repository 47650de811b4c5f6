/* SPDX-License-Identifier: MIT */
/* A parser by descent whose values may be open. What it does not know is open, too. See condition.h. */
#include "layer/analyser/condition.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 128, MAX_DEPTH = 100 };

struct value {
    bool known;
    int64_t number;
};

struct parser {
    const char *at;
    cx_condition_look *look;
    const void *data;
    unsigned depth;
    bool lost; /* there is something that is not understood */
};

static const struct value open_value = {0};

static struct value known(int64_t number)
{
    return (struct value){true, number};
}

static struct value give_up(struct parser *parser)
{
    parser->lost = true;
    return open_value;
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n\v\f");
}

/* Takes the operator or punctuator if it is next, and is not part of a longer one. */
static bool take(struct parser *parser, const char *word)
{
    static const char *const longer[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const size_t length = strlen(word);

    skip_blanks(parser);
    if (strncmp(parser->at, word, length) != 0) {
        return false;
    }
    for (size_t i = 0; length == 1 && i < sizeof(longer) / sizeof(*longer); i++) {
        if (strncmp(parser->at, longer[i], 2) == 0) {
            return false;
        }
    }
    parser->at += length;
    return true;
}

/* The identifier that is next, or "". */
static void take_name(struct parser *parser, char name[MAX_NAME])
{
    size_t length = 0;

    skip_blanks(parser);
    if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
        while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_') {
            length++;
        }
    }
    if (length >= MAX_NAME) {
        parser->lost = true;
        length = 0;
    }
    memcpy(name, parser->at, length);
    name[length] = '\0';
    parser->at += length;
}

/* An integer and nothing else but its suffix. Unsigned arithmetic is not done here: negative numbers that
 * meet unsigned ones would be another matter. */
static struct value number_of(const char *text, const char **end)
{
    char *stop;
    const long long number = strtoll(text, &stop, 0);
    const size_t suffix = strspn(stop, "lL");

    *end = stop + suffix;
    if (!isdigit((unsigned char)*text) || stop == text || isalnum((unsigned char)**end) || **end == '.' ||
        **end == '_' || number > INT32_MAX) {
        return open_value;
    }
    return known(number);
}

static struct value read_or(struct parser *parser);

static struct value read_defined(struct parser *parser)
{
    char name[MAX_NAME];
    const bool parentheses = take(parser, "(");
    const char *text;

    take_name(parser, name);
    if (!*name || (parentheses && !take(parser, ")"))) {
        return give_up(parser);
    }
    const enum cx_condition_name is = parser->look(parser->data, name, &text);
    return is == CX_NAME_OPEN ? open_value : known(is != CX_NAME_NONE);
}

static struct value read_name(struct parser *parser)
{
    char name[MAX_NAME];
    const char *text, *end;

    take_name(parser, name);
    if (strcmp(name, "defined") == 0) {
        return read_defined(parser);
    }
    skip_blanks(parser);
    if (!*name || *parser->at == '(') { /* a function's arguments would be read otherwise */
        return give_up(parser);
    }
    switch (parser->look(parser->data, name, &text)) {
    case CX_NAME_NONE:
        return known(0);
    case CX_NAME_TEXT: {
        const struct value value = number_of(text, &end);
        return *end || !value.known ? give_up(parser) : value;
    }
    case CX_NAME_OPEN:
    case CX_NAME_MACRO: /* whose text may be half an expression */
        break;
    }
    return give_up(parser);
}

static struct value read_unary(struct parser *parser)
{
    struct value value;

    if (++parser->depth > MAX_DEPTH) {
        return give_up(parser);
    }
    if (take(parser, "!")) {
        value = read_unary(parser);
        value.number = !value.number;
    } else if (take(parser, "(")) {
        value = read_or(parser);
        if (!take(parser, ")")) {
            value = give_up(parser);
        }
    } else if (isdigit((unsigned char)*parser->at)) {
        value = number_of(parser->at, &parser->at);
    } else {
        value = read_name(parser);
    }
    parser->depth--;
    return value;
}

static struct value read_comparison(struct parser *parser)
{
    struct value a = read_unary(parser), b;
    static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};

    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (!take(parser, operators[i])) {
            continue;
        }
        b = read_unary(parser);
        const bool holds[] = {a.number <= b.number, a.number >= b.number, a.number == b.number,
                              a.number != b.number, a.number<b.number, a.number> b.number};
        return a.known && b.known ? known(holds[i]) : open_value;
    }
    return a;
}

static struct value read_and(struct parser *parser)
{
    struct value a = read_comparison(parser);

    while (take(parser, "&&")) {
        const struct value b = read_comparison(parser);
        const bool no = (a.known && !a.number) || (b.known && !b.number);
        a = no ? known(0) : a.known && b.known ? known(1) : open_value;
    }
    return a;
}

static struct value read_or(struct parser *parser)
{
    struct value a = read_and(parser);

    while (take(parser, "||")) {
        const struct value b = read_and(parser);
        const bool yes = (a.known && a.number) || (b.known && b.number);
        a = yes ? known(1) : a.known && b.known ? known(0) : open_value;
    }
    return a;
}

enum cx_condition cx_condition_read(const char *expression, cx_condition_look *look, const void *data)
{
    struct parser parser = {.at = expression, .look = look, .data = data};
    const struct value value = read_or(&parser);

    skip_blanks(&parser);
    if (parser.lost || *parser.at || !value.known) {
        return CX_CONDITION_OPEN;
    }
    return value.number ? CX_CONDITION_TRUE : CX_CONDITION_FALSE;
}

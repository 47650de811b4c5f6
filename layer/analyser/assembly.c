/* SPDX-License-Identifier: MIT */
#include "layer/analyser/assembly.h"
#include "layer/analyser/map.h"
#include "layer/base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of the text. */
struct span {
    const char *from, *end;
};

/* A statement. */
struct statement {
    bool is_volatile;
    struct span words;   /* the strings of instructions */
    struct span part[3]; /* outputs, inputs, clobbers; from NULL: there are no such */
    const char *end;     /* behind the closing parenthesis */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (is_word(at[length])) {
        length++;
    }
    return length;
}

static bool is_one_of(const char *at, const char *const *words)
{
    const size_t length = word_length(at);

    for (; *words; words++) {
        if (strlen(*words) == length && strncmp(*words, at, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The next token's beginning: behind a string, a comment, a word or a character. */
static const char *next_token(const char *at)
{
    const char *next = cx_text_skip(at);

    if (next == at) {
        next = at + (word_length(at) ? word_length(at) : 1);
    }
    return next;
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* ---- what the instructions do ---- */

/* The strings' bytes, escapes and all. */
static char *joined(struct span words)
{
    char *text = cx_alloc((size_t)(words.end - words.from) + 1, 1), *to = text;

    for (const char *at = words.from; at < words.end;) {
        const char *next = next_token(at);
        if (*at == '"' && next - at > 1) {
            to = mempcpy(to, at + 1, (size_t)(next - at) - 2);
            *to++ = ' ';
        }
        at = next;
    }
    return text;
}

/* Registers of a GPU that tell where or when: of PTX, behind a percent sign, and instructions of others that
 * read such. */
static bool tells_place(const char *text)
{
    static const char *const registers[] = {"tid",      "ntid", "laneid", "warpid",  "nwarpid", "ctaid",
                                            "nctaid",   "smid", "nsmid",  "gridid",  "is_e",    "clock",
                                            "lanemask", "pm",   "envreg", "global",  "cluster", "dynamic",
                                            "total",    "aggr", "reserv", "current", NULL};
    static const char *const others[] = {"s_memtime", "s_memrealtime", "s_getreg", "v_mbcnt",
                                         "rdtsc",     "cpuid",         "mrs",      NULL};

    for (const char *at = text; (at = strchr(at, '%'));) {
        at += strspn(at, "%");
        for (const char *const *name = registers; *name; name++) {
            if (strncmp(at, *name, strlen(*name)) == 0) {
                return true;
            }
        }
    }
    for (const char *const *name = others; *name; name++) {
        if (strstr(text, *name)) {
            return true;
        }
    }
    return false;
}

/* %[name] or %w[name] */
static bool names_operand(const char *text, const char *bracket)
{
    return (bracket > text && bracket[-1] == '%') ||
           (bracket > text + 1 && bracket[-2] == '%' && isalpha((unsigned char)bracket[-1]));
}

/* Memory is written in brackets in PTX, in either kind of parentheses on CPUs, and by instructions so named
 * elsewhere; others leave the kernel, or go where we do not see. */
static bool does_more(const char *text)
{
    static const char *const parts[] = {"(",     "load",     "store",     "flat_",    "global_", "buffer_",
                                        "ds_",   "atom",     "image_",    "exit",     "trap",    "brkpt",
                                        "call",  "ret",      "s_send",    "s_endpgm", "bar.",    "barrier",
                                        "fence", "prefetch", "nanosleep", "syscall",  "int ",    "push",
                                        "out ",  "movs",     "stos",      NULL};

    for (const char *at = text; (at = strchr(at, '[')); at++) {
        if (!names_operand(text, at)) {
            return true;
        }
    }
    for (const char *const *part = parts; *part; part++) {
        if (strstr(text, *part)) {
            return true;
        }
    }
    return false;
}

/* ---- reading a statement ---- */

/* Behind the parenthesis or bracket that closes the one at `at`; NULL: none does. */
static const char *behind_pair(const char *at, const char *end)
{
    unsigned depth = 0;

    while (at < end) {
        if (strchr("([{", *at)) {
            depth++;
        } else if (strchr(")]}", *at) && --depth == 0) {
            return at + 1;
        }
        at = next_token(at);
    }
    return NULL;
}

/* `at` is behind asm. */
static bool read_statement(const char *at, struct statement *statement)
{
    static const char *const often[] = {"volatile", "__volatile__", "__volatile", NULL};
    static const char *const more[] = {"inline", "__inline", "__inline__", NULL};
    const char *end = at + strlen(at), *close;
    int part = -1;

    *statement = (struct statement){0};
    for (at = skip_blanks(at); is_one_of(at, often) || is_one_of(at, more);
         at = skip_blanks(next_token(at))) {
        statement->is_volatile |= is_one_of(at, often);
    }
    close = *at == '(' ? behind_pair(at, end) : NULL;
    if (!close) {
        return false;
    }
    statement->end = close;
    statement->words = (struct span){at + 1, close - 1};
    for (at++; at < close - 1;) {
        if (*at == ':') {
            if (part >= 2) {
                return false; /* of asm goto */
            }
            *(part < 0 ? &statement->words.end : &statement->part[part].end) = at;
            statement->part[++part] = (struct span){++at, close - 1};
        } else {
            at = strchr("([{", *at) ? behind_pair(at, close) : next_token(at);
        }
        if (!at) {
            return false;
        }
    }
    at = skip_blanks(statement->words.from);
    return *at == '"';
}

/* ---- writing it anew ---- */

/* =&r, +r, or the number of the operand that it shares; false: it may be memory. */
static bool put_constraint(FILE *out, const char *at, const char *end)
{
    bool in_register = true;

    fputc('"', out);
    for (; at < end && strchr("=+&%*", *at); at++) {
        in_register &= *at != '*';
        if (*at == '=' || *at == '+' || *at == '&') {
            fputc(*at, out);
        }
    }
    if (at < end && isdigit((unsigned char)*at)) {
        for (; at < end && isdigit((unsigned char)*at); at++) {
            fputc(*at, out);
        }
    } else {
        for (const char *c = at; c < end; c++) {
            in_register &= !strchr("mopVgX<>QRT", *c);
        }
        fputc('r', out);
    }
    fputc('"', out);
    return in_register;
}

/* One list of operands; false: it has memory among them. */
static bool put_operands(FILE *out, struct span part)
{
    bool in_registers = true;

    for (const char *at = part.from; at < part.end;) {
        const char *next = *at == '(' ? behind_pair(at, part.end) : next_token(at);
        if (!next || next > part.end) {
            next = part.end;
        }
        if (*at == '"') {
            in_registers &= put_constraint(out, at + 1, next - 1);
        } else {
            fwrite(at, 1, (size_t)(next - at), out);
        }
        at = next;
    }
    return in_registers;
}

static bool clobbers_memory(struct span part)
{
    const char *found = part.from ? strstr(part.from, "\"memory\"") : NULL;
    return found && found < part.end;
}

static unsigned lines_in(const char *from, const char *end)
{
    unsigned lines = 0;

    for (; from < end; from++) {
        lines += *from == '\n';
    }
    return lines;
}

/* `from`: where it began. What follows it keeps its line. */
static void put_statement(FILE *out, const struct statement *statement, const char *from)
{
    char *operands = NULL, *text = joined(statement->words);
    size_t size = 0;
    FILE *file = open_memstream(&operands, &size);
    bool pure = !does_more(text) && !tells_place(text) && !clobbers_memory(statement->part[2]);

    for (unsigned i = 0; file && i < 2; i++) {
        if (statement->part[i].from) {
            fputc(':', file);
            pure &= put_operands(file, statement->part[i]);
        }
    }
    if (file) {
        fclose(file);
    }
    /* basic ones have no outputs, and are never dropped */
    fprintf(out, "__asm__ %s(\"%s\"%s)",
            statement->is_volatile || !statement->part[0].from ? "volatile " : "",
            pure ? CX_ASSEMBLY_PURE : CX_ASSEMBLY_OTHER, operands ? operands : "");
    unsigned lines = lines_in(from, statement->end);
    for (lines -= operands ? lines_in(operands, operands + size) : 0; lines; lines--) {
        fputc('\n', out);
    }
    free(operands);
    free(text);
}

char *cx_assembly_rewrite(const char *text)
{
    struct statement statement;
    char *result = NULL;
    size_t size = 0;
    unsigned depth = 0; /* of braces: outside there are names of functions */
    FILE *out = open_memstream(&result, &size);

    while (out && *text) {
        const char *next = next_token(text);
        depth += *text == '{';
        depth -= *text == '}' && depth;
        if (depth && cx_text_is_assembly(text) && read_statement(next, &statement)) {
            put_statement(out, &statement, text);
            next = statement.end;
        } else {
            fwrite(text, 1, (size_t)(next - text), out);
        }
        text = next;
    }
    if (out) {
        fclose(out);
    }
    return result;
}

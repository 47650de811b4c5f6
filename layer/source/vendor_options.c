/* SPDX-License-Identifier: MIT */
/*
 * Options are words between blanks, some of them in quotes. One of a vendor may have its value in the word
 * behind it.
 */
#include "layer/source/vendor_options.h"
#include "layer/driver/device.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How a vendor's options begin, and what the vendor of its platform is called, or a part of that. */
static const struct vendor {
    const char *prefix, *name;
} vendors[] = {
    {"-cl-nv-", "NVIDIA"},       {"-cl-amd-", "Advanced Micro Devices"},
    {"-cl-intel-", "Intel"},     {"-ze-", "Intel"},
    {"-cl-arm-", "ARM"},         {"-cl-qcom-", "QUALCOMM"},
    {"-cl-img-", "Imagination"},
};

static const struct vendor *vendor_of(const char *word)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (strncmp(word, vendors[i].prefix, strlen(vendors[i].prefix)) == 0)
            return &vendors[i];
    return NULL;
}

static bool is_of(const struct cx_device_list *members, unsigned member, const struct vendor *vendor)
{
    const char *name = members->device[member]->platform->vendor;
    return name && strcasestr(name, vendor->name);
}

static bool is_for(const struct cx_device_list *members, unsigned member, const struct vendor *vendor)
{
    if (is_of(members, member, vendor))
        return true;
    for (unsigned m = 0; m < members->n; m++)
        if (is_of(members, m, vendor))
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c && strchr(" \t\n\r\v\f", c);
}

/* The end of the word that begins here. */
static const char *word_end(const char *at)
{
    char quote = 0;
    for (; *at && (quote || !is_blank(*at)); at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
    }
    return at;
}

/* members NULL: no vendor's options are kept. */
static char *filter(const struct cx_device_list *members, unsigned member, const char *options)
{
    char *text = malloc(strlen(options) + 1), *to = text;
    bool dropped = false; /* an option that its value may follow */
    if (!text)
        return NULL;
    for (const char *at = options; *at;) {
        const char *word = at;
        while (is_blank(*word))
            word++;
        const char *end = word_end(word);
        const struct vendor *vendor = vendor_of(word);
        const bool value = dropped && *word != '-';
        const bool drop = value || (vendor && (!members || !is_for(members, member, vendor)));
        dropped = drop && !value && !memchr(word, '=', (size_t)(end - word));
        if (!drop) {
            memcpy(to, at, (size_t)(end - at));
            to += end - at;
        }
        at = end;
    }
    *to = '\0';
    return text;
}

char *cx_vendor_options(const struct cx_device_list *members, unsigned member, const char *options)
{
    return filter(members, member, options);
}

char *cx_vendor_options_none(const char *options)
{
    return filter(NULL, 0, options);
}

static bool begins(const char *word, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(word, with, strlen(with)) == 0;
}

/* Options that ask for nothing but something to debug with: clang's -g and its kin, Intel's -s FILE, AMD's
 * -save-temps. */
static bool is_for_debuggers(const char *word, size_t length)
{
    static const char *const beginnings[] = {"-g", "-fdebug-", "-fstandalone-debug", "-save-temps",
                                             "-cl-nv-line-info"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(word, length, beginnings[i]))
            return true;
    return length == 2 && begins(word, length, "-s");
}

/* Whether the next word is what this one is about. */
static bool has_value(const char *word, size_t length)
{
    return length == 2 && *word == '-' && strchr("DIUsx", word[1]);
}

void cx_vendor_options_drop_debug(char *options)
{
    char *to = options;
    for (const char *at = options; *at;) {
        const char *word = at;
        while (is_blank(*word))
            word++;
        const char *end = word_end(word);
        const size_t length = (size_t)(end - word);
        if (has_value(word, length)) {
            while (is_blank(*end))
                end++;
            end = word_end(end);
        }
        if (!is_for_debuggers(word, length)) {
            const char *from = to == options ? word : at;
            memmove(to, from, (size_t)(end - from));
            to += end - from;
        }
        at = end;
    }
    *to = '\0';
}

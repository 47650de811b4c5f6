/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_DEVICES: see select.h.
 */
#include "layer/driver/select.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    cl_device_type types;
} type_words[] = {
    {"cpu", CL_DEVICE_TYPE_CPU},
    {"gpu", CL_DEVICE_TYPE_GPU},
    {"accelerator", CL_DEVICE_TYPE_ACCELERATOR},
    {"all", CL_DEVICE_TYPE_ALL},
};
enum { TYPE_WORDS = sizeof type_words / sizeof *type_words };

/* The device types a word names, 0 when it is none of the words. */
static cl_device_type types_of(const char *item)
{
    for (unsigned i = 0; i < TYPE_WORDS; i++)
        if (strcasecmp(type_words[i].word, item) == 0)
            return type_words[i].types;
    return 0;
}

static bool text_matches(const char *text, const char *item)
{
    if (!text)
        return false;
    return strpbrk(item, "*?[") ? fnmatch(item, text, FNM_CASEFOLD) == 0 : strcasestr(text, item) != NULL;
}

/* What the device is called matters as well as who made it and whose driver it is: the names of PoCL's
 * devices, say, are those of processors. */
static bool matches(const struct cx_real_device *device, unsigned index, const char *item)
{
    size_t length = strlen(item);
    cl_device_type types = types_of(item);
    if (types)
        return (device->type & types) != 0;
    if (strspn(item, "0123456789") == length)
        return length < 9 && strtoul(item, NULL, 10) == index;
    return text_matches(device->name, item) || text_matches(device->vendor, item) ||
           text_matches(device->platform->name, item) || text_matches(device->platform->vendor, item);
}

/* Adds to order[] the devices that the item names and that are not in it yet. Returns whether it names any.
 */
static bool add_item(const struct cx_real_device *devices, unsigned ndevices, const char *item,
                     unsigned *order, unsigned *count)
{
    bool any = false;
    for (unsigned d = 0; d < ndevices; d++) {
        if (!matches(&devices[d], d, item))
            continue;
        any = true;
        unsigned i = 0;
        while (i < *count && order[i] != d)
            i++;
        if (i == *count)
            order[(*count)++] = d;
    }
    return any;
}

static void remove_item(const struct cx_real_device *devices, unsigned ndevices, const char *item,
                        unsigned *order, unsigned *count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++)
        if (!matches(&devices[order[i]], order[i], item))
            order[kept++] = order[i];
    *count = kept;
}

/* The next item of the list, without the blanks around it; NULL at the end. */
static char *next_item(char **rest)
{
    char *item;
    do {
        item = strsep(rest, ",");
        if (!item)
            return NULL;
        item += strspn(item, " \t");
        for (size_t end = strlen(item); end && strchr(" \t", item[end - 1]); end--)
            item[end - 1] = '\0';
    } while (!*item);
    return item;
}

/* Walks the list once: first what is added, then (exclude) what is taken away. Returns false, with the
 * problem, at an item to add that names nothing, unless it is a word: `gpu` is no mistake on a machine
 * without one. To leave out what is not there is none: one list may serve several machines. */
static bool walk(const struct cx_real_device *devices, unsigned ndevices, const char *list, bool exclude,
                 unsigned *order, unsigned *count, bool *any_added, char problem[CX_SELECT_PROBLEM])
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL;
    while (good && (item = next_item(&rest))) {
        bool is_exclusion = *item == '!';
        if (is_exclusion != exclude)
            continue;
        item += is_exclusion ? 1 + strspn(item + 1, " \t") : 0;
        if (is_exclusion)
            remove_item(devices, ndevices, item, order, count);
        else
            good = add_item(devices, ndevices, item, order, count) || types_of(item);
        good = good && *item;
        *any_added = *any_added || !is_exclusion;
        if (!good && *item)
            snprintf(problem, CX_SELECT_PROBLEM, "'%.60s' names no device", item);
        else if (!good)
            snprintf(problem, CX_SELECT_PROBLEM, "'!' leaves out nothing");
    }
    free(copy);
    return good;
}

unsigned cx_select(const struct cx_real_device *devices, unsigned ndevices, const char *list, unsigned *order,
                   char problem[CX_SELECT_PROBLEM])
{
    unsigned count = 0;
    bool any_added = false;
    *problem = '\0';
    if (!walk(devices, ndevices, list, false, order, &count, &any_added, problem))
        return 0;
    if (!any_added)
        add_item(devices, ndevices, "all", order, &count);
    if (!walk(devices, ndevices, list, true, order, &count, &any_added, problem))
        return 0;
    if (count == 0)
        snprintf(problem, CX_SELECT_PROBLEM, "leaves no device of the %u found", ndevices);
    return count;
}

char *cx_select_accepted(const struct cx_real_device *devices, unsigned ndevices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (unsigned d = 0; d < ndevices; d++)
        fprintf(stream, "%u (%s), ", d, devices[d].name);
    for (unsigned i = 0; i < TYPE_WORDS; i++)
        fprintf(stream, "%s, ", type_words[i].word);
    fputs("a part of a name or a pattern with * ?, !item", stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

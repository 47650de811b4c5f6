/* SPDX-License-Identifier: MIT */
/*
 * Powers in the knowledge base's folder. See record.h.
 */
#include "layer/power/record.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"
#include "layer/knowledge/folder.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_NAME = sizeof CX_POWER_RECORD_FILES + CX_DISK_CACHE_KEY_SIZE };

/* Powers are microwatts: decimal points differ with the program's locale. */
static const char form[] = "coexec powers 1\nkind %s\nname %s\nplace %s\nmicrowatts %llu %llu %llu\n";
#define MOST_MICROWATTS 1000000000000000ull

/* Whose powers they are. */
static void name_device(struct cx_power_record *record, const struct cx_power_source *source, unsigned index,
                        unsigned cpus)
{
    *record = (struct cx_power_record){.powers = {0}};
    snprintf(record->kind, sizeof record->kind, "%s", source->kind->name);
    snprintf(record->name, sizeof record->name, "%s", source->name);
    if (cpus)
        snprintf(record->place, sizeof record->place, "%u of %u", index, cpus);
    else
        snprintf(record->place, sizeof record->place, "%s", source->pci);
}

static void name_file(char file[FILE_NAME], const struct cx_power_record *record)
{
    char key[CX_DISK_CACHE_KEY_SIZE];
    cx_disk_cache_key(
        key, 4, (const char *const[]){"powers of a device 3", record->kind, record->name, record->place});
    snprintf(file, FILE_NAME, CX_POWER_RECORD_FILES "%s", key);
}

static unsigned long long microwatts(double watts)
{
    return watts > 0 ? (unsigned long long)fmin(watts * 1e6 + 0.5, MOST_MICROWATTS) : 0;
}

static bool read_microwatts(const char *text, struct cx_power_pair *powers)
{
    unsigned long long fixed, dynamic, error;
    char end;
    if (sscanf(text, "%16llu %16llu %16llu%c", &fixed, &dynamic, &error, &end) != 3 ||
        fixed > MOST_MICROWATTS || dynamic > MOST_MICROWATTS || error > MOST_MICROWATTS)
        return false;
    *powers = (struct cx_power_pair){(double)fixed * 1e-6, (double)dynamic * 1e-6, (double)error * 1e-6};
    return true;
}

/* Copies the rest of the line that begins with `word` and a space, and gives the next line. NULL: it begins
 * otherwise, or is too long. */
static const char *take_line(const char *at, const char *word, char *value, size_t size)
{
    const size_t length = strlen(word);
    const char *end = at && strncmp(at, word, length) == 0 && at[length] == ' ' ? strchr(at, '\n') : NULL;
    const char *begin = end ? at + length + 1 : NULL;
    if (!begin || (size_t)(end - begin) >= size)
        return NULL;
    for (; begin < end; begin++)
        *value++ = (char)(isprint((unsigned char)*begin) ? *begin : '?');
    *value = '\0';
    return end + 1;
}

static bool parse(const char *text, struct cx_power_record *record)
{
    char version[16], watts[96];
    const char *at = take_line(text, "coexec", version, sizeof version);
    at = take_line(at, "kind", record->kind, sizeof record->kind);
    at = take_line(at, "name", record->name, sizeof record->name);
    at = take_line(at, "place", record->place, sizeof record->place);
    at = take_line(at, "microwatts", watts, sizeof watts);
    return at && *at == '\0' && strcmp(version, "powers 1") == 0 && read_microwatts(watts, &record->powers);
}

bool cx_power_record_read(const char *folder, const char *file, struct cx_power_record *record)
{
    size_t size;
    char *data = cx_disk_cache_load(folder, file, &size);
    char *text = data && !memchr(data, '\0', size) ? strndup(data, size) : NULL;
    *record = (struct cx_power_record){.powers = {0}};
    const bool is_sound = text && parse(text, record);
    free(data);
    free(text);
    return is_sound;
}

bool cx_power_record_load(const struct cx_power_source *source, unsigned index, unsigned cpus,
                          struct cx_power_pair *powers)
{
    const char *cache = cx_options_cache_dir();
    struct cx_power_record own, stored;
    char file[FILE_NAME];
    if (!cache || cx_options_get()->knowledge == CX_OPTION_KNOWLEDGE_NEVER)
        return false;
    name_device(&own, source, index, cpus);
    name_file(file, &own);
    char *folder = cx_knowledge_folder(cache);
    const bool is_known = folder && cx_power_record_read(folder, file, &stored);
    free(folder);
    if (is_known)
        *powers = stored.powers;
    return is_known;
}

bool cx_power_record_store(const struct cx_power_source *source, unsigned index, unsigned cpus,
                           const struct cx_power_pair *powers)
{
    const char *cache = cx_options_cache_dir();
    struct cx_power_record own;
    char file[FILE_NAME], text[sizeof own + sizeof form + 96];
    if (!cache || cx_options_get()->knowledge != CX_OPTION_KNOWLEDGE_AUTO || cx_options_get()->reproducible)
        return false;
    name_device(&own, source, index, cpus);
    name_file(file, &own);
    const int length =
        snprintf(text, sizeof text, form, own.kind, own.name, own.place, microwatts(powers->fixed),
                 microwatts(powers->dynamic), microwatts(powers->error));
    char *folder = cx_knowledge_folder(cache);
    const bool is_stored = folder && cx_disk_cache_store(folder, file, text, (size_t)length);
    free(folder);
    return is_stored;
}

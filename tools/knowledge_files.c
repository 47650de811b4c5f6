/* SPDX-License-Identifier: MIT */
/*
 * Shows and drops powers and levels. See knowledge_files.h.
 */
#include "tools/knowledge_files.h"
#include "tools/coexec_json.h"
#include "layer/base/disk_cache.h"
#include "layer/knowledge/cut_record.h"
#include "layer/knowledge/cut_search.h"
#include "layer/power/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls act(data, folder, name) for each file that begins so, by name. */
static void each(const char *folder, const char *begin,
                 void (*act)(void *data, const char *folder, const char *name), void *data)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (strncmp(entries[i]->d_name, begin, strlen(begin)) == 0)
            act(data, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* ---- powers ---- */

static void print_powers(void *data, const char *folder, const char *name)
{
    unsigned *lines = data;
    struct cx_power_record record;
    char device[sizeof record.name + sizeof record.place + 4], idle[32];
    if (!cx_power_record_read(folder, name, &record))
        return;
    if (!(*lines)++)
        printf("\n%-48s %-8s %16s %12s\n", "device", "source", "idle W", "computing W");
    snprintf(device, sizeof device, *record.place ? "%s (%s)" : "%s", record.name, record.place);
    snprintf(idle, sizeof idle, "%.1f +- %.1f", record.powers.fixed, record.powers.error);
    printf("%-48s %-8s %16s %12.1f\n", device, record.kind, idle,
           record.powers.fixed + record.powers.dynamic);
}

static void add_powers(void *data, const char *folder, const char *name)
{
    struct cx_power_record record;
    if (!cx_power_record_read(folder, name, &record))
        return;
    struct json_object *object = json_object_new_object();
    cx_json_add_text(object, "device", record.name);
    cx_json_add_text(object, "place", record.place);
    cx_json_add_text(object, "source", record.kind);
    cx_json_add_number(object, "static_watts", record.powers.fixed);
    cx_json_add_number(object, "static_watts_error", record.powers.error);
    cx_json_add_number(object, "dynamic_watts", record.powers.dynamic);
    cx_json_append(data, object);
}

/* ---- levels ---- */

static bool load_levels(const char *folder, const char *name, struct cx_cut_record *record)
{
    size_t size;
    char *text = cx_disk_cache_load(folder, name, &size);
    const bool is_sound = text && cx_cut_parse(text, size, record);
    free(text);
    return is_sound;
}

/* What launches take at that level, of what they take with devices whole; NaN: not known. */
static double ratio_of(const struct cx_cut_record *record, unsigned level)
{
    double ratio;
    return record->level[level].n && cx_cut_ratio(record, level, 0, &ratio) ? ratio : NAN;
}

static void print_levels(void *data, const char *folder, const char *name)
{
    unsigned *lines = data;
    struct cx_cut_record record;
    if (!load_levels(folder, name, &record))
        return;
    if (!(*lines)++)
        printf("\n%-48s %s\n", "program", "launches' time with CPU devices cut, of that with whole ones");
    printf("%-48s", record.name);
    for (unsigned level = 0; level < CX_CUT_LEVELS; level++) {
        const double ratio = ratio_of(&record, level);
        if (!isnan(ratio))
            printf(" %s %.2f", cx_cut_level_name(level), ratio);
    }
    putchar('\n');
}

static void add_levels(void *data, const char *folder, const char *name)
{
    struct cx_cut_record record;
    if (!load_levels(folder, name, &record))
        return;
    struct json_object *object = json_object_new_object(), *ratios = json_object_new_object();
    cx_json_add_text(object, "program", record.name);
    for (unsigned level = 0; level < CX_CUT_LEVELS; level++) {
        const double ratio = ratio_of(&record, level);
        if (!isnan(ratio))
            cx_json_add_number(ratios, cx_cut_level_name(level), ratio);
    }
    cx_json_add(object, "time_of_whole", ratios);
    cx_json_append(data, object);
}

/* ---- both ---- */

unsigned cx_knowledge_files_print(const char *folder)
{
    unsigned powers = 0, levels = 0;
    each(folder, CX_POWER_RECORD_FILES, print_powers, &powers);
    each(folder, CX_CUT_SEARCH_FILES, print_levels, &levels);
    return powers + levels;
}

void cx_knowledge_files_add(const char *folder, struct json_object *object)
{
    struct json_object *powers = json_object_new_array(), *programs = json_object_new_array();
    each(folder, CX_POWER_RECORD_FILES, add_powers, powers);
    each(folder, CX_CUT_SEARCH_FILES, add_levels, programs);
    cx_json_add(object, "powers", powers);
    cx_json_add(object, "programs", programs);
}

static void drop(void *data, const char *folder, const char *name)
{
    const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;
    (void)unlinkat(directory, name, 0); /* else another process did */
    close(directory);
}

void cx_knowledge_files_forget(const char *folder)
{
    each(folder, CX_POWER_RECORD_FILES, drop, NULL);
    each(folder, CX_CUT_SEARCH_FILES, drop, NULL);
}

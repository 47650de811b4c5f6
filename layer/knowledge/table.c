/* SPDX-License-Identifier: MIT */
/*
 * Tables of profiles. See table.h.
 */
#include "layer/knowledge/table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "coexec-knowledge 1"
enum { LEAST_SLOTS = 64 };

void cx_profile_table_free(struct cx_profile_table *table)
{
    free(table->profile);
    free(table->slot);
    free(table->set);
    memset(table, 0, sizeof(*table));
}

static uint64_t hash_of(const struct cx_profile_key *key)
{
    const unsigned char *byte = (const unsigned char *)key;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof(*key); i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* The key's slot, or the free one that it would get. The table has slots, and a free one. */
static unsigned *slot_of(const struct cx_profile_table *table, const struct cx_profile_key *key)
{
    unsigned at = (unsigned)hash_of(key) & (table->nslots - 1);
    while (table->slot[at] && memcmp(&table->profile[table->slot[at] - 1].key, key, sizeof(*key)) != 0)
        at = (at + 1) & (table->nslots - 1);
    return &table->slot[at];
}

struct cx_profile *cx_profile_table_find(const struct cx_profile_table *table,
                                         const struct cx_profile_key *key)
{
    const unsigned found = table->nslots ? *slot_of(table, key) : 0;
    return found ? &table->profile[found - 1] : NULL;
}

/* Twice the room. False: no memory. */
static bool grow(struct cx_profile_table *table)
{
    const unsigned room = table->room ? 2 * table->room : LEAST_SLOTS / 2;
    struct cx_profile *profile = realloc(table->profile, room * sizeof(*profile));
    if (!profile)
        return false;
    table->profile = profile;
    unsigned *slot = calloc(2 * (size_t)room, sizeof(*slot));
    if (!slot)
        return false;
    free(table->slot);
    table->slot = slot;
    table->nslots = 2 * room;
    table->room = room;
    for (unsigned i = 0; i < table->count; i++)
        *slot_of(table, &table->profile[i].key) = i + 1;
    return true;
}

struct cx_profile *cx_profile_table_make(struct cx_profile_table *table, const struct cx_profile_key *key)
{
    struct cx_profile *profile = cx_profile_table_find(table, key);
    if (profile)
        return profile;
    if (table->count >= CX_TABLE_MOST || (table->count == table->room && !grow(table)))
        return NULL;
    profile = &table->profile[table->count];
    memset(profile, 0, sizeof(*profile));
    profile->key = *key;
    *slot_of(table, key) = ++table->count;
    return profile;
}

/* ---- sets ---- */

/* Where the set stands, or would; CX_TABLE_SETS: there is no room. */
static unsigned find_set(const struct cx_profile_table *table, const unsigned char *hash)
{
    unsigned i = 0;
    while (i < table->nsets && memcmp(table->set[i].hash, hash, CX_PROFILE_HASH) != 0)
        i++;
    return i;
}

void cx_profile_table_tell_set(struct cx_profile_table *table, const unsigned char *hash, const char *text,
                               const double *opening)
{
    const unsigned i = find_set(table, hash);
    if (!table->set)
        table->set = calloc(CX_TABLE_SETS, sizeof(*table->set));
    if (i == CX_TABLE_SETS || !table->set)
        return;
    table->nsets += i == table->nsets;
    memcpy(table->set[i].hash, hash, CX_PROFILE_HASH);
    for (unsigned m = 0; m < CX_PROFILE_DEVICES && opening; m++)
        table->set[i].opening[m] = opening[m] > 0 ? opening[m] : table->set[i].opening[m];
    unsigned length = 0;
    for (; text[length] && text[length] != '\n' && length + 1 < CX_TABLE_SET_TEXT; length++)
        table->set[i].text[length] = text[length] >= ' ' && text[length] <= '~' ? text[length] : '?';
    table->set[i].text[length] = '\0';
}

double cx_profile_table_opening(const struct cx_profile_table *table, const unsigned char *hash,
                                unsigned member)
{
    const unsigned i = find_set(table, hash);
    return i < table->nsets && member < CX_PROFILE_DEVICES ? table->set[i].opening[member] : 0;
}

static bool read_set(struct cx_profile_table *table, const char *line)
{
    unsigned char hash[CX_PROFILE_HASH];
    double opening[CX_PROFILE_DEVICES];
    const char *names = cx_profile_parse_set(line, hash, opening);
    if (names)
        cx_profile_table_tell_set(table, hash, names, opening);
    return names != NULL;
}

/* ---- text ---- */

/* Copies a line without its end; gives what follows. A longer one is cut, and makes no sense then. */
static const char *take_line(const char *at, const char *end, char line[CX_PROFILE_LINE])
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    const size_t length = (size_t)((stop ? stop : end) - at);
    const size_t kept = length < CX_PROFILE_LINE ? length : CX_PROFILE_LINE - 1;
    memcpy(line, at, kept);
    line[kept] = '\0';
    return stop ? stop + 1 : end;
}

/* What lines are read with: too much for the stacks of small threads. */
struct reading {
    char line[CX_PROFILE_LINE];
    struct cx_profile later;
};

static int read_lines(struct cx_profile_table *table, const char *at, const char *end,
                      struct reading *reading)
{
    int count = 0;
    at = take_line(at, end, reading->line);
    if (strcmp(reading->line, FIRST_LINE) != 0)
        return -1;
    while (at < end) {
        at = take_line(at, end, reading->line);
        if (read_set(table, reading->line) || !cx_profile_parse(reading->line, &reading->later))
            continue;
        struct cx_profile *profile = cx_profile_table_make(table, &reading->later.key);
        if (profile)
            cx_profile_merge(profile, &reading->later);
        count += profile != NULL;
    }
    return count;
}

int cx_profile_table_read(struct cx_profile_table *table, const char *text, size_t size)
{
    struct reading *reading = malloc(sizeof(*reading));
    const int count = reading ? read_lines(table, text, text + size, reading) : -1;
    free(reading);
    return count;
}

void cx_profile_table_write(const struct cx_profile_table *table, FILE *out, char line[CX_PROFILE_LINE])
{
    fputs(FIRST_LINE "\n", out);
    for (unsigned i = 0; i < table->nsets; i++) {
        cx_profile_print_set(table->set[i].hash, table->set[i].opening, line);
        fprintf(out, "%s %s\n", line, table->set[i].text);
    }
    for (unsigned i = 0; i < table->count; i++) {
        cx_profile_print(&table->profile[i], line);
        fprintf(out, "%s\n", line);
    }
}

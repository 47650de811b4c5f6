/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; nothing is ever removed. */
#include "layer/analyser/map.h"

#include <stdio.h>
#include <stdlib.h>

static void *give_up(void)
{
    fputs("coexec-analyse: out of memory\n", stderr);
    exit(3);
}

void *cx_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    return memory ? memory : give_up();
}

void *cx_realloc(void *old, size_t count, size_t size)
{
    void *memory = count > SIZE_MAX / size ? NULL : realloc(old, count * size);

    return memory ? memory : give_up();
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;

    return h ^ (h >> 29);
}

static struct cx_map_slot *find(const struct cx_map *map, uint64_t a, uint64_t b)
{
    size_t at = (size_t)mix(a, b) & (map->room - 1);

    while (map->slot[at].used && (map->slot[at].a != a || map->slot[at].b != b)) {
        at = (at + 1) & (map->room - 1);
    }
    return &map->slot[at];
}

static void grow(struct cx_map *map)
{
    struct cx_map old = *map;

    map->room = old.room ? old.room * 2 : 64;
    map->slot = cx_alloc(map->room, sizeof(*map->slot));
    for (size_t i = 0; i < old.room; i++) {
        if (old.slot[i].used) {
            *find(map, old.slot[i].a, old.slot[i].b) = old.slot[i];
        }
    }
    free(old.slot);
}

void cx_map_finish(struct cx_map *map)
{
    free(map->slot);
    *map = (struct cx_map){0};
}

bool cx_map_get(const struct cx_map *map, uint64_t a, uint64_t b, int32_t *value)
{
    const struct cx_map_slot *slot = map->room ? find(map, a, b) : NULL;

    if (!slot || !slot->used) {
        return false;
    }
    *value = slot->value;
    return true;
}

void cx_map_put(struct cx_map *map, uint64_t a, uint64_t b, int32_t value)
{
    struct cx_map_slot *slot;

    if ((map->used + 1) * 2 > map->room) {
        grow(map);
    }
    slot = find(map, a, b);
    map->used += !slot->used;
    *slot = (struct cx_map_slot){a, b, value, true};
}

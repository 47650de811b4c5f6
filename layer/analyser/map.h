/* SPDX-License-Identifier: MIT */
/* A hash map from a pair of pointer-sized keys to a 32-bit number: LLVM values to nodes, blocks to indices.
 */
#ifndef CX_LAYER_ANALYSER_MAP_H
#define CX_LAYER_ANALYSER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cx_map_slot {
    uint64_t a, b;
    int32_t value;
    bool used;
};

struct cx_map {
    struct cx_map_slot *slot;
    size_t used, room; /* room is a power of two or 0 */
};

void cx_map_finish(struct cx_map *map);
/* False where (a, b) is not in the map; then *value is untouched. Called by analyser/. */
bool cx_map_get(const struct cx_map *map, uint64_t a, uint64_t b, int32_t *value);
/* Adds or replaces. Called by analyser/. */
void cx_map_put(struct cx_map *map, uint64_t a, uint64_t b, int32_t value);

/* Allocation for the analyser program, which may give up: these end the process when memory is out. Called
 * by analyser/. */
void *cx_alloc(size_t count, size_t size) __attribute__((returns_nonnull));
void *cx_realloc(void *old, size_t count, size_t size);

#endif

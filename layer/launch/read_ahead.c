/* SPDX-License-Identifier: MIT */
/*
 * What others bring of a read. See read_ahead.h.
 */
#include "layer/launch/read_ahead.h"

#include <stdlib.h>

bool cx_reading_serve(struct cx_reading *reading, uint64_t lo, uint64_t hi)
{
    if (reading->nserved == reading->room) {
        const size_t room = reading->room ? 2 * reading->room : 8;
        struct cx_piece *grown = realloc(reading->served, room * sizeof(*grown));
        if (!grown)
            return false;
        reading->served = grown;
        reading->room = room;
    }
    reading->served[reading->nserved++] = (struct cx_piece){lo, hi};
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct cx_piece *one = a, *other = b;
    return (one->lo > other->lo) - (one->lo < other->lo);
}

struct cx_piece *cx_reading_left(struct cx_reading *reading, size_t *count)
{
    struct cx_piece *left = malloc((reading->nserved + 1) * sizeof(*left));
    uint64_t at = reading->lo;
    *count = 0;
    if (!left)
        return NULL;
    if (reading->nserved)
        qsort(reading->served, reading->nserved, sizeof(*reading->served), by_start);
    for (size_t i = 0; i < reading->nserved; i++) {
        const struct cx_piece *piece = &reading->served[i];
        if (at < piece->lo)
            left[(*count)++] = (struct cx_piece){at, piece->lo};
        at = at > piece->hi ? at : piece->hi;
    }
    if (at < reading->hi)
        left[(*count)++] = (struct cx_piece){at, reading->hi};
    return left;
}

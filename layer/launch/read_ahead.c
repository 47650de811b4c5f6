/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a pending read that write-back delivers. See read_ahead.h.
 */
#include "layer/launch/read_ahead.h"

#include <stdlib.h>

bool cx_read_ahead_deliver(struct cx_pending_read *pending_read, uint64_t lo, uint64_t hi)
{
    if (pending_read->ndelivered == pending_read->room) {
        const size_t room = pending_read->room ? 2 * pending_read->room : 8;
        struct cx_byte_range *grown = realloc(pending_read->delivered, room * sizeof(*grown));
        if (!grown)
            return false;
        pending_read->delivered = grown;
        pending_read->room = room;
    }
    pending_read->delivered[pending_read->ndelivered++] = (struct cx_byte_range){lo, hi};
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct cx_byte_range *one = a, *other = b;
    return (one->lo > other->lo) - (one->lo < other->lo);
}

struct cx_byte_range *cx_read_ahead_left(struct cx_pending_read *pending_read, size_t *count)
{
    struct cx_byte_range *left = malloc((pending_read->ndelivered + 1) * sizeof(*left));
    uint64_t at = pending_read->lo;
    *count = 0;
    if (!left)
        return NULL;
    if (pending_read->ndelivered)
        qsort(pending_read->delivered, pending_read->ndelivered, sizeof(*pending_read->delivered), by_start);
    for (size_t i = 0; i < pending_read->ndelivered; i++) {
        const struct cx_byte_range *range = &pending_read->delivered[i];
        if (at < range->lo)
            left[(*count)++] = (struct cx_byte_range){at, range->lo};
        at = at > range->hi ? at : range->hi;
    }
    if (at < pending_read->hi)
        left[(*count)++] = (struct cx_byte_range){at, pending_read->hi};
    return left;
}

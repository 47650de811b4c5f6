/* SPDX-License-Identifier: MIT */
/*
 * Shared by write_back.c and write_back_slices.c: which results can be written back.
 */
#ifndef CX_LAYER_LAUNCH_WRITE_BACK_INSIDE_H
#define CX_LAYER_LAUNCH_WRITE_BACK_INSIDE_H

#include "layer/launch/write_back.h"
#include "layer/launch/read_ahead.h"

enum { CX_WRITE_BACK_LEAST_BYTES = 64 << 10 /* of a package, for one read */ };

/* Whether packages of the part may be promised at all. Called by write_back_slices.c. */
bool cx_write_back_is_fit(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked);
/* Whether what the worker writes to the root can be written back. Called by write_back_slices.c. */
bool cx_write_back_is_sent(const struct cx_mem *root, const struct cx_access_region *region,
                           const struct cx_worker *worker);
/* Adds to the list what the package wrote through one argument of the bytes that the read wants. Called by
 * write_back_slices.c. */
bool cx_write_back_add_argument(struct cx_transfer_list *transfers,
                                const struct cx_pending_read *pending_read, const struct cx_mem *mem,
                                const struct cx_access_region *region, const struct cx_worker *worker);

#endif

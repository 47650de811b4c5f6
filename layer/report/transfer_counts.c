/* SPDX-License-Identifier: MIT */
/*
 * Bytes by transport. See transfer_counts.h.
 */
#include "layer/report/transfer_counts.h"
#include "layer/report/live.h"

#include <stdatomic.h>

enum { MOST = CX_ROUTES + 4 };

static atomic_uint_fast64_t bytes_by[MOST][2];
static unsigned nroutes = CX_ROUTES;

static const char *names[MOST] = {
    [CX_ROUTE_PINNED] = "host pinned",   [CX_ROUTE_PAGEABLE] = "host pageable",
    [CX_ROUTE_RING] = "staged ring",     [CX_ROUTE_RECT] = "rectangles",
    [CX_ROUTE_IMAGE] = "images",         [CX_ROUTE_MERGE] = "merges",
    [CX_ROUTE_PEER] = "peer copies",     [CX_ROUTE_IN_PLACE] = "in place",
    [CX_ROUTE_HOST] = "within the host",
};

enum cx_route cx_transfer_counts_register(const char *name)
{
    if (nroutes == MOST)
        return CX_ROUTE_PAGEABLE;
    names[nroutes] = name;
    return (enum cx_route)nroutes++;
}

void cx_transfer_counts_add(enum cx_route route, bool in, uint64_t bytes)
{
    atomic_fetch_add_explicit(&bytes_by[route][in], bytes, memory_order_relaxed);
    if (route == CX_ROUTE_PEER)
        cx_live_add(&cx_live->moved[CX_LIVE_BETWEEN], bytes);
    else if (route != CX_ROUTE_IN_PLACE && route != CX_ROUTE_HOST)
        cx_live_add(&cx_live->moved[in ? CX_LIVE_TO_DEVICES : CX_LIVE_FROM_DEVICES], bytes);
}

static uint64_t bytes_of(enum cx_route route, bool in)
{
    return atomic_load_explicit(&bytes_by[route][in], memory_order_relaxed);
}

void cx_transfer_counts_print(FILE *out)
{
    bool any = false;
    for (unsigned r = 0; r < nroutes; r++) {
        const double in = (double)bytes_of(r, true) / 1e6, back = (double)bytes_of(r, false) / 1e6;
        if (!bytes_of(r, true) && !bytes_of(r, false))
            continue;
        if (!any)
            fprintf(out, "  bytes by transport, to devices and from them\n");
        any = true;
        if (r == CX_ROUTE_PEER || r == CX_ROUTE_IN_PLACE || r == CX_ROUTE_HOST)
            fprintf(out, "    %-16s %12.3f MB\n", names[r], in);
        else
            fprintf(out, "    %-16s %12.3f MB %12.3f MB\n", names[r], in, back);
    }
}

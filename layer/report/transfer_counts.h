/* SPDX-License-Identifier: MIT */
/*
 * Counts the bytes transferred on each route in the whole process, printed at the end of COEXEC_SUMMARY's
 * table. Thread-safe; counting is one atomic addition.
 */
#ifndef CX_LAYER_REPORT_TRANSFER_COUNTS_H
#define CX_LAYER_REPORT_TRANSFER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cx_route {
    CX_ROUTE_PINNED,   /* between a device's memory and pinned host copies */
    CX_ROUTE_PAGEABLE, /* between a device's memory and other host memory, by the driver's own means */
    CX_ROUTE_RING,     /* the same through pinned chunks (transport_ring.c) */
    CX_ROUTE_RECT,     /* rows, as rectangles */
    CX_ROUTE_IMAGE,    /* texels, by the driver's reads and writes of images */
    CX_ROUTE_MERGE, /* blocks changed by several devices, and private copies, moved to the host to be combined
                     */
    CX_ROUTE_PEER,  /* from one device's memory to another's (peer.h) */
    CX_ROUTE_IN_PLACE, /* used in place by packages and whole launches, not moved */
    CX_ROUTE_HOST,     /* copied within host memory, between the program's and host copies */
    CX_ROUTES
};

/* Adds a route for a transport that has none of these, with a name that stays valid; called before anything
 * is counted. If there is no room for it, returns CX_ROUTE_PAGEABLE. Called by
 * tests/unit/api/test_transport.c. */
enum cx_route cx_transfer_counts_register(const char *name);

/* Adds bytes to a route. in: towards a device; the last three routes count as `in`. Called by api/, launch/
 * and memory/. */
void cx_transfer_counts_add(enum cx_route route, bool in, uint64_t bytes);
/* Prints a line for each route that was used. Called through a pointer set in api/context.c. */
void cx_transfer_counts_print(FILE *out);

#endif

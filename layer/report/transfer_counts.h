/* SPDX-License-Identifier: MIT */
/*
 * How many bytes went which way, for the whole process: the end of COEXEC_SUMMARY's table. Thread-safe; a
 * count is one atomic addition.
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
    CX_ROUTE_MERGE, /* what several devices changed, and private copies: brought to the host to be combined */
    CX_ROUTE_PEER,  /* from one device's memory to another's (peer.h) */
    CX_ROUTE_IN_PLACE, /* used by packages and whole launches where it lay: moved nowhere */
    CX_ROUTE_HOST,     /* copied within host memory, between the program's and host copies */
    CX_ROUTES
};

/* One more, for a transport that is not among these, with a name that stays valid. Before anything is
 * counted. Where there is no room it is CX_ROUTE_PAGEABLE. */
enum cx_route cx_traffic_register(const char *name);

/* `in`: towards a device (of the last three: all count as in). Called by api/, launch/ and memory/. */
void cx_traffic_add(enum cx_route route, bool in, uint64_t bytes);
/* A line for each way that was gone. Called through a pointer set in api/context.c. */
void cx_traffic_print(FILE *out);

#endif

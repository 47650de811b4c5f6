/* SPDX-License-Identifier: MIT */
/*
 * What the files that measure links share.
 */
#ifndef CX_TOOLS_COEXEC_LINKS_INSIDE_H
#define CX_TOOLS_COEXEC_LINKS_INSIDE_H

#include "layer/memory/pinned_pool.h"
#include "tools/coexec_links.h"

/* A device opened for measuring. */
struct cx_end {
    const struct cx_real_device *device;
    cl_context context;
    cl_command_queue queue;
    cl_mem own, other; /* own memory; for devices in place, two buffers over `pages` and `plain` */
    struct cx_pinned_pool pool;
    struct cx_pages *pages; /* pinned where it can be */
    unsigned char *plain;
};

/* Fills in what peers reach. False: out of memory. */
bool cx_links_measure_peers(struct cx_links *links, const struct cx_end *ends);

#endif

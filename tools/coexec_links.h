/* SPDX-License-Identifier: MIT */
/*
 * The links of a machine, measured: how fast bytes move between host memory and each used device, and from
 * device to device by the way the layer takes.
 */
#ifndef CX_TOOLS_COEXEC_LINKS_H
#define CX_TOOLS_COEXEC_LINKS_H

#include "layer/object/device.h"

/* GB/s, of 10^9 bytes; 0: could not be measured. */
struct cx_host_link {
    double pageable_in, pageable_out; /* plain memory, by the driver's own means */
    double pinned_in, pinned_out;     /* as host copies are once pinned (pool.h) */
    double in_place; /* the device copies host memory where it lies; 0: it does not work in place */
};

struct cx_links {
    unsigned n; /* used devices, in the machine's order */
    size_t bytes;
    struct cx_host_link *host;
    double *
        between; /* n * n, from row to column; 0 on the diagonal and between devices that share host copies */
    bool peers;  /* some reach each other's memory */
    double *peer;             /* n * n: directly; 0 where it is not reached */
    double *queue, *queue_us; /* the same by the destination's OpenCL queue, which sees the other's memory */
    double *peer_us;          /* n * n: microseconds of a copy of 64 KB that is waited for */
};

/* Measures with transfers of so many bytes (less where a device takes less), the best of some. False: out of
 * memory. Finish in either case. */
bool cx_links_measure(struct cx_links *links, const struct cx_machine *machine, size_t bytes);
void cx_links_finish(struct cx_links *links);
/* Prints them as text. */
void cx_links_print(const struct cx_links *links, const struct cx_machine *machine);

#endif

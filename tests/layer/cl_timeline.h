/* SPDX-License-Identifier: MIT */
/*
 * What the stub driver wrote to STUB_TIMELINE: one span a command that is over.
 */
#ifndef CX_TESTS_LAYER_CL_TIMELINE_H
#define CX_TESTS_LAYER_CL_TIMELINE_H

#include <stdbool.h>

struct cl_span {
    unsigned long start, end;   /* ns */
    unsigned long first, count; /* bytes, or work-items */
    unsigned device, queue;
    char what[16]; /* write, read, kernel, other */
};

/* Gives how many there are, `room` at most. */
unsigned cl_spans_read(const char *path, struct cl_span *spans, unsigned room);
bool cl_span_is(const struct cl_span *span, const char *what);
unsigned cl_spans_count(const struct cl_span *spans, unsigned n, const char *what);
/* How many of these began while a kernel of that device ran, on another queue. */
unsigned cl_spans_beside_kernels(const struct cl_span *spans, unsigned n, const char *what);

#endif

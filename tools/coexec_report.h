/* SPDX-License-Identifier: MIT */
/*
 * The inside of `coexec report`: one kind of input, one const table.
 */
#ifndef CX_TOOLS_COEXEC_REPORT_H
#define CX_TOOLS_COEXEC_REPORT_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdio.h>

enum { CX_REPORT_CHARTS = 8 };

/* Charts that a kind of input has, by name; the last one is followed by NULL. */
struct cx_report_kind {
    const char *charts[CX_REPORT_CHARTS + 1];
    /* What was read, or NULL with a message that says why not. `launch`: only that one, 0: all. */
    void *(*load)(const char *file, unsigned long long launch, char *problem, size_t room);
    const char *(*title)(const void *data); /* what came out, in a sentence */
    /* What the page tells before the charts, as HTML: from what the title is, and why. */
    void (*head)(const void *data, FILE *out);
    /* Draws the chart with that number as SVG; draws nothing where the data has none. */
    void (*draw)(const void *data, size_t chart, FILE *out);
    void (*tables)(const void *data, FILE *out);   /* HTML */
    void (*markdown)(const void *data, FILE *out); /* NULL: there is no such form */
    void (*free)(void *data);
};

extern const struct cx_report_kind cx_report_bench, cx_report_power, cx_report_trace;

#endif

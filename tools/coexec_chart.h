/* SPDX-License-Identifier: MIT */
/*
 * Charts as SVG text, for `coexec report`: bars, points over time, timelines. Colours come from the style
 * sheet cx_chart_style, so that one picture serves light and dark pages. Values that are not finite are left
 * out. All text is escaped. Nothing is kept between calls.
 */
#ifndef CX_TOOLS_COEXEC_CHART_H
#define CX_TOOLS_COEXEC_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CX_CHART_COLOURS = 8 };

/* CSS for pages and single pictures. */
extern const char cx_chart_style[];

/* Writes text with what HTML and SVG would take for markup made harmless. */
void cx_chart_text(FILE *out, const char *text);

/* Horizontal bars: one row a group, in it one bar a series. */
struct cx_bars {
    const char *title, *unit;
    const char *const *group;
    size_t ngroups;
    const char *const *series;
    size_t nseries;
    const double *value;   /* [group * nseries + series] */
    const double *mark;    /* one a group: a line across its bars; NULL: none */
    const char *mark_name; /* what the line is */
};
void cx_chart_bars(FILE *out, const struct cx_bars *bars);

/* Points joined by lines, or steps, over a common x axis from 0 on. */
struct cx_points {
    const char *name;
    const double *x, *y;
    size_t count;
};
void cx_chart_points(FILE *out, const char *title, const char *x_unit, const char *y_unit,
                     const struct cx_points *series, size_t nseries, bool lines);

/* Blocks on rows: devices over time. */
struct cx_block {
    size_t row;
    double start, length; /* ms */
    unsigned colour;
    bool thin;      /* a transfer beside the packages */
    char note[160]; /* shown when the pointer is over it */
};
/* name: what the first colours stand for; nnames < CX_CHART_COLOURS. */
void cx_chart_timeline(FILE *out, const char *title, const char *const *row, size_t nrows,
                       const char *const *name, size_t nnames, const struct cx_block *block, size_t nblocks);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Drawing charts as SVG. See coexec_chart.h.
 */
#include "tools/coexec_chart.h"

#include <math.h>
#include <string.h>

/* Drawn for a phone's width: half a desktop's, where two stand side by side. */
enum { WIDTH = 480, RIGHT = 34, TOP = 24, LINE = 14, BAR = 11, GAP = 9 };
enum { LEFT_OF_BARS = 96, LEFT_OF_POINTS = 48, LEFT_OF_BLOCKS = 6 };

const char cx_chart_style[] =
    ":root{--bg:#fff;--fg:#1b1f24;--dim:#667;--grid:#dde;--mark:#b00;"
    "--c0:#2f6fb5;--c1:#d9822b;--c2:#3d9a50;--c3:#a24fb0;--c4:#c43d4b;--c5:#2a9d9d;--c6:#8a7a1f;--c7:#6b6f80}"
    "\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171c;--fg:#e6e8ec;--dim:#99a;--grid:#333a46;--mark:#"
    "ff7b72;"
    "--c0:#6ea8e6;--c1:#f0a860;--c2:#74c883;--c3:#cf8ddb;--c4:#f07f8a;--c5:#66cfcf;--c6:#cdbb5a;--c7:#a4a8b8}"
    "}\n"
    "svg{display:block;width:100%;height:auto;font:11px system-ui,sans-serif}\n"
    "@media(min-width:44rem){svg.wide{font-size:7px}svg.wide .title{font-size:8px}}\n"
    "svg text{fill:var(--fg)}svg .dim{fill:var(--dim)}svg .title{font-size:13px;font-weight:600}\n"
    "svg .grid{stroke:var(--grid);stroke-width:1}svg .mark{stroke:var(--mark);stroke-width:2}\n"
    ".f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}"
    ".f5{fill:var(--c5)}.f6{fill:var(--c6)}.f7{fill:var(--c7)}\n"
    ".s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)"
    "}"
    ".s5{stroke:var(--c5)}.s6{stroke:var(--c6)}.s7{stroke:var(--c7)}\n"
    ".line{fill:none;stroke-width:1.5}\n";

void cx_chart_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            if ((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t')
                fputc(*text, out);
        }
}

/* unit: of the upright axis, or NULL. */
static void open_svg(FILE *out, const char *class, const char *title, const char *unit, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\"%s viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
            class, WIDTH, height);
    cx_chart_text(out, title);
    fputs("\"><text class=\"title\" x=\"4\" y=\"15\">", out);
    cx_chart_text(out, title);
    if (unit) {
        fputs(", ", out);
        cx_chart_text(out, unit);
    }
    fputs("</text>\n", out);
}

static void label(FILE *out, const char *class, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x, y, anchor);
    cx_chart_text(out, text);
    fputs("</text>\n", out);
}

/* The names of the series with their colours, in lines under the title. Returns where the next line would be.
 * out == NULL: only that. */
static double legend(FILE *out, const char *const *name, size_t n, const char *mark)
{
    double x = 4, y = TOP;
    for (size_t i = 0; i < n + (mark != NULL); i++) {
        const char *text = i < n ? name[i] : mark;
        const double width = 24 + 6 * (double)strlen(text);
        if (x > 4 && x + width > WIDTH) {
            x = 4;
            y += LINE;
        }
        if (out && i < n)
            fprintf(out, "<rect class=\"f%zu\" x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\"/>",
                    i % CX_CHART_COLOURS, x, y);
        else if (out)
            fprintf(out, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x + 4,
                    x + 4, y - 1, y + 10);
        if (out)
            label(out, "dim", x + 12, y + 8, "start", text);
        x += width;
    }
    return y + LINE + 6;
}

/* The distance of grid lines: 1, 2 or 5 times a power of ten, about six of them up to `highest`. */
static double step_of(double highest)
{
    double rough = highest > 1e-300 ? highest / 6 : 1, power = pow(10, floor(log10(rough))),
           part = rough / power;
    return power * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
}

static double highest_of(const double *value, size_t n)
{
    double highest = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(value[i]) && value[i] > highest)
            highest = value[i];
    return highest;
}

/* Grid lines from 0 on, also where numbers are too small or too large to tell them apart. */
static unsigned lines_of(double highest, double step)
{
    enum { MOST_LINES = 16 };
    const double lines = step > 0 ? floor(highest * 1.0001 / step) + 1 : 1;
    return lines < MOST_LINES ? (unsigned)lines : MOST_LINES;
}

/* The last line's number has the unit. Each says what part of the axis lies left of it, for who zooms. */
static void x_axis(FILE *out, double left, double highest, double y0, double y1, const char *unit)
{
    const double step = step_of(highest), scale = (WIDTH - left - RIGHT) / (highest > 1e-300 ? highest : 1);
    for (unsigned i = 0, n = lines_of(highest, step); i < n; i++) {
        const double x = left + i * step * scale;
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, y0, y1);
        fprintf(out, "<text class=\"dim tick\" data-f=\"%.4f\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%g",
                i * step / (highest > 1e-300 ? highest : 1), x, y1 + 13, i || left > 20 ? "middle" : "start",
                i * step);
        if (i + 1 == n && *unit) {
            fputs(" ", out);
            cx_chart_text(out, unit);
        }
        fputs("</text>\n", out);
    }
}

void cx_chart_bars(FILE *out, const struct cx_bars *bars)
{
    const double left = LEFT_OF_BARS, row = (double)bars->nseries * BAR + GAP,
                 top0 = legend(NULL, bars->series, bars->nseries, bars->mark ? bars->mark_name : NULL),
                 end = top0 + (double)bars->ngroups * row + 4;
    double highest = fmax(highest_of(bars->value, bars->ngroups * bars->nseries),
                          bars->mark ? highest_of(bars->mark, bars->ngroups) : 0);
    const double scale = (WIDTH - left - RIGHT) / (highest > 1e-300 ? highest : 1);
    open_svg(out, "", bars->title, NULL, end + 22);
    legend(out, bars->series, bars->nseries, bars->mark ? bars->mark_name : NULL);
    x_axis(out, left, highest, top0, end, bars->unit);
    for (size_t g = 0; g < bars->ngroups; g++) {
        const double top = top0 + 4 + (double)g * row;
        label(out, "", left - 6, top + row / 2, "end", bars->group[g]);
        for (size_t s = 0; s < bars->nseries; s++) {
            const double value = bars->value[g * bars->nseries + s];
            if (!isfinite(value))
                continue;
            fprintf(out, "<rect class=\"f%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>",
                    s % CX_CHART_COLOURS, left, top + (double)s * BAR, value * scale, BAR - 1);
            cx_chart_text(out, bars->group[g]);
            fputs(", ", out);
            cx_chart_text(out, bars->series[s]);
            fprintf(out, ": %.4g ", value);
            cx_chart_text(out, bars->unit);
            fputs("</title></rect>", out);
            fprintf(out, "<text class=\"dim\" style=\"font-size:9px\" x=\"%.1f\" y=\"%.1f\">%.3g</text>\n",
                    left + value * scale + 3, top + (double)s * BAR + BAR - 2, value);
        }
        if (bars->mark && isfinite(bars->mark[g]))
            fprintf(out,
                    "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
                    "y2=\"%.1f\"><title>%.4g</title></line>\n",
                    left + bars->mark[g] * scale, left + bars->mark[g] * scale, top - 1, top + row - GAP + 1,
                    bars->mark[g]);
    }
    fputs("</svg>\n", out);
}

void cx_chart_points(FILE *out, const char *title, const char *x_unit, const char *y_unit,
                     const struct cx_points *series, size_t nseries, bool lines)
{
    enum { HEIGHT = 200 };
    const double left = LEFT_OF_POINTS;
    double wide = 0, high = 0;
    const char *name[64] = {NULL};
    for (size_t s = 0; s < nseries && s < 64; s++) {
        wide = fmax(wide, highest_of(series[s].x, series[s].count));
        high = fmax(high, highest_of(series[s].y, series[s].count));
        name[s] = series[s].name;
    }
    const double top = legend(NULL, name, nseries < 64 ? nseries : 64, NULL), bottom = top + HEIGHT,
                 x_scale = (WIDTH - left - RIGHT) / (wide > 1e-300 ? wide : 1),
                 y_scale = HEIGHT / (high > 1e-300 ? high : 1);
    open_svg(out, "", title, y_unit, bottom + 24);
    legend(out, name, nseries < 64 ? nseries : 64, NULL);
    x_axis(out, left, wide, top, bottom, x_unit);
    const double step = step_of(high);
    for (unsigned i = 0, n = lines_of(high, step); i < n; i++) {
        const double at = i * step;
        char text[32];
        snprintf(text, sizeof text, "%g", at);
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", left,
                WIDTH - RIGHT, bottom - at * y_scale, bottom - at * y_scale);
        label(out, "dim", left - 6, bottom - at * y_scale + 4, "end", text);
    }
    for (size_t s = 0; s < nseries; s++) {
        const struct cx_points *points = &series[s];
        if (lines && points->count) {
            fprintf(out, "<polyline class=\"line s%zu\" points=\"", s % CX_CHART_COLOURS);
            for (size_t i = 0; i < points->count; i++)
                if (isfinite(points->x[i]) && isfinite(points->y[i]))
                    fprintf(out, "%.1f,%.1f ", left + points->x[i] * x_scale,
                            bottom - points->y[i] * y_scale);
            fputs("\"/>\n", out);
        }
        for (size_t i = 0; i < points->count; i++)
            if (isfinite(points->x[i]) && isfinite(points->y[i])) {
                fprintf(out, "<circle class=\"f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
                        s % CX_CHART_COLOURS, left + points->x[i] * x_scale, bottom - points->y[i] * y_scale);
                cx_chart_text(out, points->name);
                fprintf(out, ": %.4g %s at %.4g %s</title></circle>\n", points->y[i], y_unit, points->x[i],
                        x_unit);
            }
    }
    fputs("</svg>\n", out);
}

void cx_chart_timeline(FILE *out, const char *title, const char *const *row, size_t nrows,
                       const char *const *name, size_t nnames, const struct cx_block *block, size_t nblocks)
{
    enum { ROW = 30 };
    const double left = LEFT_OF_BLOCKS, over = nnames ? legend(NULL, name, nnames, NULL) : TOP,
                 bottom = over + (double)nrows * ROW;
    double wide = 0;
    for (size_t i = 0; i < nblocks; i++)
        wide = fmax(wide, block[i].start + block[i].length);
    const double scale = (WIDTH - left - RIGHT) / (wide > 1e-300 ? wide : 1);
    open_svg(out, " class=\"wide\"", title, NULL, bottom + 24);
    legend(out, name, nnames, NULL);
    x_axis(out, left, wide, over, bottom, "ms");
    for (size_t r = 0; r < nrows; r++)
        label(out, "", left, over + (double)r * ROW + 11, "start", row[r]);
    fprintf(out, "<g class=\"timeline\" data-left=\"%d\" data-width=\"%d\" data-span=\"%.6f\">\n",
            LEFT_OF_BLOCKS, WIDTH - LEFT_OF_BLOCKS - RIGHT, wide);
    for (size_t i = 0; i < nblocks; i++) {
        const double top = over + (double)block[i].row * ROW + (block[i].thin ? 25 : 14);
        fprintf(out,
                "<rect class=\"f%u\" data-s=\"%.6f\" data-d=\"%.6f\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
                "height=\"%d\"><title>",
                block[i].colour % CX_CHART_COLOURS, block[i].start, block[i].length,
                left + block[i].start * scale, top, fmax(block[i].length * scale, 0.4),
                block[i].thin ? 4 : 10);
        cx_chart_text(out, block[i].note);
        fputs("</title></rect>\n", out);
    }
    fputs("</g></svg>\n", out);
}

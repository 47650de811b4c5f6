/* SPDX-License-Identifier: MIT */
/*
 * The page of what `coexec power --json` wrote: power over time, and the table of sources. What is in the
 * file may come from anywhere: what is not there, or no number, is left out.
 */
#include "layer/power/source.h"
#include "tools/coexec_chart.h"
#include "tools/coexec_json.h"
#include "tools/coexec_report.h"

#include <math.h>
#include <stdlib.h>

struct power {
    struct json_object *root;
    char title[160];
    size_t nsources, npoints;
    char name[CX_POWER_SOURCES][64];
    struct cx_points series[CX_POWER_SOURCES];
    double *values; /* of all series: times, then watts */
};

static double element(struct json_object *array, size_t i)
{
    struct json_object *value = i < cx_json_length(array) ? json_object_array_get_idx(array, i) : NULL;
    return json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int)
               ? json_object_get_double(value)
               : NAN;
}

static struct json_object *nth(struct json_object *array, size_t i)
{
    return i < cx_json_length(array) ? json_object_array_get_idx(array, i) : NULL;
}

/* Two GPUs have one name. */
static void read_series(struct power *power, size_t s, struct json_object *source)
{
    struct json_object *curve = cx_json_typed(power->root, "curve", json_type_object);
    struct json_object *at = cx_json_typed(curve, "seconds", json_type_array),
                       *watts = nth(cx_json_typed(curve, "watts", json_type_array), s);
    double *x = power->values + 2 * s * power->npoints, *y = x + power->npoints;
    snprintf(power->name[s], sizeof power->name[s], "%zu %.56s", s, cx_json_text(source, "name"));
    for (size_t p = 0; p < power->npoints; p++) {
        x[p] = element(at, p);
        y[p] = element(watts, p);
    }
    power->series[s] = (struct cx_points){power->name[s], x, y, power->npoints};
}

static void make_title(struct power *power)
{
    struct json_object *total = cx_json_typed(power->root, "total", json_type_object);
    const double joules = cx_json_number(total, "joules"), edp = cx_json_number(total, "edp"),
                 seconds = cx_json_number(power->root, "seconds");
    if (isfinite(joules) && isfinite(edp))
        snprintf(power->title, sizeof power->title, "%.1f J in %.2f s, energy-delay product %.1f J s", joules,
                 seconds, edp);
    else
        snprintf(power->title, sizeof power->title, "%.2f s: no source has a figure", seconds);
}

static void power_free(void *data)
{
    struct power *power = data;
    json_object_put(power->root);
    free(power->values);
    free(power);
}

static void *power_load(const char *file, unsigned long long launch, char *problem, size_t room)
{
    struct power *power = calloc(1, sizeof *power);
    (void)launch;
    if (!power)
        return NULL;
    power->root = json_object_from_file(file);
    struct json_object *sources = cx_json_typed(power->root, "sources", json_type_array),
                       *curve = cx_json_typed(power->root, "curve", json_type_object);
    power->nsources = cx_json_length(sources) < CX_POWER_SOURCES ? cx_json_length(sources) : CX_POWER_SOURCES;
    power->npoints = cx_json_length(cx_json_typed(curve, "seconds", json_type_array));
    power->values = calloc(2 * power->nsources * power->npoints + 1, sizeof *power->values);
    if (!power->root || !sources || !curve || !power->values) {
        snprintf(problem, room, "not a result of `coexec power`");
        power_free(power);
        return NULL;
    }
    for (size_t s = 0; s < power->nsources; s++)
        read_series(power, s, nth(sources, s));
    make_title(power);
    return power;
}

static const char *power_title(const void *data)
{
    return ((const struct power *)data)->title;
}

static void power_head(const void *data, FILE *out)
{
    const struct power *power = data;
    struct json_object *command = cx_json_typed(power->root, "command", json_type_array);
    fputs("<p>The whole machine while this ran:", out);
    for (size_t i = 0; i < cx_json_length(command); i++) {
        struct json_object *word = nth(command, i);
        fputc(' ', out);
        cx_chart_text(out, json_object_is_type(word, json_type_string) ? json_object_get_string(word) : "");
    }
    fputs("</p>\n", out);
}

static void power_draw(const void *data, size_t chart, FILE *out)
{
    const struct power *power = data;
    (void)chart;
    if (power->nsources && power->npoints)
        cx_chart_points(out, "Power over time", "s", "W", power->series, power->nsources, true);
}

static void put_number(FILE *out, const char *name, double value, int digits)
{
    if (isfinite(value))
        fprintf(out, "<td data-label=\"%s\">%.*f</td>", name, digits, value);
    else
        fprintf(out, "<td data-label=\"%s\" class=\"none\">-</td>", name);
}

static void power_tables(const void *data, FILE *out)
{
    const struct power *power = data;
    struct json_object *sources = cx_json_typed(power->root, "sources", json_type_array);
    fputs("<h2>Sources</h2><table class=\"cards\"><thead><tr><th>source</th><th>seconds</th><th>mean W</th>"
          "<th>J</th><th>at most wrong by, J</th><th>J above idle</th></tr></thead><tbody>\n",
          out);
    for (size_t s = 0; s < power->nsources; s++) {
        struct json_object *source = nth(sources, s);
        fputs("<tr><td>", out);
        cx_chart_text(out, power->name[s]);
        fputs("</td>", out);
        put_number(out, "seconds", cx_json_number(source, "seconds"), 2);
        put_number(out, "mean W", cx_json_number(source, "watts"), 1);
        put_number(out, "J", cx_json_number(source, "joules"), 1);
        put_number(out, "at most wrong by, J", cx_json_number(source, "error"), 1);
        put_number(out, "J above idle", cx_json_number(source, "above_idle"), 1);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

const struct cx_report_kind cx_report_power = {
    .charts = {"power", NULL},
    .load = power_load,
    .title = power_title,
    .head = power_head,
    .draw = power_draw,
    .tables = power_tables,
    .free = power_free,
};

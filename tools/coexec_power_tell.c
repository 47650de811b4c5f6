/* SPDX-License-Identifier: MIT */
/*
 * What `coexec power` tells of a run: a table, JSON, and the curve in it. See coexec_power.h.
 */
#include "tools/coexec_json.h"
#include "tools/coexec_power.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- the curve ---- */

bool cx_power_curve_init(struct cx_power_curve *curve, unsigned sources)
{
    curve->n = 0;
    curve->each = curve->left = 1;
    curve->watts = calloc((size_t)CX_POWER_CURVE * (sources ? sources : 1), sizeof *curve->watts);
    return curve->watts != NULL;
}

/* Each point is then the mean of two. */
static void halve(struct cx_power_curve *curve, unsigned sources)
{
    for (unsigned p = 0; p < CX_POWER_CURVE / 2; p++) {
        const float *one = curve->watts + (size_t)(2 * p) * sources, *other = one + sources;
        float *mean = curve->watts + (size_t)p * sources;
        curve->at[p] = curve->at[2 * p + 1];
        for (unsigned s = 0; s < sources; s++)
            mean[s] = one[s] < 0 ? other[s] : other[s] < 0 ? one[s] : (one[s] + other[s]) / 2;
    }
    curve->n = CX_POWER_CURVE / 2;
    curve->each *= 2;
}

void cx_power_curve_add(struct cx_power_curve *curve, const struct cx_power_meter *meter, double at)
{
    const unsigned sources = meter->sources.n;
    if (curve->n == CX_POWER_CURVE && curve->left == curve->each) {
        halve(curve, sources);
        curve->left = curve->each;
    }
    float *point = curve->watts + (size_t)curve->n * sources;
    const float before = (float)(curve->each - curve->left);
    for (unsigned s = 0; s < sources; s++) {
        const float watts = (float)meter->track[s].watts;
        point[s] = before == 0 || point[s] < 0 ? watts
                   : watts < 0                 ? point[s]
                                               : (point[s] * before + watts) / (before + 1);
    }
    curve->at[curve->n] = at;
    if (--curve->left == 0) {
        curve->n++;
        curve->left = curve->each;
    }
}

/* ---- sums ---- */

double cx_power_above_idle(const struct cx_power_run *run, unsigned source)
{
    const struct cx_power_figure *figure = &run->figure[source], *idle = &run->idle[source];
    if (!run->has_idle || figure->lack != CX_POWER_KNOWN || idle->lack != CX_POWER_KNOWN)
        return NAN;
    return figure->joules - idle->watts * figure->seconds;
}

struct cx_power_total cx_power_total(const struct cx_power_run *run)
{
    struct cx_power_total total = {0};
    for (unsigned i = 0; i < run->meter->sources.n; i++) {
        if (run->figure[i].lack != CX_POWER_KNOWN)
            continue;
        total.known++;
        total.joules += run->figure[i].joules;
        total.error += run->figure[i].error;
        total.watts += run->figure[i].watts;
        total.above += cx_power_above_idle(run, i);
    }
    total.edp = total.joules * run->seconds;
    return total;
}

/* ---- the table ---- */

static void print_row(const struct cx_power_run *run, unsigned i, FILE *out)
{
    const struct cx_power_figure *figure = &run->figure[i];
    const double above = cx_power_above_idle(run, i);
    fprintf(out, "  %-32.32s %9.2f ", run->meter->sources.source[i].name, figure->seconds);
    if (figure->lack != CX_POWER_KNOWN) {
        fprintf(out, "%s\n", cx_power_lack_text(figure->lack));
        return;
    }
    fprintf(out, "%9.1f %12.1f %9.1f", figure->watts, figure->joules, figure->error);
    if (isfinite(above))
        fprintf(out, " %14.1f", above);
    fputc('\n', out);
}

void cx_power_print(const struct cx_power_run *run, FILE *out)
{
    const unsigned n = run->meter->sources.n;
    const struct cx_power_total total = cx_power_total(run);
    fprintf(out, "coexec power: %.2f s\n  %-32s %9s %9s %12s %9s%s\n", run->seconds, "source", "seconds",
            "mean W", "J", "+- J", run->has_idle ? "   J above idle" : "");
    for (unsigned i = 0; i < n; i++)
        print_row(run, i, out);
    if (total.known == 0) {
        fputs("  no source has a figure; the longer a program runs, the better it is\n", out);
        return;
    }
    fprintf(out, "  %-32s %9s %9.1f %12.1f %9.1f", "total", "", total.watts, total.joules, total.error);
    if (run->has_idle && isfinite(total.above))
        fprintf(out, " %14.1f", total.above);
    fprintf(out, "\n  energy-delay product %.1f J s", total.edp);
    if (total.known < n)
        fprintf(out, "; %u of %u sources have a figure", total.known, n);
    fprintf(out, "; measuring took %.2f %% of a core\n",
            run->seconds > 0 ? 100 * run->sampling / run->seconds : 0);
}

/* ---- JSON ---- */

static void add_figure(struct json_object *to, const struct cx_power_figure *figure)
{
    const bool known = figure->lack == CX_POWER_KNOWN;
    cx_json_add_number(to, "seconds", figure->seconds);
    cx_json_add_number(to, "watts", known ? figure->watts : NAN);
    cx_json_add_number(to, "joules", known ? figure->joules : NAN);
    cx_json_add_number(to, "error", known ? figure->error : NAN);
    if (!known)
        cx_json_add_text(to, "lacks", cx_power_lack_text(figure->lack));
}

static struct json_object *source_object(const struct cx_power_run *run, unsigned i)
{
    const struct cx_power_source *source = &run->meter->sources.source[i];
    struct json_object *object = json_object_new_object();
    cx_json_add_text(object, "name", source->name);
    cx_json_add_text(object, "kind", source->kind->name);
    cx_json_add_text(object, "part", source->part == CX_POWER_PACKAGE ? "package" : "device");
    cx_json_add_text(object, "pci", *source->pci ? source->pci : NULL);
    add_figure(object, &run->figure[i]);
    if (run->has_idle) {
        struct json_object *idle = json_object_new_object();
        add_figure(idle, &run->idle[i]);
        cx_json_add(object, "idle", idle);
        cx_json_add_number(object, "above_idle", cx_power_above_idle(run, i));
    }
    return object;
}

/* {"seconds": [...], "watts": [[of the first source, ...], ...]} */
static struct json_object *curve_object(const struct cx_power_run *run)
{
    struct json_object *object = json_object_new_object(), *at = json_object_new_array(),
                       *watts = json_object_new_array();
    const unsigned sources = run->meter->sources.n;
    for (unsigned p = 0; p < run->curve->n; p++)
        cx_json_append(at, json_object_new_double(run->curve->at[p]));
    for (unsigned s = 0; s < sources; s++) {
        struct json_object *of = json_object_new_array();
        for (unsigned p = 0; p < run->curve->n; p++) {
            const float value = run->curve->watts[(size_t)p * sources + s];
            cx_json_append(of, value < 0 ? NULL : json_object_new_double((double)value));
        }
        cx_json_append(watts, of);
    }
    cx_json_add(object, "seconds", at);
    cx_json_add(object, "watts", watts);
    return object;
}

static struct json_object *run_object(const struct cx_power_run *run)
{
    struct json_object *object = json_object_new_object(), *command = json_object_new_array(),
                       *sources = json_object_new_array(), *notes = json_object_new_array(),
                       *sum = json_object_new_object();
    const struct cx_power_total total = cx_power_total(run);
    for (char **word = run->command; *word; word++)
        cx_json_append_text(command, *word);
    for (unsigned i = 0; i < run->meter->sources.n; i++)
        cx_json_append(sources, source_object(run, i));
    for (unsigned i = 0; i < run->meter->sources.nnotes; i++)
        cx_json_append_text(notes, run->meter->sources.note[i]);
    cx_json_add_count(sum, "sources", total.known);
    cx_json_add_number(sum, "watts", total.known ? total.watts : NAN);
    cx_json_add_number(sum, "joules", total.known ? total.joules : NAN);
    cx_json_add_number(sum, "error", total.known ? total.error : NAN);
    cx_json_add_number(sum, "above_idle", run->has_idle && total.known ? total.above : NAN);
    cx_json_add_number(sum, "edp", total.known ? total.edp : NAN);
    cx_json_add(object, "command", command);
    cx_json_add_count(object, "status", (uint64_t)run->status);
    cx_json_add_number(object, "seconds", run->seconds);
    cx_json_add_number(object, "period", run->period);
    cx_json_add_number(object, "sampling_seconds", run->sampling);
    cx_json_add(object, "sources", sources);
    cx_json_add(object, "total", sum);
    cx_json_add(object, "notes", notes);
    cx_json_add(object, "curve", curve_object(run));
    return object;
}

bool cx_power_write_json(const struct cx_power_run *run, const char *file)
{
    struct json_object *object = run_object(run);
    FILE *out = fopen(file, "we");
    bool ok = out && fprintf(out, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN)) > 0;
    if (out && fclose(out) != 0)
        ok = false;
    json_object_put(object);
    return ok;
}

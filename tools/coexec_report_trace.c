/* SPDX-License-Identifier: MIT */
/*
 * The timeline of a trace (layer/report/trace.h), and sizes and speeds of its packages over time as in
 * the Sigmoid paper's figures 1 to 3. The file is read line by line, so that one that is still written, or
 * was cut short, serves as far as it goes.
 */
#include "tools/coexec_chart.h"
#include "tools/coexec_json.h"
#include "tools/coexec_report.h"
#include "tools/coexec_report_launches.h"
#include "layer/report/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 128, MAX_KERNELS = 64, MAX_SOURCES = 16 };
static const size_t most_blocks = 20000; /* in one picture; more would not be seen */

enum { TIMELINE, SIZES, SPEEDS, POWER };

struct event {
    unsigned row, kernel;
    bool package;
    bool thin;            /* transfers and merges, drawn below packages */
    double start, length; /* ms; from the first on */
    double groups, bytes;
    unsigned long long launch;
};

/* What one power source told (COEXEC_POWER). */
struct watts {
    char name[96];
    size_t n, room;
    double *at, *value; /* ms, watts */
};

struct trace {
    char kernel[MAX_KERNELS][96];
    struct {
        unsigned number; /* in the file */
        bool used;       /* has events */
        char name[96];
    } row[MAX_ROWS];
    const char *row_name[MAX_ROWS];
    unsigned nrows, nkernels;
    struct event *event;
    size_t n, room, skipped;
    struct watts watts[MAX_SOURCES];
    unsigned nsources;
    struct cx_report_launches *launches;
    char program[96], title[160];
};

static unsigned kernel_of(struct trace *trace, const char *name)
{
    unsigned k = 0;
    while (k < trace->nkernels && strncmp(trace->kernel[k], name, sizeof trace->kernel[k] - 1) != 0)
        k++;
    if (k == trace->nkernels && k < MAX_KERNELS)
        snprintf(trace->kernel[trace->nkernels++], sizeof trace->kernel[k], "%s", name);
    return k < MAX_KERNELS ? k : MAX_KERNELS - 1;
}

/* The row of that number, one for all of its lanes; MAX_ROWS: there is no room. */
static unsigned row_of(struct trace *trace, int number)
{
    unsigned r = 0;
    if (number < 0)
        return MAX_ROWS;
    while (r < trace->nrows && trace->row[r].number != (unsigned)number % CX_TRACE_LANE)
        r++;
    if (r == trace->nrows && r < MAX_ROWS) {
        trace->row[r].number = (unsigned)number % CX_TRACE_LANE;
        snprintf(trace->row[r].name, sizeof trace->row[r].name, "row %u", trace->row[r].number);
        trace->nrows++;
    }
    return r;
}

/* Numbers that sums and differences of leave finite. */
static bool is_time(double ms)
{
    return isfinite(ms) && fabs(ms) < 1e18;
}

static bool add_event(struct trace *trace, struct json_object *object, unsigned long long launch)
{
    struct json_object *args = cx_json_get(object, "args"), *row = cx_json_get(object, "tid");
    if (trace->n == trace->room) {
        size_t room = trace->room ? 2 * trace->room : 256;
        struct event *grown = realloc(trace->event, room * sizeof *grown);
        if (!grown)
            return false;
        trace->event = grown;
        trace->room = room;
    }
    const char *category = cx_json_text(object, "cat");
    if (strcmp(category, "plan") == 0) /* a moment */
        return true;
    struct event event = {.package = strcmp(category, "package") == 0,
                          .thin = strcmp(category, "transfer") == 0 || strcmp(category, "merge") == 0,
                          .start = json_object_get_double(cx_json_get(object, "ts")) / 1e3,
                          .length = json_object_get_double(cx_json_get(object, "dur")) / 1e3,
                          .groups = json_object_get_double(cx_json_get(args, "groups")),
                          .bytes = cx_json_number(args, "bytes"),
                          .launch = json_object_get_uint64(cx_json_get(args, "launch"))};
    if (!row || (launch && event.launch != launch))
        return true;
    if (strcmp(category, "launch") == 0) { /* for the table: its packages are in the picture */
        trace->skipped += !cx_report_launches_add(trace->launches, object);
        return true;
    }
    if (!is_time(event.start) || !is_time(event.length) || event.length < 0 || !is_time(event.groups)) {
        trace->skipped++;
        return true;
    }
    event.row = row_of(trace, json_object_get_int(row));
    event.kernel = kernel_of(trace, cx_json_text(object, "name"));
    if (event.row == MAX_ROWS) {
        trace->skipped++;
        return true;
    }
    trace->row[event.row].used = true;
    trace->event[trace->n++] = event;
    return true;
}

/* Numbers of a counter's sample. False: no memory. */
static bool add_watts(struct watts *source, double at, double value)
{
    if (source->n == source->room) {
        const size_t room = source->room ? 2 * source->room : 256;
        double *times = realloc(source->at, room * sizeof *times);
        source->at = times ? times : source->at;
        double *values = realloc(source->value, room * sizeof *values);
        source->value = values ? values : source->value;
        if (!times || !values)
            return false;
        source->room = room;
    }
    source->at[source->n] = at;
    source->value[source->n++] = value;
    return true;
}

static bool add_sample(struct trace *trace, struct json_object *object)
{
    const double at = cx_json_number(object, "ts") / 1e3;
    struct json_object *args = cx_json_typed(object, "args", json_type_object);
    if (!args || !is_time(at))
        return true;
    json_object_object_foreach(args, name, unused)
    {
        const double value = cx_json_number(args, name);
        unsigned s = 0;
        (void)unused;
        while (s < trace->nsources &&
               strncmp(trace->watts[s].name, name, sizeof trace->watts[s].name - 1) != 0)
            s++;
        if (s == MAX_SOURCES || !(value >= 0))
            continue;
        if (s == trace->nsources)
            snprintf(trace->watts[trace->nsources++].name, sizeof trace->watts[s].name, "%s", name);
        if (!add_watts(&trace->watts[s], at, value))
            return false;
    }
    return true;
}

static bool read_line(struct trace *trace, char *line, unsigned long long launch)
{
    size_t length = strcspn(line, "\r\n");
    while (length && (line[length - 1] == ',' || line[length - 1] == ' '))
        length--;
    line[length] = '\0';
    if (!length || strcmp(line, "[") == 0 || strcmp(line, "]") == 0)
        return true;
    struct json_object *object = json_tokener_parse(line);
    bool ok = true;
    if (!object || !json_object_is_type(object, json_type_object)) {
        trace->skipped++;
    } else if (strcmp(cx_json_text(object, "ph"), "X") == 0) {
        ok = add_event(trace, object, launch);
    } else if (strcmp(cx_json_text(object, "ph"), "C") == 0) {
        ok = strcmp(cx_json_text(object, "name"), "watts") != 0 || add_sample(trace, object);
    } else if (strcmp(cx_json_text(object, "name"), "process_name") == 0) {
        snprintf(trace->program, sizeof trace->program, "%s",
                 cx_json_text(cx_json_get(object, "args"), "name"));
    } else if (strcmp(cx_json_text(object, "name"), "thread_name") == 0) {
        const int number = json_object_get_int(cx_json_get(object, "tid"));
        const unsigned row = number < CX_TRACE_LANE ? row_of(trace, number) : MAX_ROWS;
        if (row < MAX_ROWS)
            snprintf(trace->row[row].name, sizeof trace->row[row].name, "%s",
                     cx_json_text(cx_json_get(object, "args"), "name"));
    }
    json_object_put(object);
    return ok;
}

static void trace_free(void *data)
{
    struct trace *trace = data;
    if (trace) {
        cx_report_launches_destroy(trace->launches);
        for (unsigned s = 0; s < trace->nsources; s++) {
            free(trace->watts[s].at);
            free(trace->watts[s].value);
        }
        free(trace->event);
    }
    free(trace);
}

/* Times from the first event on; no rows without events, in the order of their numbers. */
static void tidy(struct trace *trace)
{
    double first = INFINITY;
    unsigned place[MAX_ROWS] = {0}, used = 0;
    for (unsigned r = 0; r < trace->nrows; r++) {
        place[r] = 0;
        for (unsigned o = 0; o < trace->nrows; o++)
            place[r] += trace->row[o].used && trace->row[o].number < trace->row[r].number;
        if (trace->row[r].used) {
            trace->row_name[place[r]] = trace->row[r].name;
            used++;
        }
    }
    trace->nrows = used;
    for (size_t i = 0; i < trace->n; i++)
        trace->event[i].row = place[trace->event[i].row];
    for (size_t i = 0; i < trace->n; i++)
        first = fmin(first, trace->event[i].start);
    for (size_t i = 0; i < trace->n; i++)
        trace->event[i].start -= first;
    for (unsigned s = 0; s < trace->nsources; s++)
        for (size_t i = 0; i < trace->watts[s].n; i++)
            trace->watts[s].at[i] = fmax(trace->watts[s].at[i] - first, 0);
    if (!cx_report_launches_headline(trace->launches, trace->title, sizeof trace->title))
        snprintf(trace->title, sizeof trace->title, "coexec trace: %zu packages and transfers", trace->n);
}

static void *trace_load(const char *file, unsigned long long launch, char *problem, size_t room)
{
    struct trace *trace = calloc(1, sizeof *trace);
    FILE *in = trace ? fopen(file, "re") : NULL;
    char *line = NULL;
    size_t length = 0;
    bool ok = in && (trace->launches = cx_report_launches_create());
    while (ok && getline(&line, &length, in) > 0)
        ok = read_line(trace, line, launch);
    free(line);
    if (in)
        fclose(in);
    if (!ok || !trace || trace->n == 0) {
        snprintf(problem, room,
                 launch ? "no package of launch %llu in this trace"
                        : "no packages or transfers in this trace",
                 launch);
        trace_free(trace);
        return NULL;
    }
    if (trace->skipped)
        snprintf(problem, room, "%zu line%s cannot be read and left out; was the trace cut short?",
                 trace->skipped, trace->skipped == 1 ? "" : "s");
    tidy(trace);
    return trace;
}

static const char *trace_title(const void *data)
{
    return ((const struct trace *)data)->title;
}

static void trace_head(const void *data, FILE *out)
{
    const struct trace *trace = data;
    if (*trace->program) {
        fputs("<p class=\"dim\">program: ", out);
        cx_chart_text(out, trace->program);
        fputs("</p>\n", out);
    }
    cx_report_launches_table(trace->launches, out);
}

/* The kernels' colours; those beyond share the last one, What is no package is grey. */
static size_t choose_colours(const struct trace *trace, size_t n, unsigned colour[MAX_KERNELS],
                             const char *name[CX_CHART_COLOURS - 1])
{
    enum { COLOURS = CX_CHART_COLOURS - 1 };
    size_t found = 0;
    bool known[MAX_KERNELS] = {false};
    for (size_t i = 0; i < n; i++) {
        const unsigned kernel = trace->event[i].kernel;
        if (!trace->event[i].package || known[kernel])
            continue;
        known[kernel] = true;
        colour[kernel] = found < COLOURS ? (unsigned)found : COLOURS - 1;
        name[colour[kernel]] = found < COLOURS ? trace->kernel[kernel] : "other kernels";
        found++;
    }
    return found < COLOURS ? found : COLOURS;
}

static void draw_timeline(const struct trace *trace, FILE *out)
{
    size_t n = trace->n < most_blocks ? trace->n : most_blocks;
    unsigned colour[MAX_KERNELS] = {0};
    const char *name[CX_CHART_COLOURS - 1];
    const size_t nnames = choose_colours(trace, n, colour, name);
    struct cx_block *block = calloc(n + 1, sizeof *block);
    for (size_t i = 0; block && i < n; i++) {
        const struct event *event = &trace->event[i];
        block[i] = (struct cx_block){.row = event->row,
                                     .start = event->start,
                                     .length = event->length,
                                     .colour = event->package ? colour[event->kernel] : CX_CHART_COLOURS - 1,
                                     .thin = event->thin};
        if (event->package)
            snprintf(block[i].note, sizeof block[i].note,
                     "%.60s: %.0f groups, %.3f ms at %.3f ms, launch %llu", trace->kernel[event->kernel],
                     event->groups, event->length, event->start, event->launch);
        else if (event->bytes >= 0)
            snprintf(block[i].note, sizeof block[i].note, "%.60s: %.3f MB, %.3f ms at %.3f ms",
                     trace->kernel[event->kernel], event->bytes * 1e-6, event->length, event->start);
        else
            snprintf(block[i].note, sizeof block[i].note, "%.60s: %.3f ms at %.3f ms",
                     trace->kernel[event->kernel], event->length, event->start);
    }
    if (block)
        cx_chart_timeline(out, n < trace->n ? "Timeline (the first 20,000 blocks)" : "Timeline",
                          trace->row_name, trace->nrows, name, nnames, block, n);
    free(block);
}

static void draw_power(const struct trace *trace, FILE *out)
{
    struct cx_points series[MAX_SOURCES];
    for (unsigned s = 0; s < trace->nsources; s++)
        series[s] = (struct cx_points){trace->watts[s].name, trace->watts[s].at, trace->watts[s].value,
                                       trace->watts[s].n};
    if (trace->nsources)
        cx_chart_points(out, "Power over time", "ms", "W", series, trace->nsources, true);
}

static void trace_draw(const void *data, size_t chart, FILE *out)
{
    const struct trace *trace = data;
    if (chart == POWER) {
        draw_power(trace, out);
        return;
    }
    struct cx_points series[MAX_ROWS];
    double *x = calloc(2 * trace->n + 1, sizeof *x), *y = x ? x + trace->n : NULL;
    size_t n = 0, at = 0;
    if (chart == TIMELINE || !x) {
        draw_timeline(trace, out);
        free(x);
        return;
    }
    for (unsigned r = 0; r < trace->nrows; r++) {
        size_t first = at;
        for (size_t i = 0; i < trace->n && i < most_blocks; i++) {
            const struct event *event = &trace->event[i];
            if (event->row != r || !event->package || !(event->length > 0))
                continue;
            x[at] = event->start;
            y[at++] = chart == SIZES ? event->groups : event->groups / event->length;
        }
        if (at > first)
            series[n++] = (struct cx_points){trace->row_name[r], x + first, y + first, at - first};
    }
    if (n)
        cx_chart_points(out, chart == SIZES ? "Package sizes over time" : "Speeds of packages over time",
                        "ms", chart == SIZES ? "groups" : "groups/ms", series, n, false);
    free(x);
}

/* Narrow screens show each row as a list of names and values, without zeros. */
static void put_number(FILE *out, const char *name, double value, int digits)
{
    fprintf(out, "<td data-label=\"%s\"%s>%.*f</td>", name, value > 0 ? "" : " class=\"none\"", digits,
            value);
}

static void trace_tables(const void *data, FILE *out)
{
    const struct trace *trace = data;
    fputs("<h2>Rows of the timeline</h2><table class=\"cards\"><thead><tr><th>row</th><th>packages</th>"
          "<th>groups</th><th>busy ms</th><th>transfers</th><th>MB moved</th><th>ms moving</th></tr></thead>"
          "<tbody>\n",
          out);
    for (unsigned r = 0; r < trace->nrows; r++) {
        size_t packages = 0, transfers = 0;
        double groups = 0, busy = 0, moving = 0, bytes = 0;
        for (size_t i = 0; i < trace->n; i++) {
            const struct event *event = &trace->event[i];
            if (event->row != r)
                continue;
            packages += event->package;
            transfers += event->thin;
            groups += event->package ? event->groups : 0;
            bytes += event->bytes >= 0 ? event->bytes : 0;
            *(event->thin ? &moving : &busy) += event->length;
        }
        fputs("<tr><td>", out);
        cx_chart_text(out, trace->row_name[r]);
        fputs("</td>", out);
        put_number(out, "packages", (double)packages, 0);
        put_number(out, "groups", groups, 0);
        put_number(out, "busy ms", busy, 3);
        put_number(out, "transfers", (double)transfers, 0);
        put_number(out, "MB moved", bytes * 1e-6, 3);
        put_number(out, "ms moving", moving, 3);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

const struct cx_report_kind cx_report_trace = {
    .charts = {"timeline", "sizes", "speeds", "power", NULL},
    .load = trace_load,
    .title = trace_title,
    .head = trace_head,
    .draw = trace_draw,
    .tables = trace_tables,
    .free = trace_free,
};

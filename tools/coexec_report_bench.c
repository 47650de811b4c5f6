/* SPDX-License-Identifier: MIT */
/*
 * The charts and tables of a bench's JSON: those of the papers.
 */
#include "tools/coexec_bench.h"
#include "tools/coexec_chart.h"
#include "tools/coexec_json.h"
#include "tools/coexec_report.h"
#include "tools/coexec_report_markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WAYS = 32 };

enum { SPEEDUP, EFFICIENCY, BALANCE, PACKAGES, ENERGY, EDP, NATIVE, VALUES, SCALING = VALUES };

struct bench {
    struct json_object *root, *programs;
    size_t n;
    const char **name;
    unsigned nways; /* sets of devices and balancers that occur */
    char way[MAX_WAYS][96];
    const char *way_name[MAX_WAYS];
    double *value[VALUES]; /* [program * nways + way] */
    double *maximum;       /* one a program: the highest of its ways */
    char title[160];
};

/* Set and balancer; the set is left out where there is only one ("all"). */
static void way_of(struct json_object *row, char *text, size_t room)
{
    const char *set = cx_json_text(row, "set");
    snprintf(text, room, "%s%s%s", strcmp(set, "all") ? set : "", strcmp(set, "all") ? ", " : "",
             cx_json_text(row, "algo"));
}

static unsigned find_way(struct bench *bench, struct json_object *row)
{
    char text[96];
    unsigned w = 0;
    way_of(row, text, sizeof text);
    while (w < bench->nways && strcmp(bench->way[w], text) != 0)
        w++;
    if (w == bench->nways && w < MAX_WAYS) {
        memcpy(bench->way[w], text, sizeof text);
        bench->way_name[w] = bench->way[w];
        bench->nways++;
    }
    return w;
}

static void fill(struct bench *bench, size_t p, unsigned w, struct json_object *row)
{
    const size_t at = p * bench->nways + w;
    bench->value[SPEEDUP][at] = cx_json_number(row, "speedup");
    bench->value[EFFICIENCY][at] = cx_json_number(row, "efficiency");
    bench->value[BALANCE][at] = cx_report_mean(row, "balance", NULL);
    bench->value[PACKAGES][at] = cx_report_mean(row, "packages", "launches");
    bench->value[ENERGY][at] = cx_json_number(row, "energy_over_alone");
    bench->value[EDP][at] = cx_json_number(row, "edp_over_alone");
    bench->value[NATIVE][at] = cx_json_number(row, "over_native");
    bench->maximum[p] = fmax(bench->maximum[p], cx_json_number(row, "maximum"));
}

/* Calls for each row through coexec. */
static void for_rows(struct bench *bench,
                     void (*each)(struct bench *, size_t, unsigned, struct json_object *))
{
    for (size_t p = 0; p < bench->n; p++) {
        struct json_object *rows = cx_json_get(json_object_array_get_idx(bench->programs, p), "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++) {
            struct json_object *row = json_object_array_get_idx(rows, i);
            unsigned w = *cx_json_text(row, "algo") ? find_way(bench, row) : MAX_WAYS;
            if (w < MAX_WAYS && each)
                each(bench, p, w, row);
        }
    }
}

static void bench_free(void *data)
{
    struct bench *bench = data;
    if (!bench)
        return;
    json_object_put(bench->root);
    free(bench->name);
    for (unsigned i = 0; i < VALUES; i++)
        free(bench->value[i]);
    free(bench->maximum);
    free(bench);
}

/* Geometric mean over the programs of a kind (0: irregular, 1: regular, 2: all, 3: compute-bound, long
 * alone); NAN: none has a value. */
static double mean_of(const struct bench *bench, unsigned value, unsigned way, unsigned kind)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t p = 0; p < bench->n; p++) {
        const double one = bench->value[value][p * bench->nways + way];
        struct json_object *program = json_object_array_get_idx(bench->programs, p);
        const bool regular = json_object_get_boolean(cx_json_get(program, "regular"));
        if (one > 0 && (kind == 3 ? cx_report_is_long(program) : kind == 2 || kind == regular)) {
            sum += log(one);
            n++;
        }
    }
    return n ? exp(sum / n) : NAN;
}

/* Of the devices and balancer that a user would have: the last of "auto", or else the last. */
static void make_title(struct bench *bench)
{
    unsigned way = bench->nways;
    for (unsigned w = 0; w < bench->nways; w++) {
        const size_t length = strlen(bench->way[w]);
        if (length >= 4 && strcmp(bench->way[w] + length - 4, "auto") == 0)
            way = w;
    }
    way = way == bench->nways && way ? way - 1 : way;
    const double speedup = way < bench->nways ? mean_of(bench, SPEEDUP, way, 2) : NAN;
    unsigned n = 0;
    for (size_t p = 0; p < bench->n && way < bench->nways; p++)
        n += bench->value[SPEEDUP][p * bench->nways + way] > 0;
    if (n)
        snprintf(bench->title, sizeof bench->title,
                 "%.2fx as fast as the fastest device alone (%.60s; geometric mean of %u program%s)", speedup,
                 bench->way[way], n, n > 1 ? "s" : "");
    else
        snprintf(bench->title, sizeof bench->title, "coexec bench, preset %.20s, %.40s",
                 cx_json_text(bench->root, "preset"), cx_json_text(bench->root, "date"));
}

static void *bench_load(const char *file, unsigned long long launch, char *problem, size_t room)
{
    struct bench *bench = calloc(1, sizeof *bench);
    (void)launch;
    if (!bench)
        return NULL;
    bench->root = json_object_from_file(file);
    bench->programs = bench->root ? cx_json_get(bench->root, "programs") : NULL;
    if (!bench->root || !cx_json_get(bench->root, "coexec_bench") ||
        !json_object_is_type(bench->programs, json_type_array)) {
        snprintf(problem, room, "no result of `coexec bench`, or not all of one");
        bench_free(bench);
        return NULL;
    }
    bench->n = json_object_array_length(bench->programs);
    bench->name = calloc(bench->n + 1, sizeof *bench->name);
    for_rows(bench, NULL);
    bool ok = bench->name != NULL;
    for (unsigned i = 0; i < VALUES; i++)
        ok &= (bench->value[i] = malloc((bench->n * bench->nways + 1) * sizeof(double))) != NULL;
    ok &= (bench->maximum = malloc((bench->n + 1) * sizeof(double))) != NULL;
    if (!ok) {
        bench_free(bench);
        return NULL;
    }
    for (size_t i = 0; i < bench->n * bench->nways; i++)
        for (unsigned c = 0; c < VALUES; c++)
            bench->value[c][i] = NAN;
    for (size_t p = 0; p < bench->n; p++) {
        bench->name[p] = cx_json_text(json_object_array_get_idx(bench->programs, p), "name");
        bench->maximum[p] = NAN;
    }
    for_rows(bench, fill);
    make_title(bench);
    return bench;
}

static const char *bench_title(const void *data)
{
    return ((const struct bench *)data)->title;
}

/* Efficiency against the number of devices: geometric means over the programs, from sets named "N devices".
 */
static void draw_scaling(const struct bench *bench, FILE *out)
{
    struct cx_points series[MAX_WAYS];
    static const unsigned most = 64;
    double x[MAX_WAYS][64], y[MAX_WAYS][64];
    size_t count[MAX_WAYS] = {0}, n = 0;
    const char *algo[MAX_WAYS];
    for (unsigned w = 0; w < bench->nways; w++) {
        char *end;
        unsigned long devices = strtoul(bench->way[w], &end, 10);
        const char *comma = strstr(end, ", ");
        double sum = 0;
        unsigned programs = 0;
        if (end == bench->way[w] || strncmp(end, " device", 7) != 0 || !comma)
            continue;
        for (size_t p = 0; p < bench->n; p++)
            if (bench->value[EFFICIENCY][p * bench->nways + w] > 0) {
                sum += log(bench->value[EFFICIENCY][p * bench->nways + w]);
                programs++;
            }
        size_t s = 0;
        while (s < n && strcmp(algo[s], comma + 2) != 0)
            s++;
        if (s == n)
            algo[n++] = comma + 2;
        if (!programs || count[s] == most)
            continue;
        x[s][count[s]] = (double)devices;
        y[s][count[s]++] = exp(sum / programs);
    }
    for (size_t s = 0; s < n; s++)
        series[s] = (struct cx_points){algo[s], x[s], y[s], count[s]};
    if (n)
        cx_chart_points(out, "Efficiency against devices (geometric means)", "devices", "efficiency", series,
                        n, true);
}

/* Only the programs and ways that have a split by hand to compare with. */
static void draw_native(const struct bench *bench, FILE *out)
{
    const char **name = calloc(bench->n + 1, sizeof *name), *way_name[MAX_WAYS];
    double *value = calloc(bench->n * bench->nways + 1, sizeof *value);
    double *one = calloc(bench->n + 1, sizeof *one);
    unsigned ways[MAX_WAYS], nways = 0;
    size_t n = 0;
    for (unsigned w = 0; w < bench->nways; w++)
        for (size_t p = 0; p < bench->n; p++)
            if (bench->value[NATIVE][p * bench->nways + w] > 0) {
                way_name[nways] = bench->way_name[w];
                ways[nways++] = w;
                break;
            }
    for (size_t p = 0; p < bench->n && name && value && one; p++) {
        bool any = false;
        for (unsigned w = 0; w < nways; w++) {
            value[n * nways + w] = bench->value[NATIVE][p * bench->nways + ways[w]];
            any |= value[n * nways + w] > 0;
        }
        name[n] = bench->name[p];
        one[n] = 1;
        n += any;
    }
    const struct cx_bars bars = {.title = "Speed over the program's own split by hand",
                                 .unit = "times",
                                 .group = name,
                                 .ngroups = n,
                                 .series = way_name,
                                 .nseries = nways,
                                 .value = value,
                                 .mark = one,
                                 .mark_name = "by hand"};
    if (n)
        cx_chart_bars(out, &bars);
    free(name);
    free(value);
    free(one);
}

static void bench_draw(const void *data, size_t chart, FILE *out)
{
    static const char *const title[] = {
        "Speedup over the fastest device alone",
        "Efficiency (speedup over its maximum)",
        "Load balance (first finisher over last)",
        "Packages a launch",
        "Energy over the fastest device alone, the others idle",
        "Energy-delay product over the fastest device alone, the others idle"};
    const struct bench *bench = data;
    if (chart >= NATIVE) {
        (chart == NATIVE ? draw_native : draw_scaling)(bench, out);
        return;
    }
    bool any = false;
    for (size_t i = 0; i < bench->n * bench->nways; i++)
        any |= isfinite(bench->value[chart][i]);
    if (!any)
        return;
    const struct cx_bars bars = {.title = title[chart],
                                 .unit = chart == SPEEDUP ? "times" : "",
                                 .group = bench->name,
                                 .ngroups = bench->n,
                                 .series = bench->way_name,
                                 .nseries = bench->nways,
                                 .value = bench->value[chart],
                                 .mark = chart == SPEEDUP ? bench->maximum : NULL,
                                 .mark_name = "maximum"};
    cx_chart_bars(out, &bars);
}

/* name: narrow screens show each row as a list of names and values, without those that have none. */
static void labelled_cell(FILE *out, const char *name, double value, int digits)
{
    char text[40];
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f", digits, value);
    fprintf(out, "<td data-label=\"%s\"%s>%s</td>", name, isfinite(value) ? "" : " class=\"none\"",
            isfinite(value) ? text : "-");
}

static void cell(FILE *out, double value, int digits)
{
    char text[40];
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f", digits, value);
    fprintf(out, "<td>%s</td>", isfinite(value) ? text : "-");
}

static void means(const struct bench *bench, FILE *out)
{
    fprintf(out,
            "<h2>Geometric means</h2><table class=\"cards\"><thead><tr><th>devices, balancer</th>"
            "<th>efficiency, regular</th><th>irregular</th><th>all</th>"
            "<th>compute-bound, over %.0f ms alone</th><th>speedup</th><th>balance</th>"
            "<th>over native</th></tr></thead><tbody>\n",
            CX_BENCH_LONG_MS);
    for (unsigned w = 0; w < bench->nways; w++) {
        fputs("<tr><td>", out);
        cx_chart_text(out, bench->way_name[w]);
        fputs("</td>", out);
        labelled_cell(out, "efficiency, regular programs", mean_of(bench, EFFICIENCY, w, 1), 3);
        labelled_cell(out, "irregular ones", mean_of(bench, EFFICIENCY, w, 0), 3);
        labelled_cell(out, "all", mean_of(bench, EFFICIENCY, w, 2), 3);
        labelled_cell(out, "compute-bound, long", mean_of(bench, EFFICIENCY, w, 3), 3);
        labelled_cell(out, "speedup", mean_of(bench, SPEEDUP, w, 2), 3);
        labelled_cell(out, "balance", mean_of(bench, BALANCE, w, 2), 3);
        labelled_cell(out, "over native", mean_of(bench, NATIVE, w, 2), 3);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static bool same_set(const char *way, const char *other)
{
    const char *end = strrchr(way, ','), *other_end = strrchr(other, ',');
    const size_t length = end ? (size_t)(end - way) : 0;
    return length == (other_end ? (size_t)(other_end - other) : 0) && strncmp(way, other, length) == 0;
}

/* Whether no other way on the same devices is faster; with one way alone none wins. */
static bool wins(const struct bench *bench, size_t p, unsigned way)
{
    const double *speedup = bench->value[SPEEDUP] + p * bench->nways;
    unsigned others = 0;
    for (unsigned w = 0; w < bench->nways; w++) {
        if (w == way || !(speedup[w] > 0) || !same_set(bench->way[w], bench->way[way]))
            continue;
        if (speedup[w] > speedup[way])
            return false;
        others++;
    }
    return others && speedup[way] > 0;
}

/* Which balancer is the fastest where. */
static void winners(const struct bench *bench, FILE *out)
{
    bool any = false;
    for (unsigned w = 0; w < bench->nways; w++) {
        unsigned n = 0;
        for (size_t p = 0; p < bench->n; p++) {
            if (!wins(bench, p, w))
                continue;
            if (!any)
                fputs("<h2>Fastest balancer</h2><ul>\n", out);
            any = true;
            fputs(n ? ", " : "<li>", out);
            if (!n++) {
                cx_chart_text(out, bench->way_name[w]);
                fputs(": ", out);
            }
            cx_chart_text(out, bench->name[p]);
        }
        if (n)
            fprintf(out, " (%u)</li>\n", n);
    }
    if (any)
        fputs("</ul>\n", out);
}

/* Why the row's runs failed, the first reason; NULL: none did. */
static const char *problem_of(struct json_object *row)
{
    struct json_object *runs = cx_json_get(row, "runs");
    for (size_t i = 0; i < cx_json_length(runs); i++) {
        struct json_object *run = json_object_array_get_idx(runs, i);
        if (!json_object_get_boolean(cx_json_get(run, "ok")) && !cx_json_count(run, "too_slow_s", 0))
            return cx_json_text(run, "problem");
    }
    return NULL;
}

static bool any_failed(const struct bench *bench)
{
    for (size_t p = 0; p < bench->n; p++) {
        struct json_object *rows = cx_json_get(json_object_array_get_idx(bench->programs, p), "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++)
            if (problem_of(json_object_array_get_idx(rows, i)))
                return true;
    }
    return false;
}

/* Program, devices and balancer of a row, with texts before, between and behind. */
static void put_names(const char *program, struct json_object *row, const char *const between[4], FILE *out)
{
    const char *const names[] = {program, cx_json_text(row, "set"),
                                 *cx_json_text(row, "algo") ? cx_json_text(row, "algo") : "bare"};
    for (unsigned i = 0; i < 3; i++) {
        fputs(between[i], out);
        cx_chart_text(out, names[i]);
    }
    fputs(between[3], out);
}

/* Calls for each row, through coexec or not. */
static void for_all_rows(const struct bench *bench, FILE *out,
                         void (*put)(const char *program, struct json_object *row, FILE *out))
{
    for (size_t p = 0; p < bench->n; p++) {
        struct json_object *rows = cx_json_get(json_object_array_get_idx(bench->programs, p), "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++)
            put(bench->name[p], json_object_array_get_idx(rows, i), out);
    }
}

static void put_failure(const char *program, struct json_object *row, FILE *out)
{
    static const char *const between[] = {"<li>", ", devices ", ", ", ": "};
    if (!problem_of(row))
        return;
    put_names(program, row, between, out);
    cx_chart_text(out, problem_of(row));
    fputs("</li>\n", out);
}

static void put_row(const char *program, struct json_object *row, FILE *out)
{
    static const char *const between[] = {"<tr><td>", "</td><td>", "</td><td>", "</td>"};
    put_names(program, row, between, out);
    if (cx_report_too_slow(row))
        fprintf(out, "<td>over %llu s</td>", (unsigned long long)cx_report_too_slow(row));
    else
        cell(out, cx_json_number(row, "ms") > 0 ? cx_json_number(row, "ms") : NAN, 3);
    if (cx_report_is_doubtful(row))
        fprintf(out, "<td>%.3f&nbsp;?</td>", cx_json_number(row, "speedup"));
    else
        cell(out, cx_json_number(row, "speedup"), 3);
    cell(out, cx_json_number(row, "maximum"), 3);
    cell(out, cx_json_number(row, "efficiency"), 3);
    cell(out, cx_report_mean(row, "balance", NULL), 3);
    cell(out, cx_report_mean(row, "packages", "launches"), 1);
    cell(out, cx_report_mean(row, "moved_mb", NULL), 1);
    cell(out, cx_json_number(row, "over_native"), 3);
    cell(out, cx_report_mean(row, "build_ms", NULL), 0);
    cell(out, cx_report_mean(row, "first_ms", NULL), 0);
    fputs("</tr>\n", out);
}

static bool any_doubtful(const struct bench *bench)
{
    for (size_t p = 0; p < bench->n; p++) {
        struct json_object *rows = cx_json_get(json_object_array_get_idx(bench->programs, p), "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++)
            if (cx_report_is_doubtful(json_object_array_get_idx(rows, i)))
                return true;
    }
    return false;
}

static void bench_head(const void *data, FILE *out)
{
    const struct bench *bench = data;
    struct json_object *machine = cx_json_get(bench->root, "machine");
    const double load = cx_json_number(machine, "load_before"), cores = cx_json_number(machine, "cores");
    fputs("<p class=\"dim\">preset ", out);
    cx_chart_text(out, cx_json_text(bench->root, "preset"));
    fputs(", ", out);
    cx_chart_text(out, cx_json_text(bench->root, "date"));
    fputs("</p>\n", out);
    if (load > CX_BENCH_BUSY * cores)
        fprintf(out,
                "<p class=\"warn\">The machine was busy before the first run (load %.1f on %.0f cores): "
                "times are not "
                "right.</p>\n",
                load, cores);
    if (any_doubtful(bench))
        fputs("<p class=\"warn\">A speedup with ? is more than the devices' own times allow. Either these "
              "were too "
              "long (other work on the machine), or the program gains in another way, such as by pinned "
              "memory or "
              "caches.</p>\n",
              out);
    means(bench, out);
}

static void bench_tables(const void *data, FILE *out)
{
    const struct bench *bench = data;
    struct json_object *machine = cx_json_get(bench->root, "machine"),
                       *devices = cx_json_get(machine, "devices");
    winners(bench, out);
    fputs("<h2>Measured</h2><div "
          "class=\"scroll\"><table><thead><tr><th>program</th><th>devices</th><th>balancer</th>"
          "<th>ms</th><th>speedup</th><th>maximum</th><th>efficiency</th><th>balance</th><th>packages a "
          "launch</th>"
          "<th>moved MB</th><th>over native</th><th>build ms</th><th>first run ms</th></tr></thead><tbody>\n",
          out);
    for_all_rows(bench, out, put_row);
    fputs("</tbody></table></div>\n", out);
    if (any_failed(bench)) {
        fputs("<h2>Failed runs</h2><ul>", out);
        for_all_rows(bench, out, put_failure);
        fputs("</ul>\n", out);
    }
    fputs("<h2>Machine</h2><div "
          "class=\"scroll\"><table><thead><tr><th>device</th><th>name</th>"
          "<th class=\"text\">platform</th></tr></thead><tbody>\n",
          out);
    for (size_t d = 0; d < cx_json_length(devices); d++) {
        struct json_object *device = json_object_array_get_idx(devices, d);
        fputs("<tr><td>", out);
        cx_chart_text(out, cx_json_text(device, "index"));
        fputs("</td><td>", out);
        cx_chart_text(out, cx_json_text(device, "name"));
        fputs("</td><td class=\"text\">", out);
        cx_chart_text(out, cx_json_text(device, "platform_version"));
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void bench_markdown(const void *data, FILE *out)
{
    cx_report_markdown(((const struct bench *)data)->root, out);
}

const struct cx_report_kind cx_report_bench = {
    .charts = {"speedup", "efficiency", "balance", "packages", "energy", "edp", "native", "scaling", NULL},
    .load = bench_load,
    .title = bench_title,
    .head = bench_head,
    .draw = bench_draw,
    .tables = bench_tables,
    .markdown = bench_markdown,
    .free = bench_free,
};

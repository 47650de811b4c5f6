/* SPDX-License-Identifier: MIT */
/*
 * Launches of a trace, by kernel. See coexec_report_launches.h.
 */
#include "tools/coexec_report_launches.h"
#include "tools/coexec_chart.h"
#include "tools/coexec_json.h"
#include "layer/report/gain.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 256, MAX_DEVICES = 64, MAX_REASONS = 8 };

struct kernel {
    char name[96];
    size_t launches, split;
    double ms, split_ms;
    struct cx_gain_device gain[MAX_DEVICES];
    struct {
        char text[320];
        size_t launches;
    } reason[MAX_REASONS];
    size_t other_reasons;
};

struct cx_report_launches {
    struct kernel *kernel; /* the last one stands for all that have no room */
    size_t n;
    bool share_cores;
};

struct cx_report_launches *cx_report_launches_create(void)
{
    struct cx_report_launches *launches = calloc(1, sizeof *launches);
    if (launches && !(launches->kernel = calloc(MAX_KERNELS, sizeof *launches->kernel))) {
        free(launches);
        return NULL;
    }
    return launches;
}

void cx_report_launches_destroy(struct cx_report_launches *launches)
{
    if (launches)
        free(launches->kernel);
    free(launches);
}

static struct kernel *kernel_of(struct cx_report_launches *launches, const char *name)
{
    size_t k = 0;
    while (k < launches->n &&
           strncmp(launches->kernel[k].name, name, sizeof launches->kernel[k].name - 1) != 0)
        k++;
    if (k == MAX_KERNELS) {
        snprintf(launches->kernel[k - 1].name, sizeof launches->kernel[k - 1].name, "others");
        return &launches->kernel[k - 1];
    }
    if (k == launches->n)
        snprintf(launches->kernel[launches->n++].name, sizeof launches->kernel[k].name, "%s", name);
    return &launches->kernel[k];
}

static void add_reason(struct kernel *kernel, struct json_object *args)
{
    char text[sizeof kernel->reason[0].text];
    snprintf(text, sizeof text, "%s%s", cx_json_text(args, "reason"), cx_json_text(args, "where"));
    for (size_t i = 0; i < MAX_REASONS; i++) {
        if (!kernel->reason[i].launches)
            memcpy(kernel->reason[i].text, text, sizeof text);
        if (strcmp(kernel->reason[i].text, text) == 0) {
            kernel->reason[i].launches++;
            return;
        }
    }
    kernel->other_reasons++;
}

static bool is_amount(double value)
{
    return value >= 0 && value < 1e12;
}

bool cx_report_launches_add(struct cx_report_launches *launches, struct json_object *event)
{
    struct json_object *args = cx_json_get(event, "args"), *units = cx_json_get(args, "cpu_units"),
                       *devices = cx_json_get(args, "devices"), *groups = cx_json_get(args, "groups"),
                       *ms = cx_json_get(args, "ms");
    const size_t n = cx_json_length(devices);
    const double length = cx_json_number(event, "dur") / 1e3;
    const bool split = n > 1;
    if (!n || cx_json_length(groups) != n || cx_json_length(ms) != n || !is_amount(length))
        return false;
    struct kernel *kernel = kernel_of(launches, cx_json_text(event, "name"));
    for (size_t i = 0; i < n; i++) {
        const double device = json_object_get_double(json_object_array_get_idx(devices, i));
        const double done = json_object_get_double(json_object_array_get_idx(groups, i));
        const double took = json_object_get_double(json_object_array_get_idx(ms, i));
        if (!(device >= 0 && device < MAX_DEVICES) || !is_amount(done) || !is_amount(took))
            continue;
        struct cx_gain_device *gain = &kernel->gain[(size_t)device];
        *(split ? &gain->split_groups : &gain->whole_groups) += (uint64_t)done;
        *(split ? &gain->split_ns : &gain->whole_ns) += (uint64_t)(took * 1e6);
        gain->cpu_units = i < cx_json_length(units)
                              ? (unsigned)json_object_get_int(json_object_array_get_idx(units, i))
                              : 0;
    }
    kernel->launches++;
    kernel->ms += length;
    if (split) {
        kernel->split++;
        kernel->split_ms += length;
        launches->share_cores |= json_object_get_boolean(cx_json_get(args, "share_cores"));
    } else {
        add_reason(kernel, args);
    }
    return true;
}

static double alone_ms(const struct kernel *kernel)
{
    return cx_gain_alone_ns(kernel->gain, MAX_DEVICES, (uint64_t)(kernel->ms * 1e6),
                            (uint64_t)(kernel->split_ms * 1e6)) /
           1e6;
}

bool cx_report_launches_headline(const struct cx_report_launches *launches, char *text, size_t room)
{
    size_t count = 0, split = 0;
    double alone = 0, ms = 0;
    for (size_t k = 0; k < launches->n; k++) {
        count += launches->kernel[k].launches;
        split += launches->kernel[k].split;
        alone += alone_ms(&launches->kernel[k]);
        ms += launches->kernel[k].ms;
    }
    if (split && ms > 0)
        snprintf(text, room,
                 "%.2fx as fast as the fastest device alone (estimate%s); %zu of %zu launches split",
                 alone / ms, launches->share_cores ? "; devices share cores" : "", split, count);
    else
        snprintf(text, room, "None of %zu launches split, all ran whole", count);
    return count > 0;
}

static void put_shares(const struct kernel *kernel, FILE *out)
{
    double all = 0;
    const char *between = "";
    for (size_t d = 0; d < MAX_DEVICES; d++)
        all += (double)(kernel->gain[d].split_groups + kernel->gain[d].whole_groups);
    for (size_t d = 0; d < MAX_DEVICES; d++) {
        const double groups = (double)(kernel->gain[d].split_groups + kernel->gain[d].whole_groups);
        if (!(groups > 0))
            continue;
        fprintf(out, "%sdevice&nbsp;%zu:&nbsp;%.1f&nbsp;%%", between, d, 100 * groups / all);
        between = ", ";
    }
}

static void put_reasons(const struct kernel *kernel, FILE *out)
{
    const char *between = "";
    for (size_t i = 0; i < MAX_REASONS && kernel->reason[i].launches; i++) {
        fprintf(out, "%s%zu&times;&nbsp;", between, kernel->reason[i].launches);
        cx_chart_text(out, kernel->reason[i].text);
        between = "<br>";
    }
    if (kernel->other_reasons)
        fprintf(out, "%s%zu&times; other reasons", between, kernel->other_reasons);
    else if (!kernel->reason[0].launches)
        fputs("none did", out);
}

void cx_report_launches_table(const struct cx_report_launches *launches, FILE *out)
{
    if (!launches->n)
        return;
    fputs("<h2>Kernels</h2><table class=\"cards\"><thead><tr><th>kernel</th><th>launches</th><th>split</th>"
          "<th>ms</th><th>times as fast</th><th class=\"text\">share of the work</th><th class=\"text\">why "
          "some ran whole</th></tr></thead>"
          "<tbody>\n",
          out);
    for (size_t k = 0; k < launches->n; k++) {
        const struct kernel *kernel = &launches->kernel[k];
        fputs("<tr><td>", out);
        cx_chart_text(out, kernel->name);
        fprintf(out,
                "</td><td data-label=\"launches\">%zu</td><td data-label=\"split\">%zu</td>"
                "<td data-label=\"ms\">%.3f</td><td data-label=\"times as fast\">",
                kernel->launches, kernel->split, kernel->ms);
        if (kernel->split && kernel->ms > 0)
            fprintf(out, "%.2f", alone_ms(kernel) / kernel->ms);
        else
            fputs("-", out);
        fputs("</td><td data-label=\"share of the work\" class=\"text\">", out);
        put_shares(kernel, out);
        fputs("</td><td data-label=\"why some ran whole\" class=\"text\">", out);
        put_reasons(kernel, out);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

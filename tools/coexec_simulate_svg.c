/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --svg FILE`: each device's speed and package size over time, as in the Sigmoid paper's
 * figures 1 to 3.
 */
#include "tools/coexec_simulate.h"
#include "tools/coexec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 900, PANEL = 260, LEFT = 80, TOP = 40, GAP = 60, RIGHT = 20 };

void cx_simulate_note(void *data, const struct cx_sim_package *package)
{
    struct cx_simulate_log *log = data;
    if (log->count == log->room) {
        size_t room = log->room ? 2 * log->room : 256;
        struct cx_sim_package *grown = realloc(log->packages, room * sizeof *grown);
        if (!grown)
            return; /* the picture lacks it */
        log->packages = grown;
        log->room = room;
    }
    log->packages[log->count++] = *package;
}

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};

static double value_of(const struct cx_sim_package *package, bool speed)
{
    double seconds = package->end - package->start;
    return speed ? (seconds > 0 ? (double)package->groups / seconds : 0) : (double)package->groups;
}

static void draw_axes(FILE *file, double top, const char *title, double highest, double last)
{
    fprintf(file, "<rect x=\"%d\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
            LEFT, top, WIDTH - LEFT - RIGHT, PANEL);
    fprintf(file, "<text x=\"%d\" y=\"%g\">%s</text>\n", LEFT, top - 8, title);
    for (unsigned i = 0; i <= 4; i++) {
        double y = top + PANEL - PANEL * i / 4.0, x = LEFT + (WIDTH - LEFT - RIGHT) * i / 4.0;
        fprintf(file, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%.3g</text>\n", LEFT - 6, y + 4,
                highest * i / 4);
        fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%.3g s</text>\n", x, top + PANEL + 16.0,
                last * i / 4);
    }
}

static void draw_panel(FILE *file, const struct cx_simulate_log *log, unsigned ndevices, double top,
                       bool speed)
{
    double highest = 0, last = 0;
    for (size_t i = 0; i < log->count; i++) {
        if (!isfinite(log->packages[i].end))
            continue;
        highest = fmax(highest, value_of(&log->packages[i], speed));
        last = fmax(last, log->packages[i].end);
    }
    if (!(highest > 0) || !(last > 0))
        return;
    draw_axes(file, top, speed ? "speed, work-groups/s" : "package size, work-groups", highest, last);
    for (unsigned d = 0; d < ndevices; d++) {
        fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colours[d % 7]);
        bool begun = false;
        for (size_t i = 0; i < log->count; i++) {
            const struct cx_sim_package *package = &log->packages[i];
            if (package->device != d || !isfinite(package->end))
                continue;
            double scale = (WIDTH - LEFT - RIGHT) / last;
            double y = top + PANEL - PANEL * value_of(package, speed) / highest;
            fprintf(file, "%c%.2f %.2fH%.2f", begun ? 'L' : 'M', LEFT + package->start * scale, y,
                    LEFT + package->end * scale);
            begun = true;
        }
        fputs("\"/>\n", file);
    }
}

int cx_simulate_svg(const char *path, const char *policy, const struct cx_simulate_log *log,
                    unsigned ndevices)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return cx_tool_error("simulate", "%s: %s", path, strerror(errno));
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, TOP + 2 * PANEL + GAP + 40);
    fprintf(file, "<text x=\"%d\" y=\"16\" font-weight=\"bold\">%s</text>\n", LEFT, policy);
    for (unsigned d = 0; d < ndevices && d < 16; d++)
        fprintf(file, "<text x=\"%d\" y=\"16\" fill=\"%s\">device %u</text>\n", LEFT + 120 + 70 * (int)d,
                colours[d % 7], d);
    draw_panel(file, log, ndevices, TOP, true);
    draw_panel(file, log, ndevices, TOP + PANEL + GAP, false);
    fputs("</svg>\n", file);
    bool bad = ferror(file);
    bad |= fclose(file) != 0;
    return bad ? cx_tool_error("simulate", "%s cannot be written", path) : CX_EXIT_OK;
}

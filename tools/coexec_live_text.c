/* SPDX-License-Identifier: MIT */
/*
 * What `coexec top` writes about processes: text and JSON. See coexec_live.h.
 */
#include "tools/coexec_live.h"
#include "tools/coexec_json.h"

#include <math.h>
#include <string.h>

enum { FIELD = 24, KERNELS_SHOWN = 12 };

const char *cx_live_clean(const char *text, char clean[CX_LIVE_TEXT])
{
    unsigned i = 0;
    for (; i < CX_LIVE_TEXT - 1 && text[i]; i++)
        clean[i] = (char)(text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
    clean[i] = '\0';
    return clean;
}

/* A number with a prefix, in four digits or fewer: "1.23 G". */
static const char *short_number(double number, char text[FIELD])
{
    static const char prefixes[][3] = {"", " k", " M", " G", " T", " P", " E"};
    unsigned p = 0;
    if (!isfinite(number)) {
        snprintf(text, FIELD, "-");
        return text;
    }
    for (; number >= 999.5 && p < 6; p++)
        number /= 1000;
    const int decimals = number >= 99.95 || (p == 0 && number == floor(number)) ? 0 : number >= 9.995 ? 1 : 2;
    snprintf(text, FIELD, "%.*f%s", decimals, number, prefixes[p]);
    return text;
}

static const char *bytes_rate(double bytes, char text[FIELD])
{
    char number[FIELD];
    const char *plain = short_number(bytes, number);
    snprintf(text, FIELD, isfinite(bytes) ? "%s%sB/s" : "%s", plain, strchr(plain, ' ') ? "" : " ");
    return text;
}

static const char *percent(double part, char text[FIELD])
{
    snprintf(text, FIELD, isfinite(part) ? "%.0f %%" : "-", 100 * part);
    return text;
}

static const char *times(double factor, char text[FIELD])
{
    snprintf(text, FIELD, isfinite(factor) ? "%.2fx" : "-", factor);
    return text;
}

static const char *clock_time(double seconds, char text[FIELD])
{
    const unsigned all = seconds > 0 && seconds < 1e9 ? (unsigned)seconds : 0;
    snprintf(text, FIELD, "%u:%02u:%02u", all / 3600, all / 60 % 60, all % 60);
    return text;
}

static void print_head(FILE *out, const struct cx_live_process *process, const struct cx_live_view *view,
                       bool bold)
{
    char text[4][FIELD], name[2][CX_LIVE_TEXT];
    fprintf(out, "%s%s%s (pid %ld): balancer %s, running for %s\n", bold ? "\033[1m" : "",
            cx_live_clean(process->program, name[0]), bold ? "\033[0m" : "", (long)process->pid,
            cx_live_clean(process->page->balancer, name[1]), clock_time(view->seconds, text[0]));
    if (view->split)
        fprintf(out, "%s as fast as the fastest device alone (estimate); %s in the last %.0f s\n",
                times(view->speedup, text[0]), times(view->speedup_now, text[1]), ceil(view->window - 0.5));
    else
        fprintf(out, "nothing was split so far\n");
    fprintf(out, "launches   %s/s, %s of them split; %llu in all, %llu split; %llu under way\n",
            short_number(view->launches_rate, text[0]), percent(view->split_part, text[1]),
            (unsigned long long)view->launches, (unsigned long long)view->split,
            (unsigned long long)view->under_way);
    fprintf(out, "transfers  %s to devices, %s from them, %s between them\n",
            bytes_rate(view->moved[CX_LIVE_TO_DEVICES], text[0]),
            bytes_rate(view->moved[CX_LIVE_FROM_DEVICES], text[1]),
            bytes_rate(view->moved[CX_LIVE_BETWEEN], text[2]));
    fprintf(out, "kernel     %s\n", *view->kernel ? cx_live_clean(view->kernel, name[0]) : "-");
}

static void print_devices(FILE *out, const struct cx_live_process *process, const struct cx_live_view *view,
                          bool bold)
{
    char text[3][FIELD], name[CX_LIVE_TEXT];
    fprintf(out, "\n%s%-40s %7s %7s %14s%s\n", bold ? "\033[7m" : "", "DEVICE", "WORK", "BUSY",
            "WORK-ITEMS/S", bold ? "\033[0m" : "");
    for (unsigned d = 0; d < view->ndevices; d++) {
        if (!*process->page->device[d].name)
            continue;
        fprintf(out, "%-2u %-37.37s %7s %7s %14s\n", d, cx_live_clean(process->page->device[d].name, name),
                percent(view->work[d], text[0]), percent(view->busy[d], text[1]),
                short_number(view->items[d], text[2]));
    }
}

/* The kernel with most of the time, or of the launches where no time is known, of those not shown yet. */
static unsigned next_kernel(const struct cx_live_view *view, const struct cx_live_sample *last,
                            const bool shown[CX_LIVE_KERNELS])
{
    unsigned best = CX_LIVE_KERNELS;
    for (unsigned k = 0; k < view->nkernels; k++) {
        if (shown[k] || !last->kernel[k].over)
            continue;
        if (best == CX_LIVE_KERNELS || last->kernel[k].span_ns > last->kernel[best].span_ns ||
            (last->kernel[k].span_ns == last->kernel[best].span_ns &&
             last->kernel[k].over > last->kernel[best].over))
            best = k;
    }
    return best;
}

static void print_kernels(FILE *out, const struct cx_live_process *process, const struct cx_live_view *view,
                          bool bold)
{
    char text[4][FIELD], name[CX_LIVE_TEXT];
    bool shown[CX_LIVE_KERNELS] = {false};
    fprintf(out, "\n%s%-40s %7s %7s %7s %11s%s\n", bold ? "\033[7m" : "", "KERNEL", "TIME", "SPLIT", "FASTER",
            "LAUNCHES/S", bold ? "\033[0m" : "");
    for (unsigned row = 0; row < KERNELS_SHOWN; row++) {
        const unsigned k = next_kernel(view, &process->sample[process->last], shown);
        if (k == CX_LIVE_KERNELS)
            break;
        shown[k] = true;
        fprintf(out, "%-40.40s %7s %7s %7s %11s\n", cx_live_clean(process->page->kernel[k].name, name),
                percent(view->kernel_part[k], text[0]), percent(view->kernel_split[k], text[1]),
                times(view->kernel_faster[k], text[2]), short_number(view->kernel_rate[k], text[3]));
    }
}

void cx_live_print(FILE *out, const struct cx_live_process *process, bool bold)
{
    struct cx_live_view view;
    cx_live_look(process, &view);
    print_head(out, process, &view, bold);
    print_devices(out, process, &view, bold);
    print_kernels(out, process, &view, bold);
}

void cx_live_print_table(FILE *out, const struct cx_live_processes *all, bool bold)
{
    fprintf(out, "%s%8s %-16s %7s %11s %6s %11s %11s  %-20s%s\n", bold ? "\033[7m" : "", "PID", "PROGRAM",
            "FASTER", "LAUNCHES/S", "SPLIT", "TO DEVICES", "FROM THEM", "KERNEL", bold ? "\033[0m" : "");
    for (unsigned i = 0; i < all->n; i++) {
        char text[5][FIELD], name[2][CX_LIVE_TEXT];
        struct cx_live_view view;
        cx_live_look(all->of[i], &view);
        fprintf(out, "%8ld %-16.16s %7s %11s %6s %11s %11s  %s\n", (long)all->of[i]->pid,
                cx_live_clean(all->of[i]->program, name[0]), times(view.speedup, text[0]),
                short_number(view.launches_rate, text[1]), percent(view.split_part, text[2]),
                bytes_rate(view.moved[CX_LIVE_TO_DEVICES], text[3]),
                bytes_rate(view.moved[CX_LIVE_FROM_DEVICES], text[4]),
                *view.kernel ? cx_live_clean(view.kernel, name[1]) : "-");
    }
    if (!all->n)
        fputs("no process uses coexec now\n", out);
}

void cx_live_print_line(FILE *out, const struct cx_live_process *process)
{
    char text[3][FIELD], name[CX_LIVE_TEXT];
    struct cx_live_view view;
    cx_live_look(process, &view);
    fprintf(out, "coexec %s as fast, %s launches/s, %s split |", times(view.speedup, text[0]),
            short_number(view.launches_rate, text[1]), percent(view.split_part, text[2]));
    for (unsigned d = 0; d < view.ndevices; d++)
        if (*process->page->device[d].name)
            fprintf(out, " %u: %s", d, percent(view.work[d], text[0]));
    fprintf(out, " | to %s from %s", bytes_rate(view.moved[CX_LIVE_TO_DEVICES], text[0]),
            bytes_rate(view.moved[CX_LIVE_FROM_DEVICES], text[1]));
    if (*view.kernel)
        fprintf(out, " | %s", cx_live_clean(view.kernel, name));
}

static struct json_object *devices_json(const struct cx_live_process *process,
                                        const struct cx_live_view *view)
{
    struct json_object *devices = json_object_new_array();
    for (unsigned d = 0; d < view->ndevices; d++) {
        char name[CX_LIVE_TEXT];
        if (!*process->page->device[d].name)
            continue;
        struct json_object *device = json_object_new_object();
        cx_json_add_count(device, "index", d);
        cx_json_add_text(device, "name", cx_live_clean(process->page->device[d].name, name));
        cx_json_add_number(device, "work", view->work[d]);
        cx_json_add_number(device, "busy", view->busy[d]);
        cx_json_add_number(device, "items_per_s", view->items[d]);
        cx_json_append(devices, device);
    }
    return devices;
}

static struct json_object *kernels_json(const struct cx_live_process *process,
                                        const struct cx_live_view *view)
{
    const struct cx_live_sample *last = &process->sample[process->last];
    struct json_object *kernels = json_object_new_array();
    for (unsigned k = 0; k < view->nkernels; k++) {
        char name[CX_LIVE_TEXT];
        if (!last->kernel[k].over)
            continue;
        struct json_object *kernel = json_object_new_object();
        cx_json_add_text(kernel, "name", cx_live_clean(process->page->kernel[k].name, name));
        cx_json_add_count(kernel, "launches", last->kernel[k].over);
        cx_json_add_count(kernel, "split", last->kernel[k].split);
        cx_json_add_number(kernel, "launches_per_s", view->kernel_rate[k]);
        cx_json_add_number(kernel, "time", view->kernel_part[k]);
        cx_json_add_number(kernel, "faster", view->kernel_faster[k]);
        cx_json_append(kernels, kernel);
    }
    return kernels;
}

struct json_object *cx_live_json(const struct cx_live_process *process)
{
    char name[CX_LIVE_TEXT];
    struct cx_live_view view;
    struct json_object *object = json_object_new_object(), *moved = json_object_new_object();
    cx_live_look(process, &view);
    cx_json_add_count(object, "pid", (uint64_t)process->pid);
    cx_json_add_text(object, "program", cx_live_clean(process->program, name));
    cx_json_add_text(object, "balancer", cx_live_clean(process->page->balancer, name));
    cx_json_add_number(object, "seconds", view.seconds);
    cx_json_add_number(object, "window_s", view.window);
    cx_json_add_number(object, "faster", view.speedup);
    cx_json_add_number(object, "faster_now", view.speedup_now);
    cx_json_add_count(object, "launches", view.launches);
    cx_json_add_count(object, "split", view.split);
    cx_json_add_count(object, "under_way", view.under_way);
    cx_json_add_number(object, "launches_per_s", view.launches_rate);
    cx_json_add_text(object, "kernel", *view.kernel ? cx_live_clean(view.kernel, name) : NULL);
    cx_json_add_number(moved, "to_devices", view.moved[CX_LIVE_TO_DEVICES]);
    cx_json_add_number(moved, "from_devices", view.moved[CX_LIVE_FROM_DEVICES]);
    cx_json_add_number(moved, "between_devices", view.moved[CX_LIVE_BETWEEN]);
    cx_json_add(object, "bytes_per_s", moved);
    cx_json_add(object, "devices", devices_json(process, &view));
    cx_json_add(object, "kernels", kernels_json(process, &view));
    return object;
}

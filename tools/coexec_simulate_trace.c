/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --trace FILE`: the cost profile of a launch that COEXEC_TRACE wrote down.
 *
 * The file is an array of events, one a line, perhaps without its end. A package's cost is its time times its
 * device's speed, which is taken as all groups the device did in that launch over all their time: where each
 * device stayed in a part of the range of its own, unequal costs so look like unequal devices.
 */
#include "tools/coexec_simulate.h"
#include "tools/coexec.h"
#include "tools/coexec_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 64 };

struct event {
    uint64_t launch, first, groups;
    unsigned row;
    double seconds;
};

struct events {
    struct event *event;
    size_t count, room;
};

/* A line's package. False: it is none, or one of unknown place. */
static bool read_event(const char *line, struct event *event)
{
    struct json_object *object = json_tokener_parse(line),
                       *args = cx_json_typed(object, "args", json_type_object);
    bool good = args && strcmp(cx_json_text(object, "cat"), "package") == 0;
    if (good) {
        *event = (struct event){
            cx_json_count(args, "launch", UINT64_MAX), cx_json_count(args, "first", UINT64_MAX),
            cx_json_count(args, "groups", UINT64_MAX),
            (unsigned)cx_json_count(cx_json_get(args, "device") ? args : object,
                                    cx_json_get(args, "device") ? "device" : "tid", UINT64_MAX),
            cx_json_number(object, "dur") * 1e-6};
        good = event->first != UINT64_MAX && event->groups > 0 && event->groups < UINT64_MAX &&
               event->row < MAX_ROWS && event->seconds > 0;
    }
    json_object_put(object);
    return good;
}

static bool read_events(FILE *file, struct events *events)
{
    char *line = NULL;
    size_t size = 0;
    bool ok = true;
    for (ssize_t length; ok && (length = getline(&line, &size, file)) > 0;) {
        while (length > 0 && strchr(",\n\r ", line[length - 1]))
            line[--length] = '\0';
        struct event event;
        if (!read_event(line, &event))
            continue;
        if (events->count == events->room) {
            size_t room = events->room ? 2 * events->room : 256;
            struct event *grown = realloc(events->event, room * sizeof *grown);
            ok = grown != NULL;
            if (!ok)
                break;
            events->event = grown;
            events->room = room;
        }
        events->event[events->count++] = event;
    }
    free(line);
    return ok;
}

static int by_launch(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->launch != y->launch)
        return x->launch < y->launch ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The launch with the most packages: a run of the sorted events. */
static struct events longest_launch(struct events *all)
{
    struct events best = {0};
    qsort(all->event, all->count, sizeof *all->event, by_launch);
    for (size_t i = 0, end; i < all->count; i = end) {
        for (end = i + 1; end < all->count && all->event[end].launch == all->event[i].launch;)
            end++;
        if (end - i > best.count)
            best = (struct events){&all->event[i], end - i, 0};
    }
    return best;
}

static struct cx_sim_load *make_load(const struct events *launch, uint64_t groups)
{
    double done[MAX_ROWS] = {0}, seconds[MAX_ROWS] = {0};
    uint64_t all = 0;
    struct cx_sim_load *load = malloc(sizeof *load + (groups + 1) * sizeof load->before[0]);
    for (size_t i = 0; i < launch->count; i++) {
        const struct event *event = &launch->event[i];
        done[event->row] += (double)event->groups;
        seconds[event->row] += event->seconds;
        all = event->first + event->groups > all ? event->first + event->groups : all;
    }
    size_t at = 0;
    if (!load)
        return NULL;
    load->before[0] = 0;
    for (uint64_t i = 0; i < groups; i++) {
        uint64_t place = (uint64_t)((double)i * ((double)all / (double)groups));
        while (at + 1 < launch->count && launch->event[at + 1].first <= place)
            at++;
        const struct event *event = &launch->event[at];
        double speed = done[event->row] / seconds[event->row];
        bool inside = place >= event->first && place < event->first + event->groups;
        load->before[i + 1] = load->before[i] + (inside ? event->seconds * speed / (double)event->groups : 1);
    }
    double scale = (double)groups / load->before[groups];
    for (uint64_t i = 0; i <= groups; i++)
        load->before[i] *= scale;
    load->groups = groups;
    load->total = load->before[groups];
    return load;
}

struct cx_sim_load *cx_simulate_traced(const char *path, uint64_t groups)
{
    struct events events = {0};
    struct cx_sim_load *load = NULL;
    FILE *file = fopen(path, "r");
    if (!file) {
        cx_tool_error("simulate", "%s: %s", path, strerror(errno));
        return NULL;
    }
    bool ok = read_events(file, &events);
    fclose(file);
    if (!ok || events.count == 0) {
        cx_tool_error("simulate", ok ? "%s: no package of a known place in it" : "%s: out of memory", path);
    } else {
        struct events launch = longest_launch(&events);
        load = make_load(&launch, groups);
        if (!load)
            cx_tool_error("simulate", "out of memory");
    }
    free(events.event);
    return load;
}

/* SPDX-License-Identifier: MIT */
/*
 * `coexec bench` as JSON: written whole at the end, and read again by --compare.
 */
#include "tools/coexec_bench.h"
#include "tools/coexec.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void add(struct json_object *object, const char *key, struct json_object *value)
{
    if (json_object_object_add(object, key, value) != 0)
        json_object_put(value);
}

static void append(struct json_object *array, struct json_object *value)
{
    if (json_object_array_add(array, value) != 0)
        json_object_put(value);
}

static struct json_object *result_object(const struct cx_bench_result *result)
{
    struct json_object *object = json_object_new_object();
    add(object, "ok", json_object_new_boolean(result->ok));
    if (!result->ok) {
        add(object, "problem", json_object_new_string(result->problem));
        return object;
    }
    add(object, "ms", json_object_new_double(result->ms));
    add(object, "build_ms", json_object_new_double(result->build_ms));
    add(object, "checksum", json_object_new_string(result->checksum));
    add(object, "checked", json_object_new_boolean(result->checked));
    if (result->launches) {
        add(object, "launches", json_object_new_uint64(result->launches));
        add(object, "split", json_object_new_uint64(result->split));
        add(object, "packages", json_object_new_uint64(result->packages));
        add(object, "moved_mb", json_object_new_double(result->moved_mb));
        add(object, "balance", result->balance >= 0 ? json_object_new_double(result->balance) : NULL);
    }
    return object;
}

static struct json_object *row_object(const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    struct json_object *object = json_object_new_object(), *runs = json_object_new_array();
    double ms = cx_bench_ms(row), best, maximum;
    add(object, "set", json_object_new_string(row->set));
    add(object, "algo", *row->algo ? json_object_new_string(row->algo) : NULL);
    add(object, "ms", ms > 0 ? json_object_new_double(ms) : NULL);
    if (*row->algo && ms > 0 && cx_bench_maximum(job, row, &best, &maximum)) {
        add(object, "speedup", json_object_new_double(best / ms));
        add(object, "maximum", json_object_new_double(maximum));
        add(object, "efficiency", json_object_new_double(best / ms / maximum));
    }
    for (unsigned i = 0; i < row->runs; i++)
        append(runs, result_object(&row->result[i]));
    add(object, "runs", runs);
    return object;
}

static struct json_object *machine_object(const struct cx_machine *machine)
{
    struct json_object *object = json_object_new_object(), *devices = json_object_new_array();
    struct utsname name;
    if (uname(&name) == 0) {
        add(object, "system", json_object_new_string(name.sysname));
        add(object, "release", json_object_new_string(name.release));
        add(object, "architecture", json_object_new_string(name.machine));
    }
    add(object, "cores", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
    for (unsigned i = 0; i < machine->ndevices; i++) {
        const struct cx_real_device *device = &machine->devices[i];
        struct json_object *one = json_object_new_object();
        add(one, "index", json_object_new_uint64(device->index));
        add(one, "name", json_object_new_string(device->name));
        add(one, "platform", json_object_new_string(device->platform->name));
        add(one, "platform_version", json_object_new_string(device->platform->version));
        add(one, "driver", json_object_new_string(device->platform->driver));
        add(one, "used", json_object_new_boolean(device->used));
        append(devices, one);
    }
    add(object, "devices", devices);
    return object;
}

struct json_object *cx_bench_json(const struct cx_bench_case *jobs, size_t count,
                                  const struct cx_machine *machine, int argc, char **argv, const char *preset)
{
    struct json_object *root = json_object_new_object(), *command = json_object_new_array();
    struct json_object *programs = json_object_new_array();
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    for (int i = 0; i < argc; i++)
        append(command, json_object_new_string(argv[i]));
    add(root, "coexec_bench", json_object_new_int(1)); /* the format's version */
    add(root, "version", json_object_new_string(CX_VERSION));
    add(root, "date", json_object_new_string(when));
    add(root, "command", command);
    add(root, "preset", json_object_new_string(preset));
    add(root, "machine", machine_object(machine));
    for (size_t j = 0; j < count; j++) {
        struct json_object *object = json_object_new_object(), *rows = json_object_new_array();
        struct json_object *papers = json_object_new_array();
        for (unsigned bit = 1; bit <= CX_PAPER_LOGFIT; bit *= 2)
            if (jobs[j].program->papers & bit)
                append(papers, json_object_new_string(cx_bench_paper_name(bit)));
        add(object, "name", json_object_new_string(jobs[j].program->name));
        add(object, "regular", json_object_new_boolean(jobs[j].program->regular));
        add(object, "papers", papers);
        for (unsigned i = 0; i < jobs[j].nrows; i++)
            append(rows, row_object(&jobs[j], &jobs[j].row[i]));
        add(object, "rows", rows);
        append(programs, object);
    }
    add(root, "programs", programs);
    return root;
}

/* ---- compare ---- */

static const char *text_of(struct json_object *object, const char *key)
{
    const char *text = json_object_get_string(json_object_object_get(object, key));
    return text ? text : "";
}

/* The old median of the same program, devices and balancer; 0: there is none. */
static double old_ms(struct json_object *programs, const char *program, const struct cx_bench_row *row)
{
    for (size_t p = 0; p < json_object_array_length(programs); p++) {
        struct json_object *one = json_object_array_get_idx(programs, p);
        struct json_object *rows = json_object_object_get(one, "rows");
        if (strcmp(text_of(one, "name"), program) != 0 || !json_object_is_type(rows, json_type_array))
            continue;
        for (size_t i = 0; i < json_object_array_length(rows); i++) {
            struct json_object *old = json_object_array_get_idx(rows, i);
            if (strcmp(text_of(old, "set"), row->set) == 0 && strcmp(text_of(old, "algo"), row->algo) == 0)
                return json_object_get_double(json_object_object_get(old, "ms"));
        }
    }
    return 0;
}

bool cx_bench_compare(const char *file, const struct cx_bench_case *jobs, size_t count)
{
    struct json_object *root = json_object_from_file(file);
    struct json_object *programs = root ? json_object_object_get(root, "programs") : NULL;
    if (!root || !json_object_object_get_ex(root, "coexec_bench", NULL) ||
        !json_object_is_type(programs, json_type_array)) {
        cx_tool_error("bench", "--compare %s: %s", file,
                      access(file, R_OK) != 0 ? strerror(errno)
                                              : "no result of `coexec bench`, or not all of one");
        json_object_put(root);
        return false;
    }
    printf("against %s of %s\n", file, text_of(root, "date"));
    for (size_t j = 0; j < count; j++)
        for (unsigned i = 0; i < jobs[j].nrows; i++) {
            const struct cx_bench_row *row = &jobs[j].row[i];
            double now = cx_bench_ms(row), before = old_ms(programs, jobs[j].program->name, row);
            if (!(now > 0) || !(before > 0))
                continue;
            printf("  %-16s %-14.14s %-9.9s %10.3f -> %10.3f ms  %5.3f%s\n", jobs[j].program->name,
                   *row->algo ? row->set : "bare", *row->algo ? row->algo : row->set, before, now,
                   before / now,
                   before / now > 1.05   ? "  faster"
                   : before / now < 0.95 ? "  slower"
                                         : "");
        }
    json_object_put(root);
    return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * `coexec bench` as JSON: written whole at the end, and read again by --compare.
 */
#include "tools/coexec_bench.h"
#include "tools/coexec.h"
#include "tools/coexec_json.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static struct json_object *result_object(const struct cx_bench_result *result)
{
    struct json_object *object = json_object_new_object();
    cx_json_add_bool(object, "ok", result->ok);
    if (result->too_slow_s) {
        cx_json_add_count(object, "too_slow_s", result->too_slow_s);
        return object;
    }
    if (!result->ok) {
        cx_json_add_text(object, "problem", result->problem);
        return object;
    }
    cx_json_add_number(object, "ms", result->ms);
    cx_json_add_number(object, "build_ms", result->build_ms);
    cx_json_add_number(object, "first_ms", result->first_ms);
    cx_json_add_number(object, "process_ms", result->process_ms);
    if (result->joules > 0) {
        cx_json_add_number(object, "joules", result->joules);
        cx_json_add_number(object, "joules_error", result->joules_error);
        cx_json_add_number(object, "power_ms", result->power_ms);
    }
    cx_json_add_text(object, "checksum", result->checksum);
    cx_json_add_bool(object, "checked", result->checked);
    if (result->launches) {
        cx_json_add_count(object, "launches", result->launches);
        cx_json_add_count(object, "split", result->split);
        cx_json_add_count(object, "packages", result->packages);
        cx_json_add_number(object, "moved_mb", result->moved_mb);
        cx_json_add(object, "balance", result->balance >= 0 ? json_object_new_double(result->balance) : NULL);
    }
    return object;
}

static struct json_object *row_object(const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    struct json_object *object = json_object_new_object(), *runs = json_object_new_array();
    double ms = cx_bench_ms(row), best, maximum;
    cx_json_add_text(object, "set", row->set);
    cx_json_add_text(object, "algo", *row->algo ? row->algo : NULL);
    cx_json_add_count(object, "devices", row->devices);
    cx_json_add(object, "ms", ms > 0 ? json_object_new_double(ms) : NULL);
    for (enum cx_bench_time t = CX_BENCH_FIRST; t < CX_BENCH_TIMES; t++)
        if (cx_bench_time_ms(row, t) > 0)
            cx_json_add_number(object, cx_bench_time_keys[t], cx_bench_time_ms(row, t));
    if (*row->algo && ms > 0 && cx_bench_maximum(job, row, &best, &maximum)) {
        cx_json_add_number(object, "speedup", best / ms);
        cx_json_add_number(object, "maximum", maximum);
        cx_json_add_number(object, "efficiency", best / ms / maximum);
    }
    if (cx_bench_over_native(job, row) > 0)
        cx_json_add_number(object, "over_native", cx_bench_over_native(job, row));
    struct cx_bench_energy energy;
    if (cx_bench_energy(job, row, &energy)) {
        cx_json_add_number(object, "joules", energy.joules);
        cx_json_add_number(object, "edp", energy.edp);
        if (energy.over_alone > 0) {
            cx_json_add_number(object, "energy_over_alone", energy.over_alone);
            cx_json_add_number(object, "edp_over_alone", energy.edp_over_alone);
        }
    }
    for (unsigned i = 0; i < row->runs; i++)
        cx_json_append(runs, result_object(&row->result[i]));
    cx_json_add(object, "runs", runs);
    if (row->has_cold)
        cx_json_add(object, "cold", result_object(&row->cold));
    return object;
}

static void add_driver_version(struct json_object *object, const struct cx_real_device *device)
{
    char version[256] = "";
    if (device->cl->clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof version - 1, version, NULL) ==
        CL_SUCCESS)
        cx_json_add_text(object, "driver_version", version);
}

static struct json_object *machine_object(const struct cx_machine *machine)
{
    struct json_object *object = json_object_new_object(), *devices = json_object_new_array();
    struct utsname name;
    if (uname(&name) == 0) {
        cx_json_add_text(object, "system", name.sysname);
        cx_json_add_text(object, "release", name.release);
        cx_json_add_text(object, "architecture", name.machine);
    }
    cx_json_add(object, "cores", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
    for (unsigned i = 0; i < machine->ndevices; i++) {
        const struct cx_real_device *device = &machine->devices[i];
        struct json_object *one = json_object_new_object();
        cx_json_add_count(one, "index", device->index);
        cx_json_add_text(one, "name", device->name);
        cx_json_add_text(one, "platform", device->platform->name);
        cx_json_add_text(one, "platform_version", device->platform->version);
        cx_json_add_text(one, "driver", device->platform->driver);
        add_driver_version(one, device);
        cx_json_add_bool(one, "used", device->used);
        cx_json_append(devices, one);
    }
    cx_json_add(object, "devices", devices);
    return object;
}

struct json_object *cx_bench_variables(void)
{
    static const char *const prefixes[] = {"COEXEC_", "POCL_", "OCL_ICD_", "CUDA_VISIBLE_", "CUDA_DEVICE_"};
    struct json_object *array = json_object_new_array();
    for (char **variable = environ; *variable; variable++)
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
            if (strncmp(*variable, prefixes[p], strlen(prefixes[p])) == 0 &&
                !strstr(*variable, "_CACHE_DIR="))
                cx_json_append_text(array, *variable);
    return array;
}

struct json_object *cx_bench_json(const struct cx_bench_case *jobs, size_t count,
                                  const struct cx_machine *machine, int argc, char **argv, const char *preset,
                                  unsigned repeat)
{
    struct json_object *root = json_object_new_object(), *command = json_object_new_array();
    struct json_object *programs = json_object_new_array();
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    for (int i = 0; i < argc; i++)
        cx_json_append_text(command, argv[i]);
    cx_json_add(root, "coexec_bench", json_object_new_int(1)); /* the format's version */
    cx_json_add_text(root, "version", CX_VERSION);
    cx_json_add_text(root, "date", when);
    cx_json_add(root, "command", command);
    cx_json_add(root, "variables", cx_bench_variables());
    cx_json_add_text(root, "preset", preset);
    cx_json_add_count(root, "repeat", repeat);
    cx_json_add(root, "machine", machine_object(machine));
    for (size_t j = 0; j < count; j++) {
        if (!cx_bench_is_measured(&jobs[j]))
            continue;
        struct json_object *object = json_object_new_object(), *rows = json_object_new_array();
        struct json_object *papers = json_object_new_array();
        for (unsigned bit = 1; bit <= CX_PAPER_LOGFIT; bit *= 2)
            if (jobs[j].program->papers & bit)
                cx_json_append_text(papers, cx_bench_paper_name(bit));
        cx_json_add_text(object, "name", jobs[j].program->name);
        cx_json_add_bool(object, "regular", jobs[j].program->regular);
        cx_json_add_bool(object, "compute", jobs[j].program->compute);
        cx_json_add(object, "papers", papers);
        for (unsigned i = 0; i < jobs[j].nrows; i++)
            cx_json_append(rows, row_object(&jobs[j], &jobs[j].row[i]));
        cx_json_add(object, "rows", rows);
        cx_json_append(programs, object);
    }
    cx_json_add(root, "programs", programs);
    return root;
}

/* ---- compare ---- */

/* The old median of the same program, devices and balancer; 0 or NAN: there is none. */
static double old_ms(struct json_object *programs, const char *program, const struct cx_bench_row *row)
{
    for (size_t p = 0; p < json_object_array_length(programs); p++) {
        struct json_object *one = json_object_array_get_idx(programs, p);
        struct json_object *rows = cx_json_typed(one, "rows", json_type_array);
        if (strcmp(cx_json_text(one, "name"), program) != 0)
            continue;
        for (size_t i = 0; i < cx_json_length(rows); i++) {
            struct json_object *old = json_object_array_get_idx(rows, i);
            if (strcmp(cx_json_text(old, "set"), row->set) == 0 &&
                strcmp(cx_json_text(old, "algo"), row->algo) == 0)
                return cx_json_number(old, "ms");
        }
    }
    return 0;
}

struct json_object *cx_bench_read(const char *file)
{
    errno = 0;
    struct json_object *root = json_object_from_file(file);
    const int error = errno;
    if (cx_json_get(root, "coexec_bench") && cx_json_typed(root, "programs", json_type_array))
        return root;
    cx_tool_error("bench", "%s: %s", file,
                  error ? strerror(error) : "no result of `coexec bench`, or not all of one");
    json_object_put(root);
    return NULL;
}

void cx_bench_compare(struct json_object *old, const char *preset, const struct cx_bench_case *jobs,
                      size_t count)
{
    struct json_object *programs = cx_json_get(old, "programs");
    const bool same = strcmp(preset, cx_json_text(old, "preset")) == 0;
    printf("since %s (preset %s%s)\n", cx_json_text(old, "date"), cx_json_text(old, "preset"),
           same ? "" : ": sizes differ, times do not compare");
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
}

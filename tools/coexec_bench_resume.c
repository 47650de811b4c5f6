/* SPDX-License-Identifier: MIT */
/*
 * `coexec bench --resume`: what an earlier run with the same --json FILE has measured.
 */
#include "tools/coexec_bench.h"
#include "tools/coexec_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct json_object *named(struct json_object *array, const char *key, const char *name)
{
    for (size_t i = 0; i < cx_json_length(array); i++) {
        struct json_object *one = json_object_array_get_idx(array, i);
        if (strcmp(cx_json_text(one, key), name) == 0)
            return one;
    }
    return NULL;
}

static double number(struct json_object *object, const char *key, double otherwise)
{
    const double value = cx_json_number(object, key);
    return isfinite(value) ? value : otherwise;
}

static bool read_result(struct json_object *run, bool check, struct cx_bench_result *result)
{
    *result = (struct cx_bench_result){.ok = json_object_get_boolean(cx_json_get(run, "ok")),
                                       .too_slow_s = (unsigned)cx_json_count(run, "too_slow_s", 0),
                                       .ms = number(run, "ms", 0),
                                       .build_ms = number(run, "build_ms", 0),
                                       .first_ms = number(run, "first_ms", 0),
                                       .process_ms = number(run, "process_ms", 0),
                                       .joules = number(run, "joules", 0),
                                       .joules_error = number(run, "joules_error", 0),
                                       .power_ms = number(run, "power_ms", 0),
                                       .checked = json_object_get_boolean(cx_json_get(run, "checked")),
                                       .launches = cx_json_count(run, "launches", 0),
                                       .split = cx_json_count(run, "split", 0),
                                       .packages = cx_json_count(run, "packages", 0),
                                       .moved_mb = number(run, "moved_mb", 0),
                                       .balance = number(run, "balance", -1)};
    snprintf(result->checksum, sizeof result->checksum, "%s", cx_json_text(run, "checksum"));
    return result->too_slow_s || (result->ok && result->ms > 0 && (result->checked || !check));
}

/* False where something is missing, or went wrong: then the row may be half read. */
static bool read_row(struct json_object *rows, unsigned runs, bool check, struct cx_bench_row *row)
{
    for (size_t i = 0; i < cx_json_length(rows); i++) {
        struct json_object *old = json_object_array_get_idx(rows, i), *list = cx_json_get(old, "runs");
        if (strcmp(cx_json_text(old, "set"), row->set) != 0 ||
            strcmp(cx_json_text(old, "algo"), row->algo) != 0 ||
            cx_json_count(old, "devices", 0) != row->devices || cx_json_length(list) != runs)
            continue;
        bool good = true;
        for (row->runs = 0; row->runs < runs && good; row->runs++)
            good = read_result(json_object_array_get_idx(list, row->runs), check, &row->result[row->runs]);
        struct json_object *cold = cx_json_get(old, "cold");
        row->has_cold = cold != NULL;
        return good && (!cold || read_result(cold, check, &row->cold));
    }
    return false;
}

static bool same_variables(struct json_object *old)
{
    struct json_object *now = cx_bench_variables();
    const bool same = json_object_equal(cx_json_get(old, "variables"), now);
    json_object_put(now);
    return same;
}

static bool same_devices(struct json_object *old, const struct cx_machine *machine)
{
    struct json_object *devices = cx_json_get(cx_json_get(old, "machine"), "devices");
    bool same = cx_json_length(devices) == machine->ndevices;
    for (unsigned i = 0; i < machine->ndevices && same; i++)
        same = strcmp(cx_json_text(json_object_array_get_idx(devices, i), "name"),
                      machine->devices[i].name) == 0;
    return same;
}

const char *cx_bench_resume(struct json_object *old, struct cx_bench_case *jobs, size_t count, unsigned runs,
                            const struct cx_machine *machine, const char *preset, unsigned repeat, bool check)
{
    struct json_object *programs = cx_json_get(old, "programs");
    if (strcmp(cx_json_text(old, "preset"), preset) != 0)
        return "another preset";
    if (cx_json_count(old, "repeat", 0) != repeat)
        return "another number of repetitions";
    if (!same_devices(old, machine))
        return "other devices";
    if (!same_variables(old))
        return "other variables (COEXEC_, POCL_, OCL_ICD_, CUDA_)";
    for (size_t j = 0; j < count; j++) {
        struct json_object *rows = cx_json_get(named(programs, "name", jobs[j].program->name), "rows");
        bool good = true;
        for (unsigned i = 0; i < jobs[j].nrows && good; i++)
            good = read_row(rows, runs, check, &jobs[j].row[i]);
        for (unsigned i = 0; i < jobs[j].nrows && !good; i++)
            jobs[j].row[i].runs = 0;
    }
    return NULL;
}

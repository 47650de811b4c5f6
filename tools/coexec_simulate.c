/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate`: what the balancers would do with a launch on modelled devices, in virtual time.
 * Needs no OpenCL; the same arguments print the same.
 */
#include "layer/plan_size.h"
#include "scheduler/simulate.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char me[] = "simulate";

enum { MAX_DEVICES = 64, MAX_GROUPS = 1 << 26 };

struct job {
    const char *algos; /* separated by commas; NULL: all */
    enum cx_sim_profile profile;
    uint64_t groups, granularity, depth, seed;
    enum cx_sim_format format;
    unsigned ndevices;
    struct cx_sim_device devices[MAX_DEVICES];
    bool grid;
};

static bool read_number(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*value) && *value >= 0;
}

static bool read_whole(const char *text, uint64_t highest, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > highest)
        return false;
    *value = number;
    return true;
}

/* One KEY=VALUE of a device; false when there is no such key or no such value. */
static bool set_field(struct cx_sim_device *device, const char *key, const char *text)
{
    const struct {
        const char *key;
        double *real;
        uint64_t *whole;
    } fields[] = {
        {"nominal", &device->known.nominal_speed, NULL},
        {"measured", &device->known.measured_speed, NULL},
        {"power", &device->known.power, NULL},
        {"launch", &device->launch_seconds, NULL},
        {"reply", &device->reply_seconds, NULL},
        {"jitter", &device->jitter, NULL},
        {"dies", &device->dies_at, NULL},
        {"fill", NULL, &device->known.fill},
        {"min", NULL, &device->known.min_package},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].key, key) == 0)
            return fields[i].real ? read_number(text, fields[i].real)
                                  : read_whole(text, MAX_GROUPS, fields[i].whole);
    }
    return false;
}

/* SPEED[,KEY=VALUE|gpu]...; returns an exit status. */
static int add_device(struct job *job, const char *argument)
{
    if (job->ndevices == MAX_DEVICES)
        return cx_usage_error(me, "more than %d devices", MAX_DEVICES);
    struct cx_sim_device device = {.known = {.fill = 1}, .launch_seconds = 10e-6, .reply_seconds = 30e-6};
    char *copy = strdup(argument), *rest = NULL;
    if (!copy)
        return cx_tool_error(me, "out of memory");
    char *part = strtok_r(copy, ",", &rest);
    bool good = part && read_number(part, &device.speed) && device.speed > 0 && device.speed < 1e15;
    device.known.nominal_speed = device.speed;
    while (good && (part = strtok_r(NULL, ",", &rest))) {
        char *value = strchr(part, '=');
        if (value)
            *value++ = '\0';
        if (!value && strcmp(part, "gpu") == 0)
            device.known.accelerator = true;
        else
            good = value && set_field(&device, part, value);
    }
    free(copy);
    if (!good || device.jitter >= 1)
        return cx_usage_error(me, "not a device: %s", argument);
    device.known.launch_seconds = device.launch_seconds;
    job->devices[job->ndevices++] = device;
    return CX_EXIT_OK;
}

static bool find_profile(const char *name, enum cx_sim_profile *profile)
{
    for (unsigned i = 0; i < CX_SIM_PROFILES; i++) {
        if (strcmp(cx_sim_profile_name((enum cx_sim_profile)i), name) == 0) {
            *profile = (enum cx_sim_profile)i;
            return true;
        }
    }
    return false;
}

static bool find_format(const char *name, enum cx_sim_format *format)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(names[i], name) == 0) {
            *format = (enum cx_sim_format)i;
            return true;
        }
    }
    return false;
}

static int set_option(struct job *job, const char *name, const char *value)
{
    bool good;
    if (strcmp(name, "--device") == 0)
        return add_device(job, value);
    if (strcmp(name, "--algo") == 0)
        good = *(job->algos = value) != '\0';
    else if (strcmp(name, "--profile") == 0)
        good = find_profile(value, &job->profile);
    else if (strcmp(name, "--groups") == 0)
        good = read_whole(value, MAX_GROUPS, &job->groups) && job->groups > 0;
    else if (strcmp(name, "--granularity") == 0)
        good = read_whole(value, MAX_GROUPS, &job->granularity);
    else if (strcmp(name, "--depth") == 0)
        good = read_whole(value, CX_PACKAGES_IN_FLIGHT, &job->depth) && job->depth > 0;
    else if (strcmp(name, "--seed") == 0)
        good = read_whole(value, UINT64_MAX, &job->seed);
    else if (strcmp(name, "--format") == 0)
        good = find_format(value, &job->format);
    else
        return cx_usage_error(me, "unknown argument %s", name);
    return good ? CX_EXIT_OK : cx_usage_error(me, "%s: not good: %s", name, value);
}

/* Whether the list names the policy; NULL names all. */
bool cx_simulate_listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
    }
    return !list;
}

static int check_algos(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int length = (int)strcspn(at, ",");
        bool known = false;
        for (unsigned i = 0; cx_policy_get(i); i++) {
            const char *name = cx_policy_get(i)->name;
            known |= strlen(name) == (size_t)length && strncmp(name, at, (size_t)length) == 0;
        }
        if (!known)
            return cx_usage_error(me, "no such balancer: %.*s", length, at);
    }
    return CX_EXIT_OK;
}

static void print_result(const struct job *job, const char *name, const struct cx_sim_result *result,
                         const uint64_t *done, bool first)
{
    double over = result->seconds / result->ideal, efficiency = result->ideal / result->seconds;
    if (job->format == CX_SIM_TABLE)
        printf("%-10s %12.6g %10.4f %10.4f %8.4f %9u  ", name, result->seconds, over, efficiency,
               result->balance, result->packages);
    else if (job->format == CX_SIM_CSV)
        printf("%s,%.9g,%.9g,%.6f,%.6f,%.6f,%u,", name, result->seconds, result->ideal, over, efficiency,
               result->balance, result->packages);
    else
        printf("%s\n  {\"algo\": \"%s\", \"seconds\": %.9g, \"ideal\": %.9g, \"over_ideal\": %.6f, "
               "\"efficiency\": %.6f, \"balance\": %.6f, \"packages\": %u, \"shares\": [",
               first ? "" : ",", name, result->seconds, result->ideal, over, efficiency, result->balance,
               result->packages);
    const char *between = job->format == CX_SIM_JSON ? ", " : job->format == CX_SIM_CSV ? ";" : " ";
    for (unsigned i = 0; i < job->ndevices; i++)
        printf("%s%.4f", i ? between : "", (double)done[i] / (double)job->groups);
    fputs(job->format == CX_SIM_JSON ? "]}" : "\n", stdout);
}

static int simulate_all(const struct job *job, const struct cx_sim_load *load)
{
    const struct cx_balancer_params params = cx_plan_params();
    const struct cx_policy *policy;
    bool first = true;
    if (job->format == CX_SIM_TABLE)
        printf("%-10s %12s %10s %10s %8s %9s  %s\n", "balancer", "seconds", "over ideal", "efficiency",
               "balance", "packages", "shares");
    else
        fputs(job->format == CX_SIM_CSV ? "algo,seconds,ideal,over_ideal,efficiency,balance,packages,shares\n"
                                        : "[",
              stdout);
    for (unsigned i = 0; (policy = cx_policy_get(i)); i++) {
        if (!cx_simulate_listed(job->algos, policy->name, strlen(policy->name)))
            continue;
        uint64_t done[MAX_DEVICES];
        struct cx_simulation sim = {.policy = policy,
                                    .params = &params,
                                    .load = load,
                                    .granularity = job->granularity,
                                    .ndevices = job->ndevices,
                                    .devices = job->devices,
                                    .depth = (unsigned)job->depth,
                                    .notice_seconds = 1e-3,
                                    .seed = job->seed,
                                    .groups_done = done};
        struct cx_sim_result result = cx_simulate(&sim);
        if (!result.complete)
            return cx_tool_error(me, "%s: the launch never ends: every device dies, or memory is short",
                                 policy->name);
        print_result(job, policy->name, &result, done, first);
        first = false;
    }
    if (job->format == CX_SIM_JSON)
        puts("\n]");
    return CX_EXIT_OK;
}

static int simulate(int argc, char **argv)
{
    struct job job = {.groups = 4096, .granularity = 1, .depth = 2, .seed = 1};
    setlocale(LC_NUMERIC, "C");
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--grid") == 0) {
            job.grid = true;
            i--;
            continue;
        }
        if (i + 1 == argc)
            return cx_usage_error(me, "%s: a value is missing", argv[i]);
        int status = set_option(&job, argv[i], argv[i + 1]);
        if (status != CX_EXIT_OK)
            return status;
    }
    int status = check_algos(job.algos);
    if (status != CX_EXIT_OK)
        return status;
    if (job.grid)
        return cx_simulate_grid(job.algos, job.format);
    if (job.ndevices == 0)
        return cx_usage_error(me, "no device");
    struct cx_sim_load *load = cx_sim_load_create(job.profile, job.groups, job.seed);
    if (!load)
        return cx_tool_error(me, "out of memory");
    status = simulate_all(&job, load);
    free(load);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cx_tool_error(me, "standard output cannot be written");
    return status;
}

const struct cx_subcommand cx_simulate_subcommand = {
    .name = "simulate",
    .run = simulate,
    .summary = "try balancers on modelled devices",
    .help =
        "usage: coexec simulate --device SPEED[,KEY=VALUE...]... [OPTIONS]\n\n"
        "Shares one launch out over modelled devices, in virtual time, and prints for each balancer how\n"
        "long it takes, that over the time of an ideal split, efficiency, load balance (first finisher's\n"
        "time over the last one's), packages and each device's share. COEXEC_* options that tune\n"
        "balancers count. The same arguments print the same.\n\n"
        "  --device D       SPEED in work-groups/s; then any of gpu, nominal=RELATIVE SPEED (default: the\n"
        "                   speed), measured=GROUPS/S, power=P, launch=SECONDS (1e-5), reply=SECONDS "
        "(3e-5),\n"
        "                   jitter=PART, fill=GROUPS (1), min=GROUPS, dies=SECONDS; once for each device\n"
        "  --algo A,B       balancers (all)\n"
        "  --profile P      cost of the work-groups: regular, ramp, random, clustered or symmetric\n"
        "  --groups N       work-groups of the launch (4096)\n"
        "  --granularity N  packages are multiples of it (1)\n"
        "  --depth N        packages in flight on each device (2)\n"
        "  --seed N         for the costs and the jitter (1)\n"
        "  --format F       table, csv or json\n",
};

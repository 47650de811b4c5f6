/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate`: what the balancers would do with a launch on modelled devices, in virtual time.
 * Needs no OpenCL; the same arguments print the same.
 */
#include "scheduler/admission.h"
#include "scheduler/memory.h"
#include "scheduler/simulate.h"
#include "scheduler/tuning.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"
#include "tools/coexec_simulate_energy.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char me[] = "simulate";

enum { MAX_DEVICES = 64, MAX_GROUPS = 1 << 26 };

struct job {
    const char *listed; /* --algo; NULL: all */
    struct cx_simulate_algos algos;
    enum cx_sim_profile profile;
    uint64_t groups, granularity, depth, seed;
    bool seeded;
    enum cx_sim_format format;
    unsigned ndevices;
    struct cx_sim_device devices[MAX_DEVICES];
    struct cx_energy_device powers[MAX_DEVICES];
    bool has_powers;            /* of any device */
    double in_bytes, out_bytes; /* a group's */
    uint64_t launches, partitions, reexecutes;
    const char *trace, *svg, *paper, *programs, *costs;
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
static bool set_field(struct cx_sim_device *device, struct cx_energy_device *powers, const char *key,
                      const char *text)
{
    uint64_t kind = device->known.kind;
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
        {"slows", &device->slows_at, NULL},
        {"factor", &device->slow_factor, NULL},
        {"half", &device->half, NULL},
        {"drain", &device->drain, NULL},
        {"in", &device->in_seconds, NULL}, /* bandwidths, until all arguments are read */
        {"out", &device->out_seconds, NULL},
        {"static", &powers->static_watts, NULL},
        {"dynamic", &powers->dynamic_watts, NULL},
        {"fill", NULL, &device->known.fill},
        {"min", NULL, &device->known.min_package},
        {"kind", NULL, &kind},
        {"slots", NULL, &device->slots},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].key, key) != 0)
            continue;
        const bool good = fields[i].real ? read_number(text, fields[i].real)
                                         : read_whole(text, MAX_GROUPS, fields[i].whole);
        device->known.kind = (unsigned)kind;
        return good;
    }
    return false;
}

/* SPEED[,KEY=VALUE|gpu]...; returns an exit status. */
static int add_device(struct job *job, const char *argument)
{
    if (job->ndevices == MAX_DEVICES)
        return cx_usage_error(me, "more than %d devices", MAX_DEVICES);
    struct cx_sim_device device = {.known = {.fill = 1}, .launch_seconds = 10e-6, .reply_seconds = 30e-6};
    struct cx_energy_device powers = {.static_watts = 0};
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
            good = value && set_field(&device, &powers, part, value);
    }
    free(copy);
    if (!good || device.jitter >= 1)
        return cx_usage_error(me, "not a device: %s", argument);
    if (device.slots > 0 &&
        (device.half > 0 || device.drain > 0 || device.in_seconds > 0 || device.out_seconds > 0))
        return cx_usage_error(me, "slots= tells what half=, drain=, in= and out= do: %s", argument);
    device.known.launch_seconds = device.launch_seconds;
    device.known.overlaps = device.drain > 0 || device.slots > 0;
    powers.speed = device.speed;
    job->has_powers |= powers.static_watts > 0 || powers.dynamic_watts > 0;
    job->powers[job->ndevices] = powers;
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
        good = *(job->listed = value) != '\0';
    else if (strcmp(name, "--profile") == 0)
        good = find_profile(value, &job->profile);
    else if (strcmp(name, "--groups") == 0)
        good = read_whole(value, MAX_GROUPS, &job->groups) && job->groups > 0;
    else if (strcmp(name, "--granularity") == 0)
        good = read_whole(value, MAX_GROUPS, &job->granularity);
    else if (strcmp(name, "--depth") == 0)
        good = read_whole(value, CX_PACKAGES_IN_FLIGHT, &job->depth) && job->depth > 0;
    else if (strcmp(name, "--seed") == 0)
        good = job->seeded = read_whole(value, UINT64_MAX, &job->seed);
    else if (strcmp(name, "--launches") == 0)
        good = read_whole(value, 1000, &job->launches) && job->launches > 0;
    else if (strcmp(name, "--partition") == 0 || strcmp(name, "--homes") == 0) /* the old name */
        good = read_whole(value, 1, &job->partitions);
    else if (strcmp(name, "--reexecute") == 0)
        good = read_whole(value, 1, &job->reexecutes);
    else if (strcmp(name, "--bytes-in") == 0)
        good = read_number(value, &job->in_bytes);
    else if (strcmp(name, "--bytes-out") == 0)
        good = read_number(value, &job->out_bytes);
    else if (strcmp(name, "--trace") == 0)
        good = *(job->trace = value) != '\0';
    else if (strcmp(name, "--svg") == 0)
        good = *(job->svg = value) != '\0';
    else if (strcmp(name, "--paper") == 0)
        good = *(job->paper = value) != '\0';
    else if (strcmp(name, "--programs") == 0)
        good = *(job->programs = value) != '\0';
    else if (strcmp(name, "--costs") == 0)
        good = *(job->costs = value) != '\0';
    else if (strcmp(name, "--format") == 0)
        good = find_format(value, &job->format);
    else
        return cx_usage_error(me, "unknown argument %s", name);
    return good ? CX_EXIT_OK : cx_usage_error(me, "%s: not good: %s", name, value);
}

const struct cx_algos *cx_simulate_find(const struct cx_simulate_algos *algos, const char *policy)
{
    for (unsigned i = 0; i < algos->count; i++)
        if (strcmp(algos->algo[i]->all.policy->name, policy) == 0)
            return algos->algo[i];
    return NULL;
}

const char *cx_simulate_csv(const char *text)
{
    static char field[1024];
    if (!strchr(text, ','))
        return text;
    snprintf(field, sizeof field, "\"%s\"", text);
    return field;
}

static int add_algo(struct cx_simulate_algos *algos, const char *text)
{
    struct cx_algo_problem problem;
    struct cx_algos *one = cx_algos_create(text, NULL, &problem);
    if (!one)
        return cx_usage_error(me, "--algo %s: %s; accepted: %s", text, problem.wrong, problem.accepted);
    const bool named = one->nkernels > 0, fits = algos->count < sizeof algos->algo / sizeof *algos->algo;
    if (!named && fits) {
        algos->algo[algos->count++] = one;
        return CX_EXIT_OK;
    }
    cx_algos_destroy(one);
    return named ? cx_usage_error(me, "--algo %s: there are no kernels here, only one balancer each", text)
                 : cx_usage_error(me, "--algo: more than %u balancers", algos->count);
}

/* Those listed, or all. */
static int read_algos(struct job *job)
{
    int status = CX_EXIT_OK;
    for (unsigned i = 0; !job->listed && cx_policy_get(i) && status == CX_EXIT_OK; i++)
        status = add_algo(&job->algos, cx_policy_get(i)->name);
    for (const char *at = job->listed; at && status == CX_EXIT_OK;) {
        const size_t length = cx_algo_length(at);
        char *text = strndup(at, length);
        status = text ? add_algo(&job->algos, text) : cx_tool_error(me, "out of memory");
        free(text);
        at = at[length] ? at + length + 1 : NULL;
    }
    return status;
}

static void print_energy(const struct job *job, const struct cx_energy_choice *energy)
{
    if (!job->has_powers)
        return;
    printf(job->format == CX_SIM_TABLE ? "%12.6g %12.6g  "
           : job->format == CX_SIM_CSV ? "%.9g,%.9g,"
                                       : "\"joules\": %.9g, \"edp\": %.9g, ",
           energy->joules, energy->edp);
}

static void print_result(const struct job *job, const char *name, const struct cx_sim_result *result,
                         const struct cx_energy_choice *energy, const uint64_t *done, bool first)
{
    double over = result->seconds / result->ideal, efficiency = result->ideal / result->seconds;
    if (job->format == CX_SIM_TABLE)
        printf("%-10s %12.6g %10.4f %10.4f %8.4f %9u  ", name, result->seconds, over, efficiency,
               result->balance, result->packages);
    else if (job->format == CX_SIM_CSV)
        printf("%s,%.9g,%.9g,%.6f,%.6f,%.6f,%u,", cx_simulate_csv(name), result->seconds, result->ideal, over,
               efficiency, result->balance, result->packages);
    else
        printf("%s\n  {\"algo\": \"%s\", \"seconds\": %.9g, \"ideal\": %.9g, \"over_ideal\": %.6f, "
               "\"efficiency\": %.6f, \"balance\": %.6f, \"packages\": %u, ",
               first ? "" : ",", name, result->seconds, result->ideal, over, efficiency, result->balance,
               result->packages);
    print_energy(job, energy);
    fputs(job->format == CX_SIM_JSON ? "\"shares\": [" : "", stdout);
    const char *between = job->format == CX_SIM_JSON ? ", " : job->format == CX_SIM_CSV ? ";" : " ";
    for (unsigned i = 0; i < job->ndevices; i++)
        printf("%s%.4f", i ? between : "", (double)done[i] / (double)job->groups);
    fputs(job->format == CX_SIM_JSON ? "]}" : "\n", stdout);
}

/* What is told of packages. */
struct notes {
    bool draws;
    struct cx_simulate_log log;
    struct cx_simulate_busy busy;
};

static void take_note(void *data, const struct cx_sim_package *package)
{
    struct notes *notes = data;
    cx_simulate_busy_note(&notes->busy, package);
    if (notes->draws)
        cx_simulate_note(&notes->log, package);
}

/* Which devices the model takes for that goal, at the speeds given. */
static void print_choice(const struct job *job, const char *what, enum cx_energy_goal goal)
{
    const struct cx_energy_choice choice =
        cx_energy_choose(job->powers, job->ndevices, (double)job->groups, 0, goal);
    printf("least %s by the model: devices", what);
    for (unsigned i = 0; i < job->ndevices; i++)
        if (choice.members >> i & 1)
            printf(" %u", i);
    printf("; %.6g s, %.6g J, %.6g J s\n", choice.seconds, choice.joules, choice.edp);
}

/* Launches after the first start from what the earlier ones taught; the last one's result. */
static struct cx_sim_result run_launches(const struct job *job, const struct cx_algo *algo,
                                         const struct cx_sim_load *load, uint64_t *done, struct notes *notes)
{
    struct cx_sim_device devices[MAX_DEVICES];
    struct cx_speed_record records[MAX_DEVICES] = {{0}};
    struct cx_tuning tuning = {0};
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_result result = {0};
    if (memory)
        cx_memory_init(memory);
    memcpy(devices, job->devices, sizeof devices);
    for (uint64_t launch = 1; launch <= job->launches; launch++) {
        notes->log.count = 0;
        notes->busy = (struct cx_simulate_busy){{0}, {0}};
        struct cx_simulation sim = {.policy = algo->policy,
                                    .params = &algo->params,
                                    .load = load,
                                    .granularity = job->granularity,
                                    .ndevices = job->ndevices,
                                    .devices = devices,
                                    .depth = (unsigned)job->depth,
                                    .notice_seconds = 1e-3,
                                    .seed = job->seed + launch - 1,
                                    .groups_done = done,
                                    .partitions = job->partitions,
                                    .reexecutes = job->reexecutes,
                                    .memory = memory,
                                    .tuning = &tuning,
                                    .records = records,
                                    .note = take_note,
                                    .note_data = notes};
        result = cx_simulate(&sim);
        for (unsigned i = 0; i < job->ndevices && job->launches > 1; i++)
            devices[i].known.measured_speed = cx_speed_record_speed(&records[i]);
    }
    free(memory);
    return result;
}

static int simulate_all(const struct job *job, const struct cx_sim_load *load)
{
    int status = CX_EXIT_OK;
    if (job->format == CX_SIM_TABLE)
        printf("%-10s %12s %10s %10s %8s %9s  %s%s\n", "balancer", "seconds", "over ideal", "efficiency",
               "balance", "packages", job->has_powers ? "           J          J s  " : "", "shares");
    else
        printf(job->format == CX_SIM_CSV
                   ? "algo,seconds,ideal,over_ideal,efficiency,balance,packages,%sshares\n"
                   : "[",
               job->has_powers ? "joules,edp," : "");
    for (unsigned i = 0; i < job->algos.count; i++) {
        const struct cx_algos *algos = job->algos.algo[i];
        uint64_t done[MAX_DEVICES];
        struct notes notes = {.draws = job->svg != NULL};
        struct cx_sim_result result = run_launches(job, &algos->all, load, done, &notes);
        if (result.complete && job->svg)
            status = cx_simulate_svg(job->svg, algos->text, &notes.log, job->ndevices);
        free(notes.log.packages);
        if (status != CX_EXIT_OK)
            return status;
        if (!result.complete)
            return cx_tool_error(me, "%s: the launch never ends: every device dies, or memory is short",
                                 algos->text);
        const struct cx_energy_choice energy =
            cx_simulate_energy(&notes.busy, job->powers, job->ndevices, result.seconds);
        print_result(job, algos->text, &result, &energy, done, i == 0);
    }
    if (job->format == CX_SIM_JSON)
        puts("\n]");
    if (job->format == CX_SIM_TABLE && job->has_powers) {
        print_choice(job, "energy", CX_ENERGY_JOULES);
        print_choice(job, "energy-delay product", CX_ENERGY_EDP);
    }
    return CX_EXIT_OK;
}

static int simulate_job(struct job *job)
{
    if (job->grid)
        return cx_simulate_grid(&job->algos, job->seeded ? job->seed : 0, job->format);
    if (job->paper)
        return cx_simulate_paper(job->paper);
    if (job->programs)
        return cx_simulate_programs(job->programs, job->costs, job->format);
    if (job->ndevices == 0)
        return cx_usage_error(me, "no device");
    if (job->svg && (!job->listed || job->algos.count > 1))
        return cx_usage_error(me, "--svg: it draws one balancer, chosen by --algo");
    for (unsigned i = 0; i < job->ndevices; i++) {
        struct cx_sim_device *device = &job->devices[i];
        device->in_seconds = device->in_seconds > 0 ? job->in_bytes / device->in_seconds : 0;
        device->out_seconds = device->out_seconds > 0 ? job->out_bytes / device->out_seconds : 0;
        if (device->slows_at > 0 && !(device->slow_factor > 0))
            return cx_usage_error(me, "slows: factor is missing");
    }
    struct cx_sim_load *load = job->trace ? cx_simulate_traced(job->trace, job->groups)
                                          : cx_sim_load_create(job->profile, job->groups, job->seed);
    if (!load)
        return job->trace ? CX_EXIT_FAILED : cx_tool_error(me, "out of memory");
    int status = simulate_all(job, load);
    free(load);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cx_tool_error(me, "standard output cannot be written");
    return status;
}

static int simulate(int argc, char **argv)
{
    struct job job = {
        .groups = 4096, .granularity = 1, .depth = 2, .seed = 1, .launches = 1, .reexecutes = 1};
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
    int status = read_algos(&job);
    if (status == CX_EXIT_OK)
        status = simulate_job(&job);
    for (unsigned i = 0; i < job.algos.count; i++)
        cx_algos_destroy(job.algos.algo[i]);
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
        "time over the last one's), packages and each device's share. The same arguments print the same.\n\n"
        "  --grid           no --device: the published grid of launches, geometric means over it beside an "
        "ideal\n"
        "                   planner's time (csv, json: each case); first launches and repeated ones; then "
        "(table)\n"
        "                   launches in which a device gets slower and is fast again; with --seed N other "
        "numbers\n"
        "                   of the same kinds are drawn\n"
        "  --paper P        no --device: sigmoid, ompss, logfit or marrow, the paper's figures beside "
        "ours; edp:\n"
        "                   energy and energy-delay product over one GPU alone\n"
        "  --programs P     no --device: whole programs on two devices, decided launch by launch as the "
        "driver\n"
        "                   would: P is a file, `all` made-up ones or one of them. Prints launches, seconds "
        "on\n"
        "                   the first device alone and with the decisions, one over the other, what "
        "launches\n"
        "                   lost and gained, splits and trials, and when the second device began to be "
        "opened.\n"
        "                   A file has a command a line, seconds and bytes as numbers:\n"
        "                     program NAME               kernel NAME SECONDS [speed=TIMES] [merges]\n"
        "                     buffer NAME BYTES          launch KERNEL [reads=A,B*] [writes=C] [seconds=S]\n"
        "                     upload|read BUFFER [BYTES] host SECONDS\n"
        "                     repeat TIMES [shrink=F]    end\n"
        "                   A star: every package reads all of the buffer; merges: what the kernel writes "
        "is\n"
        "                   not known; speed: of the second device over the first one's\n"
        "  --costs K=V,...  for --programs: speed=TIMES as told (1), open=SECONDS of the second device "
        "(0.25),\n"
        "                   suffer=PART by which launches take longer meanwhile (0.05), first=SECONDS of a\n"
        "                   kernel's first use there (1e-3), launch=SECONDS (1e-5), link=BYTES/S (1e10),\n"
        "                   off=TIMES that costs are as high as estimated (1), bound=TIMES that bounds are "
        "(2)\n"
        "  --device D       SPEED in work-groups/s; then any of gpu, kind=N (those of one run alike), "
        "nominal=\n"
        "                   RELATIVE SPEED (default: the speed), measured=GROUPS/S, power=P, launch=SECONDS\n"
        "                   (1e-5), reply=SECONDS (3e-5), jitter=PART, fill=GROUPS (1), min=GROUPS,\n"
        "                   dies=SECONDS, slows=SECONDS with\n"
        "                   factor=TIMES, half=GROUPS of a package at half of the speed, in=BYTES/S, "
        "out=BYTES/S,\n"
        "                   static=WATTS, dynamic=WATTS more while it computes (then energy is told),\n"
        "                   drain=GROUPS' time that a package's end leaves it idle, unless another is "
        "there,\n"
        "                   or slots=GROUPS that run at once, from package to package;\n"
        "                   once for each device\n"
        "  --algo A,B       balancers, with parameters if wanted: sigmoid:p=0.1,k_regular=1,static (all)\n"
        "  --profile P      cost of the work-groups: regular, ramp, random, clustered or symmetric\n"
        "  --trace FILE     cost as a launch in a file of COEXEC_TRACE had it\n"
        "  --svg FILE       speed and package size over time; with one --algo\n"
        "  --launches N     the N-th launch of a kernel: speeds and costs learned from those before (1)\n"
        "  --partition 0|1  cut packages from a part of the range for each device, as the layer does (0)\n"
        "  --reexecute 0|1  let idle devices do again what a slow one holds, where the balancer does (1)\n"
        "  --bytes-in N     bytes a group reads, for in=; --bytes-out likewise\n"
        "  --groups N       work-groups of the launch (4096)\n"
        "  --granularity N  packages are multiples of it (1)\n"
        "  --depth N        packages in flight on each device (2)\n"
        "  --seed N         for the costs and the jitter (1)\n"
        "  --format F       table, csv or json\n",
};

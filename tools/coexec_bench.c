/* SPDX-License-Identifier: MIT */
/*
 * coexec bench: the papers' programs bare on every device and through coexec, interleaved, in one run.
 */
#include "tools/coexec_bench.h"
#include "layer/options.h"
#include "layer/select.h"
#include "tools/coexec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char me[] = "bench";

struct set {
    char label[64], devices[256];
    uint64_t bits;
};

struct bench {
    const char *programs, *preset, *algos, *sets, *json, *compare, *examples;
    unsigned runs, repeat, limit;
    bool check, scaling;
    const struct cx_machine *machine;
    struct set set[CX_BENCH_ROWS];
    unsigned nsets;
    char algo[CX_BENCH_ROWS][16];
    unsigned nalgos;
    struct cx_bench_case *jobs;
    size_t njobs;
    char self[PATH_MAX], folder[PATH_MAX]; /* of this program; where each driver's .icd files lie */
    time_t start;
    size_t done, all; /* runs */
};

/* ---- the command line ---- */

static bool read_count(const char *text, unsigned highest, unsigned *value)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number == 0 || number > highest)
        return false;
    *value = (unsigned)number;
    return true;
}

static int read_options(struct bench *bench, int argc, char **argv)
{
    const struct {
        const char *flag;
        const char **text;
        unsigned *count, highest;
    } with_value[] = {
        {"--programs", &bench->programs, NULL, 0}, {"--preset", &bench->preset, NULL, 0},
        {"--algos", &bench->algos, NULL, 0},       {"--sets", &bench->sets, NULL, 0},
        {"--json", &bench->json, NULL, 0},         {"--compare", &bench->compare, NULL, 0},
        {"--examples", &bench->examples, NULL, 0}, {"--runs", NULL, &bench->runs, CX_BENCH_RUNS},
        {"--repeat", NULL, &bench->repeat, 1000},  {"--limit", NULL, &bench->limit, 86400},
    };
    const size_t n = sizeof with_value / sizeof *with_value;
    for (int i = 1; i < argc; i++) {
        size_t o = 0;
        if (strcmp(argv[i], "--no-check") == 0) {
            bench->check = false;
            continue;
        }
        if (strcmp(argv[i], "--scaling") == 0) {
            bench->scaling = true;
            continue;
        }
        while (o < n && strcmp(argv[i], with_value[o].flag) != 0)
            o++;
        if (o == n)
            return cx_usage_error(me, "unknown option %s", argv[i]);
        if (i + 1 == argc)
            return cx_usage_error(me, "%s needs a value", argv[i]);
        const char *value = argv[++i];
        if (with_value[o].text)
            *with_value[o].text = value;
        else if (!read_count(value, with_value[o].highest, with_value[o].count))
            return cx_usage_error(me, "%s %s: accepted are 1 to %u", with_value[o].flag, value,
                                  with_value[o].highest);
    }
    if (strcmp(bench->preset, "tiny") && strcmp(bench->preset, "small") && strcmp(bench->preset, "paper"))
        return cx_usage_error(me, "--preset %s: accepted are tiny, small and paper", bench->preset);
    return CX_EXIT_OK;
}

/* Calls `each` for the items of a list; the first one that it refuses ends it. */
static int for_items(const char *list, char separator, int (*each)(struct bench *, char *),
                     struct bench *bench)
{
    char *copy = strdup(list), *at = copy, between[2] = {separator, '\0'};
    int status = copy ? CX_EXIT_OK : CX_EXIT_FAILED;
    for (char *item; status == CX_EXIT_OK && (item = strsep(&at, between));)
        if (*item)
            status = each(bench, item);
    free(copy);
    return status;
}

static void add_job(struct bench *bench, const struct cx_bench_program *program)
{
    for (size_t j = 0; j < bench->njobs; j++)
        if (bench->jobs[j].program == program)
            return;
    bench->jobs[bench->njobs++].program = program;
}

/* A program's name, a paper's, or all. */
static int take_program(struct bench *bench, char *name)
{
    unsigned paper = cx_bench_paper_of(name);
    size_t before = bench->njobs, known = 0;
    for (size_t i = 0; i < cx_bench_program_count; i++) {
        const struct cx_bench_program *program = &cx_bench_programs[i];
        if (strcmp(name, "all") == 0 || program->papers & paper || strcmp(name, program->name) == 0) {
            add_job(bench, program);
            known++;
        }
    }
    if (known || bench->njobs > before)
        return CX_EXIT_OK;
    fprintf(stderr, "known: all sigmoid ompss marrow logfit");
    for (size_t i = 0; i < cx_bench_program_count; i++)
        fprintf(stderr, " %s", cx_bench_programs[i].name);
    fprintf(stderr, "\n");
    return cx_usage_error(me, "no such program: %s", name);
}

static int take_algo(struct bench *bench, char *name)
{
    const struct cx_option_row *rows;
    const char *known = "";
    for (size_t i = cx_options_rows(&rows); i--;)
        if (strcmp(rows[i].name, "COEXEC_ALGO") == 0)
            known = rows[i].accepted;
    size_t length = strlen(name);
    for (const char *at = known; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == '|' || !at[length])) {
            if (bench->nalgos == CX_BENCH_ROWS)
                return cx_usage_error(me, "more than %d balancers", CX_BENCH_ROWS);
            snprintf(bench->algo[bench->nalgos++], sizeof *bench->algo, "%s", name);
            return CX_EXIT_OK;
        }
    return cx_usage_error(me, "--algos %s: accepted are %s", name, known);
}

static bool add_set(struct bench *bench, const char *label, const char *devices)
{
    const struct cx_machine *machine = bench->machine;
    unsigned *order = calloc(machine->ndevices + 1u, sizeof *order);
    const char *problem = NULL;
    struct set *set = &bench->set[bench->nsets];
    unsigned n = order ? cx_select(machine->devices, machine->ndevices, devices, order, &problem) : 0;
    if (n == 0 || problem || bench->nsets == CX_BENCH_ROWS) {
        free(order);
        return false;
    }
    *set = (struct set){.bits = 0};
    snprintf(set->label, sizeof set->label, "%s", label);
    snprintf(set->devices, sizeof set->devices, "%s", devices);
    for (unsigned i = 0; i < n; i++)
        set->bits |= order[i] < 64 ? UINT64_C(1) << order[i] : 0;
    bench->nsets++;
    free(order);
    return true;
}

/* LABEL=DEVICES */
static int take_set(struct bench *bench, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return cx_usage_error(me, "--sets %s: not of the form LABEL=DEVICES", text);
    *equals = '\0';
    if (add_set(bench, text, equals + 1))
        return CX_EXIT_OK;
    char *accepted = cx_select_accepted(bench->machine->devices, bench->machine->ndevices);
    cx_usage_error(me, "--sets %s=%s: names no device; accepted are %s", text, equals + 1,
                   accepted ? accepted : "");
    free(accepted);
    return CX_EXIT_USAGE;
}

/* The used devices; and with --scaling the first, the first two, ... of those like the fastest. */
static void default_sets(struct bench *bench)
{
    const struct cx_machine *machine = bench->machine;
    char list[256] = "", label[64];
    size_t length = 0;
    for (unsigned i = 0; i < machine->nused; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%u", i ? "," : "",
                                   machine->used[i]->index);
    if (!bench->scaling) {
        add_set(bench, "all", list);
        return;
    }
    unsigned n = 0;
    length = 0;
    for (unsigned i = 0; i < machine->nused && length < sizeof list; i++) {
        if (strcmp(machine->used[i]->name, machine->fastest->name) != 0)
            continue;
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%u", n ? "," : "",
                                   machine->used[i]->index);
        n++;
        snprintf(label, sizeof label, "%u device%s", n, n > 1 ? "s" : "");
        add_set(bench, label, list);
    }
}

/* ---- the runs ---- */

static void progress(struct bench *bench, const char *program, const char *how)
{
    if (!isatty(STDERR_FILENO))
        return;
    double passed = difftime(time(NULL), bench->start);
    double left = bench->done ? passed / (double)bench->done * (double)(bench->all - bench->done) : 0;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s %s, %d:%02d left", bench->done, bench->all, program, how,
            (int)left / 60, (int)left % 60);
    fflush(stderr);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

enum { ARGUMENTS = 40 };

/* The program and its options, from `at` on. */
static void program_arguments(const struct bench *bench, const struct cx_bench_program *program,
                              const char **at, char path[PATH_MAX], char repeat[16])
{
    snprintf(path, PATH_MAX, "%s/%s", bench->examples, program->executable);
    snprintf(repeat, 16, "%u", bench->repeat);
    *at++ = path;
    for (unsigned i = 0; i < 4 && program->arguments[i]; i++)
        *at++ = program->arguments[i];
    const char *const common[] = {"--preset", bench->preset, "--repeat", repeat, "--verbose"};
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        *at++ = common[i];
    if (bench->check)
        *at++ = "--check";
    *at = NULL;
}

/* Through coexec, as `coexec run` starts it. */
static void run_through(struct bench *bench, const struct cx_bench_program *program, const char *devices,
                        const char *algo, struct cx_bench_result *result)
{
    const char *arguments[ARGUMENTS] = {bench->self, "run", "--devices", devices,
                                        "--algo",    algo,  "--summary", "--"};
    const char *const environment[] = {"COEXEC_SUMMARY_FILE", NULL};
    char path[PATH_MAX], repeat[16];
    program_arguments(bench, program, arguments + 8, path, repeat);
    cx_bench_run(arguments, environment, bench->limit, result);
}

/* A folder with the one driver, for the loader to find. */
static bool driver_folder(const struct bench *bench, const struct cx_real_device *device,
                          char folder[PATH_MAX])
{
    char file[PATH_MAX + 16];
    snprintf(folder, PATH_MAX, "%.*s/%u/", PATH_MAX - 32, bench->folder, device->index);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return false;
    snprintf(file, sizeof file, "%s/driver.icd", folder);
    FILE *out = fopen(file, "we");
    bool ok = out && fprintf(out, "%s\n", device->platform->driver) > 0;
    return (!out || fclose(out) == 0) && ok;
}

/* The program alone with the device's own driver. */
static void run_bare(struct bench *bench, const struct cx_bench_program *program,
                     const struct cx_real_device *device, struct cx_bench_result *result)
{
    const struct cx_machine *machine = bench->machine;
    char folder[PATH_MAX], variable[PATH_MAX + 32], path[PATH_MAX], repeat[16], platform[16], number[16];
    const char *arguments[ARGUMENTS];
    const char *const environment[] = {variable, "OCL_ICD_FILENAMES", "OCL_ICD_DEFAULT_PLATFORM", NULL};
    unsigned nplatform = 0, ndevice = 0, n = 0;
    if (device->is_sub_device) { /* made by COEXEC_FISSION: there is nothing to name it by */
        snprintf(number, sizeof number, "%u", device->index);
        run_through(bench, program, number, "single", result);
        return;
    }
    for (const struct cx_real_platform *p = machine->platforms; p != device->platform; p++)
        nplatform += strcmp(p->driver, device->platform->driver) == 0;
    for (unsigned i = 0; i < device->index; i++)
        ndevice += machine->devices[i].platform == device->platform;
    if (!driver_folder(bench, device, folder)) {
        snprintf(result->problem, sizeof result->problem, "%.100s: %s", folder, strerror(errno));
        return;
    }
    snprintf(variable, sizeof variable, "OCL_ICD_VENDORS=%s", folder);
    snprintf(platform, sizeof platform, "%u", nplatform);
    snprintf(number, sizeof number, "%u", ndevice);
    program_arguments(bench, program, arguments, path, repeat);
    while (arguments[n])
        n++;
    const char *const where[] = {"--platform", platform, "--device", number, NULL};
    memcpy(arguments + n, where, sizeof where);
    cx_bench_run(arguments, environment, bench->limit, result);
}

static void make_rows(struct bench *bench, struct cx_bench_case *job)
{
    uint64_t devices = 0;
    for (unsigned s = 0; s < bench->nsets; s++)
        devices |= bench->set[s].bits;
    for (unsigned i = 0; i < bench->machine->ndevices && i < 64 && job->nrows < CX_BENCH_ROWS; i++)
        if (devices >> i & 1) {
            struct cx_bench_row *row = &job->row[job->nrows++];
            snprintf(row->set, sizeof row->set, "%u", i);
            row->devices = UINT64_C(1) << i;
        }
    for (unsigned s = 0; s < bench->nsets; s++)
        for (unsigned a = 0; a < bench->nalgos && job->nrows < CX_BENCH_ROWS; a++) {
            struct cx_bench_row *row = &job->row[job->nrows++];
            snprintf(row->set, sizeof row->set, "%s", bench->set[s].label);
            snprintf(row->algo, sizeof row->algo, "%s", bench->algo[a]);
            row->devices = bench->set[s].bits;
        }
}

static const char *devices_of(const struct bench *bench, const struct cx_bench_row *row)
{
    for (unsigned s = 0; s < bench->nsets; s++)
        if (strcmp(bench->set[s].label, row->set) == 0)
            return bench->set[s].devices;
    return "all";
}

/* All rows of one program, run after run, so that what the machine does meanwhile meets all of them. */
static bool run_job(struct bench *bench, struct cx_bench_case *job)
{
    bool ok = true;
    for (unsigned r = 0; r < bench->runs; r++)
        for (unsigned i = 0; i < job->nrows; i++) {
            struct cx_bench_row *row = &job->row[i];
            struct cx_bench_result *result = &row->result[row->runs++];
            progress(bench, job->program->name, *row->algo ? row->algo : "bare");
            if (*row->algo)
                run_through(bench, job->program, devices_of(bench, row), row->algo, result);
            else
                run_bare(bench, job->program, &bench->machine->devices[__builtin_ctzll(row->devices)],
                         result);
            ok &= result->ok;
            bench->done++;
        }
    end_progress();
    cx_bench_print_case(job);
    return ok;
}

/* ---- beginning and end ---- */

static void remove_folder(const struct bench *bench)
{
    char path[PATH_MAX + 32];
    for (unsigned i = 0; i < bench->machine->ndevices; i++) {
        snprintf(path, sizeof path, "%s/%u/driver.icd", bench->folder, i);
        unlink(path);
        *(strrchr(path, '/')) = '\0';
        rmdir(path);
    }
    rmdir(bench->folder);
}

static bool write_json(const struct bench *bench, int argc, char **argv)
{
    struct json_object *root =
        cx_bench_json(bench->jobs, bench->njobs, bench->machine, argc, argv, bench->preset);
    bool ok = json_object_to_file_ext(bench->json, root, JSON_C_TO_STRING_PRETTY) == 0;
    json_object_put(root);
    if (!ok)
        cx_tool_error(me, "--json %s: %s", bench->json, strerror(errno));
    return ok;
}

static int prepare(struct bench *bench)
{
    ssize_t length = readlink("/proc/self/exe", bench->self, sizeof bench->self - 1);
    const char *temporary = getenv("TMPDIR");
    int status;
    if (length <= 0)
        return cx_tool_error(me, "cannot find out where this program lies: %s", strerror(errno));
    if (bench->machine->nused == 0)
        return cx_tool_error(me, "there is no OpenCL device; `coexec info` tells where it was looked for");
    bench->jobs = calloc(cx_bench_program_count, sizeof *bench->jobs);
    if (!bench->jobs)
        return cx_tool_error(me, "out of memory");
    if ((status = for_items(bench->programs, ',', take_program, bench)) != CX_EXIT_OK ||
        (status = for_items(bench->algos, ',', take_algo, bench)) != CX_EXIT_OK ||
        (status = for_items(bench->sets, ';', take_set, bench)) != CX_EXIT_OK)
        return status;
    if (!bench->nsets)
        default_sets(bench);
    if (!bench->njobs || !bench->nalgos || !bench->nsets)
        return cx_usage_error(me, "no program, no balancer or no set of devices");
    snprintf(bench->folder, sizeof bench->folder, "%s/coexec-bench-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(bench->folder))
        return cx_tool_error(me, "%s: %s", bench->folder, strerror(errno));
    for (size_t j = 0; j < bench->njobs; j++) {
        make_rows(bench, &bench->jobs[j]);
        bench->all += (size_t)bench->jobs[j].nrows * bench->runs;
    }
    return CX_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct bench bench = {.programs = "all",
                          .preset = "small",
                          .algos = "static,hguided,sigmoid,auto",
                          .sets = "",
                          .runs = 3,
                          .repeat = 3,
                          .limit = 600,
                          .check = true};
    int status = read_options(&bench, argc, argv);
    if (status != CX_EXIT_OK)
        return status;
    char *own = bench.examples ? NULL : cx_find_own("../examples", "../lib/coexec/examples");
    if (!bench.examples && !own)
        return cx_tool_error(
            me, "the example programs are not in ../examples, seen from this program; --examples "
                "FOLDER names where they are");
    bench.examples = bench.examples ? bench.examples : own;
    bench.machine = cx_machine_get();
    status = prepare(&bench);
    bool ok = status == CX_EXIT_OK;
    bench.start = time(NULL);
    for (size_t j = 0; j < bench.njobs && status == CX_EXIT_OK; j++)
        ok &= run_job(&bench, &bench.jobs[j]);
    if (status == CX_EXIT_OK) {
        cx_bench_print_papers(bench.jobs, bench.njobs);
        if (bench.json)
            ok &= write_json(&bench, argc, argv);
        if (bench.compare)
            ok &= cx_bench_compare(bench.compare, bench.jobs, bench.njobs);
        remove_folder(&bench);
        status = ok ? CX_EXIT_OK : CX_EXIT_FAILED;
    }
    free(bench.jobs);
    free(own);
    return status;
}

const struct cx_subcommand cx_bench_subcommand = {
    .name = "bench",
    .run = run,
    .summary = "measure the papers' programs bare and through coexec",
    .help =
        "usage: coexec bench [OPTIONS]\n\n"
        "Runs the example programs bare on every device and through coexec with several balancers, "
        "interleaved,\n"
        "and prints times (medians; transfers included, builds not), speedup over the fastest device alone, "
        "its\n"
        "maximum by the devices' own times, efficiency (one over the other), load balance, packages a launch "
        "and\n"
        "bytes moved, then geometric means for each paper. Exit status 1 where a run failed or was wrong.\n\n"
        "  --programs LIST   names, papers (sigmoid, ompss, marrow, logfit) or all (default)\n"
        "  --preset P        sizes: tiny, small (default) or paper\n"
        "  --algos LIST      balancers (default static,hguided,sigmoid,auto)\n"
        "  --sets LIST       LABEL=DEVICES;LABEL=DEVICES, devices as in COEXEC_DEVICES (default: those "
        "used)\n"
        "  --scaling         sets of one, two, ... of the devices that are like the fastest\n"
        "  --runs N          runs of each program in each way (3)\n"
        "  --repeat N        timed repetitions within a run, of which the median counts (3)\n"
        "  --no-check        do not compare outputs with plain C\n"
        "  --limit S         seconds after which a run is ended (600)\n"
        "  --json FILE       write everything measured, with machine, drivers and command\n"
        "  --compare FILE    print what changed since an earlier --json FILE\n"
        "  --examples FOLDER where the programs are\n",
};

/* SPDX-License-Identifier: MIT */
/*
 * coexec bench: the papers' programs bare on every device and through coexec, interleaved, in one run.
 */
#include "tools/coexec_bench.h"
#include "tools/coexec_bench_start.h"
#include "tools/coexec_bench_weak.h"
#include "layer/driver/select.h"
#include "scheduler/algo.h"
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char me[] = "bench";

struct bench {
    struct cx_bench_start start;
    const char *programs, *algos, *sets, *json, *compare, *baselines;
    unsigned runs, limit, alone_limit, time_limit; /* seconds; the latter two 0: none */
    bool scaling, weak, alike, resume, native, together, oracle, cold, power;
    struct cx_bench_set set[CX_BENCH_ROWS];
    unsigned nsets;
    char algo[CX_BENCH_ROWS][CX_BENCH_ALGO];
    unsigned nalgos;
    struct cx_bench_case *jobs;
    size_t njobs;
    double load;             /* of the machine, before the first run */
    time_t began, until;     /* until: when --time-limit is over, 0: never */
    size_t done, all;        /* runs */
    struct json_object *old; /* what --compare names */
    int argc;
    char **argv;
};

/* ---- the command line ---- */

static int read_options(struct bench *bench, int argc, char **argv)
{
    const struct {
        const char *flag;
        const char **text;
        unsigned *count, highest;
    } with_value[] = {
        {"--programs", &bench->programs, NULL, 0},
        {"--preset", &bench->start.preset, NULL, 0},
        {"--algos", &bench->algos, NULL, 0},
        {"--sets", &bench->sets, NULL, 0},
        {"--json", &bench->json, NULL, 0},
        {"--compare", &bench->compare, NULL, 0},
        {"--examples", &bench->start.examples, NULL, 0},
        {"--baseline", &bench->baselines, NULL, 0},
        {"--runs", NULL, &bench->runs, CX_BENCH_RUNS},
        {"--repeat", NULL, &bench->start.repeat, 1000},
        {"--limit", NULL, &bench->limit, 86400},
        {"--alone-limit", NULL, &bench->alone_limit, 86400},
        {"--time-limit", NULL, &bench->time_limit, 604800},
    };
    const struct {
        const char *flag;
        bool *at, value;
    } flags[] = {{"--no-check", &bench->start.check, false}, {"--no-cold", &bench->cold, false},
                 {"--scaling", &bench->scaling, true},       {"--weak", &bench->weak, true},
                 {"--alike", &bench->alike, true},           {"--power", &bench->power, true},
                 {"--resume", &bench->resume, true}};
    const size_t n = sizeof with_value / sizeof *with_value, nflags = sizeof flags / sizeof *flags;
    for (int i = 1; i < argc; i++) {
        size_t o = 0, f = 0;
        while (f < nflags && strcmp(argv[i], flags[f].flag) != 0)
            f++;
        if (f < nflags) {
            *flags[f].at = flags[f].value;
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
        else if (!cx_read_count(value, with_value[o].highest, with_value[o].count))
            return cx_usage_error(me, "%s %s: accepted are 1 to %u", with_value[o].flag, value,
                                  with_value[o].highest);
    }
    if (strcmp(bench->start.preset, "tiny") && strcmp(bench->start.preset, "small") &&
        strcmp(bench->start.preset, "paper") && strcmp(bench->start.preset, "large"))
        return cx_usage_error(me, "--preset %s: accepted are tiny, small, paper and large",
                              bench->start.preset);
    if (bench->weak && (bench->json || bench->compare || bench->power || *bench->baselines))
        return cx_usage_error(me, "--weak goes with none of --json, --compare, --power and --baseline");
    bench->scaling |= bench->weak;
    if (bench->resume && !bench->json)
        return cx_usage_error(me, "--resume needs --json FILE, which tells what was measured already");
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

/* A program's name, a paper's, compute, field, or all but those of field. */
static int take_program(struct bench *bench, char *name)
{
    unsigned paper = cx_bench_paper_of(name);
    size_t before = bench->njobs, known = 0;
    for (size_t i = 0; i < cx_bench_program_count; i++) {
        const struct cx_bench_program *program = &cx_bench_programs[i];
        if (strcmp(name, program->field ? "field" : "all") == 0 ||
            (program->compute && strcmp(name, "compute") == 0) || program->papers & paper ||
            strcmp(name, program->name) == 0) {
            add_job(bench, program);
            known++;
        }
    }
    if (known || bench->njobs > before)
        return CX_EXIT_OK;
    struct cx_guess guess;
    cx_guess_init(&guess, name);
    fprintf(stderr, "known: all compute field sigmoid ompss marrow logfit");
    for (size_t i = 0; i < cx_bench_program_count; i++) {
        fprintf(stderr, " %s", cx_bench_programs[i].name);
        cx_guess_offer(&guess, cx_bench_programs[i].name);
    }
    fprintf(stderr, "\n");
    return cx_usage_error(me, "no such program: %s%s", name, cx_guess_text(&guess));
}

static int take_algo(struct bench *bench, const char *text)
{
    struct cx_algo_problem problem;
    struct cx_algos *algos = cx_algos_create(text, NULL, &problem);
    if (!algos)
        return cx_usage_error(me, "--algos %s: %s; accepted: %s", text, problem.wrong, problem.accepted);
    cx_algos_destroy(algos);
    if (strlen(text) >= sizeof *bench->algo)
        return cx_usage_error(me, "--algos %s: longer than %zu characters", text, sizeof *bench->algo - 1);
    if (bench->nalgos == CX_BENCH_ROWS)
        return cx_usage_error(me, "more than %d balancers", CX_BENCH_ROWS);
    strcpy(bench->algo[bench->nalgos++], text);
    return CX_EXIT_OK;
}

/* A list of balancers, whose parameters have commas between them, too. */
static int take_algos(struct bench *bench)
{
    int status = CX_EXIT_OK;
    for (const char *at = bench->algos; *at && status == CX_EXIT_OK; at += *at == ',') {
        const size_t length = cx_algo_length(at);
        char *text = strndup(at, length);
        status = !text ? cx_tool_error(me, "out of memory") : length ? take_algo(bench, text) : CX_EXIT_OK;
        free(text);
        at += length;
    }
    return status;
}

static int take_baseline(struct bench *bench, char *name)
{
    const bool native = strcmp(name, CX_BENCH_NATIVE) == 0, together = strcmp(name, CX_BENCH_TOGETHER) == 0;
    const bool oracle = strcmp(name, CX_BENCH_ORACLE) == 0;
    bench->native |= native;
    bench->together |= together;
    bench->oracle |= oracle;
    return native || together || oracle
               ? CX_EXIT_OK
               : cx_usage_error(me, "--baseline %s: accepted are native, together, oracle", name);
}

static bool add_set(struct bench *bench, const char *label, const char *devices)
{
    const struct cx_machine *machine = bench->start.machine;
    unsigned *order = calloc(machine->ndevices + 1u, sizeof *order);
    char problem[CX_SELECT_PROBLEM];
    struct cx_bench_set *set = &bench->set[bench->nsets];
    unsigned n = order ? cx_select(machine->devices, machine->ndevices, devices, order, problem) : 0;
    if (n == 0 || bench->nsets == CX_BENCH_ROWS) {
        free(order);
        return false;
    }
    *set = (struct cx_bench_set){.bits = 0};
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
    char *accepted = cx_select_accepted(bench->start.machine->devices, bench->start.machine->ndevices);
    cx_usage_error(me, "--sets %s=%s: names no device; accepted are %s", text, equals + 1,
                   accepted ? accepted : "");
    free(accepted);
    return CX_EXIT_USAGE;
}

/* The used devices; and with --scaling before them the first, the first two, ... of those like the fastest,
 * from four on doubled. */
static void default_sets(struct bench *bench)
{
    const struct cx_machine *machine = bench->start.machine;
    char list[256] = "", label[64];
    size_t length = 0;
    for (unsigned i = 0; i < machine->nused; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%u", i ? "," : "",
                                   machine->used[i]->index);
    unsigned alike = 0, n = 0;
    for (unsigned i = 0; i < machine->nused; i++)
        alike += strcmp(machine->used[i]->name, machine->fastest->name) == 0;
    char like[256] = "";
    length = 0;
    for (unsigned i = 0; i < machine->nused && bench->scaling && length < sizeof like; i++) {
        if (strcmp(machine->used[i]->name, machine->fastest->name) != 0)
            continue;
        length += (size_t)snprintf(like + length, sizeof like - length, "%s%u", n ? "," : "",
                                   machine->used[i]->index);
        n++;
        snprintf(label, sizeof label, "%u device%s", n, n > 1 ? "s" : "");
        if (n <= 4 || (n & (n - 1)) == 0 || n == alike)
            add_set(bench, label, like);
    }
    if (!bench->scaling || alike < machine->nused)
        add_set(bench, "all", list);
    if (bench->scaling && alike < machine->nused)
        fprintf(stderr,
                "coexec bench: --scaling: %u of the devices are like the fastest (%s); the others join in "
                "the set \"all\"\n",
                alike, machine->fastest->name);
}

/* ---- the runs ---- */

static void progress(struct bench *bench, const char *program, const char *how)
{
    if (!isatty(STDERR_FILENO))
        return;
    double passed = difftime(time(NULL), bench->began);
    double left = bench->done ? passed / (double)bench->done * (double)(bench->all - bench->done) : 0;
    static const char full[] = "####################", empty[] = "--------------------";
    const int width = (int)sizeof full - 1,
              part = (int)(bench->done * (size_t)width / (bench->all ? bench->all : 1));
    fprintf(stderr, "\r\033[K[%.*s%.*s] %zu/%zu %s %s", part, full, width - part, empty, bench->done,
            bench->all, program, how);
    if (bench->done)
        fprintf(stderr, ", %d:%02d left", (int)left / 60, (int)left % 60);
    fflush(stderr);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

static bool add_row(struct cx_bench_case *job, const char *set, const char *algo, uint64_t devices)
{
    if (job->nrows == CX_BENCH_ROWS)
        return false;
    struct cx_bench_row *row = &job->row[job->nrows++];
    snprintf(row->set, sizeof row->set, "%s", set);
    snprintf(row->algo, sizeof row->algo, "%s", algo);
    row->devices = devices;
    return true;
}

static bool is_alike(const struct cx_real_device *a, const struct cx_real_device *b)
{
    return strcmp(a->name, b->name) == 0 && a->compute_units == b->compute_units &&
           strcmp(a->platform->driver, b->platform->driver) == 0;
}

/* Adds a row for device `first` alone, which with --alike stands for all those of `devices` that are like it;
 * `done` gets which those are. */
static bool add_alone(const struct bench *bench, struct cx_bench_case *job, unsigned first, uint64_t devices,
                      uint64_t *done)
{
    const struct cx_real_device *list = bench->start.machine->devices;
    uint64_t alike = UINT64_C(1) << first;
    char label[32];
    for (unsigned i = first + 1; bench->alike && i < bench->start.machine->ndevices && i < 64; i++)
        if (devices >> i & 1 && is_alike(&list[first], &list[i]))
            alike |= UINT64_C(1) << i;
    const int n = __builtin_popcountll(alike);
    snprintf(label, sizeof label, n > 1 ? "%u of %d" : "%u", first, n);
    *done |= alike;
    return add_row(job, label, "", alike);
}

/* First those alone on a device: the split by hand goes by their times. False: too many. */
static bool make_rows(struct bench *bench, struct cx_bench_case *job)
{
    uint64_t devices = 0, done = 0;
    bool ok = true;
    for (unsigned s = 0; s < bench->nsets; s++)
        devices |= bench->set[s].bits;
    for (unsigned i = 0; i < bench->start.machine->ndevices && i < 64; i++)
        if (devices >> i & 1 && !(done >> i & 1))
            ok &= add_alone(bench, job, i, devices, &done);
    for (unsigned s = 0; s < bench->nsets; s++) {
        const bool several = bench->set[s].bits & (bench->set[s].bits - 1);
        if (bench->together && several)
            ok &= add_row(job, bench->set[s].label, CX_BENCH_TOGETHER, bench->set[s].bits);
        if (bench->native && job->program->native && several)
            ok &= add_row(job, bench->set[s].label, CX_BENCH_NATIVE, bench->set[s].bits);
        if (bench->oracle && __builtin_popcountll(bench->set[s].bits) == 2)
            ok &= add_row(job, bench->set[s].label, CX_BENCH_ORACLE, bench->set[s].bits);
        for (unsigned a = 0; a < bench->nalgos; a++)
            ok &= add_row(job, bench->set[s].label, bench->algo[a], bench->set[s].bits);
    }
    return ok;
}

static const char *devices_of(const struct bench *bench, const struct cx_bench_row *row)
{
    for (unsigned s = 0; s < bench->nsets; s++)
        if (strcmp(bench->set[s].label, row->set) == 0)
            return bench->set[s].devices;
    return "all";
}

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Whether there is time left for a run; if so, what it may take of that is set. */
static bool allot(struct bench *bench, bool alone)
{
    const time_t now = time(NULL);
    bench->start.limit =
        alone && bench->alone_limit ? lesser(bench->limit, bench->alone_limit) : bench->limit;
    if (bench->until && now < bench->until)
        bench->start.limit = lesser(bench->start.limit, (unsigned)(bench->until - now));
    return !bench->until || now < bench->until;
}

/* What a row has built stays apart from what others have, so that its first process finds nothing. */
static bool use_caches(struct bench *bench, const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    char name[64];
    snprintf(name, sizeof name, "caches-%td-%td", job - bench->jobs, row - job->row);
    if (!bench->cold || cx_bench_start_caches(&bench->start, name))
        return true;
    cx_tool_error(me, "%s: %s", bench->start.caches, strerror(errno));
    return false;
}

/* Runs the row's program once more. */
static void start_row(struct bench *bench, const struct cx_bench_case *job, const struct cx_bench_row *row,
                      struct cx_bench_result *result)
{
    if (strcmp(row->algo, CX_BENCH_NATIVE) == 0)
        cx_bench_start_native(&bench->start, job, row, result);
    else if (strcmp(row->algo, CX_BENCH_TOGETHER) == 0)
        cx_bench_start_together(&bench->start, job, row, result);
    else if (strcmp(row->algo, CX_BENCH_ORACLE) == 0)
        cx_bench_start_oracle(&bench->start, job->program, devices_of(bench, row), result);
    else if (*row->algo)
        cx_bench_start_through(&bench->start, job->program, devices_of(bench, row), row->algo, result);
    else if (cx_bench_too_slow(row))
        *result = row->result[0];
    else
        cx_bench_start_bare(&bench->start, job->program,
                            &bench->start.machine->devices[__builtin_ctzll(row->devices)], result);
}

/* Whether the row has a process with empty caches of its own: bare, where no device may turn out to be too
 * slow, and through coexec. */
static bool has_cold(const struct bench *bench, const struct cx_bench_row *row)
{
    return bench->cold && (*row->algo ? cx_bench_is_through(row) : !bench->alone_limit);
}

/* That process. False: the time is over. */
static bool run_cold(struct bench *bench, const struct cx_bench_case *job, struct cx_bench_row *row)
{
    progress(bench, job->program->name, "cold");
    if (!has_cold(bench, row))
        return true;
    if (!allot(bench, false) || !use_caches(bench, job, row))
        return false;
    start_row(bench, job, row, &row->cold);
    row->has_cold = true;
    bench->done++;
    return !(row->cold.ended && bench->start.limit < bench->limit);
}

/* One run more of the row. False: the time is over. */
static bool run_row(struct bench *bench, const struct cx_bench_case *job, struct cx_bench_row *row)
{
    struct cx_bench_result *result = &row->result[row->runs];
    progress(bench, job->program->name, *row->algo ? row->algo : "bare");
    if (!allot(bench, !*row->algo) || !use_caches(bench, job, row))
        return false;
    cx_bench_power_begin();
    start_row(bench, job, row, result);
    cx_bench_power_end(result);
    if (result->ended && bench->start.limit < bench->limit) {
        if (*row->algo || bench->start.limit < bench->alone_limit || !bench->alone_limit)
            return false;
        result->too_slow_s = bench->alone_limit;
    }
    row->runs++;
    bench->done++;
    return true;
}

/* All rows of one program, run after run, so that what the machine does meanwhile meets all of them. False:
 * the time is over, and the program has no results. */
static bool run_job(struct bench *bench, struct cx_bench_case *job, bool *ok)
{
    bool whole = true, good = true;
    for (unsigned i = 0; i < job->nrows && whole; i++) {
        whole = run_cold(bench, job, &job->row[i]);
        good &= !job->row[i].has_cold || job->row[i].cold.ok;
    }
    for (unsigned r = 0; r < bench->runs && whole; r++)
        for (unsigned i = 0; i < job->nrows && whole; i++) {
            whole = run_row(bench, job, &job->row[i]);
            good &= job->row[i].result[r].ok || job->row[i].result[r].too_slow_s;
        }
    end_progress();
    if (whole) {
        *ok &= good;
        cx_bench_print_case(job);
    }
    for (unsigned i = 0; i < job->nrows && !whole; i++) {
        job->row[i].runs = 0;
        job->row[i].has_cold = false;
    }
    return whole;
}

/* ---- beginning and end ---- */

/* Results so far: a long bench may be ended before it is through, and a file once written stays whole. */
static bool write_json(const struct bench *bench)
{
    struct json_object *root = cx_bench_json(bench->jobs, bench->njobs, bench->start.machine, bench->argc,
                                             bench->argv, bench->start.preset, bench->start.repeat);
    struct stat status;
    char *beside = NULL;
    cx_json_add_number(cx_json_get(root, "machine"), "load_before", bench->load);
    const bool plain = stat(bench->json, &status) == 0 && S_ISREG(status.st_mode);
    bool ok = asprintf(&beside, plain ? "%s.new" : "%s", bench->json) >= 0 &&
              json_object_to_file_ext(beside, root, JSON_C_TO_STRING_PRETTY) == 0 &&
              (!plain || rename(beside, bench->json) == 0);
    json_object_put(root);
    free(beside);
    if (!ok)
        cx_tool_error(me, "--json %s: %s", bench->json, strerror(errno));
    return ok;
}

/* What an earlier bench with the same --json has measured already. */
static int resume(struct bench *bench)
{
    struct stat status;
    if (stat(bench->json, &status) != 0 || status.st_size == 0)
        return CX_EXIT_OK;
    struct json_object *old = cx_bench_read(bench->json);
    if (!old)
        return CX_EXIT_FAILED;
    const char *problem = cx_bench_resume(old, bench->jobs, bench->njobs, bench->runs, bench->start.machine,
                                          bench->start.preset, bench->start.repeat, bench->start.check);
    json_object_put(old);
    return problem ? cx_tool_error(me, "--resume: %s was measured with %s", bench->json, problem)
                   : CX_EXIT_OK;
}

static int prepare(struct bench *bench)
{
    int status;
    if (bench->start.machine->nused == 0)
        return cx_tool_error(me, "there is no OpenCL device; `coexec info` tells where it was looked for");
    bench->jobs = calloc(cx_bench_program_count, sizeof *bench->jobs);
    if (!bench->jobs)
        return cx_tool_error(me, "out of memory");
    if ((status = for_items(bench->programs, ',', take_program, bench)) != CX_EXIT_OK ||
        (status = take_algos(bench)) != CX_EXIT_OK ||
        (status = for_items(bench->baselines, ',', take_baseline, bench)) != CX_EXIT_OK ||
        (status = for_items(bench->sets, ';', take_set, bench)) != CX_EXIT_OK)
        return status;
    if (!bench->nsets)
        default_sets(bench);
    if (!bench->njobs || !bench->nalgos || !bench->nsets)
        return cx_usage_error(me, "no program, no balancer or no set of devices");
    bool several = false;
    for (unsigned s = 0; s < bench->nsets; s++)
        several |= (bench->set[s].bits & (bench->set[s].bits - 1)) != 0;
    if (!several)
        fprintf(stderr,
                "coexec bench: no set has two devices, so there is nothing to share out; COEXEC_FISSION=N "
                "cuts a CPU into devices of N cores\n");
    if (bench->compare && !(bench->old = cx_bench_read(bench->compare)))
        return CX_EXIT_FAILED;
    FILE *json = bench->json ? fopen(bench->json, "ae") : NULL;
    if (bench->json && (!json || fclose(json) != 0))
        return cx_tool_error(me, "--json %s: %s", bench->json, strerror(errno));
    for (size_t j = 0; j < bench->njobs; j++)
        if (!make_rows(bench, &bench->jobs[j]))
            return cx_usage_error(me, "more than %d ways to run a program: fewer balancers or sets",
                                  CX_BENCH_ROWS);
    if (bench->resume && (status = resume(bench)) != CX_EXIT_OK)
        return status;
    bench->start.check &= !bench->power;
    if (bench->power && (status = cx_bench_power_open()) != CX_EXIT_OK)
        return status;
    if ((status = cx_bench_start_init(&bench->start, me)) != CX_EXIT_OK)
        return status;
    for (size_t j = 0; j < bench->njobs; j++)
        for (unsigned i = 0; i < bench->jobs[j].nrows && !cx_bench_is_measured(&bench->jobs[j]); i++)
            bench->all += bench->runs + has_cold(bench, &bench->jobs[j].row[i]);
    return CX_EXIT_OK;
}

/* Programs that grow with the devices: a table of its own. */
static int run_weak(struct bench *bench)
{
    struct cx_bench_weak weak = {.start = &bench->start,
                                 .set = bench->set,
                                 .algo = (const char(*)[CX_BENCH_ALGO])bench->algo,
                                 .nsets = bench->nsets,
                                 .nalgos = bench->nalgos,
                                 .runs = bench->runs};
    bench->start.limit = bench->limit;
    const bool ok = cx_bench_weak(&weak, bench->jobs, bench->njobs);
    cx_bench_start_finish(&bench->start);
    return ok ? CX_EXIT_OK : CX_EXIT_FAILED;
}

static void warn_if_busy(struct bench *bench)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double load = 0;
    if (getloadavg(&load, 1) == 1)
        bench->load = load;
    if (cores > 0 && load > CX_BENCH_BUSY * (double)cores)
        fprintf(
            stderr,
            "coexec bench: warning: the machine is busy (load %.1f on %ld cores): times will not be right\n",
            load, cores);
}

static int run(int argc, char **argv)
{
    struct bench bench = {.start = {.preset = "small", .repeat = 3, .check = true},
                          .limit = 600,
                          .programs = "all",
                          .algos = "static,hguided,sigmoid,auto",
                          .sets = "",
                          .baselines = "",
                          .runs = 3,
                          .cold = true};
    bench.began = time(NULL);
    bench.argc = argc;
    bench.argv = argv;
    int status = read_options(&bench, argc, argv);
    if (status != CX_EXIT_OK)
        return status;
    bench.until = bench.time_limit ? bench.began + (time_t)bench.time_limit : 0;
    char *own = bench.start.examples ? NULL : cx_find_own("../examples", CX_INSTALLED_EXAMPLES);
    if (!bench.start.examples && !own)
        return cx_tool_error(me,
                             "the example programs are neither in ../examples nor in " CX_INSTALLED_EXAMPLES
                             ", seen from this program; --examples "
                             "FOLDER names where they are");
    bench.start.examples = bench.start.examples ? bench.start.examples : own;
    bench.start.machine = cx_machine_get();
    status = prepare(&bench);
    bool ok = status == CX_EXIT_OK;
    if (ok)
        warn_if_busy(&bench);
    bool over = false;
    size_t measured = 0;
    for (size_t j = 0; j < bench.njobs && status == CX_EXIT_OK && !bench.weak; j++) {
        if (cx_bench_is_measured(&bench.jobs[j])) {
            cx_bench_print_case(&bench.jobs[j]);
            measured++;
            continue;
        }
        if (over || (over = !run_job(&bench, &bench.jobs[j], &ok)))
            continue;
        ok &= !bench.json || write_json(&bench);
        measured++;
    }
    if (over)
        fprintf(stderr, "coexec bench: the time is over: %zu of %zu programs are measured%s\n", measured,
                bench.njobs, bench.json ? "; the same command with --resume goes on" : "");
    if (status == CX_EXIT_OK && bench.weak) {
        status = run_weak(&bench);
    } else if (status == CX_EXIT_OK) {
        cx_bench_print_papers(bench.jobs, bench.njobs);
        if (bench.old)
            cx_bench_compare(bench.old, bench.start.preset, bench.jobs, bench.njobs);
        cx_bench_start_finish(&bench.start);
        status = ok ? CX_EXIT_OK : CX_EXIT_FAILED;
    }
    cx_bench_power_close();
    json_object_put(bench.old);
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
        "Runs the example programs bare on each device, and through coexec with several balancers, in turn. "
        "For each it\n"
        "prints the time (median, with transfers), the speedup over the fastest device alone, the largest "
        "speedup that\n"
        "the devices' own times allow, the efficiency (one over the other), the load balance, packages a "
        "launch and\n"
        "bytes moved. Then it prints what a user meets: later runs, the first run of a process, whole "
        "processes, and\n"
        "both with empty caches; and geometric means for each paper. Options are the defaults, or those that "
        "are set.\n"
        "The exit status is 1 if a run failed or was wrong; the results of the others are kept.\n\n"
        "  --programs LIST   names, papers (sigmoid, ompss, marrow, logfit), compute (those bound by\n"
        "                    arithmetic), field (the shapes of programs that people run) or all (default:\n"
        "                    all but field)\n"
        "  --preset P        sizes: tiny, small (default), paper or large (for GPUs of today)\n"
        "  --algos LIST      balancers as COEXEC_ALGO takes them (default static,hguided,sigmoid,auto)\n"
        "  --sets LIST       LABEL=DEVICES;LABEL=DEVICES, devices as in COEXEC_DEVICES (default: those "
        "used)\n"
        "  --baseline LIST   native: also the programs' own versions split by hand over the same devices,\n"
        "                    by the times on each device alone (mandelbrot, nbody, gaussian, binomial,\n"
        "                    matmul, ray, saxpy, spmv); together: also the programs bare on all of them at\n"
        "                    the same time, a process each: what devices give that share cores, memory or\n"
        "                    power; oracle: also static with the best of nine shares of two devices, each\n"
        "                    tried\n"
        "  --scaling         sets of one, two, ... of the devices that are like the fastest, then all "
        "devices\n"
        "  --weak            weak scaling over these sets: programs grow with the devices' speed, and what "
        "counts\n"
        "                    is the time over that of the fastest alone (a table of its own)\n"
        "  --power           also the energy of each process and the energy-delay product, over the fastest\n"
        "                    device alone with the others idle; outputs are not compared\n"
        "  --alike           of devices alike, run alone on one only: its time stands for theirs\n"
        "  --runs N          runs of each program in each way (3)\n"
        "  --repeat N        timed repetitions within a run, of which the median counts (3)\n"
        "  --no-check        do not compare outputs with plain C\n"
        "  --no-cold         no process with empty caches first; caches are where they always are\n"
        "  --limit S         seconds after which a run is ended, and has failed (600)\n"
        "  --alone-limit S   the same for runs on one device alone; one that is too slow then counts as of "
        "no "
        "speed,\n"
        "                    which is no failure\n"
        "  --time-limit S    seconds for all: programs not measured whole until then are left out\n"
        "  --json FILE       write everything measured, with machine, drivers and command, anew after each "
        "program\n"
        "  --resume          programs that the --json FILE has already, measured alike and without failures, "
        "are "
        "not run again\n"
        "  --compare FILE    print what changed since an earlier --json FILE\n"
        "  --examples FOLDER where the programs are\n",
};

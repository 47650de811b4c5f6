/* SPDX-License-Identifier: MIT */
/*
 * coexec tune: runs a program with one balancer after another, in rounds, and tells which one is the fastest
 * and how to use it. What coexec learns meanwhile goes into a cache of its own. Next: coexec_tune_settings.c.
 */
#include "tools/coexec_tune.h"
#include "layer/driver/device.h"
#include "tools/coexec.h"
#include "tools/coexec_bench_start.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char me[] = "tune";

/* A setting whose median is so many times the best one's is not run again, and a run that takes so many times
 * as long is ended, but none of less than a second. */
#define OUT_BEYOND   1.5
#define ENDED_BEYOND 4.0
/* `coexec run` with its options, and the end of the list. */
enum { MOST_OWN_WORDS = 16 };

struct tune {
    const char *algos, *json, *devices;
    unsigned runs, limit; /* seconds */
    bool by_launches;
    char **command;
    size_t words; /* of it */
    struct cx_tune_setting setting[CX_TUNE_SETTINGS];
    unsigned n;
    struct cx_bench_start start; /* this program's path, and a folder for the cache */
};

/* ---- runs ---- */

static const char *label_of(const struct cx_tune_setting *setting, char text[CX_BENCH_ALGO + 144])
{
    snprintf(text, CX_BENCH_ALGO + 144, "%s%s%s", setting->algo, *setting->powers ? ", shares " : "",
             setting->powers);
    return text;
}

/* Seconds of a run, by what is compared; 0, with why in problem: it did not go well. */
static double run(const struct tune *tune, const struct cx_tune_setting *setting, unsigned limit,
                  char problem[256])
{
    char powers[160], cache[PATH_MAX + 32];
    const char *const environment[] = {"COEXEC_SUMMARY_FILE", cache, NULL};
    struct cx_bench_result result;
    unsigned n = 0;
    const char **arguments = calloc(tune->words + MOST_OWN_WORDS, sizeof *arguments);
    if (!arguments) {
        snprintf(problem, 256, "out of memory");
        return 0;
    }
    snprintf(cache, sizeof cache, "COEXEC_CACHE_DIR=%s/cache", tune->start.folder);
    snprintf(powers, sizeof powers, "powers=%s", setting->powers);
    for (const char *const *word =
             (const char *const[]){tune->start.self, "run", "--algo", setting->algo, "--summary=full", NULL};
         *word; word++)
        arguments[n++] = *word;
    if (tune->devices) {
        arguments[n++] = "--devices";
        arguments[n++] = tune->devices;
    }
    if (*setting->powers) {
        arguments[n++] = "--set";
        arguments[n++] = powers;
    }
    arguments[n++] = "--";
    for (char **word = tune->command; *word; word++)
        arguments[n++] = *word;
    struct cx_bench_running running = cx_bench_begin(arguments, environment);
    free(arguments);
    running.any = true;
    cx_bench_end(&running, limit, &result);
    snprintf(problem, 256, "%s", result.ok ? "" : result.problem);
    if (!result.ok)
        return 0;
    if (tune->by_launches && !(result.launches_ms > 0))
        snprintf(problem, 256, "it launches nothing through OpenCL");
    return (tune->by_launches ? result.launches_ms : result.process_ms) * 1e-3;
}

static const struct cx_tune_setting *best_of(const struct tune *tune)
{
    const struct cx_tune_setting *best = NULL;
    for (unsigned i = 0; i < tune->n; i++)
        if (tune->setting[i].runs && (!best || cx_tune_median(&tune->setting[i]) < cx_tune_median(best)))
            best = &tune->setting[i];
    return best;
}

/* Seconds after which the next run is ended. */
static unsigned limit_now(const struct tune *tune)
{
    const struct cx_tune_setting *best = best_of(tune);
    const double most = best && !tune->by_launches ? 1 + ENDED_BEYOND * cx_tune_median(best) : tune->limit;
    return most < tune->limit ? (unsigned)most + 1 : tune->limit;
}

static void run_once(struct tune *tune, unsigned round, unsigned i)
{
    struct cx_tune_setting *setting = &tune->setting[i];
    char label[CX_BENCH_ALGO + 144];
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kround %u of %u: %s (%u of %u)", round + 1, tune->runs,
                label_of(setting, label), i + 1, tune->n);
    const double seconds = run(tune, setting, limit_now(tune), setting->problem);
    if (seconds > 0)
        setting->seconds[setting->runs++] = seconds;
    setting->out = !(seconds > 0);
}

static void leave_out_slow(struct tune *tune)
{
    const struct cx_tune_setting *best = best_of(tune);
    for (unsigned i = 1; i < tune->n && best; i++) /* auto stays, to be compared with */
        tune->setting[i].out |= cx_tune_median(&tune->setting[i]) > OUT_BEYOND * cx_tune_median(best);
}

/* Each round begins with another setting, so that none always runs on a warm or a cold machine. */
static void run_rounds(struct tune *tune)
{
    for (unsigned round = 0; round < tune->runs; round++) {
        for (unsigned k = 0; k < tune->n; k++) {
            const unsigned i = (k + round * 7) % tune->n;
            if (!tune->setting[i].out)
                run_once(tune, round, i);
        }
        leave_out_slow(tune);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- what is told ---- */

static int by_median(const void *a, const void *b)
{
    const double one = cx_tune_median(*(const struct cx_tune_setting *const *)a),
                 other = cx_tune_median(*(const struct cx_tune_setting *const *)b);
    if (!(one > 0) || !(other > 0))
        return (one > 0) < (other > 0) ? 1 : (one > 0) > (other > 0) ? -1 : 0;
    return (one > other) - (one < other);
}

static void print_table(const struct tune *tune)
{
    const struct cx_tune_setting *sorted[CX_TUNE_SETTINGS];
    const double base = cx_tune_median(&tune->setting[0]);
    char label[CX_BENCH_ALGO + 144];
    for (unsigned i = 0; i < tune->n; i++)
        sorted[i] = &tune->setting[i];
    qsort(sorted, tune->n, sizeof *sorted, by_median);
    printf("%-32s %12s %6s %10s\n", "balancer", tune->by_launches ? "launches s" : "process s", "runs",
           "of auto");
    for (unsigned i = 0; i < tune->n; i++) {
        const double median = cx_tune_median(sorted[i]);
        printf("%-32s ", label_of(sorted[i], label));
        if (median > 0)
            printf("%12.4f %6u %10.3f\n", median, sorted[i]->runs, base > 0 ? median / base : 0);
        else
            printf("%12s %6s %10s  %s\n", "-", "-", "-", sorted[i]->problem);
    }
}

static void print_advice(const struct tune *tune)
{
    const struct cx_tune_setting *best = best_of(tune), *ours = &tune->setting[0];
    char label[CX_BENCH_ALGO + 144];
    if (best == ours || !cx_tune_is_faster(best, ours)) {
        printf("no balancer is faster than auto by more than runs differ, of which there were %u each\n",
               tune->runs);
        return;
    }
    printf("%s takes %.3f of auto's time:\n  coexec run --algo '%s'%s%s%s%s -- %s ...\n",
           label_of(best, label), cx_tune_median(best) / cx_tune_median(ours), best->algo,
           tune->devices ? " --devices " : "", tune->devices ? tune->devices : "",
           *best->powers ? " --set powers=" : "", best->powers, tune->command[0]);
}

static bool write_json(const struct tune *tune)
{
    struct json_object *object = json_object_new_object(), *list = json_object_new_array();
    cx_json_add_text(object, "compared", tune->by_launches ? "launches" : "process");
    for (unsigned i = 0; i < tune->n; i++) {
        const struct cx_tune_setting *setting = &tune->setting[i];
        struct json_object *one = json_object_new_object(), *seconds = json_object_new_array();
        cx_json_add_text(one, "algo", setting->algo);
        cx_json_add_text(one, "powers", *setting->powers ? setting->powers : NULL);
        for (unsigned r = 0; r < setting->runs; r++)
            cx_json_append(seconds, json_object_new_double(setting->seconds[r]));
        cx_json_add(one, "seconds", seconds);
        cx_json_add_text(one, "problem", *setting->problem ? setting->problem : NULL);
        cx_json_append(list, one);
    }
    cx_json_add(object, "settings", list);
    FILE *out = fopen(tune->json, "we");
    bool ok = out && fprintf(out, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN)) > 0;
    ok = (!out || fclose(out) == 0) && ok;
    json_object_put(object);
    return ok;
}

/* ---- the command line ---- */

static int read_count(const char *option, const char *text, unsigned most, unsigned *count)
{
    return cx_read_count(text, most, count)
               ? CX_EXIT_OK
               : cx_usage_error(me, "%s %s: not a number from 1 to %u", option, text, most);
}

static int read_by(struct tune *tune, const char *text)
{
    tune->by_launches = strcmp(text, "launches") == 0;
    return tune->by_launches || strcmp(text, "process") == 0
               ? CX_EXIT_OK
               : cx_usage_error(me, "--by %s: accepted are process and launches", text);
}

static int read_option(struct tune *tune, const char *option, const char *value)
{
    struct cx_guess guess;
    if (strcmp(option, "--runs") == 0)
        return read_count(option, value, CX_TUNE_RUNS, &tune->runs);
    if (strcmp(option, "--limit") == 0)
        return read_count(option, value, 86400, &tune->limit);
    if (strcmp(option, "--by") == 0)
        return read_by(tune, value);
    if (strcmp(option, "--algos") == 0)
        tune->algos = value;
    else if (strcmp(option, "--devices") == 0)
        tune->devices = value;
    else if (strcmp(option, "--json") == 0)
        tune->json = value;
    else {
        cx_guess_init(&guess, option);
        cx_guess_offer_words(&guess, "--algos --by --devices --json --limit --runs");
        return cx_usage_error(me, "unknown option %s%s", option, cx_guess_text(&guess));
    }
    return CX_EXIT_OK;
}

static int read_arguments(struct tune *tune, int argc, char **argv)
{
    int i = 1, status = CX_EXIT_OK;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0 && status == CX_EXIT_OK) {
        const char *value = i + 1 < argc && strcmp(argv[i + 1], "--") != 0 ? argv[i + 1] : NULL;
        if (!value)
            return cx_usage_error(me, "%s needs a value, or is no option", argv[i]);
        status = read_option(tune, argv[i], value);
        i += 2;
    }
    if (status == CX_EXIT_OK && i < argc && strcmp(argv[i], "--") == 0)
        i++;
    if (status == CX_EXIT_OK && i >= argc)
        return cx_usage_error(me, "which program?");
    tune->command = argv + i;
    tune->words = (size_t)(argc - i);
    return status;
}

/* One run that does not count: it leaves what is compiled and analysed in the caches, and tells whether the
 * program works at all. */
static int warm_up(struct tune *tune)
{
    char problem[256];
    if (run(tune, &tune->setting[0], tune->limit, problem) > 0)
        return CX_EXIT_OK;
    return cx_tool_error(me, "%s: %s", tune->command[0], problem);
}

static int tune_all(struct tune *tune)
{
    const struct cx_machine *machine = cx_machine_get();
    if (machine->nused == 0)
        return cx_tool_error(me, "there is no OpenCL device; `coexec info` tells where it was looked for");
    tune->n = cx_tune_settings(tune->setting, tune->algos, machine->nused);
    if (!tune->n)
        return CX_EXIT_USAGE;
    int status = warm_up(tune);
    if (status != CX_EXIT_OK)
        return status;
    if (machine->nused < 2)
        fprintf(stderr, "coexec tune: there is one device, so balancers hardly differ\n");
    run_rounds(tune);
    print_table(tune);
    print_advice(tune);
    return tune->json && !write_json(tune) ? cx_tool_error(me, "%s: %s", tune->json, strerror(errno))
                                           : CX_EXIT_OK;
}

static int tune(int argc, char **argv)
{
    static struct tune all = {.runs = 3, .limit = 600};
    int status = read_arguments(&all, argc, argv);
    if (status == CX_EXIT_OK && all.devices && setenv("COEXEC_DEVICES", all.devices, 1) != 0)
        status = cx_tool_error(me, "%s", strerror(errno));
    if (status == CX_EXIT_OK)
        status = cx_bench_start_init(&all.start, me);
    if (status != CX_EXIT_OK)
        return status;
    status = tune_all(&all);
    cx_bench_start_finish(&all.start);
    return fflush(stdout) == 0 ? status : CX_EXIT_FAILED;
}

const struct cx_subcommand cx_tune_subcommand = {
    .name = "tune",
    .run = tune,
    .summary = "find the balancer with which a program is fastest",
    .help =
        "usage: coexec tune [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
        "Runs the program with one balancer after another, in rounds, and prints their times and, where one "
        "is faster\n"
        "than auto by more than runs differ, how to use it. Tried are all balancers, hguided and dynamic "
        "with\n"
        "other package sizes and, for two devices, static with shares from 10:90 to 90:10. One that takes\n"
        "1.5 times as long as the best is not run again. What the program prints is not shown; it should "
        "need "
        "no\n"
        "input, and do the same each time. Caches and what coexec learns are apart from those of other "
        "runs.\n\n"
        "  --algos LIST    these balancers, compared with auto, in place of all: sigmoid,hguided:k=1.5\n"
        "  --by WHAT       compare the process' time (process), or its launches' (launches)\n"
        "  --devices LIST  as coexec run's\n"
        "  --runs N        rounds, at most 32 (3)\n"
        "  --limit S       end a run after so many seconds (600); after 4 times the best one's in any case\n"
        "  --json FILE     write each run's seconds, too\n",
};

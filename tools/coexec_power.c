/* SPDX-License-Identifier: MIT */
/*
 * coexec power: runs a program, reads all power sources of the machine meanwhile, and tells what it consumed:
 * the monitor of the papers ("Sauna"). The program is a child that gets the signals this process gets, and
 * whose status becomes this one's. Next: coexec_power_tell.c.
 */
#include "tools/coexec_power.h"
#include "tools/coexec.h"
#include "tools/coexec_guess.h"

#include "layer/base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char me[] = "power";
static const int caught[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};

struct power {
    double period, idle; /* seconds */
    const char *json;
    char **command;
    struct cx_power_meter *meter;
    sigset_t waits, before;
};

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- arguments ---- */

static int unknown_option(const char *argument)
{
    struct cx_guess guess;
    cx_guess_init(&guess, argument);
    cx_guess_offer_words(&guess, "--period --idle --json");
    return cx_usage_error(me, "unknown option %s%s", argument, cx_guess_text(&guess));
}

static int read_number(const char *option, const char *text, double least, double most, const char *unit,
                       double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end > text && !*end && *number >= least && *number <= most)
        return CX_EXIT_OK;
    return cx_usage_error(me, "%s %s: not a number of %s from %g to %g", option, text, unit, least, most);
}

/* Reads one option at argv[*i] and moves *i behind it. */
static int read_option(struct power *power, int argc, char **argv, int *i)
{
    const char *option = argv[(*i)++];
    const bool period = strcmp(option, "--period") == 0, idle = strcmp(option, "--idle") == 0;
    int status = CX_EXIT_OK;
    if (!period && !idle && strcmp(option, "--json") != 0)
        return unknown_option(option);
    if (*i >= argc || strcmp(argv[*i], "--") == 0)
        return cx_usage_error(me, "%s needs a value", option);
    const char *value = argv[(*i)++];
    if (period) {
        status = read_number(option, value, 1, 10000, "milliseconds", &power->period);
        power->period /= 1000;
    } else if (idle) {
        status = read_number(option, value, 1, 3600, "seconds", &power->idle);
    } else {
        power->json = value;
    }
    return status;
}

static int read_arguments(struct power *power, int argc, char **argv)
{
    int i = 1, status = CX_EXIT_OK;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0 && status == CX_EXIT_OK)
        status = read_option(power, argc, argv, &i);
    if (status != CX_EXIT_OK)
        return status;
    i += i < argc && strcmp(argv[i], "--") == 0;
    power->command = argv + i;
    return i < argc ? CX_EXIT_OK : cx_usage_error(me, "no program to run");
}

/* ---- the program ---- */

/* The child tells by the pipe why it could not become the program. */
static pid_t start(const struct power *power, int *why)
{
    int ends[2];
    *why = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &power->before, NULL);
        execvp(power->command[0], power->command);
        *why = errno;
        _exit(write(ends[1], why, sizeof *why) == sizeof *why ? 126 : 127);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], why, sizeof *why) != sizeof *why)
        *why = 0;
    close(ends[0]);
    return child;
}

/* Waits for a signal until then; true: the program is over. What the terminal sends, it has got, too. */
static bool is_over(const struct power *power, pid_t child, double until, int *status)
{
    const double left = fmax(until - clock_seconds(), 0);
    const struct timespec wait = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    siginfo_t info;
    const int number = sigtimedwait(&power->waits, &info, &wait);
    if (number == SIGCHLD)
        return waitpid(child, status, WNOHANG) == child;
    if (number > 0 && info.si_code != SI_KERNEL)
        kill(child, number);
    return false;
}

static void watch(const struct power *power, struct cx_power_run *run, pid_t child)
{
    const double began = clock_seconds();
    double next = began;
    int status = 0;
    do {
        cx_power_meter_sample(power->meter);
        cx_power_curve_add(run->curve, power->meter, clock_seconds() - began);
        next = fmax(next + power->period, clock_seconds());
    } while (!is_over(power, child, next, &status));
    run->seconds = clock_seconds() - began;
    run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void measure_idle(const struct power *power, struct cx_power_run *run)
{
    struct cx_power_mark from, to;
    const double end = clock_seconds() + power->idle;
    cx_power_meter_mark(power->meter, &from);
    for (double now = clock_seconds(); now < end; now = clock_seconds()) {
        const double left = fmin(power->period, end - now);
        nanosleep(&(struct timespec){(time_t)left, (long)((left - floor(left)) * 1e9)}, NULL);
        cx_power_meter_sample(power->meter);
    }
    cx_power_meter_mark(power->meter, &to);
    run->has_idle = true;
    for (unsigned i = 0; i < power->meter->sources.n; i++)
        run->idle[i] = cx_power_meter_between(power->meter, &from, &to, i);
}

static int not_started(const struct power *power, int why)
{
    const bool missing = why == ENOENT || why == ENOTDIR;
    cx_tool_error(me, "%s: %s", power->command[0], missing ? "no such program" : strerror(why));
    return missing ? CX_EXIT_NOT_FOUND : CX_EXIT_NOT_EXECUTABLE;
}

static int measure(const struct power *power, struct cx_power_run *run)
{
    static struct cx_power_mark from, to;
    int why;
    if (power->idle > 0)
        measure_idle(power, run);
    cx_power_meter_mark(power->meter, &from);
    const double before = processor_seconds();
    const pid_t child = start(power, &why);
    if (child < 0)
        return cx_tool_error(me, "no process can be started: %s", strerror(errno));
    if (why) {
        waitpid(child, NULL, 0);
        return not_started(power, why);
    }
    watch(power, run, child);
    cx_power_meter_mark(power->meter, &to);
    run->sampling = processor_seconds() - before;
    for (unsigned i = 0; i < power->meter->sources.n; i++)
        run->figure[i] = cx_power_meter_between(power->meter, &from, &to, i);
    cx_power_print(run, stderr);
    if (power->json && !cx_power_write_json(run, power->json))
        return cx_tool_error(me, "%s: %s", power->json, strerror(errno));
    return run->status;
}

static int find_sources(struct power *power)
{
    power->meter = cx_power_meter_create(NULL);
    if (!power->meter)
        return cx_tool_error(me, "out of memory");
    for (unsigned i = 0; i < power->meter->sources.nnotes; i++)
        fprintf(stderr, "coexec power: %s\n", power->meter->sources.note[i]);
    if (power->meter->sources.n > 0)
        return CX_EXIT_OK;
    return cx_tool_error(me,
                         "nothing on this machine tells its power: no RAPL below %s, no GPU of NVIDIA's (%s),"
                         " none of AMD's or Intel's below %s",
                         cx_options_get()->powercap, cx_options_get()->libnvml, cx_options_get()->hwmon);
}

static int run_power(int argc, char **argv)
{
    static struct cx_power_curve curve;
    static struct cx_power_run run;
    struct power power = {.period = 0.045};
    int status = read_arguments(&power, argc, argv);
    if (status == CX_EXIT_OK)
        status = find_sources(&power);
    if (status == CX_EXIT_OK && !cx_power_curve_init(&curve, power.meter->sources.n))
        status = cx_tool_error(me, "out of memory");
    if (status == CX_EXIT_OK) {
        sigemptyset(&power.waits);
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
            sigaddset(&power.waits, caught[i]);
        signal(SIGCHLD, SIG_DFL); /* or nobody tells of its end */
        sigprocmask(SIG_BLOCK, &power.waits, &power.before);
        run = (struct cx_power_run){.meter = power.meter, .command = power.command, .period = power.period};
        run.curve = &curve;
        status = measure(&power, &run);
    }
    free(curve.watts);
    cx_power_meter_destroy(power.meter);
    return status;
}

const struct cx_subcommand cx_power_subcommand = {
    .name = "power",
    .run = run_power,
    .summary = "run a program and tell how much energy the machine consumed",
    .help =
        "usage: coexec power [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
        "Runs PROGRAM and tells on standard error what the machine's CPU packages and GPUs consumed "
        "meanwhile: "
        "seconds,\n"
        "mean power, energy with the most by which it may be wrong, their sum, and the energy-delay product. "
        "PROGRAM runs\n"
        "as it is; on all devices with `coexec power -- coexec run -- PROGRAM`. The exit status is "
        "PROGRAM's; "
        "1 where\n"
        "nothing tells its power. What others do on the machine meanwhile is counted, too.\n\n"
        "  --period MS  milliseconds between two samples of power, 1 to 10000 (45)\n"
        "  --idle S     first measure the idle machine for S seconds, 1 to 3600, and tell the energy above "
        "that\n"
        "  --json FILE  write the figures and the power over time\n\n"
        "Sources: RAPL for CPU packages (below /sys/class/powercap), NVIDIA's management library, and hwmon "
        "for "
        "amdgpu,\n"
        "i915 and xe. A GPU of NVIDIA's has no figure for less than a second.\n",
};

/* SPDX-License-Identifier: MIT */
/*
 * coexec run: sets the environment so that the program sees coexec's platform and no other, and becomes the
 * program. What is wrong ends it, with the remedy; the environment's own values are the layer's to judge.
 * Next: coexec_run_devices.c.
 */
#include "tools/coexec_run.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "scheduler/algo.h"
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_icd.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *me = "run"; /* or "env", which takes the same options */

static const char *const option_names[] = {
#define CX_OPTION(class, type, field, name, fallback, accepted, help) name,
#include "layer/base/options.def"
#undef CX_OPTION
};

static int set_variable(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? CX_EXIT_OK : cx_tool_error(me, "%s: %s", name, strerror(errno));
}

static int set_algo(const char *text)
{
    struct cx_algo_problem problem;
    struct cx_algos *algos = cx_algos_create(text, NULL, &problem);
    if (!algos) {
        struct cx_guess guess;
        const char *quoted = strchr(problem.wrong, '\''); /* the part that is wrong */
        char part[CX_GUESS_WORD] = "";
        if (quoted)
            snprintf(part, sizeof part, "%.*s", (int)strcspn(quoted + 1, "'"), quoted + 1);
        cx_guess_init(&guess, part);
        cx_guess_offer_words(&guess, problem.accepted);
        return cx_usage_error(me, "--algo %s: %s%s; accepted: %s", text, problem.wrong, cx_guess_text(&guess),
                              problem.accepted);
    }
    cx_algos_destroy(algos);
    return set_variable("COEXEC_ALGO", text);
}

/* Says what is wrong with the value of an option, which the layer would only tell of and pass over. */
static int check_value(const char *name, const char *value)
{
    struct cx_guess guess;
    char *accepted = NULL;
    const char *problem = cx_options_problem(name, value, &accepted);
    if (!problem && strcmp(name, "COEXEC_LOG") == 0 && !cx_log_takes(value)) {
        problem = "not known";
        accepted = strdup(cx_log_accepted);
    }
    if (!problem)
        return CX_EXIT_OK;
    cx_guess_init(&guess, value);
    cx_guess_offer_words(&guess, accepted ? accepted : "");
    cx_usage_error(me, "--set %s=%s: %s%s; accepted: %s", name, value, problem, cx_guess_text(&guess),
                   accepted ? accepted : "");
    free(accepted);
    return CX_EXIT_USAGE;
}

/* Behind what COEXEC_DEBUG says already: the last one counts. */
static int set_debug(const char *name, const char *value)
{
    const char *before = getenv("COEXEC_DEBUG");
    char *all = NULL;
    if (strchr(value, ','))
        return cx_usage_error(me, "--set %s=%s: lists are separated by :", name, value);
    if (asprintf(&all, "%s%s%s=%s", before ? before : "", before && *before ? "," : "", name, value) < 0)
        return cx_tool_error(me, "out of memory");
    const int status = set_variable("COEXEC_DEBUG", all);
    free(all);
    return status;
}

static bool is_live;            /* --live */
static bool devices_are_chosen; /* by an option of ours, not by the environment */

static int set_devices(const char *value)
{
    devices_are_chosen = true;
    return set_variable("COEXEC_DEVICES", value);
}

static int unknown_option(const char *name, size_t length)
{
    struct cx_guess guess;
    char word[CX_GUESS_WORD];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    cx_guess_init(&guess, word);
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++)
        cx_guess_offer(&guess, option_names[i] + (strncmp(option_names[i], "COEXEC_", 7) == 0 ? 7 : 0));
    return cx_usage_error(me, "--set %s: no such option%s; `coexec info` lists them", word,
                          cx_guess_text(&guess));
}

/* NAME=VALUE, where NAME is an option of the layer, with or without COEXEC_ before it, or one of
 * COEXEC_DEBUG. */
static int set_option(const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    if (assignment[length] != '=')
        return cx_usage_error(me, "--set %s: not of the form NAME=VALUE", assignment);
    const char *value = assignment + length + 1;
    const size_t prefix = strncmp(assignment, "COEXEC_", 7) == 0 ? 7 : 0, rest = length - prefix;
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        const bool is_debug = strncmp(option_names[i], "COEXEC_", 7) != 0;
        const char *name = option_names[i], *bare = name + (is_debug ? 0 : 7);
        if (strlen(bare) != rest || strncasecmp(bare, assignment + prefix, rest) != 0)
            continue;
        if (strcmp(name, "COEXEC_ALGO") == 0)
            return set_algo(value);
        if (strcmp(name, "COEXEC_DEVICES") == 0)
            return set_devices(value);
        int status = check_value(name, value);
        return status ? status : is_debug ? set_debug(name, value) : set_variable(name, value);
    }
    return unknown_option(assignment + prefix, rest);
}

/* The program may change its folder before the trace is written. */
static int set_trace(const char *file)
{
    char folder[PATH_MAX], *path = NULL;
    const char *slash = strrchr(file, '/');
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".") >
            0 &&
        access(folder, W_OK) != 0)
        return cx_usage_error(me, "--trace %s: no file can be made in %s: %s", file, folder, strerror(errno));
    if (*file == '/' || !getcwd(folder, sizeof folder))
        return setenv("COEXEC_TRACE", file, 1) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
    if (asprintf(&path, "%s/%s", folder, file) < 0)
        return CX_EXIT_FAILED;
    int status = setenv("COEXEC_TRACE", path, 1) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
    free(path);
    return status;
}

/* Reads one option at argv[*i] and moves *i behind it. */
static int read_option(int argc, char **argv, int *i)
{
    static const struct {
        const char *flag;
        int (*set)(const char *value);
    } with_value[] = {
        {"--algo", set_algo}, {"--devices", set_devices}, {"--trace", set_trace}, {"--set", set_option}};
    const char *argument = argv[(*i)++];
    if (strcmp(argument, "--summary") == 0)
        return set_variable("COEXEC_SUMMARY", "1");
    is_live |= strcmp(argument, "--live") == 0;
    if (strcmp(argument, "--live") == 0)
        return strcmp(me, "run") == 0 ? CX_EXIT_OK : cx_usage_error(me, "--live is for coexec run");
    if (strcmp(argument, "--summary=full") == 0)
        return set_variable("COEXEC_SUMMARY", "full");
    for (size_t o = 0; o < sizeof with_value / sizeof *with_value; o++) {
        const char *flag = with_value[o].flag, *value;
        size_t length = strlen(flag);
        if (strncmp(argument, flag, length) != 0 || (argument[length] && argument[length] != '='))
            continue;
        value = argument[length] ? argument + length + 1 : *i < argc ? argv[*i] : NULL;
        if (!value || (!argument[length] && strncmp(value, "--", 2) == 0))
            return cx_usage_error(me, "%s needs a value", flag);
        *i += !argument[length];
        return with_value[o].set(value);
    }
    struct cx_guess guess;
    char word[CX_GUESS_WORD];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    cx_guess_init(&guess, word);
    cx_guess_offer_words(&guess, "--summary --summary=full --live --algo --devices --trace --set --help");
    return cx_usage_error(me, "unknown option %s%s; what is the program's stands behind it", argument,
                          cx_guess_text(&guess));
}

/* Whether the folder is one that shows coexec itself, such as `meson devenv` sets. */
static int shows_coexec(const char *place)
{
    char *path = NULL;
    size_t length = strlen(place);
    if (length >= 10 && strcmp(place + length - 10, "coexec.icd") == 0)
        return 1;
    int found = asprintf(&path, "%s/coexec.icd", place) >= 0 && access(path, F_OK) == 0;
    free(path);
    return found;
}

/* What the loaders were told to use is what the real drivers are looked for in now, unless COEXEC_VENDORS
 * says. */
static int take_over_drivers(void)
{
    const char *libraries = getenv("OCL_ICD_FILENAMES"), *vendors = getenv("OCL_ICD_VENDORS");
    const char *own = getenv("COEXEC_VENDORS");
    char *joined = NULL;
    int failed = 0;
    libraries = libraries ? libraries : "";
    if (own && *own)
        return 0;
    if (vendors && *vendors && !shows_coexec(vendors)) {
        if (asprintf(&joined, "%s%s%s", libraries, *libraries ? ":" : "", vendors) < 0)
            return -1;
        failed = setenv("COEXEC_VENDORS", joined, 1);
        free(joined);
    } else if (*libraries) {
        failed = setenv("COEXEC_REAL_ICD_FILENAMES", libraries, 1);
    }
    return failed;
}

/* OCL_ICD_FILENAMES would show the vendors' platforms beside ours, and a preset default platform may be none
 * of ours. */
static int show_only_coexec(const char *folder)
{
    return take_over_drivers() != 0 || setenv("OCL_ICD_VENDORS", folder, 1) != 0 ||
           unsetenv("OCL_ICD_FILENAMES") != 0 || unsetenv("OCL_ICD_DEFAULT_PLATFORM") != 0;
}

/* Reads the options, of which *i is the first and behind which it ends. */
static int read_options(int argc, char **argv, int *i)
{
    while (*i < argc && argv[*i][0] == '-' && strcmp(argv[*i], "--") != 0) {
        int status = read_option(argc, argv, i);
        if (status != CX_EXIT_OK)
            return status;
    }
    return CX_EXIT_OK;
}

/* Sets the rest of the environment that a program needs. */
static int prepare(void)
{
    char *icd;
    int status = cx_icd_folder(me, &icd);
    if (status != CX_EXIT_OK)
        return status;
    int failed = show_only_coexec(icd);
    free(icd);
    if (failed)
        return cx_tool_error(me, "the environment cannot be set: %s", strerror(errno));
    return devices_are_chosen ? cx_run_check_devices(me, getenv("COEXEC_DEVICES")) : CX_EXIT_OK;
}

static int run(int argc, char **argv)
{
    int i = 1, status = read_options(argc, argv, &i);
    if (status != CX_EXIT_OK)
        return status;
    if (i < argc && strcmp(argv[i], "--") == 0)
        i++;
    if (i >= argc)
        return cx_usage_error(me, "no program to run");
    status = prepare();
    if (status != CX_EXIT_OK)
        return status;
    const char *summary = getenv("COEXEC_SUMMARY"), *kept = getenv("COEXEC_SUMMARY_KEPT");
    if (summary && *summary && strcmp(summary, "0") != 0 && !(kept && *kept))
        cx_run_watch();
    if (is_live && cx_run_live(&status))
        return status;
    execvp(argv[i], argv + i);
    int missing = errno == ENOENT || errno == ENOTDIR;
    cx_tool_error(me, "%s: %s", argv[i], missing ? "no such program" : strerror(errno));
    return missing ? CX_EXIT_NOT_FOUND : CX_EXIT_NOT_EXECUTABLE;
}

const struct cx_subcommand cx_run_subcommand = {
    .name = "run",
    .run = run,
    .summary = "run a program on all devices",
    .help = "usage: coexec run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
            "Runs PROGRAM on all devices: it sees coexec's OpenCL platform and no other. The exit status is "
            "PROGRAM's;\n"
            "127 when it is not found, 126 when it cannot be run, 2 for a wrong option.\n\n"
            "  --algo A          balancer, such as static or sigmoid:p=0.1 (COEXEC_ALGO)\n"
            "  --devices D       devices to use: numbers, types or names, such as 0,2 or gpu or '!basic' "
            "(COEXEC_DEVICES)\n"
            "  --summary[=full]  say at the end, on standard error, how much was gained, and how each kernel "
            "ran; full:\n"
            "                    also what was decided and moved (COEXEC_SUMMARY)\n"
            "  --live            show on the last line of the terminal what it does, while it runs\n"
            "  --trace FILE      write a trace that Perfetto shows (COEXEC_TRACE)\n"
            "  --set NAME=VALUE  any other option by name, such as --set split=always; also the names of "
            "COEXEC_DEBUG,\n"
            "                    such as --set zero_copy=0\n\n"
            "Drivers named in OCL_ICD_FILENAMES and OCL_ICD_VENDORS become coexec's real drivers.\n",
};

/* A text that a shell takes as it is, in single quotes; fish and the shells of POSIX agree but for the quote
 * itself, which both take outside of quotes behind a backslash. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    putchar('\'');
}

/* One line of the environment, unless it was so before. */
static void print_variable(const char *name, const char *before, bool fish)
{
    const char *now = getenv(name);
    if (now && (!before || strcmp(now, before) != 0)) {
        printf(fish ? "set -gx %s " : "export %s=", name);
        print_quoted(now);
        puts(fish ? "" : ";");
    } else if (!now && before) {
        printf(fish ? "set -e %s\n" : "unset %s;\n", name);
    }
}

enum { LOADER_VARIABLES = 3, OPTIONS = sizeof option_names / sizeof *option_names };

static int env(int argc, char **argv)
{
    static const char *const loaders[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OCL_ICD_DEFAULT_PLATFORM"};
    char *before[LOADER_VARIABLES + OPTIONS] = {NULL};
    int i = 1;
    me = "env";
    const bool fish = i < argc && strcmp(argv[i], "--fish") == 0;
    for (int v = 0; v < LOADER_VARIABLES + OPTIONS; v++) {
        const char *value = getenv(v < LOADER_VARIABLES ? loaders[v] : option_names[v - LOADER_VARIABLES]);
        before[v] = value ? strdup(value) : NULL;
    }
    i += fish;
    int status = read_options(argc, argv, &i);
    if (status == CX_EXIT_OK && i < argc)
        status = cx_usage_error(me, "%s: it runs no program; to run one: coexec run", argv[i]);
    if (status == CX_EXIT_OK)
        status = prepare();
    for (int v = 0; v < LOADER_VARIABLES + OPTIONS; v++) {
        if (status == CX_EXIT_OK)
            print_variable(v < LOADER_VARIABLES ? loaders[v] : option_names[v - LOADER_VARIABLES], before[v],
                           fish);
        free(before[v]);
    }
    const char *state, *config = status == CX_EXIT_OK ? cx_options_config(&state) : "";
    if (*config && strcmp(state, "read") == 0)
        printf("# programs also follow %s\n", config); /* last, for shells that join the lines */
    return fflush(stdout) == 0 ? status : CX_EXIT_FAILED;
}

const struct cx_subcommand cx_env_subcommand = {
    .name = "env",
    .run = env,
    .summary = "print settings by which a shell runs all its programs with coexec",
    .help = "usage: eval \"$(coexec env [OPTIONS])\"          fish: coexec env --fish [OPTIONS] | source\n\n"
            "Prints the variables that `coexec run` sets, with the same options, for a shell: all OpenCL "
            "programs\n"
            "started from it then see coexec. `unset OCL_ICD_VENDORS` ends that.\n\n"
            "  --fish            for fish, in place of sh, bash and zsh; the first option\n"
            "  --algo, --devices, --summary, --trace, --set: see `coexec help run`\n",
};

/* SPDX-License-Identifier: MIT */
/*
 * The program `coexec`: finds the subcommand and runs it.
 */
#include "tools/coexec.h"
#include "tools/coexec_guess.h"

#include "layer/base/options.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cx_subcommand *const subcommands[] = {
    &cx_run_subcommand,   &cx_env_subcommand,  &cx_power_subcommand,   &cx_calibrate_subcommand,
    &cx_top_subcommand,   &cx_info_subcommand, &cx_explain_subcommand, &cx_simulate_subcommand,
    &cx_bench_subcommand, &cx_tune_subcommand, &cx_report_subcommand,  &cx_knowledge_subcommand,
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

char *cx_find_own(const char *in_build, const char *installed)
{
    const char *candidates[] = {in_build, installed};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (int i = 0; i < 2; i++) {
        char *joined = NULL, *path = NULL;
        if (candidates[i] && asprintf(&joined, "%s%s%s", *candidates[i] == '/' ? "" : self,
                                      *candidates[i] == '/' ? "" : "/", candidates[i]) >= 0) {
            path = realpath(joined, NULL);
            free(joined);
        }
        if (path)
            return path;
    }
    return NULL;
}

static void print_usage(FILE *stream)
{
    fputs("usage: coexec SUBCOMMAND [ARGUMENTS]\n\n"
          "Runs unchanged OpenCL programs on all devices of the machine at once, and says how.\n"
          "To begin with: coexec run --summary -- ./app\n\n",
          stream);
    for (int i = 0; i < SUBCOMMANDS; i++)
        fprintf(stream, "  %-11s%s\n", subcommands[i]->name, subcommands[i]->summary);
    fputs("  help       print this, or the help of a subcommand; `help options` lists what --set takes\n"
          "  version    print the version\n",
          stream);
}

static const struct cx_subcommand *find_subcommand(const char *name)
{
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(subcommands[i]->name, name) == 0)
            return subcommands[i];
    return NULL;
}

static int unknown_subcommand(const char *name)
{
    struct cx_guess guess;
    cx_guess_init(&guess, name);
    for (int i = 0; i < SUBCOMMANDS; i++)
        cx_guess_offer(&guess, subcommands[i]->name);
    cx_guess_offer_words(&guess, "help version");
    if (access(name, X_OK) == 0)
        return cx_usage_error("", "no such subcommand: %s; to run that program: coexec run -- %s", name,
                              name);
    return cx_usage_error("", "no such subcommand: %s%s", name, cx_guess_text(&guess));
}

/* Each option that --set takes, with what it accepts; shells complete by it. */
static int help_options(void)
{
    const struct cx_option_row *rows;
    const size_t count = cx_options_rows(&rows);
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[i].name;
        for (name += strncmp(name, "COEXEC_", 7) == 0 ? 7 : 0; *name; name++)
            putchar(tolower((unsigned char)*name));
        printf("=  %s\n", rows[i].accepted);
    }
    return fflush(stdout) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
}

static int help(const char *name)
{
    const struct cx_subcommand *subcommand = name ? find_subcommand(name) : NULL;
    if (name && strcmp(name, "options") == 0)
        return help_options();
    if (name && !subcommand)
        return unknown_subcommand(name);
    if (subcommand)
        fputs(subcommand->help, stdout);
    else
        print_usage(stdout);
    return fflush(stdout) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
}

static int is_one_of(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CX_EXIT_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help") || strcmp(argv[1], "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (is_one_of(argv[1], "version", "--version")) {
        puts("coexec " CX_VERSION);
        return fflush(stdout) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
    }
    const struct cx_subcommand *subcommand = find_subcommand(argv[1]);
    if (!subcommand)
        return unknown_subcommand(argv[1]);
    if (argc > 2 && is_one_of(argv[2], "--help", "-h"))
        return help(subcommand->name);
    return subcommand->run(argc - 1, argv + 1);
}

/* SPDX-License-Identifier: MIT */
/*
 * The parts of the program `coexec`: one function a subcommand, and what they share.
 */
#ifndef CX_TOOLS_COEXEC_H
#define CX_TOOLS_COEXEC_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses besides the started program's own. */
enum {
    CX_EXIT_OK = 0,
    CX_EXIT_FAILED = 1,
    CX_EXIT_USAGE = 2,
    CX_EXIT_NOT_EXECUTABLE = 126, /* as shells have it */
    CX_EXIT_NOT_FOUND = 127
};

struct cx_subcommand {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit status */
    const char *summary;               /* for the list of subcommands */
    const char *help;
};

/* Const tables, one at the end of each file. */
extern const struct cx_subcommand cx_run_subcommand;
extern const struct cx_subcommand cx_env_subcommand;
extern const struct cx_subcommand cx_power_subcommand;
extern const struct cx_subcommand cx_calibrate_subcommand;
extern const struct cx_subcommand cx_top_subcommand;
extern const struct cx_subcommand cx_tune_subcommand;
extern const struct cx_subcommand cx_info_subcommand;
extern const struct cx_subcommand cx_explain_subcommand;
extern const struct cx_subcommand cx_simulate_subcommand;
extern const struct cx_subcommand cx_bench_subcommand;
extern const struct cx_subcommand cx_report_subcommand;
extern const struct cx_subcommand cx_knowledge_subcommand;

/* "coexec run: MESSAGE; see `coexec help run`" on stderr. Returns CX_EXIT_USAGE. */
int cx_usage_error(const char *subcommand, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "coexec run: MESSAGE" on stderr. Returns CX_EXIT_FAILED. */
int cx_tool_error(const char *subcommand, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number from 1 to highest. False: the text is none. */
bool cx_read_count(const char *text, unsigned highest, unsigned *value);
/* Sorts the values; 0: there is none. */
double cx_median(double *values, unsigned n);

/* COEXEC_ANALYSER, the one built or installed with this program, or one on the PATH. The caller frees. */
char *cx_find_analyser(void);

/* A file or folder that belongs to coexec: the one in the build tree when this program runs from there, else
 * the installed one. Both paths are relative to the folder of this program. NULL when neither exists; the
 * caller frees. */
char *cx_find_own(const char *in_build, const char *installed);

#endif

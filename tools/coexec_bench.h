/* SPDX-License-Identifier: MIT */
/*
 * The inside of `coexec bench`: which programs there are, how one is run, and what is made of the times.
 * Speeds and ratios as in the papers (Sigmoid, section 5): the maximum speedup of a set of devices is
 * T_best * sum(1 / T_i) over the set, from the times of the program on each device alone; efficiency is the
 * speedup over that maximum.
 */
#ifndef CX_TOOLS_COEXEC_BENCH_H
#define CX_TOOLS_COEXEC_BENCH_H

#include "layer/driver/device.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum cx_bench_paper {
    CX_PAPER_SIGMOID = 1,
    CX_PAPER_OMPSS = 2,
    CX_PAPER_MARROW = 4,
    CX_PAPER_LOGFIT = 8,
    CX_PAPER_NONE = 0, /* ours */
};

/* One program with the arguments that make it the paper's. */
struct cx_bench_program {
    const char *name; /* in tables; the executable's unless that is given */
    const char *executable;
    const char *arguments[4];
    unsigned papers; /* enum cx_bench_paper, added */
    bool regular;
    bool native;  /* has a version split by hand (--native) */
    bool compute; /* bound by arithmetic, on GPUs too: not by memory, transfers, launches or the host */
    bool field;   /* a shape of programs that people run: run where asked for by name, or by "field" */
};

extern const struct cx_bench_program cx_bench_programs[];
extern const size_t cx_bench_program_count;
/* The bit of a paper's name ("sigmoid", ...), 0 for others; and back. */
unsigned cx_bench_paper_of(const char *name);
const char *cx_bench_paper_name(unsigned paper);

/* One run of a program. */
struct cx_bench_result {
    bool ok;
    char problem[256];             /* why not */
    bool ended;                    /* it took longer than it was given */
    unsigned too_slow_s;           /* it was ended, alone on a device, after --alone-limit: no failure */
    double ms, build_ms, first_ms; /* first: the run that is not counted */
    double process_ms;             /* from its start to its end, but for its check */
    unsigned long long size;       /* as the program says; 0: it does not */
    char checksum[40];
    bool checked;
    /* from the summary; 0 and -1 for runs that were not through coexec */
    unsigned long long launches, split, packages;
    double launches_ms;                    /* all launches' times */
    double joules, joules_error, power_ms; /* of all sources, with --power; 0: no figure */
    double moved_mb, balance;              /* balance: mean over the kernels' launches; -1: none was split */
};

/* A program on its way. */
struct cx_bench_running {
    pid_t child; /* -1: it could not be started; 0: there is none */
    FILE *out, *err;
    double began_ms;
    bool any;  /* one that prints no result, of which its status and its summary count */
    int error; /* child -1: why, as errno has it */
};

/* Starts `arguments` (NULL at the end) with the environment changed as NAME=VALUE texts say (NAME alone:
 * taken out). */
struct cx_bench_running cx_bench_begin(const char *const *arguments, const char *const *environment);
/* Waits for its end for at most `seconds`, and reads its last line and its summary. */
void cx_bench_end(struct cx_bench_running *running, unsigned seconds, struct cx_bench_result *result);

/* ---- what is to be done, and what came of it ---- */

enum { CX_BENCH_DEVICES = 64, CX_BENCH_ROWS = 32, CX_BENCH_RUNS = 64, CX_BENCH_ALGO = 128 };

/* Alone on the fastest device: from there on compute-bound programs have means of their own. */
#define CX_BENCH_LONG_MS 50.0
/* A speedup above its maximum by that factor cannot be: the devices alone were measured too slow. */
#define CX_BENCH_DOUBTFUL 1.15
/* Load for each core from which on a machine is busy, and times are not right. */
#define CX_BENCH_BUSY 0.5

/* The algorithm of rows of a program's own split by hand; and of a program that runs bare on all the devices
 * at the same time, a process each, with all of its work: what the devices give together where they share
 * cores, memory or power. Its ms is what one work would take, shared out by their speeds then: the inverse of
 * the sum of 1 / T_i. */
#define CX_BENCH_NATIVE   "native"
#define CX_BENCH_TOGETHER "together"
/* The algorithm of rows of static with the best of the shares 10:90 to 90:10 of two devices, found by trying
 * all, as the LogFit paper has it (section 4). A result is the fastest of these processes. */
#define CX_BENCH_ORACLE "oracle"
/* These shares of the first of two devices, in percent: with all and nothing eleven runs. */
enum { CX_BENCH_SHARE_FIRST = 10, CX_BENCH_SHARE_LAST = 90, CX_BENCH_SHARE_STEP = 10 };

/* Runs of one program in one way: bare on a device, as one of the above, or through coexec on a set with an
 * algorithm. */
struct cx_bench_row {
    char set[64], algo[CX_BENCH_ALGO]; /* algo "": bare, and set is the device's number */
    uint64_t devices; /* bits of their numbers; bare: of all that are like it, if one stands for them */
    struct cx_bench_result result[CX_BENCH_RUNS];
    unsigned runs;
    struct cx_bench_result cold; /* of a process before these, with empty caches */
    bool has_cold;
};

/* Devices that run a program together. */
struct cx_bench_set {
    char label[64], devices[256]; /* devices as in COEXEC_DEVICES */
    uint64_t bits;                /* of their numbers */
};

struct cx_bench_case {
    const struct cx_bench_program *program;
    unsigned nrows;
    struct cx_bench_row row[CX_BENCH_ROWS];
};

/* The seconds after which the program was ended alone on a device, by --alone-limit; 0: it was not. Such a
 * device counts as one of no speed. */
unsigned cx_bench_too_slow(const struct cx_bench_row *row);
/* Whether coexec had to do with it. */
bool cx_bench_is_through(const struct cx_bench_row *row);
/* Median over the runs that went well; 0: none did. */
double cx_bench_ms(const struct cx_bench_row *row);
/* The times of a row that have columns of their own: medians, but for the one cold process. */
enum cx_bench_time {
    CX_BENCH_LATER,        /* cx_bench_ms */
    CX_BENCH_FIRST,        /* the first run of a process */
    CX_BENCH_PROCESS,      /* the process */
    CX_BENCH_COLD_FIRST,   /* the first run where all caches are empty */
    CX_BENCH_COLD_PROCESS, /* the process then */
    CX_BENCH_TIMES
};
/* 0: not measured. */
double cx_bench_time_ms(const struct cx_bench_row *row, enum cx_bench_time what);
/* The name in columns, and in JSON. */
extern const char *const cx_bench_time_names[CX_BENCH_TIMES], *const cx_bench_time_keys[CX_BENCH_TIMES];
/* The row of the device on which the program is fastest alone, of those of `row`; NULL: none is measured. */
const struct cx_bench_row *cx_bench_fastest_alone(const struct cx_bench_case *job,
                                                  const struct cx_bench_row *row);
/* The fastest bare time among the devices of a row, and the row's maximum speedup. False where a bare time is
 * missing. */
bool cx_bench_maximum(const struct cx_bench_case *job, const struct cx_bench_row *row, double *best_ms,
                      double *maximum);

/* The time of the split by hand on the same devices over the row's own: 1 is as fast, more is faster. 0:
 * either is missing, or the row is that one or bare. */
double cx_bench_over_native(const struct cx_bench_case *job, const struct cx_bench_row *row);

/* Prints the lines of one program, and at the end the tables of the papers. */
void cx_bench_print_case(const struct cx_bench_case *job);
/* Whether it has been run in all ways, as often as asked for. */
bool cx_bench_is_measured(const struct cx_bench_case *job);
void cx_bench_print_papers(const struct cx_bench_case *jobs, size_t count);

/* ---- energy (--power): of the process, from its start to its end ---- */

/* Finds the sources. An exit status. Without it the others do nothing. */
int cx_bench_power_open(void);
void cx_bench_power_close(void);
/* Around a run; and now and then while it runs. */
void cx_bench_power_begin(void);
void cx_bench_power_sample(void);
void cx_bench_power_end(struct cx_bench_result *result);

struct cx_bench_energy {
    double joules, edp;                /* medians over the runs */
    double over_alone, edp_over_alone; /* over the fastest device alone; 0: that is not known, or it is one */
};
/* False: there is no figure. */
bool cx_bench_energy(const struct cx_bench_case *job, const struct cx_bench_row *row,
                     struct cx_bench_energy *energy);
/* Medians over the runs that have a figure; 0: none has. */
double cx_bench_joules(const struct cx_bench_row *row);
double cx_bench_joules_error(const struct cx_bench_row *row);
double cx_bench_power_ms(const struct cx_bench_row *row);
/* A table of one program, and the means over all. */
void cx_bench_print_energy(const struct cx_bench_case *job);
void cx_bench_print_energy_means(const struct cx_bench_case *jobs, size_t count);

/* The whole as JSON, and one read from a file; the caller puts them. NULL, with a message, where the file is
 * none of ours. */
struct json_object *cx_bench_json(const struct cx_bench_case *jobs, size_t count,
                                  const struct cx_machine *machine, int argc, char **argv, const char *preset,
                                  unsigned repeat);
struct json_object *cx_bench_read(const char *file);
/* What the measured programs were told by variables; the caller puts it. */
struct json_object *cx_bench_variables(void);
/* Takes over what the file of an earlier bench has of these programs, where all runs of one are there and
 * went well. NULL; or in which way it was measured otherwise: then nothing was taken. */
const char *cx_bench_resume(struct json_object *old, struct cx_bench_case *jobs, size_t count, unsigned runs,
                            const struct cx_machine *machine, const char *preset, unsigned repeat,
                            bool check);
/* Prints what changed since the one read; a warning where its preset was another one. */
void cx_bench_compare(struct json_object *old, const char *preset, const struct cx_bench_case *jobs,
                      size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Processes that use coexec, as their counters show them (layer/report/live.h), and what these say about the
 * last second or two. Used by `coexec top` and `coexec run --live`. What a page holds is another program's:
 * its texts are cleaned, its numbers may be anything. One thread.
 */
#ifndef CX_TOOLS_COEXEC_LIVE_H
#define CX_TOOLS_COEXEC_LIVE_H

#include "layer/report/live.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { CX_LIVE_SAMPLES = 64 };

struct cx_live_sample {
    uint64_t at_ns;
    uint64_t items[CX_LIVE_DEVICES], busy_ns[CX_LIVE_DEVICES], moved[CX_LIVE_MOVES];
    struct {
        uint64_t over, split, span_ns, gained_ns;
    } kernel[CX_LIVE_KERNELS];
    uint64_t begun, over, split, span_ns, gained_ns; /* of all kernels */
};

struct cx_live_process {
    pid_t pid;
    int file; /* its number in the process */
    const struct cx_live_page *page;
    char program[CX_LIVE_TEXT];
    unsigned nsamples, last;
    struct cx_live_sample sample[CX_LIVE_SAMPLES]; /* a ring */
};

struct cx_live_processes {
    unsigned n;
    struct cx_live_process **of; /* by pid */
};

/* What is to be shown of a process. Numbers that are not known are NAN. */
struct cx_live_view {
    double seconds;                        /* that it has run for */
    double window;                         /* ... that the rates are of */
    double speedup, speedup_now;           /* estimates: since the beginning, and within the window */
    uint64_t launches, split, under_way;   /* since the beginning, and those not over yet */
    double launches_rate, split_part;      /* a second; within the window */
    double moved[CX_LIVE_MOVES];           /* bytes a second */
    const char *kernel;                    /* "": none yet */
    unsigned ndevices, nkernels;           /* rows, of which some have no name */
    double work[CX_LIVE_DEVICES];          /* part of the work-items, 0 to 1 */
    double busy[CX_LIVE_DEVICES];          /* part of the time, 0 to 1 */
    double items[CX_LIVE_DEVICES];         /* a second */
    double kernel_rate[CX_LIVE_KERNELS];   /* launches a second */
    double kernel_split[CX_LIVE_KERNELS];  /* part of its launches */
    double kernel_part[CX_LIVE_KERNELS];   /* part of the time of all kernels */
    double kernel_faster[CX_LIVE_KERNELS]; /* the estimate for it */
};

/* Opens the counters of a process. NULL: it shows none, and *why says what is known about that. The caller
 * closes it. */
struct cx_live_process *cx_live_open(pid_t pid, const char **why);
void cx_live_close(struct cx_live_process *process);
/* Whether it runs yet, and is the program that it was. */
bool cx_live_runs_yet(const struct cx_live_process *process);
/* Looks for all processes that may be looked at; those that were known stay, with their samples. */
void cx_live_search(struct cx_live_processes *all);
/* Those among them that a process has started, or itself. */
bool cx_live_is_below(pid_t pid, pid_t ancestor);
void cx_live_forget(struct cx_live_processes *all);

void cx_live_take_sample(struct cx_live_process *process);
void cx_live_look(const struct cx_live_process *process, struct cx_live_view *view);

/* ---- coexec_live_text.c ---- */

/* A text of a page, without what a terminal might take for a command. */
const char *cx_live_clean(const char *text, char clean[CX_LIVE_TEXT]);
/* One process on many lines; a table with one process a line; one process on one line, of `width` at most. */
void cx_live_print(FILE *out, const struct cx_live_process *process, bool bold);
void cx_live_print_table(FILE *out, const struct cx_live_processes *all, bool bold);
void cx_live_print_line(FILE *out, const struct cx_live_process *process);
struct json_object *cx_live_json(const struct cx_live_process *process);

#endif

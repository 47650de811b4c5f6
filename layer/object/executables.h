/* SPDX-License-Identifier: MIT */
/*
 * Answers to queries that differ for single programs, by the name of their executable: some programs refuse a
 * platform that they do not know, some refuse a certain one, some need an answer that is normally hidden.
 * executables.def is the built-in table; entries of a file (COEXEC_PROGRAMS) take precedence.
 *
 * A line of the file is an entry, white space between its parts:
 *   executable   query   answer   # why
 * executable: the file's name without folders, a shell pattern; query: its name, or a number from 0x4000 on;
 * answer: real (the fastest device's, or its platform's), coexec (its own), none (an error), default (what
 * all programs get), a "text", or a number. The first matching entry counts. A line that cannot be parsed is
 * reported and skipped.
 *
 * Previous stage: shown.c. Thread-safety: read once, at the first call.
 */
#ifndef CX_LAYER_OBJECT_EXECUTABLES_H
#define CX_LAYER_OBJECT_EXECUTABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cx_answer_kind {
    CX_ANSWER_DEFAULT, /* what all programs get */
    CX_ANSWER_REAL,
    CX_ANSWER_OWN,
    CX_ANSWER_NONE,
    CX_ANSWER_TEXT,
    CX_ANSWER_NUMBER,
};

struct cx_answer {
    enum cx_answer_kind kind;
    char *text;
    uint64_t number;
};

/* The answer that this process gets for a query of the platform or device; kind CX_ANSWER_DEFAULT: as any
 * other program. Called by shown.c. */
const struct cx_answer *cx_executables_answer(uint32_t query);

#endif

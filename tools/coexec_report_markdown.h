/* SPDX-License-Identifier: MIT */
/*
 * The tables of a bench's JSON as Markdown, for documents.
 */
#ifndef CX_TOOLS_COEXEC_REPORT_MARKDOWN_H
#define CX_TOOLS_COEXEC_REPORT_MARKDOWN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One section: machine and command, geometric means, each program, what lost and what failed. */
void cx_report_markdown(struct json_object *bench, FILE *out);

/* Mean of a field over the runs of a row that went well, each divided by its field `per` (NULL: by 1). NAN:
 * there is none. */
double cx_report_mean(struct json_object *row, const char *key, const char *per);

/* Whether the row gains more than the devices' own times allow, by more than times differ from run to run. */
bool cx_report_is_doubtful(struct json_object *row);
/* Whether arithmetic bounds the program, and takes over CX_BENCH_LONG_MS on the fastest device alone. */
bool cx_report_is_long(struct json_object *program);

/* Seconds after which a row's program was given up, alone on a device; 0: it was not. */
uint64_t cx_report_too_slow(struct json_object *row);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a trace tells of launches: a row for each kernel, and what the splits gained in all. For the page that
 * coexec_report_trace.c makes. Not thread-safe.
 */
#ifndef CX_TOOLS_COEXEC_REPORT_LAUNCHES_H
#define CX_TOOLS_COEXEC_REPORT_LAUNCHES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cx_report_launches;

struct cx_report_launches *cx_report_launches_create(void); /* NULL: no memory */
void cx_report_launches_destroy(struct cx_report_launches *launches);
/* Adds an event of category "launch" (layer/plan/trace_launch.c). false: it has not what is needed. */
bool cx_report_launches_add(struct cx_report_launches *launches, struct json_object *event);
/* One sentence, as the summary begins. false: there are no launches. */
bool cx_report_launches_headline(const struct cx_report_launches *launches, char *text, size_t room);
/* A table with one row a kernel, as HTML. Writes nothing without launches. */
void cx_report_launches_table(const struct cx_report_launches *launches, FILE *out);

#endif

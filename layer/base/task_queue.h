/* SPDX-License-Identifier: MIT */
/*
 * Work that nobody waits for: analyses, and builds of split variants and for other devices. So that it takes
 * one core at most from the program, there are two lines, one for the analyser's processes and one for the
 * drivers' compilers, in each of which one task runs after the other, at low priority. Builds do not begin
 * while the program itself builds something, since drivers compile one thing at a time.
 *
 * What somebody comes to wait for all the same is taken out of its line and runs at once. Where everything is
 * to be split (plan_size.h: cx_plan_wants_all) everything does.
 * Thread-safe; no lock is held while a task runs.
 */
#ifndef CX_LAYER_BASE_TASK_QUEUE_H
#define CX_LAYER_BASE_TASK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum cx_task_queue { CX_TASKS_ANALYSES, CX_TASKS_BUILDS, CX_TASKS_COUNT };

/* Runs task(data) when its turn comes, also when the process ends meanwhile: a task looks whether it does.
 * key: names it for cx_task_queue_hurry. False: it never will; no thread, no memory, or the process is
 * ending. Called by program/build_deferred.c, program/variant.c and source/analysis.c. */
bool cx_task_queue_run(enum cx_task_queue line, void (*task)(void *data), void *data, const void *key);
/* What was given with this key need not wait for its turn. Called by program/build_deferred.c,
 * program/variant.c and source/analysis.c. */
void cx_task_queue_hurry(const void *key);
/* The program builds something, from begin to end, which gets what begin gave. Gives the nanoseconds in which
 * a build of ours that had begun before ran meanwhile: drivers may have kept the program's waiting for so
 * long. Called by program/build.c.
 */
uint64_t cx_task_queue_build_begin(void);
uint64_t cx_task_queue_build_end(uint64_t begun);
/* Whether tasks that are begun now may take the time they need: they run at low priority. Called by
 * source/analysis.c. */
bool cx_task_queue_is_patient(void);

#endif

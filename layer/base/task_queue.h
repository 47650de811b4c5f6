/* SPDX-License-Identifier: MIT */
/*
 * Queues of background tasks: analyses, builds of split variants, and builds for other devices. There are two
 * queues, one for the analyser's processes and one for the drivers' compilers. Each runs one task at a time,
 * at low priority, so that background work takes little from the program. No queued build begins while the
 * program itself builds something, since drivers compile one thing at a time.
 *
 * A task that a thread has come to wait for leaves the queue and runs at once (cx_task_queue_hurry). If all
 * launches are to be split (cx_split_policy_wants_all), every task does. Thread-safe; no lock is held while a
 * task runs.
 */
#ifndef CX_LAYER_BASE_TASK_QUEUE_H
#define CX_LAYER_BASE_TASK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum cx_task_queue { CX_TASKS_ANALYSES, CX_TASKS_BUILDS, CX_TASKS_COUNT };

/* Queues task(data), which runs when its turn comes, also if the process is ending by then: the task checks
 * that itself. key: names it for cx_task_queue_hurry. False: the task will never run, as there is no thread
 * or memory, or the process is ending. Called by program/build_deferred.c, program/variant.c and
 * source/analysis.c. */
bool cx_task_queue_run(enum cx_task_queue line, void (*task)(void *data), void *data, const void *key);
/* Runs tasks with this key at once, out of turn: a thread waits for them now. Called by
 * program/build_deferred.c, program/variant.c and source/analysis.c. */
void cx_task_queue_hurry(const void *key);
/* Surround a build that the program asked for: no queued build begins meanwhile. end gets what begin
 * returned, and returns for how many nanoseconds a queued build that had begun before ran beside it: drivers
 * may have made the program's build wait for that long. Called by program/build.c. */
uint64_t cx_task_queue_build_begin(void);
uint64_t cx_task_queue_build_end(uint64_t begun);
/* Whether tasks that begin now may take the time they need, since they run at low priority. Called by
 * source/analysis.c. */
bool cx_task_queue_is_patient(void);

#endif

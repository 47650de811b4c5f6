/* SPDX-License-Identifier: MIT */
/*
 * The account of what splits may lose (scheduler/budget.h): one in the process for each device that contexts
 * begin on. So contexts that come one after another use what those before them earned, and pay what they owe.
 * It also remembers what the summary tells of it (kernel_table.h).
 *
 * Thread-safe: one lock for all, held for arithmetic only. Records of kernels are their
 * context's: context->lock. Next stage: scheduler/budget.h.
 */
#ifndef CX_LAYER_DRIVER_ACCOUNT_H
#define CX_LAYER_DRIVER_ACCOUNT_H

#include "scheduler/budget.h"

#include <stdio.h>

struct cx_account;
struct cx_real_device;

/* The account of contexts that begin on the device, for as long as the process lives. Called by
 * api/context.c. */
struct cx_account *cx_account_of(const struct cx_real_device *device);

/* As cx_budget_ran, cx_budget_left, cx_budget_decide and cx_budget_returned; the first accepts no account.
 * Called by plan/plan_stake.c. */
void cx_account_ran(struct cx_account *account, struct cx_budget_record *record, double seconds);
double cx_account_left(struct cx_account *account);
enum cx_stake_verdict cx_account_decide(struct cx_account *account, const struct cx_budget_record *record,
                                        const struct cx_stake *stake, double *reserved);
void cx_account_returned(struct cx_account *account, double seconds);
/* As cx_budget_settle. tried: it was split as a trial, not by knowledge. first: it was the first split of a
 * device (cx_budget_excuse). Called by plan/plan_stake.c. */
double cx_account_settle(struct cx_account *account, struct cx_budget_record *record, double reserved,
                         double whole, double elapsed, bool tried, bool first);
/* Whether launches were split at all, so that results may have to be brought back. Called by
 * plan/plan_stake.c. */
bool cx_account_risked(struct cx_account *account);
/* Calls of the program's took so much longer, at most, because of an analysis, or of something that was built
 * or opened beside it, or had to be closed. Accepts no account. Called by api/context.c, memory/image.c
 * and program/build.c. */
void cx_account_delayed(struct cx_account *account, double seconds);
/* Another device was opened, which took so long beside the program. Accepts no account. Called by
 * timeline/worker_open.c. */
void cx_account_opened(struct cx_account *account, const struct cx_real_device *device, double seconds);

/* Lines for the summary, on each account that is in use. Called through a pointer set in api/context.c. */
void cx_account_print(FILE *out);

#endif

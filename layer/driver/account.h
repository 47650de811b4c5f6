/* SPDX-License-Identifier: MIT */
/*
 * Accounts of the time that splits may lose (scheduler/budget.h): one in the process for each device that
 * contexts begin on. Contexts made one after another share an account, with what earlier splits gained and
 * lost. It also counts what the summary prints about it (kernel_table.h).
 *
 * Thread-safe: one lock for all, held for arithmetic only. Records of kernels are their context's:
 * context->lock. Next stage: scheduler/budget.h.
 */
#ifndef CX_LAYER_DRIVER_ACCOUNT_H
#define CX_LAYER_DRIVER_ACCOUNT_H

#include "scheduler/budget.h"

#include <stdio.h>

struct cx_account;
struct cx_real_device;

/* The account of contexts that begin on the device. It lives as long as the process. Called by api/context.c.
 */
struct cx_account *cx_account_of(const struct cx_real_device *device);

/* cx_budget_ran, cx_budget_left, cx_budget_left_for_curiosity, cx_budget_decide and cx_budget_returned under
 * the lock; the first accepts NULL. Called by plan/. */
void cx_account_ran(struct cx_account *account, struct cx_budget_record *record, double seconds);
double cx_account_left(struct cx_account *account);
double cx_account_left_for_curiosity(struct cx_account *account);
enum cx_stake_verdict cx_account_decide(struct cx_account *account, struct cx_budget_record *record,
                                        const struct cx_stake *stake, double *reserved);
void cx_account_returned(struct cx_account *account, double seconds);
/* cx_budget_settle under the lock, for a split that is over. tried: it was split as a trial, without measured
 * speeds. first: it was the first split on a device (cx_budget_excuse, cx_budget_first_use). probes: a device
 * only had a package that measures it. Called by plan/plan_stake.c. */
double cx_account_settle(struct cx_account *account, struct cx_budget_record *record, double reserved,
                         double whole, double elapsed, bool tried, bool first, bool probes);
/* cx_budget_settle under the lock, for a launch with which a chain moved. first: it was the kernel's first on
 * that device, as above. Called by plan/plan_chains.c. */
double cx_account_moved(struct cx_account *account, struct cx_budget_record *record, double reserved,
                        double whole, double elapsed, bool first);
/* Whether any launch was split, so that results may have to be brought back. Called by plan/plan_stake.c. */
bool cx_account_risked(struct cx_account *account);
/* Charges a delay: calls of the program took at most this much longer because of an analysis, a build or an
 * opening beside them, or a closing. Accepts NULL. Called by api/context.c, memory/image.c and
 * program/build.c. */
void cx_account_delayed(struct cx_account *account, double seconds);
/* Remembers the opening of another device, which took that long beside the program, for the summary and
 * cx_account_opening; charges nothing. Accepts NULL. Called by timeline/worker_open.c. */
void cx_account_opened(struct cx_account *account, const struct cx_real_device *device, double seconds);
/* Seconds that opening the device beside the account's own took in this process; 0: it was not opened, or is
 * not remembered. Accepts NULL. Called by plan/recall.c. */
double cx_account_opening(struct cx_account *account, const struct cx_real_device *device);

/* Prints the summary's lines about each account in use. Called through a pointer set in api/context.c. */
void cx_account_print(FILE *out);

#endif

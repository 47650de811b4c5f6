/* SPDX-License-Identifier: MIT */
/*
 * The accounts of the time that splits may lose. See account.h.
 */
#include "layer/driver/account.h"
#include "layer/base/clock.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"
#include "layer/base/lock.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { MAX_ACCOUNTS = 64, MAX_OPENED = 8 };

/* What took something from an account. */
enum loss { LOST_BY_TRIALS, LOST_BY_SPLITS, LOST_BY_RETURNS, LOST_BY_DELAYS, LOST_BY_MOVES, LOSSES };

struct opened {
    unsigned device;
    double after, seconds; /* since the first context began; that it took */
};

struct cx_account {
    bool used;
    uint64_t since_ns; /* host clock, as the first context began */
    struct cx_budget budget;
    double lost[LOSSES]; /* seconds */
    double gained;       /* by splits, estimated */
    unsigned trials, splits, moves;
    unsigned nopened; /* those beyond the list count */
    struct opened opened[MAX_OPENED];
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_ACCOUNT);
static struct cx_account accounts[MAX_ACCOUNTS]; /* by device; the last ones share one */

static void before_fork(void) CX_TAKES(lock)
{
    cx_lock(&lock);
}

static void after_fork(void) CX_RELEASES(lock)
{
    cx_unlock(&lock);
}

/* A process of its own begins with accounts of its own. */
static void in_child(void) CX_RELEASES(lock)
{
    memset(accounts, 0, sizeof(accounts));
    cx_unlock(&lock);
}

CX_LOCK_AT_FORK(CX_RANK_ACCOUNT) static void prepare(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

struct cx_account *cx_account_of(const struct cx_real_device *device)
{
    struct cx_account *account = &accounts[device->index < MAX_ACCOUNTS ? device->index : MAX_ACCOUNTS - 1];
    cx_lock(&lock);
    if (!account->used) {
        account->used = true;
        account->since_ns = cx_clock_ns();
        account->budget.share = cx_options_get()->budget;
    }
    cx_unlock(&lock);
    return account;
}

void cx_account_ran(struct cx_account *account, struct cx_budget_record *record, double seconds)
{
    if (!account)
        return;
    cx_lock(&lock);
    cx_budget_ran(&account->budget, record, seconds);
    cx_unlock(&lock);
}

double cx_account_left(struct cx_account *account)
{
    cx_lock(&lock);
    const double left = cx_budget_left(&account->budget);
    cx_unlock(&lock);
    return left;
}

double cx_account_left_for_curiosity(struct cx_account *account)
{
    cx_lock(&lock);
    const double left = cx_budget_left_for_curiosity(&account->budget);
    cx_unlock(&lock);
    return left;
}

enum cx_stake_verdict cx_account_decide(struct cx_account *account, struct cx_budget_record *record,
                                        const struct cx_stake *stake, double *reserved)
{
    cx_lock(&lock);
    const enum cx_stake_verdict verdict = cx_budget_decide(&account->budget, record, stake, reserved);
    cx_unlock(&lock);
    return verdict;
}

void cx_account_returned(struct cx_account *account, double seconds)
{
    cx_lock(&lock);
    cx_budget_returned(&account->budget, seconds);
    account->lost[LOST_BY_RETURNS] += seconds;
    cx_unlock(&lock);
}

double cx_account_settle(struct cx_account *account, struct cx_budget_record *record, double reserved,
                         double whole, double elapsed, bool tried, bool first, bool probes)
{
    cx_lock(&lock);
    const struct cx_budget_record before = *record;
    const double lost = cx_budget_settle(&account->budget, record, reserved, whole, elapsed);
    if (first)
        cx_budget_excuse(&account->budget, record, lost - reserved);
    if (probes || (first && lost > 0))
        cx_budget_first_use(record, &before);
    account->lost[tried ? LOST_BY_TRIALS : LOST_BY_SPLITS] += lost;
    if (elapsed > 0) {
        account->gained += fmax(whole - elapsed, 0);
        account->trials += tried;
        account->splits += !tried;
    }
    cx_unlock(&lock);
    return lost;
}

double cx_account_moved(struct cx_account *account, struct cx_budget_record *record, double reserved,
                        double whole, double elapsed, bool first)
{
    cx_lock(&lock);
    const struct cx_budget_record before = *record;
    const double lost = cx_budget_settle(&account->budget, record, reserved, whole, elapsed);
    if (first)
        cx_budget_excuse(&account->budget, record, lost - reserved);
    if (first && lost > 0)
        cx_budget_first_use(record, &before);
    account->lost[LOST_BY_MOVES] += lost;
    account->moves++;
    cx_unlock(&lock);
    return lost;
}

bool cx_account_risked(struct cx_account *account)
{
    cx_lock(&lock);
    const bool risked = account->budget.saved > 0 || account->budget.trials;
    cx_unlock(&lock);
    return risked;
}

void cx_account_delayed(struct cx_account *account, double seconds)
{
    if (!account || !(seconds > 0))
        return;
    cx_lock(&lock);
    cx_budget_charge(&account->budget, seconds);
    account->lost[LOST_BY_DELAYS] += seconds;
    cx_unlock(&lock);
}

void cx_account_opened(struct cx_account *account, const struct cx_real_device *device, double seconds)
{
    if (!account)
        return;
    cx_lock(&lock);
    if (account->nopened < MAX_OPENED)
        account->opened[account->nopened] = (struct opened){
            device->index, (double)(cx_clock_ns() - account->since_ns) * 1e-9 - seconds, seconds};
    account->nopened++;
    cx_unlock(&lock);
}

double cx_account_opening(struct cx_account *account, const struct cx_real_device *device)
{
    double seconds = 0;
    if (!account)
        return 0;
    cx_lock(&lock);
    for (unsigned i = 0; i < account->nopened && i < MAX_OPENED; i++)
        if (account->opened[i].device == device->index)
            seconds = account->opened[i].seconds;
    cx_unlock(&lock);
    return seconds;
}

static void print_opened(FILE *out, const struct cx_account *account)
{
    fprintf(out, "    opened beside it:");
    for (unsigned i = 0; i < account->nopened && i < MAX_OPENED; i++)
        fprintf(out, "%s device %u after %.1f ms, in %.1f ms", i ? ";" : "", account->opened[i].device,
                account->opened[i].after * 1e3, account->opened[i].seconds * 1e3);
    if (account->nopened > MAX_OPENED)
        fprintf(out, "; and so on, %u times in all", account->nopened);
    fprintf(out, "%s\n", account->nopened ? "" : " nothing");
}

static void print_account(FILE *out, unsigned device, const struct cx_account *account)
{
    const struct cx_budget *budget = &account->budget;
    const double *lost = account->lost;
    const double may = budget->busy < CX_BUDGET_START ? 0 : budget->share * budget->busy;
    fprintf(
        out,
        "  account of device %u: busy %.3f ms; splits may lose %.3f of that, lost %.3f (%u trials %.3f, "
        "%u by knowledge %.3f, results brought back %.3f, %u moves of chains %.3f, builds %.3f), left %.3f; "
        "gained %.3f\n",
        device, budget->busy * 1e3, may * 1e3, budget->spent * 1e3, account->trials,
        lost[LOST_BY_TRIALS] * 1e3, account->splits, lost[LOST_BY_SPLITS] * 1e3, lost[LOST_BY_RETURNS] * 1e3,
        account->moves, lost[LOST_BY_MOVES] * 1e3, lost[LOST_BY_DELAYS] * 1e3, cx_budget_left(budget) * 1e3,
        account->gained * 1e3);
    print_opened(out, account);
}

void cx_account_print(FILE *out)
{
    cx_lock(&lock);
    for (unsigned d = 0; d < MAX_ACCOUNTS; d++)
        if (accounts[d].used)
            print_account(out, d, &accounts[d]);
    cx_unlock(&lock);
}

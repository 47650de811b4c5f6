/* SPDX-License-Identifier: MIT */
/*
 * What splits may risk. First each verdict, then random programs against an oracle that knows all true costs
 * and only adds up: losses stay within the account, a faster device is used in the end, and nothing is tried
 * at the beginning.
 */
#include "scheduler/budget.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cx_budget fresh = {.share = CX_BUDGET_SHARE};

/* ---- verdicts ---- */

static enum cx_stake_verdict decide(const struct cx_budget *given, const struct cx_budget_record *record,
                                    struct cx_stake stake)
{
    struct cx_budget budget = *given;
    struct cx_budget_record copy = *record;
    double reserved;
    return cx_budget_decide(&budget, &copy, &stake, &reserved);
}

START_TEST(unknown_lengths_stay_whole)
{
    const struct cx_budget_record record = {0};
    ck_assert_int_eq(decide(&fresh, &record, (struct cx_stake){0, 1, 1, 1, 0}), CX_STAKE_UNKNOWN);
    ck_assert_int_eq(decide(&fresh, &record, (struct cx_stake){NAN, 1, 1, 1, 0}), CX_STAKE_UNKNOWN);
    for (int i = 0; i < CX_STAKE_VERDICTS; i++)
        ck_assert_uint_gt(strlen(cx_stake_verdict_text((enum cx_stake_verdict)i)), 10);
    ck_assert_str_eq(cx_stake_verdict_text(CX_STAKE_VERDICTS), "?");
}
END_TEST

/* From the first launch whose length is known, where even the bound does not lose. */
START_TEST(knowledge_needs_no_account)
{
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved = 1;
    const struct cx_stake sure = {1, 0.6, 1, 0.55, 0}, small = {1, 0.95, 0.97, 0.91, 0};
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &sure, &reserved), CX_STAKE_SPLIT);
    ck_assert(reserved == 0 && budget.reserved == 0 && budget.trials == 0);
    ck_assert_int_eq(decide(&fresh, &record, small), CX_STAKE_NO_GAIN);
    ck_assert_int_eq(decide(&fresh, &record, (struct cx_stake){1, 0.6, 1.001, 0.55, 0}), CX_STAKE_TOO_DEAR);
}
END_TEST

/* What both have to move first is no gain of a split: only what is left once it is in place promises any. */
START_TEST(moves_promise_nothing)
{
    const struct cx_stake shared = {0.021, 0.0105, 0.02, 0.0006, 0.02},
                          alike = {0.021, 0.0105, 0.02, 0.00095, 0.02};
    const struct cx_budget_record record = {0};
    ck_assert_int_eq(decide(&fresh, &record, shared), CX_STAKE_SPLIT);
    ck_assert_int_eq(decide(&fresh, &record, alike), CX_STAKE_NO_GAIN);
}
END_TEST

START_TEST(trials_wait_for_the_account)
{
    const struct cx_stake stake = {0.001, 0.0015, 0.003, 0.0006, 0}; /* may lose 2 ms: after 0.1 s */
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved, second;
    cx_budget_ran(&budget, &record, 0.099);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TOO_DEAR);
    cx_budget_ran(&budget, &record, 0.0011);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TRIAL);
    ck_assert(fabs(reserved - 0.002) < 1e-9 && budget.trials == 1);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &second), CX_STAKE_TOO_DEAR);
    ck_assert(second == 0);
    ck_assert(fabs(cx_budget_settle(&budget, &record, reserved, 0.001, 0.0015) - 0.0005) < 1e-9);
    ck_assert(budget.reserved == 0 && fabs(budget.spent - 0.0005) < 1e-9);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
    cx_budget_ran(&budget, &record, 0.024);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
    cx_budget_ran(&budget, &record, 0.0011);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_TRIAL);
}
END_TEST

/* A trial loses what its moves take, as foreseen; with the data in place the next launch is split by
 * knowledge, one of which the data is elsewhere again waits. */
START_TEST(moves_are_an_investment)
{
    const struct cx_stake moves = {0.001, 0.003, 0.003, 0.0006, 0},
                          placed = {0.001, 0.0006, 0.0008, 0.0006, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved;
    cx_budget_ran(&budget, &record, 1);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TRIAL);
    cx_budget_settle(&budget, &record, reserved, 0.001, 0.003);
    ck_assert_int_eq(decide(&budget, &record, moves), CX_STAKE_WAITS);
    ck_assert_int_eq(decide(&budget, &record, placed), CX_STAKE_SPLIT);
}
END_TEST

/* Opening a device emptied the account: then splits that would have saved twice what one may lose are worth
 * it, as long as all of that is little of what has run, or was earned. */
START_TEST(what_is_missed_is_invested)
{
    const struct cx_stake stake = {0.01, 0.008, 0.025, 0.005, 0};
    struct cx_budget_record record = {0}, other = {0};
    struct cx_budget budget = fresh;
    double reserved;
    cx_budget_ran(&budget, NULL, 0.5);
    cx_budget_charge(&budget, 100);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TOO_DEAR);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TRIAL);
    ck_assert(fabs(reserved - 0.015) < 1e-9 && fabs(budget.invested - 0.015) < 1e-9 && record.missed == 0);
    cx_budget_settle(&budget, &record, reserved, 0.01, 0.02);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_int_eq(cx_budget_decide(&budget, &other, &stake, &reserved), CX_STAKE_TOO_DEAR);
    cx_budget_settle(&budget, &record, 0, 0.01, 0.005);
    ck_assert_int_eq(cx_budget_decide(&budget, &other, &stake, &reserved), CX_STAKE_TRIAL);
    ck_assert(fabs(budget.invested - 0.025) < 1e-9);
}
END_TEST

/* Data go back at the end of each sequence: the next one need not miss what the last one won, and the one
 * behind one that won nothing has to. */
START_TEST(what_was_won_is_invested)
{
    const struct cx_stake moves = {0.01, 0.02, 0.025, 0.005, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved;
    cx_budget_ran(&budget, NULL, 1);
    cx_budget_charge(&budget, 100);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TOO_DEAR);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TRIAL);
    cx_budget_settle(&budget, &record, reserved, 0.01, 0.012);
    for (unsigned i = 0; i < 7; i++)
        cx_budget_settle(&budget, &record, 0, 0.01, 0.005);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TRIAL);
    cx_budget_settle(&budget, &record, reserved, 0.01, 0.0095);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TOO_DEAR);
}
END_TEST

/* Neither early, nor what promises nothing or was told to wait, nor where there is no bound. */
START_TEST(not_all_is_invested)
{
    const struct cx_stake stake = {0.01, 0.008, 0.025, 0.005, 0},
                          boundless = {0.01, 0.008, INFINITY, 0.005, 0},
                          vain = {0.01, 0.02, 0.025, 0.0095, 0};
    struct cx_budget_record record = {0}, lost = {.lost = 0.01, .splits = 1, .ratio = 2};
    struct cx_budget budget = fresh;
    double reserved;
    for (unsigned i = 0; i < 100; i++)
        ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TOO_DEAR);
    ck_assert(record.missed == 0);
    cx_budget_ran(&budget, NULL, 0.4);
    cx_budget_charge(&budget, 100);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_int_eq(cx_budget_decide(&budget, &record, &boundless, &reserved), CX_STAKE_TOO_DEAR);
        ck_assert_int_eq(cx_budget_decide(&budget, &record, &vain, &reserved), CX_STAKE_NO_GAIN);
        ck_assert_int_eq(cx_budget_decide(&budget, &lost, &stake, &reserved), CX_STAKE_WAITS);
    }
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TRIAL);
}
END_TEST

/* Nothing is tried in the first 50 ms, not even what may lose nothing; with no bound, all at once. */
START_TEST(nothing_is_tried_early)
{
    const struct cx_stake free = {0.001, 0.00095, 0.001, 0.0006, 0};
    const struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    cx_budget_ran(&budget, NULL, 0.0499);
    ck_assert_int_eq(decide(&budget, &record, free), CX_STAKE_TOO_DEAR);
    ck_assert(cx_budget_left(&budget) == 0);
    cx_budget_ran(&budget, NULL, 0.0002);
    ck_assert_int_eq(decide(&budget, &record, free), CX_STAKE_TRIAL);
    budget = (struct cx_budget){.share = 1};
    ck_assert_int_eq(decide(&budget, &record, (struct cx_stake){1, 9, INFINITY, 0.5, 0}), CX_STAKE_TRIAL);
}
END_TEST

/* Estimates that promise nothing are doubted at a quarter of the account, and after what was measured. */
START_TEST(estimates_are_doubted)
{
    const struct cx_stake stake = {0.001, 0.002, 0.002, 0.002, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved;
    cx_budget_ran(&budget, &record, 0.199);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_NO_GAIN);
    cx_budget_ran(&budget, &record, 0.002);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TRIAL);
    cx_budget_settle(&budget, &record, reserved, 0.001, 0.001); /* neither */
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
    cx_budget_ran(&budget, &record, 0.051);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &stake, &reserved), CX_STAKE_TRIAL);
    cx_budget_settle(&budget, &record, reserved, 0.001, 0.0005);
    cx_budget_settle(&budget, &record, 0, 0.001, 0.0005);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_TRIAL); /* as it gained */
}
END_TEST

/* Where the last splits were seen to gain, half as much is enough. One that loses ends that. */
START_TEST(what_was_seen_to_gain_may_gain_less)
{
    const struct cx_stake small = {1, 0.92, 0.97, 0.92, 0}, risky = {1, 0.92, 1.05, 0.92, 0},
                          smaller = {1, 0.96, 0.99, 0.96, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    for (unsigned i = 0; i < CX_BUDGET_SEEN; i++) {
        ck_assert_int_eq(decide(&budget, &record, small), CX_STAKE_NO_GAIN);
        cx_budget_settle(&budget, &record, 0, 1, 0.92);
    }
    ck_assert_int_eq(decide(&budget, &record, small), CX_STAKE_SPLIT);
    ck_assert(!cx_stake_splits(decide(&budget, &record, risky)));
    ck_assert(!cx_stake_splits(decide(&budget, &record, smaller)));
    cx_budget_settle(&budget, &record, 0, 1, 1.01);
    ck_assert(!cx_stake_splits(decide(&budget, &record, small)));
}
END_TEST

/* Where bounds turn out wrong by more than the account ever held, only what was seen to gain is split. */
START_TEST(wrong_bounds_end_knowledge)
{
    const struct cx_stake stake = {0.01, 0.005, 0.01, 0.005, 0};
    struct cx_budget_record loser = {0}, winner = {0}, other = {0};
    struct cx_budget budget = fresh;
    cx_budget_charge(&budget, 5); /* opening a device says nothing about bounds */
    cx_budget_ran(&budget, NULL, 1);
    ck_assert_int_eq(decide(&budget, &other, stake), CX_STAKE_SPLIT);
    ck_assert(cx_budget_settle(&budget, &winner, 0, 0.01, 0.006) == 0);
    ck_assert(fabs(cx_budget_settle(&budget, &loser, 0, 0.01, 0.05) - 0.04) < 1e-9);
    ck_assert_int_eq(decide(&budget, &loser, stake), CX_STAKE_WAITS);
    ck_assert_int_eq(decide(&budget, &other, stake), CX_STAKE_TOO_DEAR);
    ck_assert_int_eq(decide(&budget, &winner, stake), CX_STAKE_SPLIT);
    cx_budget_ran(&budget, NULL, 1.1);
    ck_assert_int_eq(decide(&budget, &other, stake), CX_STAKE_SPLIT);
}
END_TEST

/* One split that something disturbed does not end what gained before it; two do. */
START_TEST(a_disturbed_split_is_forgiven)
{
    const struct cx_stake stake = {0.1, 0.05, 0.1, 0.05, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    cx_budget_ran(&budget, NULL, 10);
    for (unsigned i = 0; i < 4; i++)
        ck_assert(cx_budget_settle(&budget, &record, 0, 0.1, 0.05) == 0);
    (void)cx_budget_settle(&budget, &record, 0, 0.1, 0.12);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_SPLIT);
    (void)cx_budget_settle(&budget, &record, 0, 0.1, 0.12);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
}
END_TEST

/* A device's first split may take what no later one does: that is charged, and not held against others. */
/* A trial that moves data for those behind it loses; they do not wait until that is made good. */
START_TEST(an_investment_is_not_waited_for)
{
    const struct cx_stake moves = {0.01, 0.02, 0.03, 0.005, 0}, placed = {0.01, 0.005, 0.012, 0.005, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    double reserved;
    cx_budget_ran(&budget, &record, 4);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TRIAL);
    const double lost = cx_budget_settle(&budget, &record, reserved, 0.01, 0.06);
    ck_assert_int_eq(decide(&budget, &record, placed), CX_STAKE_WAITS);
    cx_budget_invested(&record, fmin(lost, reserved));
    ck_assert_int_eq(decide(&budget, &record, placed), CX_STAKE_TRIAL);
    cx_budget_invested(&record, NAN);
    cx_budget_invested(&record, 1);
    ck_assert(record.lost >= 0);
}
END_TEST

START_TEST(a_first_use_is_excused)
{
    const struct cx_stake stake = {0.1, 0.05, 0.1, 0.05, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    cx_budget_ran(&budget, NULL, 1);
    const double lost = cx_budget_settle(&budget, &record, 0, 0.1, 0.18);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
    cx_budget_excuse(&budget, &record, lost);
    ck_assert(fabs(budget.spent - 0.08) < 1e-9 && budget.excess < 1e-9);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_SPLIT);
    (void)cx_budget_settle(&budget, &record, 0, 0.1, 0.18);
    cx_budget_excuse(&budget, &record, -1);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
}
END_TEST

/* Beside a device ten times as fast splits save 9 %, less than what counts as a gain at once: what one lost
 * is made good by what others save, so that all that have to be seen to gain follow each other. */
START_TEST(small_gains_make_losses_good)
{
    const struct cx_stake stake = {0.1, 0.0915, 0.11, 0.0915, 0}, sure = {0.1, 0.0915, 0.0915, 0.0915, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    cx_budget_ran(&budget, NULL, 10);
    cx_budget_settle(&budget, &record, 0, 0.1, 0.093);
    cx_budget_settle(&budget, &record, 0, 0.1, 0.101);
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_WAITS);
    cx_budget_ran(&budget, &record, CX_BUDGET_AGAIN * 0.0011); /* not that many launches: they saved more */
    ck_assert_int_eq(decide(&budget, &record, stake), CX_STAKE_TRIAL);
    for (unsigned i = 0; i < CX_BUDGET_SEEN + 2; i++)
        cx_budget_settle(&budget, &record, 0, 0.1, 0.092);
    ck_assert_int_eq(decide(&budget, &record, sure), CX_STAKE_SPLIT);
}
END_TEST

START_TEST(settling_without_a_result)
{
    struct cx_budget_record record = {0};
    struct cx_budget budget = {.share = CX_BUDGET_SHARE, .busy = 1, .reserved = 0.01};
    ck_assert(cx_budget_settle(&budget, &record, 0.01, 0.001, 0) == 0); /* it never ran */
    ck_assert(budget.spent == 0 && budget.reserved == 0 && record.splits == 0);
    budget.reserved = 0.01;
    ck_assert(cx_budget_settle(&budget, &record, 0.01, 0, 0.1) == 0.01); /* nobody knows what it lost */
    ck_assert(budget.spent == 0.01 && budget.excess == 0 && record.splits == 0);
    ck_assert(cx_budget_pays(1, 0.5, 0.24) && !cx_budget_pays(1, 0.5, 0.26));
}
END_TEST

START_TEST(budget_survives_nonsense)
{
    static const double odd[] = {0, -1, NAN, INFINITY, 1e-300, 1e300, 0.01};
    struct cx_budget_record record = {0};
    struct cx_budget budget = fresh;
    cx_budget_ran(&budget, &record, 1);
    for (unsigned i = 0; i < 7 * 7 * 7 * 7; i++) {
        const double a = odd[i % 7], b = odd[i / 7 % 7], c = odd[i / 49 % 7], d = odd[i / 343];
        double reserved;
        cx_budget_ran(&budget, &record, a > 1 ? 0 : a);
        cx_budget_charge(&budget, b > 1 ? 0 : b);
        const struct cx_stake stake = {a, b, c, d, 0};
        const double missed = record.missed + fmax(a - d, 0);
        const enum cx_stake_verdict verdict = cx_budget_decide(&budget, &record, &stake, &reserved);
        ck_assert(isfinite(reserved) && reserved >= 0 && isfinite(budget.invested) && record.missed >= 0);
        ck_assert(verdict != CX_STAKE_TRIAL || reserved <= 0.02 * budget.busy || reserved <= missed / 2);
        ck_assert(verdict != CX_STAKE_SPLIT || (c <= a && !isnan(c)));
        cx_budget_settle(&budget, &record, reserved, a, d > 1 ? 0 : d);
        ck_assert(!isnan(cx_budget_left(&budget)) && !isnan(record.ratio) && !isnan(budget.excess));
    }
}
END_TEST

/* ---- random programs ---- */

enum { KERNELS = 6, ON_THE_WAY = 4 };

static double between(double low, double high) /* evenly in the logarithm */
{
    return low * pow(high / low, (double)random() / 2147483648.0);
}

static bool one_in(unsigned n)
{
    return (unsigned)random() % n == 0;
}

/* A kernel's truth, and how its estimates err. Times are parts of the whole launch. */
struct kernel {
    double whole, jitter;        /* seconds on the first device; its logarithm's error each time */
    double later;                /* a split with all in place */
    double first, moves;         /* what it takes longer the first time, and where its data is not in place */
    double off_later, off_extra; /* factors by which the estimates are off at first */
    double slack;                /* the bound over the estimate; less than the truth now and then */
    unsigned splits, wholes_away; /* one whole launch in so many leaves the data elsewhere */
    bool away;
    struct cx_budget_record record;
};

/* A split under way. */
struct split {
    struct kernel *kernel;
    double reserved, whole, elapsed;
};

/* What is true, added up. */
struct oracle {
    double busy, lost, beyond;
    double early;    /* busy time before the first trial */
    double invested; /* bounds of what was risked beyond the account */
    double gained;
    unsigned trials, splits, launches, investments;
    unsigned small; /* splits by knowledge that gain less than estimates may err by */
};

struct program {
    struct cx_budget budget;
    struct oracle oracle;
    struct kernel kernels[KERNELS];
    unsigned nkernels;
    struct split split[ON_THE_WAY];
    unsigned nsplits;
};

static struct kernel random_kernel(void)
{
    return (struct kernel){.whole = between(3e-6, 0.3),
                           .jitter = one_in(2) ? 0 : between(0.001, 0.2),
                           .later = one_in(8) ? between(0.88, 0.97) : between(0.1, 5),
                           .first = one_in(3) ? 0 : between(0.01, 1000),
                           .moves = one_in(2) ? 0 : between(0.01, 100),
                           .off_later = one_in(2) ? 1 : between(0.1, 10),
                           .off_extra = one_in(2) ? 1 : between(0.1, 10),
                           .slack = between(0.8, 8),
                           .wholes_away = 1 + (unsigned)random() % 50,
                           .away = true};
}

/* What a split of the kernel takes beside its share, by its truth or with estimates that err less each time
 * that one was measured. */
static double extra(const struct kernel *kernel, double off)
{
    const double right = (kernel->splits == 0 ? kernel->first : 0) + (kernel->away ? kernel->moves : 0);
    return right * pow(off, 1.0 / (1 + kernel->splits));
}

static struct cx_stake estimate(const struct kernel *kernel)
{
    const double later = kernel->later * pow(kernel->off_later, 1.0 / (1 + kernel->splits));
    const double split = later + extra(kernel, kernel->off_extra), whole = kernel->whole;
    return (struct cx_stake){whole, whole * split, whole * split * fmax(kernel->slack, 1), whole * later, 0};
}

static void settle_oldest(struct program *program)
{
    const struct split split = program->split[0];
    const double lost =
        cx_budget_settle(&program->budget, &split.kernel->record, split.reserved, split.whole, split.elapsed);
    ck_assert(fabs(lost - fmax(split.elapsed - split.whole, 0)) < 1e-12);
    memmove(program->split, program->split + 1, --program->nsplits * sizeof(split));
}

/* One launch, and what the oracle makes of it. */
static void launch(struct program *program, struct kernel *kernel)
{
    struct oracle *oracle = &program->oracle;
    const struct cx_stake stake = estimate(kernel);
    const double whole =
        kernel->whole * (kernel->jitter > 0 ? 1 - kernel->jitter + between(1, 2) * kernel->jitter : 1);
    const double elapsed = whole * (kernel->later + extra(kernel, 1));
    double reserved;
    const double before = program->budget.invested, missed = kernel->record.missed, won = kernel->record.won;
    const bool rests = cx_budget_rests(&kernel->record);
    const enum cx_stake_verdict verdict =
        cx_budget_decide(&program->budget, &kernel->record, &stake, &reserved);
    ck_assert(!rests || !cx_stake_splits(verdict));
    oracle->launches++;
    if (program->budget.invested > before) {
        ck_assert(verdict == CX_STAKE_TRIAL && kernel->record.missed == 0);
        ck_assert(CX_BUDGET_WORTH * reserved <= fmax(missed + stake.whole - stake.later, won) + 1e-12);
        oracle->invested += reserved;
        oracle->investments++;
    }
    if (!cx_stake_splits(verdict)) {
        oracle->busy += whole;
        cx_budget_ran(&program->budget, &kernel->record, whole);
        kernel->away |= one_in(kernel->wholes_away);
        return;
    }
    oracle->splits++;
    oracle->small += verdict == CX_STAKE_SPLIT && stake.whole - stake.split <= CX_BUDGET_GAIN * stake.whole;
    if (verdict == CX_STAKE_TRIAL && oracle->trials++ == 0)
        oracle->early = oracle->busy;
    oracle->lost += fmax(elapsed - whole, 0);
    oracle->gained += fmax(whole - elapsed, 0);
    oracle->beyond += fmax(elapsed - fmax(stake.worst, stake.whole), 0) + fmax(stake.whole - whole, 0);
    kernel->splits++;
    kernel->away = false;
    program->split[program->nsplits++] = (struct split){kernel, reserved, whole, elapsed};
    if (program->nsplits == ON_THE_WAY || one_in(2))
        settle_oldest(program);
    const double busy = fmin(whole, elapsed) * 0.5; /* the first device's part of it */
    oracle->busy += busy;
    cx_budget_ran(&program->budget, &kernel->record, busy);
}

static void begin(struct program *program, unsigned nkernels)
{
    *program = (struct program){.budget = fresh, .nkernels = nkernels};
    for (unsigned k = 0; k < nkernels; k++)
        program->kernels[k] = random_kernel();
}

/* (a) What all splits together lose is at most the share of the first device's busy time, what was invested
 * (which but for the last time was made good before), and what true costs exceed their bounds by, after every
 * single launch; (c) and nothing is tried early. */
START_TEST(losses_stay_within_the_account)
{
    unsigned trials = 0, splits = 0, losing = 0, investments = 0, small = 0;
    for (unsigned seed = 0; seed < 600; seed++) {
        struct program program;
        const struct oracle *oracle = &program.oracle;
        srandom(seed);
        begin(&program, 1 + (unsigned)random() % KERNELS);
        for (unsigned i = 0; i < 2000; i++) {
            launch(&program, &program.kernels[(unsigned)random() % program.nkernels]);
            const double bound = CX_BUDGET_SHARE * oracle->busy + oracle->invested + oracle->beyond;
            ck_assert_msg(oracle->lost <= bound + 1e-9,
                          "seed %u, launch %u: lost %g of %g s, %g beyond bounds", seed, i, oracle->lost,
                          oracle->busy, oracle->beyond);
        }
        ck_assert(oracle->trials == 0 || oracle->early >= CX_BUDGET_START - 1e-9);
        ck_assert_uint_eq(program.budget.trials, oracle->trials);
        trials += oracle->trials;
        splits += oracle->splits;
        investments += oracle->investments;
        small += oracle->small;
        losing += oracle->lost > 0.01 * oracle->busy;
    }
    ck_assert_uint_gt(trials, 5000); /* the programs put it to the test */
    ck_assert_uint_gt(splits, 200000);
    ck_assert_uint_gt(investments, 100);
    ck_assert_uint_gt(small, 200);
    ck_assert_uint_gt(losing, 10);
}
END_TEST

/* What launches of all kernels may lose at most by any bound that is stated for them, as estimates become
 * right. */
static double dearest(const struct program *program)
{
    double sum = 0;
    for (unsigned k = 0; k < program->nkernels; k++) {
        struct kernel kernel = program->kernels[k];
        kernel.off_later = fmax(kernel.off_later, 1);
        kernel.off_extra = fmax(kernel.off_extra, 1);
        const struct cx_stake stake = estimate(&kernel);
        sum += fmax(stake.worst - stake.whole, 0);
    }
    return sum;
}

/* Plays the program, kernel after kernel, until each ran 20 times after the first device was busy for k
 * (which never comes where they run elsewhere before), and gives how many of the last launches all were
 * split. */
static unsigned run_to(struct program *program, double k)
{
    unsigned after = 0, streak = 0;
    for (unsigned i = 0; i < 1000000 && after < 20 * program->nkernels; i++) {
        const unsigned before = program->oracle.splits;
        const bool due = program->oracle.busy >= k;
        launch(program, &program->kernels[i % program->nkernels]);
        while (program->nsplits > 0)
            settle_oldest(program);
        after += due;
        streak = program->oracle.splits > before ? streak + 1 : 0;
    }
    return streak;
}

static void make_faster(struct kernel *kernel, double r, bool promised)
{
    *kernel = random_kernel();
    kernel->later = 1 / r;
    kernel->jitter = 0;
    kernel->whole = between(1e-3, 0.03);
    kernel->first = one_in(3) ? 0 : between(0.01, 20);
    kernel->moves = one_in(3) ? 0 : between(0.01, 20);
    kernel->off_later = promised ? between(0.2, 1) : between(r, 4 * r);
    kernel->off_extra = between(0.5, 2);
    kernel->slack = between(2, 8);
    kernel->wholes_away = 1000000;
}

/* (b) Another device is r times faster: from K(r) on the program's launches run there. */
START_TEST(faster_devices_are_found)
{
    for (unsigned seed = 0; seed < 100; seed++) {
        struct program program;
        srandom(seed);
        begin(&program, 1 + (unsigned)random() % 4);
        const double r = between(1.15, 30), charged = one_in(2) ? 0 : between(1e-4, 1e-2);
        const bool promised = !one_in(3);
        double rounds = 0;
        for (unsigned i = 0; i < program.nkernels; i++) {
            make_faster(&program.kernels[i], r, promised);
            rounds += program.kernels[i].whole;
        }
        const double doubt = promised ? 1 : 1 / CX_BUDGET_CURIOUS;
        const double k = CX_BUDGET_START + doubt * (charged + 2 * dearest(&program)) / CX_BUDGET_SHARE +
                         rounds * (promised ? 1 : 1 + CX_BUDGET_AGAIN);
        cx_budget_charge(&program.budget, charged);
        const unsigned streak = run_to(&program, k);
        ck_assert_msg(streak >= 20 * program.nkernels,
                      "seed %u: %u launches there after %g s; %u kernels, r %g, promised %d, spent %g of %g",
                      seed, streak, k, program.nkernels, r, promised, program.budget.spent,
                      program.budget.busy * CX_BUDGET_SHARE);
    }
}
END_TEST

/* ... and of one kernel after CX_BUDGET_WORTH times the bound of its trial, whatever was charged before,
 * where bounds hold and what follows is by knowledge. */
START_TEST(what_is_charged_delays_no_investment)
{
    for (unsigned seed = 0; seed < 300; seed++) {
        struct program program;
        srandom(seed);
        begin(&program, 1);
        const double r = between(1.15, 30), part = 1 - 1 / r;
        make_faster(&program.kernels[0], r, true);
        program.kernels[0].off_later = program.kernels[0].off_extra = 1;
        program.kernels[0].slack = between(1, r); /* then knowledge follows */
        const double c = dearest(&program), whole = program.kernels[0].whole;
        const double rent = fmax(CX_BUDGET_WORTH * c / part, c / CX_BUDGET_INVESTED);
        cx_budget_charge(&program.budget, between(1, 1000));
        const unsigned streak = run_to(&program, CX_BUDGET_START + rent + whole);
        ck_assert_msg(streak >= 20, "seed %u: %u launches there after %g s", seed, streak, rent);
    }
}
END_TEST

/* A kernel that always disappoints, however it promises, takes ever less of the account, so that another one
 * gets its trial. */
START_TEST(losers_do_not_starve_others)
{
    const struct cx_stake loser = {0.01, 0.008, 0.03, 0.005, 0}, winner = {0.0001, 0.02, 0.03, 0.00005, 0};
    struct cx_budget_record lost = {0}, gained = {0};
    struct cx_budget budget = fresh;
    double reserved;
    unsigned i = 0, trials = 0;
    for (; gained.splits == 0 && i < 100000; i++) {
        if (cx_budget_decide(&budget, &lost, &loser, &reserved) == CX_STAKE_TRIAL) {
            cx_budget_settle(&budget, &lost, reserved, 0.01, 0.03);
            trials++;
        } else {
            cx_budget_ran(&budget, &lost, 0.01);
        }
        if (cx_budget_decide(&budget, &gained, &winner, &reserved) == CX_STAKE_TRIAL)
            cx_budget_settle(&budget, &gained, reserved, 0.0001, 0.00005);
        else
            cx_budget_ran(&budget, &gained, 0.0001);
    }
    ck_assert_uint_le(i, 1000); /* 10 s; c / CX_BUDGET_SHARE alone is 1.5 s */
    ck_assert_uint_ge(trials, 2);
    for (; i < 100000; i++) {
        if (cx_budget_decide(&budget, &lost, &loser, &reserved) == CX_STAKE_TRIAL)
            cx_budget_settle(&budget, &lost, reserved, 0.01, 0.03);
        else
            cx_budget_ran(&budget, &lost, 0.01);
    }
    ck_assert_double_le(budget.spent, 0.0014 * budget.busy);
}
END_TEST

/* Opening a device pays once as much has run, and is expected again, as K(r) says. */
START_TEST(opening_pays_in_time)
{
    for (unsigned seed = 0; seed < 1000; seed++) {
        srandom(seed);
        const double r = between(1.15, 30), price = between(1e-3, 1), part = 1 - 1 / r;
        const double k = CX_BUDGET_WORTH * price / part;
        ck_assert(!cx_budget_pays(k * 0.999, part, price) && cx_budget_pays(k * 1.001, part, price));
    }
}
END_TEST

Suite *cx_test_budget(void)
{
    Suite *suite = suite_create("budget");
    TCase *tcase = tcase_create("verdicts");
    tcase_add_test(tcase, unknown_lengths_stay_whole);
    tcase_add_test(tcase, knowledge_needs_no_account);
    tcase_add_test(tcase, moves_promise_nothing);
    tcase_add_test(tcase, trials_wait_for_the_account);
    tcase_add_test(tcase, moves_are_an_investment);
    tcase_add_test(tcase, what_is_missed_is_invested);
    tcase_add_test(tcase, what_was_won_is_invested);
    tcase_add_test(tcase, not_all_is_invested);
    tcase_add_test(tcase, nothing_is_tried_early);
    tcase_add_test(tcase, estimates_are_doubted);
    tcase_add_test(tcase, what_was_seen_to_gain_may_gain_less);
    tcase_add_test(tcase, wrong_bounds_end_knowledge);
    tcase_add_test(tcase, a_disturbed_split_is_forgiven);
    tcase_add_test(tcase, an_investment_is_not_waited_for);
    tcase_add_test(tcase, a_first_use_is_excused);
    tcase_add_test(tcase, small_gains_make_losses_good);
    tcase_add_test(tcase, settling_without_a_result);
    tcase_add_test(tcase, budget_survives_nonsense);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("programs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, losses_stay_within_the_account);
    tcase_add_test(tcase, faster_devices_are_found);
    tcase_add_test(tcase, what_is_charged_delays_no_investment);
    tcase_add_test(tcase, losers_do_not_starve_others);
    tcase_add_test(tcase, opening_pays_in_time);
    suite_add_tcase(suite, tcase);
    return suite;
}

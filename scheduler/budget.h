/* SPDX-License-Identifier: MIT */
/*
 * What may be risked for a gain: whether one launch is split, and whether another device is opened at all.
 *
 * A program begins on one device. Splitting a launch is a bet against what that device would have taken, and
 * this is the arithmetic that bounds the loss, whatever the program does:
 *
 *  - By knowledge: the launch's length is known, the estimate gains a tenth at least, and even the upper
 * bound of all costs does not lose. Nothing is risked but what true costs exceed their stated bounds by. A
 * tenth is what estimates err by: where the last CX_BUDGET_SEEN splits were all measured to gain, half of it
 * is enough (CX_BUDGET_SMALL).
 *  - As a trial: launches like it would gain once everything is in place, but this one may lose. It may only
 * if the upper bound of its loss is in the account: CX_BUDGET_SHARE of the time that the first device was
 * busy so far, nothing in its first CX_BUDGET_START seconds, less what was lost before. Gains never refill
 * it.
 *  - As an investment: the account does not hold that, as the first use of a device takes once what every
 * later launch gains from, and opening it may have emptied the account. Then what splits of that kernel would
 * have saved since counts, as in the ski rental problem: it may lose 1 / CX_BUDGET_WORTH of it. Where data go
 * back at the end of each sequence of launches, what splits saved since the last investment counts as well.
 * What all investments may have lost beyond what splits earned stays within CX_BUDGET_INVESTED of busy time.
 *  - Out of curiosity: estimates say that no launch like it would gain, but they may be wrong. What it may
 * lose has to fit into CX_BUDGET_CURIOUS of the account, and what did not gain is left alone for
 * CX_BUDGET_AGAIN launches.
 *  - What disappointed is not tried again before its kernel has run for CX_BUDGET_AGAIN times what it lost
 * since it last gained, less what it saved, so that what never gains takes ever less of the account.
 * Knowledge waits only for what was lost beyond bounds: what a trial lost as foreseen, such as moves, need
 * not recur; and one split that something disturbed is forgiven where those before it gained more.
 *  - A row of launches, split one after the other, tells more than its first ones, which move what lies where
 * whole launches left it. So what these lost holds up none of the first CX_BUDGET_ROW, as long as the row has
 * not lost more than so many launches would gain whose data lies as splits left it; each of these has to be
 * known to gain, or in the account, as any other.
 *
 * So the loss against the first device alone never exceeds CX_BUDGET_SHARE of its busy time, and
 * CX_BUDGET_INVESTED where investments fail, plus what true costs exceed their bounds by (the argument of ski
 * rental: Karlin, Manasse, Rudolph, Sleator, "Competitive snoopy caching", 1988).
 *
 * And a device that is r times as fast, r > 1 / (1 - CX_BUDGET_GAIN), is used in the end. Let the bound of
 * what a trial there may lose be c seconds at most. Once the first device alone was busy for K seconds, the
 * program's launches run there, where
 *
 *     K(r) = CX_BUDGET_START + CX_BUDGET_WORTH P / (1 - 1 / r) + (s + 2 c) / CX_BUDGET_SHARE,
 *
 * P is the price of opening the device (0: it is open; as much again as has run is expected), and s what was
 * charged otherwise, other kernels' losses too. Of several kernels c is the sum, and a launch of each may be
 * added. Of one kernel that is split by knowledge after its first trial the last term is at most the larger
 * of CX_BUDGET_WORTH c / (1 - 1 / r) and c / CX_BUDGET_INVESTED, whatever s is. Where estimates say wrongly
 * that nothing would be gained, s and c count 1 / CX_BUDGET_CURIOUS times, and CX_BUDGET_AGAIN launches may
 * be added. tests/scheduler/budget.c holds random programs against all that.
 *
 * Seconds everywhere. Thread-safety: none, the caller serialises. Previous stage: admission.h, which
 * estimates.
 */
#ifndef CX_SCHEDULER_BUDGET_H
#define CX_SCHEDULER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define CX_BUDGET_SHARE    0.02 /* of busy time that trials may lose: the default of `share` */
#define CX_BUDGET_START    0.05 /* busy seconds before the first trial */
#define CX_BUDGET_GAIN     0.1  /* least gain, as a part of the whole launch */
#define CX_BUDGET_SMALL    0.05 /* likewise, of what was seen to gain */
#define CX_BUDGET_SEEN     3    /* splits in a row that gained: the kernel was seen to gain */
#define CX_BUDGET_AGAIN    50.0 /* times the loss that a kernel runs before it is tried again */
#define CX_BUDGET_ROW      8    /* splits in a row that are judged together */
#define CX_BUDGET_CURIOUS  0.25 /* of the account that trials against the estimates may lose */
#define CX_BUDGET_INVESTED 0.05 /* of busy time that investments may lose beyond what splits earned */
#define CX_BUDGET_WORTH    2.0  /* times its price that opening a device, or an investment, must promise */

/* The account, one a process. Zeroed but for share: nothing has run. */
struct cx_budget {
    double share;    /* of busy time; from 1 on: no bound */
    double busy;     /* the first device's, so far */
    double spent;    /* lost by trials, by splits that lost, by opening and building */
    double reserved; /* upper bounds of the losses of trials under way */
    double excess;   /* of what was spent, that which splits lost beyond their bounds */
    double saved;    /* by splits, and ... */
    double returned; /* ... what it took to bring their results back to the first device, newer ones counting
                        more */
    double invested; /* bounds of the losses of investments, less what splits earned since */
    unsigned trials; /* begun */
};

/* What is known of the splits of one kernel and shape. Zeroed: nothing. */
struct cx_budget_record {
    double lost;     /* by its splits since one gained, less what they saved */
    double excess;   /* of that, beyond their bounds */
    double won;      /* by its splits since the last investment */
    double missed;   /* since then, what splits would have saved that the account did not hold */
    double since;    /* busy seconds of its launches since the last one */
    double ratio;    /* of a split's time to the whole launch's, newer ones counting more; 0: none measured */
    unsigned splits; /* measured */
    unsigned gains;  /* of these, the last ones in a row that gained anything */
    unsigned row;    /* begun one after the other, without a whole launch since, and ... */
    double row_lost; /* what these lost so far, less what they saved */
};

/* One launch, in seconds. */
struct cx_stake {
    double whole; /* on the first device; 0: not known */
    double split; /* estimate, with all that this launch has to bring along */
    double worst; /* upper bound of that; at least `split` */
    double later; /* estimate of launches like it, once data, memory and code are in place; at most `split` */
    double moved; /* of `whole`: to bring what it reads to the first device, which later launches need not */
};

enum cx_stake_verdict {
    CX_STAKE_UNKNOWN,  /* whole: its length is not known */
    CX_STAKE_NO_GAIN,  /* whole: the estimate gains too little */
    CX_STAKE_TOO_DEAR, /* whole: it may lose more than the account holds */
    CX_STAKE_WAITS,    /* whole: it disappointed before */
    CX_STAKE_SPLIT,    /* split by knowledge */
    CX_STAKE_TRIAL,    /* split, at the account's expense or as an investment */
    CX_STAKE_VERDICTS
};
/* A phrase that completes "runs whole/split: ...". Called by play.c, plan/plan_stake.c and
 * plan/why.c. */
const char *cx_stake_verdict_text(enum cx_stake_verdict verdict);
static inline bool cx_stake_splits(enum cx_stake_verdict verdict)
{
    return verdict >= CX_STAKE_SPLIT;
}
/* What a split may lose by its bound. Called by budget.c and plan/plan_stake.c. */
double cx_stake_risk(const struct cx_stake *stake);

/* The first device was busy with the program's work for so much longer. record: of the kernel; NULL: none.
 * Nonsense is ignored. Called by play.c and driver/account.c. */
void cx_budget_ran(struct cx_budget *budget, struct cx_budget_record *record, double seconds);
/* What a trial may lose at most by now; at least 0. Called by driver/account.c. */
double cx_budget_left(const struct cx_budget *budget);
/* ... one against the estimates, which may be wrong. */
double cx_budget_left_for_curiosity(const struct cx_budget *budget);
/* Something beside the program took so much of its time: opening a device, a build, what a split's results
 * cost to bring back. Called by play.c and driver/account.c. */
void cx_budget_charge(struct cx_budget *budget, double seconds);

/* Results of splits had to be brought back to the first device, as a launch there needed them: a sequence of
 * launches may lose by that what each split gains. It is charged, and all splits are taken to gain less by as
 * much of what they save as was lost so of late; CX_BUDGET_AGAIN times that of busy time later it is
 * forgotten. Called by driver/account.c. */
void cx_budget_returned(struct cx_budget *budget, double seconds);

/* Decides about one launch. CX_STAKE_TRIAL reserves the bound of its loss, *reserved, until cx_budget_settle
 * (else *reserved is 0). record: may not be NULL. Called by play.c and driver/account.c. */
enum cx_stake_verdict cx_budget_decide(struct cx_budget *budget, struct cx_budget_record *record,
                                       const struct cx_stake *stake, double *reserved);
/* Whether cx_budget_decide splits no launch of these, whatever it would cost: splits of them lost more than
 * was foreseen, and that is not made good. Then there is no need to find out. Called by plan/plan.c. */
bool cx_budget_rests(const struct cx_budget_record *record);
/* What was decided last is no part of a row: it is judged by itself. Called by plan/plan_chains.c, as moves
 * of chains do not make the next ones cheaper. */
void cx_budget_alone(struct cx_budget_record *record);
/* A split launch is over: it took `elapsed`, the first device alone would have taken `whole`. Gives what it
 * lost, which is charged. elapsed 0: it did not happen after all. whole 0: not known any more: nothing is
 * learned, and it counts as having lost what was reserved. Called by play.c and driver/account.c. */
double cx_budget_settle(struct cx_budget *budget, struct cx_budget_record *record, double reserved,
                        double whole, double elapsed);

/* The split that was settled last lost so many seconds beyond its bound, and was the first of a device in the
 * process: it is charged, but not held against the next ones, as a first use does not recur. Once a device,
 * so that no more is lost than what true costs exceed their bounds by. Called by driver/account.c. */
void cx_budget_excuse(struct cx_budget *budget, struct cx_budget_record *record, double seconds);
/* Nor does what such a split lost within its bound, or one that only measured a device, tell how later ones
 * of the kernel do: the record is what it was before. Called by driver/account.c. */
void cx_budget_first_use(struct cx_budget_record *record, const struct cx_budget_record *before);

/* The trial that was settled last was known to lose, by moves that launches behind it need not make again: so
 * many seconds are charged, but the next ones need not wait until they are made good. Called by
 * plan/plan_stake.c. */
void cx_budget_invested(struct cx_budget_record *record, double seconds);

/* Whether something that costs `price` (opening a device, analysing, building) is worth it: device time still
 * expected, times the part of it that would be saved, exceeds CX_BUDGET_WORTH times that. Called by play.c
 * and plan/plan_open.c. */
bool cx_budget_pays(double expected, double part, double price);

#endif

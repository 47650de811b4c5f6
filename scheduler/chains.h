/* SPDX-License-Identifier: MIT */
/*
 * Chains: whole launches of which each needs what another one wrote, or that one queue orders. Launches of
 * one chain run one after the other wherever they run; independent chains may run beside each other, each on
 * a device of its own.
 *
 * The last CX_CHAINS_LAUNCHES launches stand for what the program will do next. A chain belongs on another
 * device if these launches would be over sooner there: the load of the device that it leaves, or of the one
 * that it goes to, whichever is larger, must fall, and by no more than its launches were seen to wait for
 * others on which they do not depend. Loads over a sequence are compared, not the moments at which devices
 * are free: by those each launch of four equal chains on two devices would go to the device that is free one
 * launch sooner, and its data with it, and nothing would be gained. A chain stays where it is otherwise.
 *
 * How much data have to be moved, and whether that may be risked, is the caller's question (budget.h).
 * Seconds. Thread-safety: none, the caller serialises. Next stage: budget.h.
 */
#ifndef CX_SCHEDULER_CHAINS_H
#define CX_SCHEDULER_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

/* Launches that are kept: one bit each of a set. */
enum { CX_CHAINS_LAUNCHES = 64, CX_CHAINS_TOUCHES = 8 };

/* Memory that a launch uses, or a queue that orders it, as if it wrote that. */
struct cx_chains_touch {
    const void *object; /* only compared */
    uint64_t from, to;  /* bytes of it */
    bool writes;
};

struct cx_chains_launch {
    unsigned device;    /* that it was given to */
    unsigned home;      /* that its chain is on */
    double seconds;     /* that it runs there */
    double waits;       /* for launches on that device on which it does not depend */
    double ends;        /* when it is expected to be over, by the caller's clock */
    uint64_t position;  /* among all commands of the device that it was given to */
    uint64_t program;   /* which it is of */
    const void *kernel; /* only compared */
    double items;       /* work-items */
    uint64_t able;      /* devices that could run it, as bits */
    bool moved;         /* its chain was moved to its home */
    /* cx_chains_use: what it touches; more than CX_CHAINS_TOUCHES: it may be anything */
    unsigned ntouches;
    struct cx_chains_touch touch[CX_CHAINS_TOUCHES];
    uint64_t uses, writes; /* a bit for each object, which others may have, too */
    unsigned chain;        /* chains.c's own: equal within a chain */
};

/* Zeroed: no launch yet. */
struct cx_chains {
    unsigned n;     /* launches so far; the next one at n % CX_CHAINS_LAUNCHES */
    unsigned moves; /* of chains so far */
    unsigned chain;
    struct cx_chains_launch launch[CX_CHAINS_LAUNCHES];
};

/* Adds what a launch touches, before it is asked about or noted. Called by plan/plan_chains.c, as all of
 * these.
 */
void cx_chains_use(struct cx_chains_launch *launch, const struct cx_chains_touch *touch);
/* Launches of its kernel on its home are known to take as long as it, each work-item. */
void cx_chains_know(struct cx_chains *chains, const struct cx_chains_launch *launch);
/* Notes a launch that was planned. */
void cx_chains_add(struct cx_chains *chains, const struct cx_chains_launch *launch);
/* The launches that are of one chain with this one, which is not noted yet, as bits. */
uint64_t cx_chains_of(const struct cx_chains *chains, const struct cx_chains_launch *launch);
/* The home of the newest of these launches; `none` if there are none. *moved: they were moved there. */
unsigned cx_chains_home(const struct cx_chains *chains, uint64_t of, unsigned none, bool *moved);
/* When those of these launches that were given to the device are expected to be over; 0: there are none. */
double cx_chains_over(const struct cx_chains *chains, uint64_t of, unsigned device);
/* When the device is expected to be past a position, as far as launches that are kept tell; 0: unknown. */
double cx_chains_past(const struct cx_chains *chains, unsigned device, uint64_t position);
/* Devices that could run all of these launches, as bits; those of this program: `able`, as of now. */
uint64_t cx_chains_able(const struct cx_chains *chains, uint64_t of, uint64_t program, uint64_t able);

/* How long the last launches of a kernel took on a device, seconds a work-item. Zeroed: none were measured.
 */
enum { CX_CHAINS_TIMES = 8 };
struct cx_chains_times {
    double last[CX_CHAINS_TIMES];
    unsigned n; /* measured so far, the next at n % CX_CHAINS_TIMES */
};
/* Notes one. Called by plan/launch_learn.c. */
void cx_chains_times_add(struct cx_chains_times *times, double seconds);
/* Their mean without the longest, as one that was disturbed shall not move chains; 0: none. */
double cx_chains_times_mean(const struct cx_chains_times *times);

/* A launch that is to be placed, of which all is known but its device. */
struct cx_chains_question {
    const struct cx_chains_launch *launch; /* at home */
    uint64_t of;                           /* its chain */
    unsigned to;
    double factor; /* times as long as at home */
};
/* By how much sooner a launch of the chain would be over on the mean, if the chain moved to that device; 0:
 * not at all. At most what the launch takes at home. */
double cx_chains_gain(const struct cx_chains *chains, const struct cx_chains_question *question);
/* The chain is moved: that device is its launches' home. */
void cx_chains_move(struct cx_chains *chains, const struct cx_chains_question *question);

#endif

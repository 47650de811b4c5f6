/* SPDX-License-Identifier: MIT */
/*
 * The interface between a launch and the policy that divides it: numbers go in, package sizes come out.
 *
 * A launch has G work-groups. The layer asks cx_balancer_next for a package for a device whenever that device
 * has room (two packages in flight keep it from idling), and reports each finished one with cx_balancer_done.
 * Only counts pass through here; the layer decides which groups a package consists of (ranges.h). If a policy
 * is not static, 0 from cx_balancer_next means "nothing for this device now": the layer asks again for every
 * device with room after each done or fail while cx_balancer_remaining is not 0, and at the time that
 * cx_balancer_ask_next gives. The fastest live device that is not absent is never refused while it has
 * nothing in flight, so a launch always makes progress. Thread-safety: none; the caller serialises. No clock:
 * times are seconds since the launch began. Previous stage: admission.h says which devices take part. Next:
 * policy.h, what a policy sees.
 */
#ifndef CX_SCHEDULER_BALANCER_H
#define CX_SCHEDULER_BALANCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packages that one device may hold at once; cx_balancer_next gives 0 beyond it. */
enum { CX_PACKAGES_IN_FLIGHT = 4 };

/* A device that takes part. Numbers that make no sense (negative, infinite, NaN) count as 0, unknown. */
struct cx_balancer_device {
    double nominal_speed;  /* relative, such as GFLOP/s; 0: unknown, taken as the mean of the others */
    double measured_speed; /* work-groups/s of this kernel in earlier launches; 0: never measured */
    double power; /* the user's relative power (COEXEC_DEBUG=powers), above the two others; 0: unset */
    uint64_t min_package; /* smallest package in work-groups, set by the user; 0: unset, fill is used */
    uint64_t
        fill; /* work-groups that fill it (one a core; half of what a GPU holds at once); 0 counts as 1 */
    uint64_t resident;       /* work-groups that it holds at once (occupancy.h); 0: not known */
    double launch_seconds;   /* cost of a package beside computing; keeps packages from being too small */
    double fixed_seconds;    /* what has to be brought to it before its first package, as far as known */
    double after_seconds;    /* of these, what follows its last package in truth: no package shows it */
    double transfer_seconds; /* moves for one group, in and out, beside what cx_balancer_done tells of */
    uint64_t first_package;  /* a probe: bound in groups until its first package is done; 0: none */
    unsigned kind;           /* those of one kind run alike: same hardware, same driver; 0: who knows */
    bool accelerator;        /* GPU or the like: policies that size its packages apart from a CPU's ask */
    bool overlaps;           /* a package begins while the last groups of the one before end */
    bool private_results; /* what it writes is invisible until accepted, so others may re-execute its packages
                           */
    unsigned slot;        /* which device of the memory it is */
    bool absent; /* busy with another launch for an unknown time: others leave its share to it, but do not
                    wait for that, until it asks for a package */
};

struct cx_problem {
    uint64_t groups;
    uint64_t granularity; /* packages are multiples of it, save the last one; 0 counts as 1 */
    unsigned ndevices;
    const struct cx_balancer_device *devices; /* copied */
    bool may_reexecute; /* all that a package reads is valid (or can be brought) wherever it is run again */
    struct cx_memory *memory; /* memory.h: measurements of earlier launches of this shape; or NULL */
    struct cx_tuning *tuning; /* tuning.h: what policies found out about the kernel; or NULL */
};

/* What the user may tune; numbers out of range fall back to the default. params.def says what they mean. */
struct cx_balancer_params {
#define CX_PARAM(policy, name, fallback, lowest, highest, help) double policy##_##name;
#include "scheduler/params.def"
#undef CX_PARAM
};
extern const struct cx_balancer_params cx_balancer_defaults;

struct cx_balancer;

/* The reason of the newest decision about a device, for COEXEC_SUMMARY and the trace. plan/part_note.c
 * takes the text. Called by plan/part_note.c. */
enum cx_decision {
    CX_DECIDED_NOTHING,   /* never asked */
    CX_DECIDED_SHARE,     /* its share of all, by speeds known beforehand */
    CX_DECIDED_EQUAL,     /* one of equal packages */
    CX_DECIDED_GUIDED,    /* a part of its share of what is left, by speeds known beforehand */
    CX_DECIDED_CURVE,     /* a part of its share by its speed, smaller towards the end */
    CX_DECIDED_BOUND,     /* as long as the launch may end unevenly */
    CX_DECIDED_PROBE,     /* measures the device */
    CX_DECIDED_FITTED,    /* as long as its measured throughput asks */
    CX_DECIDED_MATCHED,   /* takes as long as the accelerator's */
    CX_DECIDED_AFTER,     /* its share of the rest, by measured speeds */
    CX_DECIDED_FILLS,     /* its smallest package: what fills it, or the user's minimum */
    CX_DECIDED_WORTH,     /* made longer, to be worth its launch */
    CX_DECIDED_CUT,       /* made shorter: it would end after the others */
    CX_DECIDED_FIRST,     /* never measured: a bounded package */
    CX_DECIDED_LEARNED,   /* its share by measurements of earlier launches, or most of it */
    CX_DECIDED_PART,      /* a part of its share, as its length is not sure */
    CX_DECIDED_REST,      /* all of its share */
    CX_DECIDED_LEAST,     /* its smallest package: one device has to go on */
    CX_DECIDED_WAIT,      /* what it holds must end first */
    CX_DECIDED_LATE,      /* its smallest package would end after the others end without it */
    CX_DECIDED_REEXECUTE, /* re-executes what a slower device still holds */
    CX_DECISIONS
};
const char *cx_decision_text(enum cx_decision decision);

/* The outcome of a package that ended. */
enum cx_done {
    CX_DONE_COUNTS,   /* its results are the launch's */
    CX_DONE_DROPPED,  /* another device has done that work: its results do not count */
    CX_DONE_COPY,     /* a copy of a part; counts only if all parts end before the original */
    CX_DONE_REPLACES, /* the last copy: the copies' results are the launch's, the original's do not count
                       */
};

/* One policy: a const table at the end of its own file. Called by balancer.c alone, under the caller's lock.
 */
struct cx_policy {
    const char *name; /* as in COEXEC_ALGO */
    const char *help;
    bool is_static;    /* one package a device, all known before the start: the layer may ask all at once */
    bool plans_ends;   /* knows itself what would delay the end: limit.c leaves its packages alone */
    bool by_occupancy; /* its smallest package is what a device holds at once, where that is known */
    bool plans_transfers; /* counts fixed_seconds and transfer_seconds; else they should be part of the times
                           */
    bool starts_small; /* its first packages are small, so that a device never measured may get them uncut */
    bool keeps_whole;  /* one device gets it all: the layer splits nothing that it need not */
    bool learns; /* plans by what earlier launches of the kernel took (memory.h), where parts begin, too */
    size_t published; /* where struct cx_balancer_params has its `published`, in bytes; 0: it has none */
    size_t data_size; /* bytes of the policy's own data, zeroed */
    size_t data_size_per_device;
    /* Once, after speeds and remaining are set. May be NULL. */
    void (*init)(struct cx_balancer *balancer);
    /* The package that device should get, in groups. balancer.c limits, rounds and clamps it. 0 of a dynamic
     * policy: nothing now; the fastest live device with nothing in flight gets its smallest package all the
     * same. */
    uint64_t (*next)(struct cx_balancer *balancer, unsigned device, double now);
    /* When next should be called again for a device that it refused, if nothing happens before, whether the
     * device holds a package or not; 0: never. May be NULL. */
    double (*ask_next)(struct cx_balancer *balancer, unsigned device, double now);
    /* After a package was counted and speeds were updated. May be NULL. */
    void (*done)(struct cx_balancer *balancer, unsigned device, double now);
    /* After groups came back to the pool (failure, or a package given back). May be NULL. */
    void (*regained)(struct cx_balancer *balancer);
    /* How many groups of which package (an index in the victim's flight) an idle device should re-execute; 0:
     * none, and *ask_next says when to ask again (0: never). May be NULL. */
    uint64_t (*reexecute)(struct cx_balancer *balancer, unsigned device, double now, unsigned *victim,
                          unsigned *package, double *ask_next);
    /* The launch is over: keeps in the caller's tuning.h what later ones start from. May be NULL. */
    void (*keep)(const struct cx_balancer *balancer, struct cx_tuning *tuning);
    /* Each device's expected part of the launch, in any unit. May be NULL. */
    void (*weigh)(struct cx_balancer *balancer, double *weights);
    /* At the end of a launch with a memory: enters into that what the policy keeps there. NULL: memory.c's
     * costs and speeds are learned. */
    void (*learn)(const struct cx_balancer *balancer);
};

/* The policy of that name, or NULL. Called by scheduler/, plan/ and tools/. */
const struct cx_policy *cx_policy_find(const char *name);
/* The i-th policy, NULL past the last: for lists in messages. Called by algo.c, sweep.c and
 * tools/coexec_simulate.c. */
const struct cx_policy *cx_policy_get(unsigned index);

/* params may be NULL (defaults). NULL when memory is short or there is no device. Called by simulate.c,
 * plan/plan.c and plan/plan_share.c. */
struct cx_balancer *cx_balancer_create(const struct cx_policy *policy, const struct cx_problem *problem,
                                       const struct cx_balancer_params *params);
void cx_balancer_destroy(struct cx_balancer *balancer); /* accepts NULL */

/* Work-groups of the next package for this device, now counted as in flight there; 0: nothing (see above). A
 * static policy gives each device its whole share at the first call; ask in device order for equal shares
 * each time. Called by simulate.c, launch/split_member.c, launch/static.c and plan/plan_share.c. */
uint64_t cx_balancer_next(struct cx_balancer *balancer, unsigned device, double now);
/* Like cx_balancer_next, but all remaining groups, whatever the policy. No other device gets a package any
 * more. Called by launch/split_package.c. */
uint64_t cx_balancer_rest(struct cx_balancer *balancer, unsigned device, double now);
/* When to call cx_balancer_next again for a device that was just refused, if nothing happens before: others
 * were expected to have done their work by then, or the package that the device holds should be nearly over,
 * so that the next one can begin as it drains. 0: never. Called by simulate.c and launch/split_member.c. */
double cx_balancer_ask_next(struct cx_balancer *balancer, unsigned device, double now);
/* Shortens the newest package of this device by that many groups, as the layer's free range was shorter than
 * the package. They are unassigned again. Called by simulate.c and launch/split_package.c. */
void cx_balancer_give_back(struct cx_balancer *balancer, unsigned device, uint64_t groups);
/* Tells the position of the device's newest package in the range. Policies that learn costs along the range
 * need it. Called by simulate.c and launch/split_package.c. */
void cx_balancer_placed(struct cx_balancer *balancer, unsigned device, uint64_t first);
/* Marks the oldest package of this device, about to be reported done, as the first of its kind there: its
 * time may include what a driver does once, such as compiling. Its speed is used only until another package
 * is measured. Called by launch/split_package.c. */
void cx_balancer_first(struct cx_balancer *balancer, unsigned device);
/* Whether a package of the device was measured in this launch. Called by launch/split.c. */
bool cx_balancer_sampled(const struct cx_balancer *balancer, unsigned device);
/* Whether the device's speed is known only from such a first package. Called by launch/split.c and
 * launch/split_member.c. */
bool cx_balancer_doubtful(const struct cx_balancer *balancer, unsigned device);
/* Reports that the oldest package of this device is complete, or `groups` groups at its front; the rest is
 * then its oldest package. seconds: how long the device worked on these groups alone, without queueing behind
 * the package before and without the moves in fixed_seconds and transfer_seconds, but with other transfers
 * for them; 0 or nonsense: not known, and not learned from. Moves are taken to have lasted as reported, but
 * no longer than the device's other time since its last package ended. Called by simulate.c and
 * launch/split_package.c. */
enum cx_done cx_balancer_done(struct cx_balancer *balancer, unsigned device, uint64_t groups, double seconds,
                              double now);
/* The device gets nothing more, but finishes what it holds, and its time is not learned from: the caller only
 * measures it. It may still fail. Called by plan/plan_share.c. */
void cx_balancer_retire(struct cx_balancer *balancer, unsigned device);
/* Reports that the device failed: it gets nothing more, and what it held is lost. groups_lost: how many of
 * all groups that it was given must be computed again (those in flight, and done ones whose results are lost
 * with it). Called by simulate.c, launch/reexecute.c, launch/split_member.c and launch/split_package.c. */
void cx_balancer_fail(struct cx_balancer *balancer, unsigned device, uint64_t groups_lost);

/* A re-execution: groups [first, first + groups) of the range, held by the victim, are done on another device
 * as well. The first to end counts (cx_balancer_done says so). Copies do not count as assigned groups. */
struct cx_reexecution {
    unsigned victim;
    uint64_t serial; /* identifies the victim's package; equal for all copies of its parts */
    uint64_t first, groups;
    double ask_next; /* if there is none now: when to ask again; 0: after the next event */
};
/* Asks for a re-execution by a device that got nothing and holds nothing. Only packages with a known position
 * are re-executed, and only if the problem and the victim allow it. A victim whose package others finished is
 * busy until it reports the package's end, and must not be waited for. Called by simulate.c and
 * launch/reexecute.c. */
bool cx_balancer_reexecute(struct cx_balancer *balancer, unsigned device, double now,
                           struct cx_reexecution *reexecute);

/* The serial of the oldest package in flight there, or of the package that it is a copy of. Called by
 * simulate.c. */
uint64_t cx_balancer_oldest(const struct cx_balancer *balancer, unsigned device);
/* Whether the package at that index in flight (0: the oldest) is the device's own: no copy, and not finished
 * by others. Called by simulate.c. */
bool cx_balancer_holds(const struct cx_balancer *balancer, unsigned device, unsigned place);

/* Gives the balancer the ranges that packages are cut from, in steps of `slice` groups, one part for each
 * device; a policy may look at them. The ranges must live as long as the balancer is used. NULL: none. Called
 * by simulate.c and launch/split.c. */
struct cx_ranges;
void cx_balancer_watch(struct cx_balancer *balancer, const struct cx_ranges *ranges, uint64_t slice);

/* Each device's expected part of the launch, by which the caller cuts the range; start speeds if the policy
 * has no better estimate. Called by simulate.c and plan/plan_share.c. */
void cx_balancer_weights(struct cx_balancer *balancer, double *weights);
/* The newest decision about a device. Called by simulate.c and launch/split_package.c. */
enum cx_decision cx_balancer_decision(const struct cx_balancer *balancer, unsigned device);
/* Enters this launch's measurements into the memory; once, after its end. Called by simulate.c and
 * launch/split.c. */
void cx_balancer_learn(const struct cx_balancer *balancer);
/* Whether the memory has so few launches of this shape that the next one should be planned with this one's
 * measurements. Called by launch/split.c. */
bool cx_balancer_learns_much(const struct cx_balancer *balancer);

/* Groups not assigned to anybody now. Called by launch/split.c and launch/write_back_slices.c. */
uint64_t cx_balancer_remaining(const struct cx_balancer *balancer);
/* Whether every group is done. Called by scheduler/, launch/ and plan/. */
bool cx_balancer_finished(const struct cx_balancer *balancer);
bool cx_balancer_is_static(const struct cx_balancer *balancer);
/* This launch's measurements of a device, for its speed record (admission.h): groups done and the seconds
 * they took, for packages of known time only; a package too small to fill the device counts as one that fills
 * it. Called by memory.c, simulate.c, launch/split.c and launch/split_member.c. */
void cx_balancer_measured(const struct cx_balancer *balancer, unsigned device, uint64_t *groups,
                          double *seconds);

#endif

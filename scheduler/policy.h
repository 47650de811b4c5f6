/* SPDX-License-Identifier: MIT */
/*
 * What a policy sees of a launch: the state that balancer.c keeps, and the questions policies ask about it.
 * Speeds are in one unit at any time: relative numbers until a device is measured, work-groups/s from then on
 * (balancer->measured tells); speeds.c rescales the unmeasured ones.
 * Previous stage: balancer.h. Next: one file per policy.
 */
#ifndef CX_SCHEDULER_POLICY_H
#define CX_SCHEDULER_POLICY_H

#include "scheduler/balancer.h"
#include "scheduler/memory.h"
#include "scheduler/tuning.h"

/* Sigmoid paper, section 3.4: three packages balance adaptiveness and over-sensitivity. */
enum { CX_SPEED_HISTORY = 3 };

/* A package in flight, or a copy of a part of one (reexecute.c). */
struct cx_flight {
    uint64_t groups;
    uint64_t first;  /* where it lies in the range; CX_NOWHERE: not told */
    uint64_t serial; /* names it; of a copy: of the package it is a part of */
    double issued;   /* when it was given out */
    double rate;     /* speed that its length was predicted by; 0: it was not */
    bool first_here; /* cx_balancer_first */
    bool fresh;      /* nothing before it on the device that it overlaps with */
    double cost;     /* of its groups there (memory.h); their number where it was not told */
    bool copy;
    bool lost;       /* others finished it first: its results are dropped */
    unsigned victim; /* of a copy: who holds the package */
    uint64_t handed; /* groups at its end that were given out as copies */
    uint64_t saved;  /* of these, done */
};
#define CX_NOWHERE UINT64_MAX

/* What a device did again of a package, while other parts of it are not done. */
struct cx_reexecution_part {
    uint64_t serial;
    unsigned device;
    uint64_t groups;
};

struct cx_device_state {
    struct cx_balancer_device given;          /* cleaned copy */
    double reported_fixed, reported_transfer; /* moves as the caller told them; in `given`, as learned */
    double start_speed; /* before any package of this launch; one unit over all devices of the launch */
    bool trusted;       /* start_speed was measured in earlier launches, or set by the user */
    double history[CX_SPEED_HISTORY]; /* speeds of the last packages, a ring */
    double history_groups[CX_SPEED_HISTORY];
    double history_seconds[CX_SPEED_HISTORY];
    unsigned packages; /* completed in this launch */
    unsigned samples;  /* packages measured in this launch */
    bool doubtful;     /* all that is measured is a first package (cx_balancer_first) */
    double speed;      /* best estimate now */
    struct cx_flight flight[CX_PACKAGES_IN_FLIGHT]; /* packages in flight, oldest first */
    unsigned nflight;
    struct cx_flight newest_done;           /* the newest package that ended */
    double newest_seconds, newest_expected; /* its time, as predicted (0: not) */
    double rate;          /* speed that the policy sized the next package by, 0: it does not predict */
    uint64_t lost_groups; /* of the newest package that others finished first, and how long it had run then */
    double lost_seconds;
    enum cx_decision decision; /* the latest about it */
    double busy_since;         /* when the oldest package in flight began, as far as known */
    uint64_t assigned;         /* groups ever given, less those that came back */
    uint64_t done;
    double moves_seconds, reported_moves; /* what moves took of its packages' times, and what was told */
    uint64_t measured_groups;
    double measured_seconds;
    bool failed;   /* gets nothing more */
    bool retired;  /* failed only in that sense: what it holds it will do */
    bool left_out; /* the policy leaves the rest to the others: it need not go on */
};

struct cx_balancer {
    const struct cx_policy *policy;
    struct cx_balancer_params params;
    uint64_t groups, granularity, remaining;
    unsigned ndevices, nlive;
    bool measured;                    /* speeds are work-groups/s */
    bool accelerated;                 /* an accelerator lives */
    unsigned powerful;                /* cx_most_powerful */
    uint64_t serial;                  /* of the next package */
    double done_cost;                 /* of packages that ended and count, failures aside */
    struct cx_memory *memory;         /* the caller's, or NULL */
    struct cx_tuning *tuning;         /* likewise */
    struct cx_cost_model *cost_model; /* what that knew at the launch's beginning; NULL without one */
    struct cx_package_log *packages;  /* done ones, for the memory; NULL without one */
    unsigned npackages;
    const struct cx_ranges *ranges; /* where packages are cut from, or NULL */
    uint64_t slice;
    struct cx_reexecution_part *parts; /* cx_reexecute_room of them; NULL: no re-execution */
    unsigned nparts;
    void *data; /* the policy's */
    struct cx_device_state devices[];
};

/* What a policy's next returns: groups (rounded down), at least the device's smallest package, and why.
 * Called by scheduler/. */
uint64_t cx_package_sized(struct cx_balancer *balancer, unsigned device, double groups,
                          enum cx_decision decision);
/* Likewise, but no smallest package. 0: the device waits. Called by scheduler/. */
uint64_t cx_package_decided(struct cx_balancer *balancer, unsigned device, uint64_t groups,
                            enum cx_decision decision);

/* The lesser and the greater, in place where fmin and fmax are calls; neither may be NaN. Called by
 * scheduler/. */
static inline double cx_lesser(double a, double b)
{
    return a < b ? a : b;
}
static inline double cx_greater(double a, double b)
{
    return a > b ? a : b;
}
/* A finite number above 0, or 0. Called by scheduler/. */
double cx_number_clean(double value);
/* The speed of a device that needs so many seconds more (or less) for each group: down to a twentieth of the
 * time. Called by auto_view.c, balancer.c and memory.c. */
static inline double cx_with_transfers(double speed, double seconds)
{
    return speed > 0 && seconds != 0 ? 1 / cx_greater(1 / speed + seconds, 0.05 / speed) : speed;
}
/* floor(value) in groups, from 0 to limit. Called by scheduler/. */
uint64_t cx_groups_clamp(double value, uint64_t limit);

/* The part of the seconds told of moves that they took in this launch; 0: there were none. Called by
 * memory.c. */
static inline double cx_moves_part(const struct cx_device_state *device)
{
    return device->reported_moves > 0 ? cx_greater(device->moves_seconds / device->reported_moves, 1e-3) : 0;
}
/* What they took for a group, as far as known. Called by balancer.c and memory.c. */
static inline double cx_moves_a_group(const struct cx_device_state *device)
{
    const double part = cx_moves_part(device);
    return part > 0 ? part * device->reported_transfer : device->given.transfer_seconds;
}

/* Whether the policy is to be as its paper has it: the rules over all policies do not hold (limit.c). Called
 * by limit.c, logfit.c and sigmoid.c. */
static inline bool cx_as_published(const struct cx_balancer *balancer)
{
    const char *params = (const char *)&balancer->params;
    const size_t at = balancer->policy->published;
    return at > 0 && *(const double *)(const void *)(params + at) >= 0.5;
}

/* Start speeds of all devices in one unit; sets measured where an earlier launch gives groups/s. Called by
 * balancer.c. */
void cx_speeds_init(struct cx_balancer *balancer);
/* The live device of the highest start speed, one without a bounded first package where there is such a one;
 * ndevices when none lives. Called by single.c and static.c. */
static inline unsigned cx_most_powerful(const struct cx_balancer *balancer)
{
    return balancer->powerful;
}
/* Brings that and cx_accelerates up to date: after speeds_init, and when a device is gone. Called by
 * balancer.c. */
void cx_speeds_roles(struct cx_balancer *balancer);
/* Whether policies that tell accelerators from CPUs treat the device as one: it is one, or no accelerator
 * lives and it is the most powerful device. Called by concord.c and logfit.c. */
bool cx_accelerates(const struct cx_balancer *balancer, unsigned device);
/* The live device of the highest speed now among those; 0 when no device lives. Called by logfit.c. */
unsigned cx_fastest_accelerator(const struct cx_balancer *balancer, double now);
/* Counts one more measured package and brings every device's speed up to date. first: cx_balancer_first was
 * told of it. Called by balancer.c. */
void cx_speeds_update(struct cx_balancer *balancer, unsigned device, uint64_t groups, double seconds,
                      bool first);
/* Speed of a device, lowered where the package it works on takes longer than that speed allows; 0 when
 * failed. Called by scheduler/. */
double cx_speed_now(const struct cx_balancer *balancer, unsigned device, double now);
/* Seconds until the device has done all it holds; 0 while nothing is measured. Called by shares.c and
 * sigmoid.c. */
double cx_backlog_seconds(const struct cx_balancer *balancer, unsigned device, double now);
/* Both at once. Called by limit.c. */
struct cx_pace {
    double speed, backlog;
};
struct cx_pace cx_pace_now(const struct cx_balancer *balancer, unsigned device, double now);
/* Groups as the device's time counts them: fewer than fill it take as long as those that do. Called by
 * auto.c, auto_view.c, limit.c and speeds.c. */
static inline double cx_groups_filled(const struct cx_device_state *device, uint64_t groups)
{
    return (double)(groups > device->given.fill ? groups : device->given.fill);
}
/* Those by which a package takes longer whose last ones leave the device ever emptier, with no package behind
 * it that fills the gap: groups come in fillings, of which the last is half full in the mean. A little less
 * is told, as `fill` is what is known without the kernel's time. On H200s 0.5 to 1.5 times `fill` was seen.
 * Called by auto.c, auto_view.c and lengths.c.
 */
static inline double cx_groups_drain(const struct cx_device_state *device)
{
    return device->given.fill > 1 ? (double)device->given.fill / 2.75 : 0;
}
/* Groups as the device's time counts them for a package of so many, and its end: one that begins while the
 * one before it drains has as much of that time as its own drain adds, and few groups fill the gap. Called
 * by auto_view.c, balancer.c and memory.c. */
static inline double cx_groups_timed(const struct cx_device_state *device, uint64_t groups, bool fresh)
{
    return fresh ? cx_groups_filled(device, groups) + cx_groups_drain(device) : (double)groups;
}

/* lengths.c: packages of a device one after the other, whose lengths are compared with what was predicted. */
struct cx_lengths {
    double seconds, expected; /* of those that tell nothing by themselves yet */
    double slack;             /* seconds by which their end is not known */
};
/* One more of so many groups. Gives how many fillings of the device those are worth together; INFINITY where
 * packages do not overlap: the border between two that do is told to within a drain. Nonsense counts as none.
 * Called by auto.c and memory.c.
 */
double cx_lengths_add(struct cx_lengths *lengths, const struct cx_device_state *device, uint64_t groups,
                      double seconds, double expected);
/* The log of their real over their predicted length, and that; then the next ones begin anew. False: there is
 * none. Called by auto.c and memory.c. */
bool cx_lengths_tell(struct cx_lengths *lengths, double *error, double *length);
/* The smallest package worth giving: the user's minimum, else what fills the device. At least 1. Called by
 * scheduler/. */
uint64_t cx_package_minimum(const struct cx_balancer *balancer, unsigned device);

/* reexecute.c: the package of that serial on the device is over or gone: its copies count for nothing.
 * Called by balancer.c. */
void cx_reexecute_void(struct cx_balancer *balancer, uint64_t serial);
/* Likewise for all packages: a device failed, and what it had done again may be gone. Called by
 * balancer.c. */
void cx_reexecute_void_all(struct cx_balancer *balancer);
/* A copy is done. Called by balancer.c. */
enum cx_done cx_reexecute_done(struct cx_balancer *balancer, unsigned device, const struct cx_flight *copy,
                               double now);
/* Whether two copies in flight are of the same part. Called by auto_reexecute.c and reexecute.c. */
static inline bool cx_reexecute_twins(const struct cx_flight *a, const struct cx_flight *b)
{
    return a->copy && b->copy && !a->lost && !b->lost && a->serial == b->serial && a->first == b->first;
}
/* Whether the victim's package, given by its index in flight, may be re-executed: some of it is not handed
 * out yet. A copy may be, whole. Called by auto_reexecute.c. */
bool cx_reexecute_possible(const struct cx_balancer *balancer, unsigned victim, unsigned package);
/* How many there is room for: every device helping with a package of each. Called by balancer.c and
 * reexecute.c. */
static inline unsigned cx_reexecute_room(const struct cx_balancer *balancer)
{
    return balancer->ndevices * (balancer->ndevices + 4) + 4;
}

/* balancer.c: the package's cost, where its place or length changed. Called by reexecute.c. */
void cx_flight_cost(const struct cx_balancer *balancer, struct cx_flight *package);

/* One share a device of what is left, such that all end together (shares.c). shares: one a device. Called
 * by adaptive.c and concord.c. */
void cx_shares_plan(const struct cx_balancer *balancer, uint64_t *shares, double now);
/* The device's share, now 0; planned anew where all have theirs or the device would idle. 0: wait. Called
 * by adaptive.c and concord.c. */
uint64_t cx_shares_take(const struct cx_balancer *balancer, uint64_t *shares, unsigned device, double now);

extern const struct cx_policy cx_policy_single, cx_policy_static, cx_policy_dynamic, cx_policy_hguided,
    cx_policy_adaptive, cx_policy_sigmoid, cx_policy_logfit, cx_policy_concord, cx_policy_hdss,
    cx_policy_marrow, cx_policy_auto;

#endif

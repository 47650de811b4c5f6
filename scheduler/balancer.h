/* SPDX-License-Identifier: MIT */
/*
 * The contract between a launch and the policy that shares it out: numbers in, shares out.
 *
 * A launch has G work-groups. The layer asks cx_balancer_next for a package for a device whenever that device
 * has room (two packages in flight keep it from idling), and reports each finished one with cx_balancer_done.
 * Only counts pass through here; which groups a package consists of is the layer's business. Unless a policy
 * is static, 0 from cx_balancer_next means "nothing for this device now": ask again for every device with
 * room after each done or fail while cx_balancer_remaining is not 0. The fastest live device is never refused
 * while it has nothing in flight, so a launch always moves. Thread-safety: none; the caller serialises. No
 * clock: times are seconds since the launch began. Previous stage: admission.h says which devices take part.
 * Next: policy.h, what a policy sees.
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
    double nominal_speed;   /* relative, such as GFLOP/s; 0: unknown, taken as the mean of the others */
    double measured_speed;  /* work-groups/s of this kernel in earlier launches; 0: never measured */
    double power;           /* the user's relative power (COEXEC_POWERS), above the two others; 0: unset */
    uint64_t min_package;   /* smallest package in work-groups, set by the user; 0: unset, fill is used */
    uint64_t fill;          /* work-groups that fill it (one a core; occupancy x units); 0 counts as 1 */
    double launch_seconds;  /* cost of a package beside computing; keeps packages from being too small */
    uint64_t first_package; /* a probe: bound in groups until its first package is done; 0: none */
    bool accelerator;       /* GPU or the like: policies that size its packages apart from a CPU's ask */
};

struct cx_problem {
    uint64_t groups;
    uint64_t granularity; /* packages are multiples of it, save the last one; 0 counts as 1 */
    unsigned ndevices;
    const struct cx_balancer_device *devices; /* copied */
};

/* What the user may tune; numbers out of range fall back to the default. */
struct cx_balancer_params {
    double dynamic_size;        /* >= 0; work-groups a package; 0: by dynamic_packages */
    double dynamic_packages;    /* > 0; packages a launch is cut into */
    double hguided_k;           /* > 0; divisor of the package size */
    double adaptive_first;      /* > 0; share of the launch that the first probes of all devices make up */
    double adaptive_growth;     /* > 0; each probe is that many times as large as the one before */
    double adaptive_probes;     /* > 0; probe packages a device, rounded up */
    double sigmoid_k_regular;   /* > 0; slope while the launch looks regular */
    double sigmoid_k_irregular; /* > 0; slope once it looks irregular */
    double sigmoid_p;           /* 0..1; share of the time so far that the worst imbalance may cost */
    double sigmoid_d;           /* > 0; relative deviation of speeds that makes a launch irregular */
    double sigmoid_l;           /* > 0; largest package is G / (l N) */
    double logfit_threshold;    /* > 0; gain in throughput at which a package is large enough */
    double concord_profile;     /* > 0; share of the launch that accelerators are measured with */
    double concord_settled; /* > 0; relative change of a device's part of all speeds that ends measuring */
    double hdss_settled;    /* > 0; relative change of a fitted speed below which it is settled */
    double hdss_training;   /* > 0; share of the launch given out at which training ends */
    double hdss_k;          /* > 0; divisor of the package size after training */
};
extern const struct cx_balancer_params cx_balancer_defaults;

struct cx_balancer;

/* One policy: a const table at the end of its own file. Called by balancer.c alone, under the caller's lock.
 */
struct cx_policy {
    const char *name; /* as in COEXEC_ALGO */
    const char *help;
    bool is_static;    /* one package a device, all known before the start: the layer may ask all at once */
    bool starts_small; /* its first packages are small, so that a device never measured may get them uncut */
    size_t data_size;  /* bytes of the policy's own data, zeroed */
    size_t data_size_per_device;
    /* Once, after speeds and remaining are set. May be NULL. */
    void (*init)(struct cx_balancer *balancer);
    /* The package that device should get, in groups. balancer.c limits, rounds and clamps it. 0 of a dynamic
     * policy: nothing now; the fastest live device with nothing in flight gets its smallest package all the
     * same. */
    uint64_t (*next)(struct cx_balancer *balancer, unsigned device, double now);
    /* After a package was counted and speeds were updated. May be NULL. */
    void (*done)(struct cx_balancer *balancer, unsigned device, double now);
    /* After groups came back to the pool (failure, or a package given back). May be NULL. */
    void (*regained)(struct cx_balancer *balancer);
};

/* The policy of that name, or NULL. */
const struct cx_policy *cx_policy_find(const char *name);
/* The i-th policy, NULL past the last: for lists in messages. */
const struct cx_policy *cx_policy_get(unsigned index);

/* params may be NULL (defaults). NULL when memory is short or there is no device. */
struct cx_balancer *cx_balancer_create(const struct cx_policy *policy, const struct cx_problem *problem,
                                       const struct cx_balancer_params *params);
void cx_balancer_destroy(struct cx_balancer *balancer); /* accepts NULL */

/* Work-groups of the next package for this device, now counted as in flight there; 0: nothing (see above). A
 * static policy gives each device its whole share at the first call; ask in device order for equal shares
 * each time. */
uint64_t cx_balancer_next(struct cx_balancer *balancer, unsigned device, double now);
/* The newest package of this device is to be shorter by that many groups (the layer's free range was shorter
 * than the package): they are free again. */
void cx_balancer_give_back(struct cx_balancer *balancer, unsigned device, uint64_t groups);
/* The oldest package of this device is complete. seconds: how long the device worked on this package alone,
 * queueing behind its predecessor not counted, transfers for it counted; 0 or nonsense: not known, teaches
 * nothing. */
void cx_balancer_done(struct cx_balancer *balancer, unsigned device, uint64_t groups, double seconds,
                      double now);
/* The device gets nothing more, but does what it holds, and its time teaches nothing: it was only to be
 * measured, by the caller. It may still fail. */
void cx_balancer_retire(struct cx_balancer *balancer, unsigned device);
/* The device failed: it gets nothing more, what it held counts as lost. groups_lost: how many of all groups
 * it was ever given must be computed again (in flight, and done ones whose results died with it). */
void cx_balancer_fail(struct cx_balancer *balancer, unsigned device, uint64_t groups_lost);

/* Groups not assigned to anybody now. */
uint64_t cx_balancer_remaining(const struct cx_balancer *balancer);
/* Whether every group is done. */
bool cx_balancer_finished(const struct cx_balancer *balancer);
bool cx_balancer_is_static(const struct cx_balancer *balancer);
/* What this launch taught about a device, for its speed record (admission.h): groups done and seconds they
 * took, packages of known time only; one too small to fill the device counts as one that fills it. */
void cx_balancer_measured(const struct cx_balancer *balancer, unsigned device, uint64_t *groups,
                          double *seconds);

#endif

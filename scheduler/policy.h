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

/* Sigmoid paper, section 3.4: three packages balance adaptiveness and over-sensitivity. */
enum { CX_SPEED_HISTORY = 3 };

struct cx_device_state {
    struct cx_balancer_device given; /* cleaned copy */
    double start_speed; /* before any package of this launch; one unit over all devices of the launch */
    bool trusted;       /* start_speed was measured in earlier launches, or set by the user */
    double history[CX_SPEED_HISTORY]; /* speeds of the last packages, a ring */
    double history_groups[CX_SPEED_HISTORY];
    double history_seconds[CX_SPEED_HISTORY];
    unsigned packages;                      /* completed in this launch */
    unsigned samples;                       /* packages measured in this launch */
    double speed;                           /* best estimate now */
    uint64_t flight[CX_PACKAGES_IN_FLIGHT]; /* packages in flight, oldest first */
    unsigned nflight;
    double busy_since; /* when the oldest package in flight began, as far as known */
    uint64_t assigned; /* groups ever given, less those that came back */
    uint64_t done;
    uint64_t measured_groups;
    double measured_seconds;
    bool failed;  /* gets nothing more */
    bool retired; /* failed only in that sense: what it holds it will do */
};

struct cx_balancer {
    const struct cx_policy *policy;
    struct cx_balancer_params params;
    uint64_t groups, granularity, remaining;
    unsigned ndevices, nlive;
    bool measured; /* speeds are work-groups/s */
    void *data;    /* the policy's */
    struct cx_device_state devices[];
};

/* A finite number above 0, or 0. */
double cx_number_clean(double value);
/* floor(value) in groups, from 0 to limit. */
uint64_t cx_groups_clamp(double value, uint64_t limit);

/* Start speeds of all devices in one unit; sets measured where an earlier launch gives groups/s. */
void cx_speeds_init(struct cx_balancer *balancer);
/* The live device of the highest start speed, one without a bounded first package where there is such a one;
 * ndevices when none lives. */
unsigned cx_most_powerful(const struct cx_balancer *balancer);
/* Whether policies that tell accelerators from CPUs treat the device as one: it is one, or no accelerator
 * lives and it is the most powerful device. */
bool cx_accelerates(const struct cx_balancer *balancer, unsigned device);
/* The live device of the highest speed now among those; 0 when no device lives. */
unsigned cx_fastest_accelerator(const struct cx_balancer *balancer, double now);
/* Counts one more measured package and brings every device's speed up to date. */
void cx_speeds_update(struct cx_balancer *balancer, unsigned device, uint64_t groups, double seconds);
/* Speed of a device, lowered where the package it works on takes longer than that speed allows; 0 when
 * failed. */
double cx_speed_now(const struct cx_balancer *balancer, unsigned device, double now);
/* Seconds until the device has done all it holds; 0 while nothing is measured. */
double cx_backlog_seconds(const struct cx_balancer *balancer, unsigned device, double now);
/* Seconds of a package on this device, were it alone there. */
double cx_package_seconds(const struct cx_balancer *balancer, unsigned device, uint64_t groups, double now);
/* The smallest package worth giving: the user's minimum, else what fills the device. At least 1. */
uint64_t cx_package_minimum(const struct cx_balancer *balancer, unsigned device);

/* One share a device of what is left, such that all end together (shares.c). shares: one a device. */
void cx_shares_plan(const struct cx_balancer *balancer, uint64_t *shares, double now);
/* The device's share, now 0; planned anew where all have theirs or the device would idle. 0: wait. */
uint64_t cx_shares_take(const struct cx_balancer *balancer, uint64_t *shares, unsigned device, double now);

extern const struct cx_policy cx_policy_single, cx_policy_static, cx_policy_dynamic, cx_policy_hguided,
    cx_policy_adaptive, cx_policy_sigmoid, cx_policy_logfit, cx_policy_concord, cx_policy_hdss;

#endif

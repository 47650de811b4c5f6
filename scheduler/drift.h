/* SPDX-License-Identifier: MIT */
/*
 * Launches in which a device gets slower at a given time, as when something else wants its cores: after a
 * policy has settled, one device is 2, 4 or 8 times slower from a place of a launch on, stays so for some
 * launches, and is then as fast as before. Thread-safety: none needed; nothing is shared between calls.
 * Previous stage: simulate.h. Next: coexec simulate --grid.
 */
#ifndef CX_SCHEDULER_DRIFT_H
#define CX_SCHEDULER_DRIFT_H

#include "scheduler/simulate.h"

enum { CX_DRIFT_DEVICES = 4, CX_DRIFT_SETTLES = 8, CX_DRIFT_SLOW = 12, CX_DRIFT_BACK = 12 };

struct cx_drift_case {
    const char *set; /* of devices, by name */
    enum cx_sim_profile profile;
    double launch_seconds, seconds; /* of a package; that all devices together compute */
    double factor;                  /* times slower */
    double at;                      /* part of the launch before */
    unsigned ndevices, slow;        /* which one gets slower */
    struct cx_sim_device devices[CX_DRIFT_DEVICES];
    uint64_t groups, seed;
};
unsigned cx_drift_count(void);
struct cx_drift_case cx_drift_case(unsigned index);

/* Times over the least possible in that launch, with the speeds as they change (devices busy to the end, one
 * launch each). */
struct cx_drift_result {
    bool complete;
    double steady;     /* the launch before the change */
    double first;      /* the launch in which the device gets slower */
    double after;      /* sum of what the launches behind it take longer than that */
    double back_first; /* the first launch with the device as fast as before */
    double back_after; /* sum of what the launches behind that take longer */
    unsigned packages; /* of the launch before the change */
};
/* reexecutes: packages may be re-executed on other devices; false: members work in place. Called by
 * tools/coexec_simulate_drift.c. */
struct cx_drift_result cx_drift_run(const struct cx_drift_case *c, const struct cx_policy *policy,
                                    const struct cx_balancer_params *params, bool reexecutes);

#endif

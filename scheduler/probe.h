/* SPDX-License-Identifier: MIT */
/*
 * When a device that does not take part gets one small package to be measured.
 * Previous stage: admission.c.
 */
#ifndef CX_SCHEDULER_PROBE_H
#define CX_SCHEDULER_PROBE_H

#include "scheduler/admission.h"

/* Measurements that a device of another class than the best one's needs before it may take part. */
enum { CX_PROBES = 3 };

/* Counts a launch of that predicted whole time in the records: those left out wait and gain credit. Called
 * by admission.c. */
void cx_probe_count(const struct cx_admission *launch, const struct cx_admission_member *members,
                    double whole);
/* Chooses at most one device left out for a probe, makes it take part and charges its record; ndevices when
 * none. overhead: what a split of this launch costs anyway. Called by admission.c. */
unsigned cx_probe_choose(const struct cx_admission *launch, struct cx_admission_member *members,
                         unsigned best, double whole, double overhead);

#endif

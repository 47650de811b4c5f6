/* SPDX-License-Identifier: MIT */
/*
 * How long a launch would take, whole or split, from records and costs.
 * Previous stage: admission.c.
 */
#ifndef CX_SCHEDULER_PREDICT_H
#define CX_SCHEDULER_PREDICT_H

#include "scheduler/admission.h"

/* Seconds of a package of that many groups, or of a whole launch. INFINITY where the speed is 0. Called by
 * admission.c and probe.c. */
double cx_predict_package(const struct cx_admission_device *device, double speed, uint64_t groups);
/* Seconds of a launch split perfectly over those who take part. Called by admission.c. */
double cx_predict_split(const struct cx_admission *launch, const struct cx_admission_member *members);
/* Fills in every member's speed: measured; else nominal, rescaled by the measured ones of its class, else of
 * all. Called by admission.c. */
void cx_predict_speeds(const struct cx_admission *launch, struct cx_admission_member *members);

#endif

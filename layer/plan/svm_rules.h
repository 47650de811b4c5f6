/* SPDX-License-Identifier: MIT */
/*
 * Decides which launches must run whole on the owner of shared virtual memory (svm.h), with all allocations
 * valid there: launches that may load pointers from memory, store them there, or access bytes before the
 * pointer they were given; and all launches on allocations with CL_MEM_SVM_FINE_GRAIN_BUFFER, which the
 * program accesses without mapping. Previous stage: plan.c. Next: whole.c. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_SVM_RULES_H
#define CX_LAYER_PLAN_SVM_RULES_H

#include "layer/plan/plan.h"

/* Whether the launch must run whole on the owner; *why says why. Called by plan.c. */
bool cx_svm_binds(struct cx_launch *launch, enum cx_why *why) CX_HOLDS(cx_context_locked);
/* Whether one of the launch's arguments lies in shared virtual memory. Called by plan_place.c. */
bool cx_svm_has_argument(const struct cx_launch *launch);
/* For a launch on the owner. blocked: makes it wait for launches with unsettled owners on any allocation;
 * returns whether it waits. gather: moves all allocations to the owner. note: records that the job may have
 * written them. Called by plan.c and launch/whole.c. */
bool cx_svm_blocked(struct cx_command *command) CX_HOLDS(cx_context_locked);
cl_int cx_svm_gather(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
cl_int cx_svm_note(struct cx_launch *launch, struct cx_job *job) CX_HOLDS(cx_context_locked);

#endif

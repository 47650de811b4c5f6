/* SPDX-License-Identifier: MIT */
/*
 * Which launches must run whole at the home of shared virtual memory (svm.h), with all allocations valid
 * there: those that may load pointers from memory, keep them there, or touch bytes before the pointer they
 * were given; and all on allocations with CL_MEM_SVM_FINE_GRAIN_BUFFER, which the program touches without a
 * map. Previous stage: plan.c. Next: whole.c. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_SVM_RULES_H
#define CX_LAYER_PLAN_SVM_RULES_H

#include "layer/plan/plan.h"

/* Whether the launch must run whole at home (above); *why says why. */
bool cx_svm_binds(struct cx_launch *launch, const char **why);
/* Whether one of the launch's arguments lies in shared virtual memory. */
bool cx_svm_has_argument(const struct cx_launch *launch);
/* For a launch at home: makes it wait for launches with unsettled owners on any allocation; gives whether it
 * does. Then brings all allocations home, and notes that the job may have written them. */
bool cx_svm_blocked(struct cx_command *command);
cl_int cx_svm_gather(struct cx_launch *launch);
cl_int cx_svm_note(struct cx_launch *launch, struct cx_job *job);

#endif

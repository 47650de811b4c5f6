/* SPDX-License-Identifier: MIT */
/* A thread that completes user events a while after they were handed to it. One at a time in a process. */
#ifndef CX_TESTS_LAYER_LATE_EVENTS_H
#define CX_TESTS_LAYER_LATE_EVENTS_H

#include <CL/cl.h>

void late_start(void);
/* The caller keeps its reference, and releases it after late_stop. */
void late_add(cl_event event);
/* Returns once all are complete. */
void late_stop(void);

#endif

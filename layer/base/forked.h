/* SPDX-License-Identifier: MIT */
/*
 * Children of the process. Thread-safe.
 */
#ifndef CX_LAYER_BASE_FORKED_H
#define CX_LAYER_BASE_FORKED_H

#include <stdbool.h>

/* A child made by fork() has neither the threads of drivers and layer nor locks in a known state. Once
 * drivers were loaded, no handle is good in a child any more: every call ends with an error, and none can
 * hang. */
extern bool cx_object_forked;
/* Has fork() set cx_object_forked in children from now on. Called by driver/device.c. */
void cx_object_refuse_children(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Loops in which a work-group waits for another one: they end by what that stores. Such groups must all run
 * at a time, on one device.
 *
 * Previous stage: scan.c, which has seen all accesses. Next stage: the planner, which places the launch.
 */
#ifndef CX_LAYER_ANALYSER_WAIT_H
#define CX_LAYER_ANALYSER_WAIT_H

#include "layer/analyser/scan.h"

/* Notes CX_REASON_GROUPS_WAIT for each argument that is waited for. Called by scan.c. */
void cx_wait_find(struct cx_scan *scan);

#endif

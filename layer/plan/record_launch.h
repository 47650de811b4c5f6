/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: what the recording says of launches. Nothing when it is not set. Next: recording.h.
 */
#ifndef CX_LAYER_PLAN_RECORD_LAUNCH_H
#define CX_LAYER_PLAN_RECORD_LAUNCH_H

#include <stdbool.h>

struct cx_launch;

/* A launch is decided: its reason is set. Only the first of several alike is written. context->lock held. */
void cx_record_launch(const struct cx_launch *launch, bool split);

#endif

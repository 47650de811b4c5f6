/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: the recording's lines about launches. Does nothing if it is not set. Next: recording.h.
 */
#ifndef CX_LAYER_PLAN_RECORD_LAUNCH_H
#define CX_LAYER_PLAN_RECORD_LAUNCH_H

#include "layer/timeline/context.h"

#include <stdbool.h>

struct cx_launch;

/* Records a launch that was decided (its reason is set). Of equal launches only the first is written.
 * context->lock held. Called by plan.c. */
void cx_record_launch(const struct cx_launch *launch, bool split) CX_HOLDS(cx_context_locked);

#endif

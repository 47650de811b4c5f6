/* SPDX-License-Identifier: MIT */
/*
 * What became of a device's part in a launch, or of one package of it, as a value. Its text is made where it
 * is shown. What the scheduler decides has its own enums, each of which has a range of its own here.
 *
 * Before: launch/, where it happens. After: launch_stats.h and trace_launch.h, which show it.
 */
#ifndef CX_LAYER_PLAN_PART_NOTE_H
#define CX_LAYER_PLAN_PART_NOTE_H

#include "scheduler/admission.h"
#include "scheduler/balancer.h"

enum cx_part_note {
    CX_PART_NOTHING,
    CX_PART_DROPPED,   /* a package: another device was first */
    CX_PART_OVERTAKEN, /* the same, of what was re-executed */
    CX_PART_FAILED,    /* others did what it held */
    CX_PART_LATE,      /* not waited for */
    CX_PART_REFUSED,   /* ... a package, which others did */
    CX_PART_STANDS_IN, /* it did what another device failed to do */
    CX_PART_DECIDED,   /* + enum cx_decision: why a package is as long as it is */
    CX_PART_ADMITTED = CX_PART_DECIDED + CX_DECISIONS, /* + enum cx_admission_part */
    CX_PART_NOTES = CX_PART_ADMITTED + CX_ADMISSION_PARTS
};
static inline enum cx_part_note cx_part_note_decided(enum cx_decision decision)
{
    return (enum cx_part_note)((unsigned)CX_PART_DECIDED + (unsigned)decision);
}
static inline enum cx_part_note cx_part_note_admitted(enum cx_admission_part part)
{
    return (enum cx_part_note)((unsigned)CX_PART_ADMITTED + (unsigned)part);
}
/* A phrase about the device, that lives as long as the process; "" for NOTHING. Called by launch_stats.c and
 * trace_launch.c. */
const char *cx_part_note_text(enum cx_part_note note);

#endif

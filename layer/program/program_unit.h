/* SPDX-License-Identifier: MIT */
/*
 * Units: the program objects that stand for devices which are built apart.
 *
 * A program is one unit until some of its devices are built without the others, or are given other binaries;
 * these then get a program object of their own. Previous stage: program.h. Next: build.h. Thread-safety: as
 * said; the division's lock guards which unit is whose.
 */
#ifndef CX_LAYER_PROGRAM_PROGRAM_UNIT_H
#define CX_LAYER_PROGRAM_PROGRAM_UNIT_H

#include "layer/program/program.h"

/* Makes a program object without real programs, associated with these devices of the context (0: all). Takes
 * source (may be NULL) over, also on failure. NULL: no memory. Called by link.c, program_binary.c and
 * program_il.c. */
struct cx_program *cx_program_new(struct cx_context *context, cl_uint ndevices, const cl_device_id *devices,
                                  char *source);
/* The device's index in the program's list; ndevices: it is not in it. Called by program/. */
unsigned cx_program_device(const struct cx_program *program, const struct cx_device *device);
/* Like cx_program_device; for a sub-device that is not in the list, the index of the device that it is part
 * of. Called by kernel.c. */
unsigned cx_program_device_of(const struct cx_program *program, const struct cx_device *device);
/* The unit of the d-th device, with a reference for the caller. Thread-safe. Called by program_info.c. */
struct cx_program *cx_program_unit(struct cx_program *program, unsigned d);
/* Whether the d-th device is the first one of its unit. The caller holds program->division.lock. Called by
 * kernel.c and program_info.c. */
bool cx_program_first(const struct cx_program *program, unsigned d);
/* Whether a member of the device has built the unit, or has a deferred build of it. Called by kernel.c and
 * program_info.c. */
bool cx_program_serves(const struct cx_program *unit, const struct cx_device *device);
/* Divides these devices (0: all) into units for a build and marks the units as being built. units[] (room for
 * all devices) gets them with references, *count their number. CL_INVALID_OPERATION: one is being built
 * already, or kernels are attached to the program. unclaim: the unit is not built after all. Thread-safe.
 * Called by build.c. */
cl_int cx_program_claim(struct cx_program *program, cl_uint ndevices, const cl_device_id *devices,
                        struct cx_program **units, unsigned *count);
void cx_program_unclaim(struct cx_program *unit);
/* While a program is made from binaries, for one device after the other: adds the device's binary and its
 * text, which are taken over, also on failure. False: no memory. Called by program.c and program_binary.c. */
bool cx_program_take_binary(struct cx_program *program, unsigned d, struct cx_stored *stored, char *source);
void cx_program_units_finish(struct cx_program *program);

#endif

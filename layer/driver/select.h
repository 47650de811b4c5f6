/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_DEVICES: which of the devices found are members, and in which order.
 *
 * The list has items separated by ",": a number, one of cpu, gpu, accelerator, all, or a pattern for the name
 * or vendor of a device or its platform (with * ? [ as in file names, otherwise any part of the text; case is
 * ignored). An item adds the devices that it names, in the order of discovery; !item removes them, wherever
 * it stands. A list of !items alone starts from all devices. Thread-safety: no state.
 */
#ifndef CX_LAYER_DRIVER_SELECT_H
#define CX_LAYER_DRIVER_SELECT_H

#include "layer/driver/device.h"

enum { CX_SELECT_PROBLEM = 100 };

/* Fills order[] (room for ndevices) with the indices that the list chooses and returns their number. 0 with a
 * text in `problem` (otherwise empty): an item adds nothing, or the list leaves no device. Called by device.c
 * and tools/coexec_bench.c. */
unsigned cx_select(const struct cx_real_device *devices, unsigned ndevices, const char *list, unsigned *order,
                   char problem[CX_SELECT_PROBLEM]);

/* A text that says what the list may name (numbers with names, and the words), for the error line. The caller
 * frees it. Called by device.c and tools/coexec_bench.c. */
char *cx_select_accepted(const struct cx_real_device *devices, unsigned ndevices);

#endif

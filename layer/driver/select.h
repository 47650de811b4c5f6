/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_DEVICES: which of the devices found are members, and in which order.
 *
 * Items separated by ",": a number, cpu, gpu, accelerator or all, a pattern (with * ? [ as in file names,
 * else any part of the text; case does not matter) of the name or vendor of a device or its platform. An item
 * adds what it names in the order of listing; !item takes away what there is of it, wherever it stands; a
 * list of !items alone starts from all.
 * Thread-safety: no state.
 */
#ifndef CX_LAYER_DRIVER_SELECT_H
#define CX_LAYER_DRIVER_SELECT_H

#include "layer/driver/device.h"

enum { CX_SELECT_PROBLEM = 100 };

/* Fills order[] (room for ndevices) with the indices that the list chooses and returns how many.
 * 0 with a text in problem, which else is empty: an item to add that names nothing, or a list that leaves no
 * device. Called by device.c and tools/coexec_bench.c. */
unsigned cx_select(const struct cx_real_device *devices, unsigned ndevices, const char *list, unsigned *order,
                   char problem[CX_SELECT_PROBLEM]);

/* What the list may name, for the one line on stderr: numbers with names, and the words. The caller frees.
 * Called by device.c and tools/coexec_bench.c. */
char *cx_select_accepted(const struct cx_real_device *devices, unsigned ndevices);

#endif

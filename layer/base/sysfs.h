/* SPDX-License-Identifier: MIT */
/*
 * Reads the small files below /sys that hold one number or one word. They are opened for each reading, as a
 * program may close descriptors that it does not know. Thread-safe.
 */
#ifndef CX_LAYER_BASE_SYSFS_H
#define CX_LAYER_BASE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

enum { CX_SYSFS_PATH = 512 };

/* The first line of folder/file. False, and errno says why: it cannot be read. Called by driver/topology.c,
 * power/hwmon.c and power/rapl.c. */
bool cx_sysfs_text(const char *folder, const char *file, char *text, size_t size);
/* Likewise a number, which is not negative. Called by driver/topology.c, power/hwmon.c and power/rapl.c. */
bool cx_sysfs_number(const char *folder, const char *file, double *number);

/* Calls visit for each folder below `root` whose name begins with `prefix`, in the order of names. Called by
 * driver/topology.c, power/hwmon.c and power/rapl.c. */
void cx_sysfs_each(const char *root, const char *prefix,
                   void (*visit)(const char *folder, const char *name, void *data), void *data);

#endif

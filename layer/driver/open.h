/* SPDX-License-Identifier: MIT */
/*
 * Opens a real driver's library. A library with missing symbols is refused, so that a later call does not
 * kill the program. The check takes a millisecond for PoCL's (4,000 functions of LLVM that are never called),
 * so its success is stored in the cache (disk_cache.h) until the library or the system linker's cache
 * changes. Next stage: drivers.h. Thread-safe.
 */
#ifndef CX_LAYER_DRIVER_OPEN_H
#define CX_LAYER_DRIVER_OPEN_H

/* Like dlopen(name). NULL: dlerror() says why. The library stays open for the life of the process. Called by
 * drivers.c. */
void *cx_driver_open(const char *name);

#endif

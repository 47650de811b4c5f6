/* SPDX-License-Identifier: MIT */
/*
 * Opening a real driver's library. One with missing symbols is refused here, so that it does not kill the
 * program in the middle of a call. To find out takes a millisecond of PoCL's (4,000 functions of LLVM that
 * are never called), and so it is done once: that a library has all it needs is kept in the cache
 * (disk_cache.h) until it, or what the system's linker knows of, changes. Next stage: find.h. Thread-safe.
 */
#ifndef CX_LAYER_DRIVER_OPEN_H
#define CX_LAYER_DRIVER_OPEN_H

/* As dlopen, which `name` is for; NULL: dlerror() says why not. Stays open for the process's life. Called
 * by find.c. */
void *cx_driver_open(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Has the library's code at hand before the first launch needs it. That goes through 330 cache lines of it,
 * which a compiler has driven out of the caches, and through pages that are not mapped yet: 35 us on an H200.
 * Reading all of it in order takes 0.1 ms, which is little beside what a GPU's driver takes to begin.
 * Thread-safe.
 */
#ifndef CX_LAYER_BASE_OWN_CODE_H
#define CX_LAYER_BASE_OWN_CODE_H

/* Once in a process. Called by plan/recall.c. */
void cx_own_code_load(void);

#endif

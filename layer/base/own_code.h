/* SPDX-License-Identifier: MIT */
/*
 * Has the library's code at hand before the first launch needs it: a program that launches once and waits
 * would else pay for a page fault in each part of the code that a launch goes through, some 3 us each on a
 * virtual machine. Thread-safe.
 */
#ifndef CX_LAYER_BASE_OWN_CODE_H
#define CX_LAYER_BASE_OWN_CODE_H

/* Once in a process. Called by plan/recall.c. */
void cx_own_code_load(void);

#endif

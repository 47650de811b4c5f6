/* SPDX-License-Identifier: MIT */
/*
 * Detects children made by fork(). Thread-safe.
 */
#ifndef CX_LAYER_BASE_FORKED_H
#define CX_LAYER_BASE_FORKED_H

#include <stdbool.h>

/* True in such a child. It has neither the threads of drivers and layer nor locks in a known state; so, once
 * drivers are loaded, every handle is invalid there, and every call returns an error instead of hanging. */
extern bool cx_forked;
/* Registers a handler that sets cx_forked in children from now on. Called by driver/device.c. */
void cx_forked_refuse(void);

#endif

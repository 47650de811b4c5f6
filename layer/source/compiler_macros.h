/* SPDX-License-Identifier: MIT */
/*
 * Asks a device's compiler which macros it defines itself: builds and runs a small program there whose text
 * spells the macros out.
 *
 * Answers are kept in memory and on disk (disk_cache.h) under driver, versions, device and question, so that
 * a device is asked once. Only work that runs in the background may ask. Previous stage: analysis.c, with the
 * question that coexec-analyse found. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_COMPILER_MACROS_H
#define CX_LAYER_SOURCE_COMPILER_MACROS_H

#include <stddef.h>

struct cx_real_device;

/* What coexec-analyse --ask writes in place of a summary: the mark, a line that says what is in doubt, and
 * for a question the build options that matter and the names, a line each. */
#define CX_MACRO_QUESTION "coexec-question 1"
#define CX_MACRO_REFUSAL  "coexec-refusal 1"
/* A name is that of a macro, OPERATOR() for whether there is that operator (__has_builtin), or
 * OPERATOR(ARGUMENT). The answers have a line that begins so for each of the latter, and for each operator;
 * and where the operator is there, it is a macro that joins this prefix, its name, the middle and the
 * argument. */
#define CX_MACRO_TOLD     "// told "
#define CX_MACRO_OPERATOR "coexec"
#define CX_MACRO_OF       "__of__"

/* The answers as text for coexec-analyse --told (free() it): for each name that the device told about #undef,
 * and #define where it is a macro. NULL where they are not known yet. Never calls the driver's compiler.
 * Called by analysis.c. */
char *cx_compiler_macros_cached(const struct cx_real_device *device, const char *question);

/* The same, asking where that must be. Waits, limit_ms at most; a driver that takes longer is left alone with
 * it, and its answers serve the next one who asks. NULL with why (room bytes) set: the device cannot tell.
 * Called by analysis.c and tools/coexec_explain.c. */
char *cx_compiler_macros_ask(const struct cx_real_device *device, const char *question, unsigned limit_ms,
                             char *why, size_t room);

#endif

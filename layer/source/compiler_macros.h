/* SPDX-License-Identifier: MIT */
/*
 * The compiler probe: asks a device's compiler which macros it predefines, by building and running a small
 * program that returns their text.
 *
 * Answers are stored in memory and on disk (disk_cache.h) under driver, versions, device and question, so
 * that a device is asked once. Only background tasks may ask. Previous stage: analysis.c, with the question
 * that coexec-analyse found. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_COMPILER_MACROS_H
#define CX_LAYER_SOURCE_COMPILER_MACROS_H

#include <stddef.h>

struct cx_real_device;

/* The output of coexec-analyse --ask in place of a summary: the mark, a line that says what is in doubt, and
 * for a question a line with the build options that matter and one line for each name. */
#define CX_MACRO_QUESTION "coexec-question 1"
#define CX_MACRO_REFUSAL  "coexec-refusal 1"
/* A name is that of a macro, or OPERATOR() to ask whether that operator exists (__has_builtin), or
 * OPERATOR(ARGUMENT). For each of the last two the answers have a line that begins with this prefix. An
 * operator that exists is defined as a macro which joins the prefix, its name, the middle and the argument.
 */
#define CX_MACRO_TOLD     "// told "
#define CX_MACRO_OPERATOR "coexec"
#define CX_MACRO_OF       "__of__"

/* The stored answers as text for coexec-analyse --told, which the caller frees: for each name an #undef, and
 * a #define if it is a macro. NULL: they are not known yet. Never calls the driver's compiler. Called by
 * analysis.c. */
char *cx_compiler_macros_cached(const struct cx_real_device *device, const char *question);

/* Like cx_compiler_macros_cached, but asks the compiler if they are not known. Waits limit_ms at most; a
 * driver that takes longer goes on in its thread, and its answers are there for the next call. NULL with why
 * (room bytes) set: there is no answer. Called by analysis.c and tools/coexec_explain.c. */
char *cx_compiler_macros_ask(const struct cx_real_device *device, const char *question, unsigned limit_ms,
                             char *why, size_t room);

#endif

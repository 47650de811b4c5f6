/* SPDX-License-Identifier: MIT */
/*
 * Macro identity: those of a member's macros that the specification defines (version, extensions), and
 * whether a program can depend on them at all. Other macros are asked of the compiler (compiler_macros.h).
 *
 * Next stage: analysis.c, which analyses a program once for each distinct identity. Pure but for device
 * queries; thread-safe.
 */
#ifndef CX_LAYER_SOURCE_MACRO_IDENTITY_H
#define CX_LAYER_SOURCE_MACRO_IDENTITY_H

#include "layer/driver/device.h"

enum { CX_MACRO_IDENTITY_DEFINES = 6 };

struct cx_macro_identity {
    const char *extensions; /* the device's, or of cx_macro_identity_make's copy */
    unsigned ndefines;
    char define[CX_MACRO_IDENTITY_DEFINES][48]; /* NAME=VALUE */
};

/* The device's identity; keeps a pointer to its extension list. Called by analysis.c,
 * program/record_program.c and tools/coexec_explain.c. */
void cx_macro_identity_make(const struct cx_real_device *device, struct cx_macro_identity *identity);
bool cx_macro_identity_same(const struct cx_macro_identity *a, const struct cx_macro_identity *b);

/* Whether the program may include text of files. Errs on the side of true (cx_text_includes). Called by
 * source/ and program/. */
bool cx_macro_identity_includes(const char *source, const char *options);

/* Whether the text or its build options might use macros that differ between devices. Errs on the side of
 * true: for reserved names that are no keywords, and for included headers. Called by analysis.c. */
bool cx_macro_identity_matters(const char *source, const char *options);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Build options of one vendor's compiler (-cl-nv-maxrregcount=32). Only that vendor's driver gets them, since
 * others refuse unknown options, and the analyser never does. An option that is for none of the context's
 * members goes to all of them, and the program gets their answer.
 *
 * Previous stage: build.c, analysis.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_SOURCE_VENDOR_OPTIONS_H
#define CX_LAYER_SOURCE_VENDOR_OPTIONS_H

struct cx_device_list;

/* The options for the driver of this member, which the caller frees. NULL: no memory. Called by
 * program/build.c, program/link.c, program/program.c and program/variant.c. */
char *cx_vendor_options(const struct cx_device_list *members, unsigned member, const char *options);
/* The options without those of any vendor; as cx_vendor_options. Called by analysis.c. */
char *cx_vendor_options_none(const char *options);
/* Removes options for debuggers, in place. A split variant has another text than the program, and drivers'
 * debug information does not fit its inlined functions (PoCL's LLVM prints errors about that). Called by
 * program/variant.c. */
void cx_vendor_options_drop_debug(char *options);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Build options of one vendor's compiler (-cl-nv-maxrregcount=32): only that vendor's driver gets them, since
 * others refuse what they do not know, and the analyser never. What no member of the context is meant by goes
 * to all, whose answer is the program's.
 *
 * Previous stage: build.c, analysis.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_SOURCE_VENDOR_OPTIONS_H
#define CX_LAYER_SOURCE_VENDOR_OPTIONS_H

struct cx_device_list;

/* The options for the driver of the context's member, free() them; NULL: no memory. Called by
 * program/build.c, program/link.c, program/program.c and program/variant.c. */
char *cx_vendor_options(const struct cx_device_list *members, unsigned member, const char *options);
/* Those without any that are a vendor's. Called by analysis.c. */
char *cx_vendor_options_none(const char *options);
/* Takes out what is for debuggers, who look for the program's own text: a split variant has another one, and
 * drivers' debug information does not go with always inlined functions (PoCL's LLVM tells so on stderr).
 * Called by program/variant.c. */
void cx_debug_options_drop(char *options);

#endif

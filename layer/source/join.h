/* SPDX-License-Identifier: MIT */
/*
 * One text that means what several objects mean that are linked. Each one is fenced: its macros end with it,
 * and begin only where nobody had them. Where the texts alone do not show that nothing of one can change
 * another there is no joined text; where they do and it still does not compile (types that several objects
 * define), nothing is lost but the split.
 *
 * Previous stage: embedded_headers.h. Next: link.c. Pure functions, thread-safe.
 */
#ifndef CX_LAYER_SOURCE_JOIN_H
#define CX_LAYER_SOURCE_JOIN_H

/* The joined text; free() it. NULL: none (or no memory), *why (may be NULL) says in half a sentence why.
 * Called by program/link.c. */
char *cx_join(unsigned count, const char *const *text, const char **why);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Joins the texts of several objects that are linked into one text with the same meaning. Each object's
 * macros are undefined behind its text. There is no joined text if the texts alone do not show that no object
 * can change the meaning of another. If a joined text does not compile (several objects define a type), the
 * program is only not split.
 *
 * Previous stage: embedded_headers.h. Next: link.c. Pure functions, thread-safe.
 */
#ifndef CX_LAYER_SOURCE_JOIN_H
#define CX_LAYER_SOURCE_JOIN_H

/* The joined text, which the caller frees. NULL: there is none, or no memory; *why (why may be NULL) says the
 * reason in half a sentence. Called by program/link.c. */
char *cx_join(unsigned count, const char *const *text, const char **why);

#endif

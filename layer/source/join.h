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

/* Why there is no joined text. */
enum cx_join_reason {
    CX_JOIN_JOINED, /* there is one */
    CX_JOIN_NO_MEMORY,
    CX_JOIN_NO_TEXT, /* of one of the objects; this and the next two: program/link.c */
    CX_JOIN_OPTIONS,
    CX_JOIN_LIBRARY,
    CX_JOIN_DIGRAPHS, /* in one text, up to PRAGMA ... */
    CX_JOIN_COMMENT,
    CX_JOIN_LITERAL,
    CX_JOIN_CONTINUED,
    CX_JOIN_DIRECTIVE,
    CX_JOIN_NAMELESS,
    CX_JOIN_TOO_DEEP,
    CX_JOIN_CONDITION,
    CX_JOIN_BRACKETS,
    CX_JOIN_OPEN,
    CX_JOIN_PRAGMA,
    CX_JOIN_PRAGMAS, /* of several */
    CX_JOIN_NAME,
    CX_JOIN_REASONS
};
/* Half a sentence; "" for JOINED. Called by program/link.c. */
const char *cx_join_reason_text(enum cx_join_reason reason);

/* The joined text, which the caller frees. NULL: there is none; *why (why may be NULL) says the reason.
 * Called by program/link.c. */
char *cx_join(unsigned count, const char *const *text, enum cx_join_reason *why);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Inline assembly in a program's text. Clang knows the instructions and constraints of one target; programs
 * have those of their GPU. So each statement of a text whose macros are expanded becomes one that is good for
 * any target: the same operands, all in registers, and in place of the instructions what is known of them.
 *
 * Previous stage: compile.c, which has clang compile the new text. Next stage: scan_call.c meets the calls.
 */
#ifndef CX_LAYER_ANALYSER_ASSEMBLY_H
#define CX_LAYER_ANALYSER_ASSEMBLY_H

/* What the statements say then: it computes outputs from inputs alone; it may do more, or reads where or when
 * it runs. */
#define CX_ASSEMBLY_PURE  "coexec pure"
#define CX_ASSEMBLY_OTHER "coexec other"

/* The text with its statements rewritten; free() it. What is not understood stays as it is. Called by
 * compile.c. */
char *cx_assembly_rewrite(const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Where coexec-knowledge is, the program that takes new files into the base (tools/knowledge_main.c).
 * Thread-safe.
 */
#ifndef CX_LAYER_KNOWLEDGE_STORE_PROGRAM_H
#define CX_LAYER_KNOWLEDGE_STORE_PROGRAM_H

/* Its path; NULL: it is not there. Called by knowledge.c. */
const char *cx_knowledge_store_program(void);

#endif
